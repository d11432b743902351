"""Commands as parsers: a small external program, and everything that can go wrong with one."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from external import DEV, TEST, TRAIN, check_official_scores, check_seeds, check_what_it_sees, trained

from learnability.errors import InputError, RunError
from learnability.parsers.command import CommandTrainer
from learnability.parsers.registry import parser_named
from learnability.parsers.trainer import Setup, check_parses
from learnability.treebanks.conllu_writing import conllu_text
from learnability.treebanks.sentence import Tree

ATTACH = '''
"""Attaches each word as its tag mostly is: so many words to the left or right, or to the first word."""
import collections, json, sys

def sentences(path):
    text = open(path, encoding="utf-8").read()
    return [[line.split("\\t") for line in block.split("\\n")] for block in text.strip().split("\\n\\n")]

if sys.argv[1] == "train":
    offsets = collections.defaultdict(collections.Counter)
    for number, sentence in enumerate(sentences(sys.argv[2])):
        for word in sentence:
            offsets[word[3]][int(word[6]) - int(word[0]), word[7]] += 1
            if number < 3:  # what comes first counts more: the order is the seed's
                offsets[word[3]][int(word[6]) - int(word[0]), word[7]] += 9
    best = {tag: max(sorted(seen), key=seen.get) for tag, seen in offsets.items()}
    json.dump(best, open(sys.argv[3], "w"))
else:
    best = json.load(open(sys.argv[3]))
    out = open(sys.argv[4], "w", encoding="utf-8") if len(sys.argv) > 4 else sys.stdout
    for sentence in sentences(sys.argv[2]):
        heads = []
        for number, word in enumerate(sentence, start=1):
            offset, deprel = best.get(word[3], (-1, "dep"))
            head = number + offset if 1 <= number + offset <= len(sentence) else 1
            heads.append(0 if number == 1 else head if head < number else 1)
            word[6], word[7] = str(heads[-1]), deprel if heads[-1] else "root"
        print("\\n".join("\\t".join(word) for word in sentence), end="\\n\\n", file=out)
'''


def parser_file(
    folder: Path, train: str = "", parse: str = "", program: str = ATTACH, more: str = ""
) -> Path:
    """A parser file whose commands run a Python program with these arguments."""
    (folder / "attach.py").write_text(program, encoding="utf-8")
    lines = [
        f'{key} = ["{sys.executable}", "{{folder}}/attach.py", {arguments}]'
        for key, arguments in (
            ("train", train or '"train", "{train}", "{model}", "{seed}"'),
            ("parse", parse or '"parse", "{input}", "{model}", "{output}"'),
        )
    ]
    path = folder / "attach.toml"
    path.write_text("\n".join([*lines, more]), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def attach(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(parser_file(tmp_path_factory.mktemp("attach")))


@pytest.mark.parametrize("tags", ["gold", "xpos", "none"])
def test_it_sees_forms_and_the_tags_of_the_run(attach: str, tags: str) -> None:
    check_what_it_sees(attach, Setup(tags=tags, labelled=tags == "gold"))


def test_seeds_and_processes(attach: str, tmp_path: Path) -> None:
    check_seeds(attach, Setup(), tmp_path)


def test_scores_are_those_of_the_official_scorer(attach: str, tmp_path: Path) -> None:
    parser = parser_named(attach).trainer(Setup(labelled=True))
    assert isinstance(parser, CommandTrainer)
    parses = parser.train(TRAIN, DEV, 3).parse(TEST)
    train, test, model, output = (str(tmp_path / name) for name in ("train", "test", "model", "output"))
    Path(train).write_text(conllu_text(Random(3).sample(TRAIN, len(TRAIN))), encoding="utf-8")
    Path(test).write_text(conllu_text(TEST), encoding="utf-8")
    program = [sys.executable, str(Path(attach).with_name("attach.py"))]
    subprocess.run([*program, "train", train, model, "3"], check=True)
    subprocess.run([*program, "parse", test, model, output], check=True)
    check_official_scores(tmp_path, TEST, Path(output), parses)


def test_what_the_files_hold_and_what_is_filled_in(tmp_path: Path) -> None:
    program = (
        "import shutil, sys; shutil.copytree('.', sys.argv[1], dirs_exist_ok=True); "
        "print(sys.argv[2:], file=open(sys.argv[1] + '/words', 'w'))"
    )
    seen = tmp_path / "seen"
    places = '"{seed}", "{tags}", "{folder}", "{dev}", "{other.braces}"'
    path = parser_file(tmp_path, f'"{seen}", "{{train}}", {places}', program=program)
    tree = Tree(("a b", "c"), ("N", "V"), (2, 0), ("obj", "root"), ("l", "m"), ("n", "v"), ("F=1", "F=2"))
    for setup, tag, deprel in ((Setup(), "N", "dep"), (Setup(labelled=True, tags="xpos"), "n", "obj")):
        parser_named(str(path)).trainer(setup).train([tree], [], 5)
        first = (seen / "train.conllu").read_text(encoding="utf-8").split("\n")[0]
        assert first == f"1\ta b\t_\t{tag}\t{tag}\t_\t2\t{deprel}\t_\t_"
        assert (seen / "dev.conllu").read_text() == ""
        words = (seen / "words").read_text()
        assert f"'5', '{setup.tags}', '{tmp_path}'" in words
        assert "dev.conllu', '{other.braces}']" in words


def test_heads_and_deprels_are_blank_in_what_is_to_be_parsed(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    program = f"import shutil, sys; sys.argv[1] == 'parse' and shutil.copy(sys.argv[2], {str(seen)!r})"
    path = parser_file(tmp_path, program=program)
    with pytest.raises(RunError, match="parsing wrote no output"):
        trained(str(path), Setup(labelled=True, logs=tmp_path)).parse(TEST)
    rows = [line.split("\t") for line in seen.read_text(encoding="utf-8").split("\n") if line]
    assert {tuple(row[2:3] + row[5:]) for row in rows} == {("_",) * 6}
    assert [row[1] for row in rows] == [form for tree in TEST for form in tree.forms]


def test_without_output_it_is_standard_output(attach: str, tmp_path: Path) -> None:
    path = parser_file(tmp_path, parse='"parse", "{input}", "{model}"')
    assert trained(str(path), Setup()).parse(TEST) == trained(attach, Setup()).parse(TEST)


def test_its_folder_is_there_as_long_as_the_parser(
    attach: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    parser = trained(attach, Setup())
    assert len(parser.parse(TEST[:1])) == 1
    assert parser.parse([]) == []
    (folder,) = tmp_path.iterdir()
    assert {"model", "train.conllu", "train.log"} <= {path.name for path in folder.iterdir()}
    del parser
    gc.collect()
    assert not list(tmp_path.iterdir())


WORD = "1\\tA\\t_\\t_\\t_\\t_\\t0\\troot\\t_\\t_"
ANSWERS = {
    "nothing": ("pass", "parsing wrote no output"),
    "crash": ("print('before'); sys.exit('no memory')", "failed with exit code 1; its last line: no memory"),
    "killed": ("os.kill(os.getpid(), 9)", "parsing ended by signal 9"),
    "endless": (
        "out('x' * 12_000_000); import time; time.sleep(20)",
        "parsing wrote more than 10 MB to output1.conllu",
    ),
    "empty": ("out('')", "0 parses for 10 sentences"),
    "fewer": ("out(text.split('\\n\\n', 1)[1])", "9 parses for 10 sentences"),
    "word": ("out(text.replace('Anna', 'Bill', 1))", "sentence 1 of 10: word 1 is 'Bill', not 'Anna'"),
    "cycle": ("out(text.replace('\\t0\\troot', '\\t2\\troot', 1))", "sentence 1: the sentence has no root"),
    "range": ("out('1-2\\tAb' + '\\t_' * 8 + '\\n' + text)", "of its output has lines that"),
}  # fmt: skip


@pytest.mark.parametrize("kind", ANSWERS)
def test_wrong_answers_are_one_line(kind: str, attach: str, tmp_path: Path) -> None:
    action, message = ANSWERS[kind]
    program = f"""
