"""The advice of every error is followed to its end: what it says to type works."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from error_texts import error_strings, modules
from explained import brought_by_missing
from invoking import Call, left_unfinished
from small_treebanks import small_treebank

from learnability.commands import messages
from learnability.commands.messages import PARAMETER, message_for
from learnability.support.plugins import extensions

QUICK = "--iterations 1 --seeds 1 --jobs 1 --quiet"
RUN = f"run --test-set --treebank ud/UD_Small --transform case {QUICK}"
FILE = "ud/UD_Small/xx-ud-dev.conllu"


@dataclass(frozen=True)
class Advice:
    command: str
    said: str
    followed: tuple[str, ...]


def read_advice() -> Iterator[Advice]:
    text = (Path(__file__).parents[1] / "data" / "advice.txt").read_text(encoding="utf-8")
    for block in text.split("\n\n"):
        command, said, *followed = (line for line in block.splitlines() if not line.startswith("#"))
        yield Advice(command.removeprefix("$ "), said, tuple(line.removeprefix("> ") for line in followed))


def blanked(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    file.write_text(re.sub(r"^(\d+\t[^\t]*\t[^\t]*)\t[^\t]*\t[^\t]*", r"\1\t_\t_", text, flags=re.MULTILINE))


YES = "1\tYes\tyes\tINTJ\t_\t_\t0\troot\t_\t_\n\n"
ROOTS = "1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n2\tb\tb\tX\t_\t_\t0\troot\t_\t_\n\n"
WHAT = (
    "1\tWhat\twhat\tPRON\t_\t_\t4\tobj\t_\t_\n2\thas\thave\tAUX\t_\t_\t4\taux\t_\t_\n"
    "3\the\the\tPRON\t_\t_\t4\tnsubj\t_\t_\n4\tread\tread\tVERB\t_\t_\t0\troot\t_\t_\n\n"
)
FIXED_PARSER = 'train = ["true", "{train}", "{model}"]\nparse = ["cat", "{model}", "{input}"]\n'


@pytest.fixture(scope="module")
def world(call: Call, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("advice")
    with chdir(place):
        make_treebanks()
        make_files(call)
        make_runs(call)
    return place


def make_treebanks() -> None:
    for name in ("UD_Small", "UD_Bare", "UD_Changed", "UD_Train", "UD_Test"):
        small_treebank(Path("ud"), name, train=15, dev=6)
    for release in ("2.1", "2.2"):
        small_treebank(Path("rel") / f"ud-{release}", "UD_Small", train=15, dev=6)
    for language in ("languages/UD_Irish", "languages/UD_Welsh", "languages/UD_Greek", "languages/UD_Tamil"):
        small_treebank(Path("."), language, train=15, dev=6)
    small_treebank(Path("old/ud-1.3"), "UD_Basque", train=15, dev=6)
    for file in Path("ud/UD_Bare").iterdir():
        blanked(file)
    shutil.copytree("ud/UD_Small", "ud/UD_Own")
    for file in Path("ud/UD_Own").iterdir():
        file.write_text(re.sub(r"(\t\d+\t)(?!root|det)\w[^\t]*", r"\1comp", file.read_text(encoding="utf-8")))
    shutil.copytree("ud/UD_Small", "ud/UD_Untrained")
    Path("ud/UD_Untrained/xx-ud-train.conllu").unlink()
    for kept in ("train", "test"):
        for file in Path(f"ud/UD_{kept.title()}").iterdir():
            if f"-{kept}." not in file.name:
                file.unlink()
    shutil.copytree("ud/UD_Small", "ud/UD_Question")
    with Path("ud/UD_Question/xx-ud-train.conllu").open("a", encoding="utf-8") as file:
        file.write(WHAT)  # sud crosses an arc
    shutil.copytree("ud/UD_Small", "ud/UD_Unfinished")
    with Path("ud/UD_Unfinished/xx-ud-train.conllu").open("a", encoding="utf-8") as file:
        file.write(YES.replace("\t0\troot\t", "\t_\t_\t"))
    yes = Path("ud/UD_Yes")
    yes.mkdir()
    for split in ("train", "dev", "test"):
        (yes / f"xx-ud-{split}.conllu").write_text(YES * 20)
    Path("empty").mkdir()


def make_files(call: Call) -> None:
    shutil.copy("ud/UD_Bare/xx-ud-dev.conllu", "bare.conllu")
    Path("roots.conllu").write_text(ROOTS * 3)
    Path("one.conllu").write_text(YES)
    Path("mine.toml").write_text('[[transform]]\nname = "case"\n')
    Path("fixed.toml").write_text(FIXED_PARSER)
    Path("odd.toml").write_text("transform = 3\n")
    Path("own.toml").write_text('not_in_ud = ["comp"]\n[merge.deprel]\ncomp = "det"\n')
    Path("same.toml").write_text(f'name = "fixed"\n{FIXED_PARSER}')
    done(call, "train ud/UD_Small/xx-ud-train.conllu -m plain.model --iterations 1 --quiet")
    done(call, f"transform --transform case {FILE} -o recorded.conllu --quiet")
    done(call, f"transform --transform case {FILE} -o plain-case.conllu --quiet")


def make_runs(call: Call) -> None:
    done(call, f"{RUN} --out done")
    for name in ("unfinished", "lost", "mixed", "torn", "other", "settled"):
        shutil.copytree("done", name)
    left_unfinished(Path("unfinished"))
    Path("records").mkdir()
    shutil.copy("done/records.jsonl", "records")
    lines = Path("done/records.jsonl").read_bytes().splitlines(keepends=True)
    Path("lost/records.jsonl").write_bytes(b"".join(lines[:2]))
    Path("torn/records.jsonl").write_bytes(b"".join([lines[0], b"{}\n", *lines[1:]]))
    broken = [json.loads(line) for line in lines]
    for record in broken:
        if record.get("setting") == "b":
            record["result"] = {"tokens": "none"}
    Path("other/records.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in broken))
    config = json.loads(Path("mixed/config.json").read_text())
    config["pairs"] = [{"spelling": 3}]
    Path("mixed/config.json").write_text(json.dumps(config))
    done(call, "run --resume --out settled --folds 3 --most-seeds 2 --quiet")
    done(call, f"{RUN} --transform det --parser graph --out graph")
    done(call, f"run --treebank ud/UD_Small --transform det --against case {QUICK} --out against")
    done(call, f"{RUN} --cross-validate 3 --out cv")
    done(call, "run --quick --treebank ud/UD_Small --transform case --jobs 1 --quiet --out predicted")
    done(call, f"run --treebank ud/UD_Small --alternative mine.toml {QUICK} --out scheme")
    Path("mine.toml").write_text('[[transform]]\nname = "det"\n')
    done(call, f"run --treebank ud/UD_Changed --transform case {QUICK} --out changed")
    changed = Path("ud/UD_Changed/xx-ud-test.conllu")
    changed.write_text(changed.read_text(encoding="utf-8") + YES, encoding="utf-8")


def done(call: Call, command: str) -> None:
    result = call(*shlex.split(command))
    assert result.code == 0, (command, result.errors)


def files_of(folder: Path) -> dict[Path, tuple[int, int]]:
    found = {path.relative_to(folder): path.stat() for path in folder.rglob("*")}
    return {path: (facts.st_size, facts.st_mtime_ns) for path, facts in found.items()}


@pytest.fixture
def place(world: Path) -> Iterator[Path]:
    kept = world.with_name(f"{world.name}-kept")
    if not kept.exists():
        shutil.copytree(world, kept)
    if files_of(world) != files_of(kept):
        shutil.rmtree(world)
        shutil.copytree(kept, world)
    with chdir(world):
        yield world


MISSING = brought_by_missing()

INSTALLED = [row for row in read_advice() if not MISSING & set(row.command.split())]
"""Advice of the commands and options that are there: some come with extensions."""


@dataclass(frozen=True)
class Refused:
    outcomes: list[tuple[int, str]]
    errors: list[str]


@pytest.fixture(scope="module")
def refused(call: Call, world: Path) -> Refused:
    errors: list[str] = []

    def remembered(error: Exception, command: Any) -> str:
        errors.append(str(error))
        return message_for(error, command)

    with chdir(world), pytest.MonkeyPatch.context() as patch:
        patch.setattr(messages, "message_for", remembered)
        results = [call(*shlex.split(row.command)) for row in INSTALLED]
    lasts = [result.errors.splitlines()[-1] if result.errors else "" for result in results]
    return Refused([(result.code, last) for result, last in zip(results, lasts, strict=True)], errors)


@pytest.mark.parametrize("number", range(len(INSTALLED)))
def test_what_an_error_advises_works(call: Call, refused: Refused, place: Path, number: int) -> None:
    row = INSTALLED[number]
    code, last = refused.outcomes[number]
    assert (code, row.said in last) == (2, True), last
    for command in row.followed:
        followed = call(*shlex.split(command))
        assert followed.code == 0, (command, followed.errors)


PYTHON, ELSEWHERE = (
    "of a function that no command calls so",
    "takes too long here, or another machine; its test is elsewhere",
)

NOT_TYPED = {
    " belongs to a run on other data; use `force=True`, or another `out`": PYTHON,
    ", but `alternative` names ": PYTHON,
    "`alternative` mixes ": PYTHON,
    " has no projective training sentence; use `nonprojective='lift'`": PYTHON,
    "`information` does not fit the looks; pass one value for each look, ascending, with its share": PYTHON,
    "`correct_a`, `correct_b` and `total` must be whole numbers; pass the correct heads and tokens of each "
    "sentence": PYTHON,
    " exists, but `fetch` did not create it; move it away to fetch ": ELSEWHERE,  # a server
    "fewer `seeds`": ELSEWHERE,  # a million trainings
    ", or a smaller `cross_validate`": ELSEWHERE,
    "all finished trainings are kept; continue with `resume=True`": ELSEWHERE,  # a full disk
    "; use load_folds, or `splits='cut'`": PYTHON,
    "`corpus` holds sentences; encode them first: `ParserOptions().encode(trees)`": PYTHON,
    "`sets`: ": PYTHON,
    "`oracle='dynamic'`": PYTHON,  # runs lift or drop crossing trees
    "`system='covington'`": PYTHON,
}
"""Parts of messages that no row has, and why."""

OF_EXTENSIONS = {
    "doubts": {"doubts parses every sentence; give `cross_validate=5`": PYTHON},
    "history": {
        "history compares versions; use `releases` or `commits`": PYTHON,
        "git is not installed; install it, or use `releases`": ELSEWHERE,
    },
}
"""The same of extensions, where they are installed."""

for extension in extensions():
    NOT_TYPED |= OF_EXTENSIONS.get(extension.name, {})


def advising_texts() -> Iterator[tuple[str, str]]:
    for path in modules():
        for text in error_strings(path):
            if PARAMETER.search(text):
                yield path, text


def test_every_message_that_names_a_parameter_is_followed(refused: Refused) -> None:
    left = {
        (file, text) for file, text in advising_texts() if not any(text in line for line in refused.errors)
    }
    assert sorted((file, text) for file, text in left if text not in NOT_TYPED) == []
    assert sorted(NOT_TYPED.keys() - {text for _, text in left}) == []
