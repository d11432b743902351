"""Fuzzing: whatever is put in, a correct result comes out, or the one line that says what is wrong.

Every input goes through the command line, in this process. Seeds are fixed: the same inputs come again.
"""

from __future__ import annotations

import io
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import strategies
from click import Context
from finished_runs import write_run
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from tally import Tally

from learnability import cli
from learnability.support.terminal import visible
from learnability.treebanks import locate
from learnability.treebanks.columns import HEAD, MISC
from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.locate import DEMO_FOLDER

WAYS = {0: "with a result", 1: "failed in one line", 2: "refused the input in one line"}

BATCH = 2_000
"""Inputs drawn from one seed."""

DOCUMENTED = Path(__file__).resolve().parents[2] / "docs" / "schemes"
LANGUAGES = ("Irish", "Tamil", "Latvian", "Greek", "French", "Coptic")


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    output: bytes
    errors: str


def run(*arguments: str, stdin: bytes = b"") -> Ended:
    """The command line in this process."""
    before = sys.stdin, sys.stdout, sys.stderr
    streams = [io.TextIOWrapper(io.BytesIO(data)) for data in (stdin, b"", b"")]
    sys.stdin, sys.stdout, sys.stderr = streams
    try:
        code = cli.run(arguments)
    finally:
        sys.stdin, sys.stdout, sys.stderr = before
    for stream in streams[1:]:
        stream.flush()
    output, errors = (stream.buffer.getvalue() for stream in streams[1:])  # type: ignore[attr-defined]
    return Ended(code, output, errors.decode())