import os, sys
if sys.argv[1] == "parse":
    lines = open(sys.argv[2], encoding="utf-8").read().split("\\n")
    text = "\\n".join(
        "\\t".join([*cells[:6], str(int(cells[0]) - 1), "root" if cells[0] == "1" else "dep", "_", "_"])
        if len(cells := line.split("\\t")) == 10 else line for line in lines
    )
    word = "{WORD}"
    out = lambda text: open(sys.argv[4], "w", encoding="utf-8").write(text)
    {action}
"""
    parser = trained(str(parser_file(tmp_path, program=program)), Setup(logs=tmp_path / "logs"))
    with pytest.raises(RunError) as error:
        parser.parse([Tree(("Anna", "b"), ("N", "V")), *TEST[1:]])
    assert str(error.value).startswith("parser attach: ")
    assert message in str(error.value)
    assert "\n" not in str(error.value)
    (log,) = (tmp_path / "logs").iterdir()
    assert str(error.value).endswith(f"; log: {log}")
    assert log.read_text() == ("before\nno memory\n" if kind == "crash" else "")


@pytest.mark.parametrize(
    ("action", "message"),
    [
        ("open('training.json', 'w').write('{')", "training wrote an invalid training.json"),
        ("open('training.json', 'w').write('{\"iterations\": -3}')", "an invalid training.json"),
        ("os.mkdir('training.json')", "an invalid training.json"),
        ("os.remove('train.log'); sys.exit(3)", "training failed with exit code 3"),
    ],
)
def test_a_training_that_leaves_rubbish_is_one_line(action: str, message: str, tmp_path: Path) -> None:
    path = parser_file(tmp_path, program=f"import os, sys\n{action}")
    with pytest.raises(RunError, match=message) as error:
        trained(str(path), Setup(logs=tmp_path / "logs"))
    assert "\n" not in str(error.value)


def test_cycles_are_found_where_there_is_a_root() -> None:
    tree = Tree(("a", "b", "c"), ("N",) * 3)
    with pytest.raises(RunError, match=r"parser x: sentence 1 of 1: the heads form a cycle through word 2"):
        check_parses("x", [tree], [tree.with_heads((0, 3, 2), ("dep",) * 3)])
    with pytest.raises(RunError, match=r"a head lies outside the sentence of 3 words"):
        check_parses("x", [tree], [tree.with_heads((0, 4, 2), ("dep",) * 3)])
    with pytest.raises(RunError, match=r"0 heads and 0 deprels for 3 words"):
        check_parses("x", [tree], [tree])
    check_parses("x", [tree], [tree.with_heads((0, 0, 2), ("dep",) * 3)])


def test_a_program_may_write_another_kind_of_space() -> None:
    tree = Tree(("1 000", "m"), ("NUM", "NOUN"), (2, 0), ("nummod", "root"))
    check_parses("x", [tree], [replace(tree, forms=("1\N{NO-BREAK SPACE}000", "m"))])
    with pytest.raises(RunError, match="sentence 1 of 1: word 1 is '1_000', not '1 000'"):
        check_parses("x", [tree], [replace(tree, forms=("1_000", "m"))])


BEARS = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
open(sys.argv[1], "w").write(str(child.pid))
{end}
"""


def gone(pid: int) -> bool:
    """Whether the process ends within a second or two (or waits for its parent to look)."""
    for _ in range(100):
        try:
            os.kill(pid, 0)
            state = Path(f"/proc/{pid}/stat")
            if state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.03)
    return False


@pytest.mark.parametrize(("end", "message"), [("time.sleep(60)", "training took longer than 2 s"), ("", "")])
def test_what_it_started_ends_with_it(tmp_path: Path, end: str, message: str) -> None:
    pid, limit = tmp_path / "pid", f"time_limit = {2 if message else 30}"
    path = parser_file(tmp_path, f'"{pid}", "{{train}}"', program=BEARS.format(end=end), more=limit)
    try:
        trained(str(path), Setup(logs=tmp_path))
        said = ""
    except RunError as error:
        said = str(error)
    assert message in said
    assert bool(message) == bool(said)
    assert gone(int(pid.read_text()))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_it_ends_with_us(tmp_path: Path, number: int) -> None:
    pid = tmp_path / "pid"
    program = BEARS.format(end="time.sleep(60)")
    path = parser_file(tmp_path, f'"{pid}", "{{train}}"', program=program)
    script = (
        "import sys; sys.path[:0] = eval(sys.argv[1])\n"
        "from learnability.parsers.command import read_parser\n"
        "from learnability.parsers.trainer import Setup\n"
        "from learnability.treebanks.sentence import Tree\n"
        f"parser = read_parser({str(path)!r}).make(Setup(tags='none'), {{}})\n"
        "parser.train([Tree(('a',), ('N',), (0,), ('root',))], [], 1)\n"
    )
    command = [sys.executable, "-c", script, repr(sys.path)]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    run = subprocess.Popen(
        command,
        stderr=subprocess.DEVNULL,
        env=environment,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # ignored in the background
    )
    for _ in range(400):
        if pid.exists() and pid.read_text():
            break
        time.sleep(0.05)
    time.sleep(0.2)
    run.send_signal(number)
    run.wait(10)
    assert gone(int(pid.read_text()))