@dataclass
class Campaign:
    """What one check needs: a folder, and how its inputs ended."""

    folder: Path
    tally: Tally
    record: Callable[[str, object], None]
    ends: Counter[int] = field(default_factory=Counter)

    def examine(
        self, arguments: list[str], located: str = ".", codes: tuple[int, ...] = (0, 2), **how: bytes
    ) -> Ended:
        """Run a command. An AssertionError unless it ended well: with a result, or with the one line, where
        `located` is found; and it left nothing half."""
        ended = run(*arguments, **how)
        assert ended.code in codes, ended
        assert visible(ended.errors) == ended.errors, ended
        assert "internal error" not in ended.errors, ended
        assert "Traceback" not in ended.errors, ended
        assert not list(self.folder.rglob("*.tmp")), ended
        if ended.code:
            *_, last = ended.errors.splitlines()  # before it there may be notes on what went well
            assert re.fullmatch(r"learnability: .+", last), ended
            assert re.search(located, last), ended
            assert not ended.output, ended
        self.ends[ended.code] += 1
        return ended

    def try_all(self, inputs: st.SearchStrategy[Any], check: Callable[[Any], None], cases: int) -> None:
        """So many inputs; the first that fails is made small and shown."""
        for batch in range(-(-cases // BATCH)):
            own = min(BATCH, cases - batch * BATCH)

            @seed(batch)
            @settings(
                max_examples=own, deadline=None, database=None, derandomize=False,
                phases=[Phase.generate, Phase.shrink], suppress_health_check=list(HealthCheck),
            )  # fmt: skip
            @given(inputs)
            def tried(one: Any) -> None:
                check(one)
                self.tally.count(1)

            tried()
        said = ", ".join(f"{self.ends[code]:,} {WAYS[code]}" for code in sorted(self.ends))
        self.record("ends", f"commands: {said}")


Sized = Callable[[int], int]


@pytest.fixture
def campaign(
    tally: Tally, record_property: Callable[[str, object], None], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Campaign]:
    """In an empty folder, with an empty cache and no network."""
    with tempfile.TemporaryDirectory() as folder:
        monkeypatch.chdir(folder)
        monkeypatch.delenv("LEARNABILITY_DEBUG", raising=False)
        monkeypatch.setenv("LEARNABILITY_UD_HOME", folder)
        monkeypatch.setattr(locate, "cache_folder", lambda: Path(folder, "cache", "treebanks"))
        monkeypatch.setattr("pooch.core.time", SimpleNamespace(sleep=lambda _: None))
        yield Campaign(Path(folder), tally, record_property)


@pytest.fixture(scope="session")
def originals(request: pytest.FixtureRequest) -> list[bytes]:
    """A few sentences of real treebanks, or where there are none of the bundled one."""
    files = sorted(DEMO_FOLDER.glob("*-dev.conllu"))
    try:
        real = request.getfixturevalue("ud_files")
        files += [
            path for path in real if "-dev" in path.name and any(name in str(path) for name in LANGUAGES)
        ]
    except pytest.skip.Exception:
        pass
    texts = []
    for path in files:
        blocks = path.read_bytes().split(b"\n\n")
        texts += [b"\n\n".join(blocks[i : i + 2]) + b"\n\n" for i in range(0, min(60, len(blocks) - 2), 20)]
    return texts


NAMES = (
    "case",
    "cop:reattach=clause",
    "cc",
    "cc:style=moscow",
    "det",
    "mark",
    "mwe",
    "name",
    "aux",
    "case:upos=ADP",
)
TRANSFORMED = [["--transform", name] for name in NAMES] + [
    ["--alternative", "all"],
    ["--alternative", "function-heads"],
]


IN_PLACE = r"learnability: <stdin>(:[0-9]+: | has no place )"
"""How a line begins about a file that was read from standard input."""


def check_transform(
    campaign: Campaign, data: bytes, names: list[str], *, external: bool = False, located: str = "."
) -> None:
    """The file that comes out is sound, and --invert reads it."""
    labels = ["--labels", "external"] if external else []
    options = [*names, *labels, "--quiet"]
    there = campaign.examine(["transform", *options], located, stdin=data)
    if there.code:
        return
    before, after = (read_conllu(io.BytesIO(own), name="x") for own in (data, there.output))
    assert [s.tree.forms for s in before] == [s.tree.forms for s in after]
    for old, new in zip(before, after, strict=True):
        for row, other in zip(old.rows, new.rows, strict=True):
            cells, others = old.lines[row].split("\t"), new.lines[other].split("\t")
            assert cells[:HEAD] + cells[MISC:] == others[:HEAD] + others[MISC:]
    assert campaign.examine(["transform", *names, "--invert", "--quiet"], stdin=there.output).code == 0


def test_files_through_transform_and_back(campaign: Campaign, sized: Sized) -> None:
    """CoNLL-U drawn cell by cell, through `transform` and back."""
    inputs = st.tuples(strategies.conllu_files(), st.sampled_from(TRANSFORMED), st.booleans())
    campaign.try_all(
        inputs,
        lambda one: check_transform(campaign, *one[:2], external=one[2], located=IN_PLACE),
        sized(30_000),
    )


def test_damaged_treebanks_through_transform_and_back(
    campaign: Campaign, sized: Sized, originals: list[bytes]
) -> None:
    """Real treebanks damaged (bytes, lines, columns, numbers), through `transform` and back."""
    inputs = st.tuples(strategies.damaged(originals), st.sampled_from(TRANSFORMED))
    campaign.try_all(inputs, lambda one: check_transform(campaign, *one, located=IN_PLACE), sized(30_000))


COMMANDS = (
    ["transform", "--transform", "case", "--invert", "FILE", "-o", "OUT"],
    ["transform", "--alternative", "all", "--labels", "external", "FILE", "-o", "OUT"],
    ["transform", "--transform", "case", "--multiple-roots", "FILE", "-o", "OUT"],
    ["transform", "--transform", "mark", "--places", "FILE", "-o", "OUT"],
    ["references", "--transform", "case", "--transform", "det", "FILE", "-o", "OUT"],
    ["references", "--transform", "cop", "--enumerate", "3", "FILE", "-o", "OUT"],
    ["references", "--alternative", "all", "--json", "FILE"],
    ["show", "--transform", "case", "FILE"],
    ["show", "--alternative", "all", "FILE", "--out", "OUT.svg"],
    ["measure", "FILE"],
    ["measure", "FILE", "--transform", "aux", "--json"],
    ["evaluate", "FILE", "FILE", "--json"],
    ["evaluate", "SOUND", "FILE"],
    ["list", "treebanks", "--ud-home", "."],
)  # fmt: skip


def test_files_through_other_commands(campaign: Campaign, sized: Sized, originals: list[bytes]) -> None:
    """CoNLL-U of both kinds, through every other command that reads it and trains nothing."""
    file, out = campaign.folder / "a_b-ud-dev.conllu", campaign.folder / "out"
    (campaign.folder / "sound.conllu").write_bytes(originals[0])
    places = {"FILE": str(file), "SOUND": "sound.conllu", "OUT": str(out), "OUT.svg": f"{out}.svg"}

    def check(one: tuple[bytes, list[str]]) -> None:
        data, words = one
        file.write_bytes(data)
        ended = campaign.examine([places.get(word, word) for word in words])
        made = [path for path in (out, Path(f"{out}.svg")) if path.exists()]
        assert len(made) == (ended.code == 0 and any(word.startswith("OUT") for word in words)), ended
        for path in made:
            path.unlink()
        if "--json" in words and not ended.code:
            json.loads(ended.output)

    files = st.one_of(strategies.conllu_files(), strategies.damaged(originals))
    campaign.try_all(st.tuples(files, st.sampled_from(COMMANDS)), check, sized(5_000))


def test_scheme_files(campaign: Campaign, sized: Sized, originals: list[bytes]) -> None:
    """Scheme files drawn key by key, and those of the documentation damaged."""
    texts = [path.read_bytes() for path in sorted(DOCUMENTED.glob("*.toml"))]
    file = campaign.folder / "fr_x.toml"

    def check(data: bytes) -> None:
        file.write_bytes(data)
        check_transform(campaign, originals[0], ["--alternative", "fr_x.toml"])

    campaign.try_all(strategies.scheme_files(texts), check, sized(13_000))


def test_answers_of_commands(
    campaign: Campaign, sized: Sized, originals: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a scheme that is a command may get for an answer: its input, damaged."""
    monkeypatch.setattr("tempfile.tempdir", str(campaign.folder))  # for the logs
    scheme, answer = campaign.folder / "x.toml", campaign.folder / "answer"
    scheme.write_text('command = ["cat", "{folder}/answer"]', encoding="utf-8")
    source = originals[0]
    before = read_conllu(io.BytesIO(source), name="x")

    def check(data: bytes) -> None:
        answer.write_bytes(data)
        words = ["transform", "--alternative", "x.toml", "--quiet"]
        ended = campaign.examine(words, "scheme x: <stdin>: .*; log: ", (0, 1), stdin=source)
        if ended.code:
            return
        made, given = (read_conllu(io.BytesIO(own), name="x") for own in (ended.output, data))
        for old, new, own in zip(before, made, given, strict=True):
            assert (new.tree.forms, new.tree.upos, new.tree.feats) == (
                old.tree.forms, old.tree.upos, old.tree.feats,
            )  # fmt: skip
            assert (new.tree.heads, new.tree.deprels) == (own.tree.heads, own.tree.deprels)

    campaign.try_all(strategies.damaged([source]), check, sized(2_000))


def test_specifications(campaign: Campaign, sized: Sized, originals: list[bytes]) -> None:
    """Transformations with options and restrictions, right and wrong."""
    several = b"".join(originals[:3])

    def check(names: list[str]) -> None:
        given = [word for name in names for word in ("--transform", name)]
        check_transform(campaign, several, given)

    specs = st.lists(strategies.specifications(), min_size=1, max_size=2)
    campaign.try_all(specs, check, sized(13_000))


def test_records_of_runs(campaign: Campaign, sized: Sized) -> None:
    """Files of a finished run with other parts, through `compare` and `report`."""
    folder = write_run(campaign.folder / "run")
    sound = {path.name: path.read_bytes() for path in folder.iterdir()}

    def check(one: tuple[str, bytes, str, bool]) -> None:
        name, data, command, as_json = one
        for own, whole in sound.items():
            (folder / own).write_bytes(data if own == name else whole)
        ended = campaign.examine([command, "run", "--quiet", *(["--json"] if as_json else [])])
        if as_json and not ended.code:
            json.loads(ended.output)

    def files(name: str) -> st.SearchStrategy[bytes]:
        kind = strategies.damaged if name.endswith(".csv") else strategies.json_files
        return kind([sound[name]])

    inputs = st.one_of(
        st.tuples(st.just(name), files(name), st.sampled_from(["compare", "report"]), st.booleans())
        for name in sorted(sound)
    )
    campaign.try_all(inputs, check, sized(3_000))


def test_records_of_downloads(campaign: Campaign, sized: Sized) -> None:
    """Records of downloads with other parts, through `fetch` without a network."""
    home = locate.cache_folder()
    release = home / "ud-treebanks-v2.16"
    (release / "UD_A-B").mkdir(parents=True)
    one = {"treebank": "UD_A-B", "release": "2.16", "licence": "CC", "url": "https://x/y", "sha256": "0" * 64}
    record = {"UD_A-B": {**one, "files": {}}}
    contents = {"fetched.json": record}
    sound = {name: json.dumps(content).encode() for name, content in contents.items()}
    nowhere = ["--base-url", "http://127.0.0.1:9", "--quiet"]
    commands = (
        ["fetch", "--list", *nowhere],
        ["fetch", "--list", "--release", "2.16", "--json", *nowhere],
        ["fetch", "UD_A-B", "--release", "2.16", *nowhere],
        ["fetch", "all", "--release", "2.16", *nowhere],
        ["fetch", "UD_C", "--release", "2.16", *nowhere],
    )

    def check(drawn: tuple[str, bytes, list[str]]) -> None:
        name, data, words = drawn
        for own, text in sound.items():
            (release / own).write_bytes(data if own == name else text)
        campaign.examine(words, codes=(0, 1, 2))
        assert not list(home.glob(".work.*"))

    inputs = st.one_of(
        st.tuples(st.just(name), strategies.json_files([text]), st.sampled_from(commands))
        for name, text in sound.items()
    )
    campaign.try_all(inputs, check, sized(2_000))


def test_models(campaign: Campaign, sized: Sized, originals: list[bytes]) -> None:
    """Model files with other parts and a right checksum, through `parse` and `parse --to-ud`."""
    (campaign.folder / "train.conllu").write_bytes(b"".join(originals[:3]))
    (campaign.folder / "in.conllu").write_bytes(originals[0])
    models = []
    for more in ([], ["--labelled", "--transform", "det"], ["--transform", "case", "--transform", "name"]):
        done = run("train", "train.conllu", "-m", "model", "--iterations", "1", "--quiet", *more)
        assert done.code == 0, done
        models.append(Path("model").read_bytes())

    def check(one: tuple[bytes, bool]) -> None:
        Path("model").write_bytes(one[0])
        Path("out").unlink(missing_ok=True)
        to_ud = ["--to-ud"] if one[1] else []
        ended = campaign.examine(["parse", "-m", "model", "in.conllu", "-o", "out", "--quiet", *to_ud])
        assert Path("out").exists() == (ended.code == 0)
        if ended.code == 0:
            parsed, given = read_conllu("out"), read_conllu("in.conllu")
            for now, before in zip(parsed, given, strict=True):
                assert now.tree.with_heads(before.tree.heads, before.tree.deprels) == before.tree

    campaign.try_all(st.tuples(strategies.model_files(models), st.booleans()), check, sized(4_000))


NEEDED = {
    **{name: ["--transform", "case", "in.conllu"] for name in ("transform", "show", "references")},
    **{name: ["in.conllu"] for name in ("measure", "evaluate")},
    "run": ["--dry-run", "--treebank", "demo"],
    "reproduce": ["--dry-run", "--out", "OUT"],
    "list": ["systems"],
    "fetch": ["--base-url", "http://127.0.0.1:9", "--list"],
    "compare": [],
    "parse": ["in.conllu"],
}
"""By command, what it cannot do without, so that it neither trains nor waits."""
KNOWN = (
    "case",
    "function-heads",
    "demo",
    "1",
    "0",
    "-1",
    "0.5",
    "auto",
    "UD_X",
    "in.conllu",
    "OUT",
    ".",
    "2.16",
)
ODD = ("\udcff", "x\udc80.toml", "x" * 300, "local:0", "tcp://[::1", "tcp://127.0.0.1:9", "80:10:10")


def arguments() -> st.SearchStrategy[list[str]]:
    """A command with up to three options of its own or values of all kinds."""
    texts = strategies.cells.filter(lambda text: "\0" not in text)
    values = st.sampled_from(KNOWN) | texts | st.sampled_from(ODD)

    def of(name: str) -> st.SearchStrategy[list[str]]:
        parameters = cli.cli.get_command(Context(cli.cli), name).params
        options = [own for own in parameters if own.param_type_name == "option" and own.name != "base_url"]
        plain = [own.opts[0] for own in options if own.is_flag]
        valued = [own.opts[0] for own in options if not own.is_flag]
        words = st.tuples(st.sampled_from(valued), values) | st.tuples(values)
        words = words | st.tuples(st.sampled_from(plain)) if plain else words
        return st.lists(words, max_size=3).map(lambda own: [name, *NEEDED[name], *chain.from_iterable(own)])

    return st.sampled_from(sorted(NEEDED)).flatmap(of)


def test_arguments(campaign: Campaign, sized: Sized, originals: list[bytes]) -> None:
    """Commands with options and values of all kinds, half characters included."""
    sound = originals[0]

    def check(words: list[str]) -> None:
        Path("in.conllu").write_bytes(sound)
        campaign.examine(words, codes=(0, 1, 2), stdin=sound)

    campaign.try_all(arguments(), check, sized(6_000))