def test_it_reads_no_input_of_ours(tmp_path: Path) -> None:
    path = parser_file(tmp_path, program="import sys; sys.exit(sys.stdin.read() or 'nothing to read')")
    before, (end, begin) = os.dup(0), os.pipe()
    os.write(begin, b"ours")
    os.close(begin)
    os.dup2(end, 0)
    try:
        with pytest.raises(
            RunError, match=r"training failed with exit code 1; its last line: nothing to read"
        ):
            trained(str(path), Setup(logs=tmp_path))
    finally:
        os.dup2(before, 0)
        os.close(before)
        os.close(end)


TRAINS, PARSES = 'train = ["true", "{train}"]\n', 'parse = ["true", "{input}"]\n'
MISTAKES = {
    "no TOML": ("train = [", "1: this is not TOML"),
    "key": (TRAINS + PARSES + "timelimit = 3", "3: the key 'timelimit' is unknown; did you"),
    "no train": (PARSES, '1: there is no command to train; write train = ["PROGRAM", "{train}"]'),
    "no parse": (TRAINS, '1: there is no command to parse; write parse = ["PROGRAM", "{input}"]'),
    "string": ('train = "udpipe {train}"\n' + PARSES, '1: train is a string; write train = ["...", "..."]'),
    "placeholder": (
        'train = ["x",\n"{trian}"]\n' + PARSES, "2: train has the unknown placeholder {trian}; did",
    ),
    "output in training": (
        'train = ["x", "{train}", "{output}"]\n' + PARSES, "1: train has the unknown placeholder {output}",
    ),
    "unread": (TRAINS + 'parse = ["true"]', "2: parse lacks {input}, the file that it has to read"),
    "projective": (TRAINS + PARSES + "projective = 1", "3: projective is a number; write projective = true"),
    "threads": (TRAINS + PARSES + "threads = 1.5", "3: threads is 1.5; use a whole number"),
    "no threads": (TRAINS + PARSES + "threads = 0", "3: threads is 0; use a number above 0"),
    "limit": (TRAINS + PARSES + "time_limit = nan", "3: time_limit is nan; use a number above 0"),
    "limit as text": (TRAINS + PARSES + 'time_limit = "1h"', "3: time_limit is a string; write time"),
    "seconds": (TRAINS + PARSES + "seconds = -1", "3: seconds is -1; use a number above 0"),
    "name": (TRAINS + PARSES + 'name = "a b"', "3: the name 'a b' is invalid; use only letters"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_in_the_file_are_one_line(mistake: str, tmp_path: Path) -> None:
    text, message = MISTAKES[mistake]
    path = tmp_path / "parser.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as error:
        parser_named(str(path))
    assert str(error.value).startswith(f"{path}:{message}")
    assert "\n" not in str(error.value)


def test_no_file_and_no_program(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none.toml cannot be read .no such file or directory.; use"):
        parser_named(str(tmp_path / "none.toml"))
    path = tmp_path / "parser.toml"
    path.write_text(TRAINS.replace("true", "no-such-program") + PARSES)
    with pytest.raises(InputError, match=r"parser parser needs the program no-such-program, which was not"):
        parser_named(str(path)).trainer(Setup())


def test_the_kind_of_a_file(tmp_path: Path) -> None:
    path = parser_file(
        tmp_path, more='name = "x"\nprojective = true\nthreads = 2\nseconds = 4\ntime_limit = 9'
    )
    named = parser_named(str(path))
    kind = named.kind
    assert (named.spelling, kind.name, kind.description) == (str(path), "x", "defined in attach.toml")
    assert (kind.seconds, kind.installed, len(kind.sha256)) == ((4, 4), True, 64)
    parser = named.trainer(Setup())
    assert (parser.projective, parser.threads, parser.time_limit) == (True, 2, 9)  # type: ignore[attr-defined]
    with pytest.raises(InputError, match=r"parser x: the command has no placeholder {iterations}"):
        named.trainer(Setup(iterations=3))


@pytest.mark.parametrize("name", ["maltparser", "stanza", "supar", "udpipe"])
def test_the_files_of_the_documentation_can_be_read(name: str) -> None:
    path = Path(__file__).parents[2] / "docs" / "parsers" / f"{name}.toml"
    assert parser_named(str(path)).kind.name == {"udpipe": "udpipe-program"}.get(name, name)


@pytest.mark.parametrize("name", ["arc-eager", "udpipe"])
def test_a_file_has_a_name_of_its_own(name: str, tmp_path: Path) -> None:
    path = parser_file(tmp_path, more=f'name = "{name}"')
    with pytest.raises(
        InputError, match=rf"attach.toml: {name} is the name of another parser; write another name = "
    ):
        parser_named(str(path))
