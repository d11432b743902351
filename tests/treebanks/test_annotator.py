"""Programs that annotate anew: what they read and give, the cache, and everything that can go wrong."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from converters import CHAIN, runs, scheme_file
from small_treebanks import small_treebank

from learnability.errors import InputError, RunError
from learnability.schemes.toml_file import CommandScheme, read_scheme
from learnability.treebanks.alignment import annotation
from learnability.treebanks.annotator import Annotator, annotations_folder
from learnability.treebanks.conllu_io import ConlluFile, read_conllu
from learnability.treebanks.locate import explicit_files, locate_treebank
from learnability.treebanks.splits import read_treebank

TEXT = """# sent_id = a
# text = Vámonos ya
1-2\tVámonos\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
1\tVamos\tir\tVERB\tV\tA=1\t0\troot\t0:root\t_
1.1\tx\t_\t_\t_\t_\t_\t_\t1:dep\t_
2\tnos\tnos\tPRON\tP\t_\t1\tobj\t1:obj\t_
3\tya\tya\tADV\tR\t_\t1\tadvmod\t1:advmod\tX=1

# sent_id = b
1\tNo\tno\tINTJ\tI\t_\t0\troot\t_\t_

"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ConlluFile:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    path = tmp_path / "es-ud-test.conllu"
    path.write_text(TEXT, encoding="utf-8", newline="\n")
    return read_conllu(path)


def annotator(path: Path) -> Annotator:
    scheme = read_scheme(path)
    assert isinstance(scheme, CommandScheme)
    return scheme.annotator


@pytest.mark.parametrize("arguments", ["", '"{input}"', '"{input}", "{output}"', '"/dev/stdin", "{output}"'])
def test_heads_and_relations_are_its_own_and_all_else_stays(
    file: ConlluFile, arguments: str, tmp_path: Path
) -> None:
    other = annotator(scheme_file(tmp_path, arguments=arguments)).annotate_file(file)
    assert [sentence.tree.heads for sentence in other] == [(0, 1, 2), (0,)]
    assert [sentence.tree.deprels for sentence in other] == [("root", "dep", "dep"), ("root",)]
    before = [line.split("\t") for line in TEXT.split("\n") if not line.startswith("1.1\t")]
    after = [line.split("\t") for line in other.data.decode().split("\n")]
    assert [row[:6] + row[9:] for row in after] == [row[:6] + row[9:] for row in before]
    assert {row[8] for row in after if len(row) == 10} == {"_"}


def test_it_is_run_once_for_what_it_reads(file: ConlluFile, tmp_path: Path) -> None:
    scheme = scheme_file(tmp_path)
    first = annotator(scheme).annotate_file(file)
    assert annotator(scheme).annotate_file(file) == first
    assert runs(tmp_path) == 1
    assert os.listdir(tmp_path / "tmp") == []
    (place,) = annotations_folder().iterdir()
    assert os.listdir(place) == ["es-ud-test.conllu"]
    # whatever may decide what it gives: the program, the command, its file, the text
    for number, (path, old, new) in enumerate(
        [
            (tmp_path / "chain.py", '"dep"', '"obj"'),
            (scheme, '{folder}/chain.py"', '{folder}/chain.py", "{input}"'),
            (scheme, "\n", "\n# version 2\n"),
            (tmp_path / "es-ud-test.conllu", "Vamos", "Vayamos"),
        ],
        start=2,
    ):
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        for _ in range(2):
            annotator(scheme).annotate_file(read_conllu(tmp_path / "es-ud-test.conllu"))
        assert runs(tmp_path) == number


def test_a_file_in_an_option_is_one_that_decides(file: ConlluFile, tmp_path: Path) -> None:
    rules = tmp_path / "rules.txt"
    scheme = scheme_file(tmp_path, arguments='"{input}", "{output}", "--rules={folder}/rules.txt"')
    for number, text in enumerate("ab", start=1):
        rules.write_text(text)
        annotator(scheme).annotate_file(file)
        assert runs(tmp_path) == number


def test_the_files_of_a_treebank_keep_their_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    files = locate_treebank(small_treebank(tmp_path))
    other = annotator(scheme_file(tmp_path)).files(files)
    assert (other.name, other.release, other.folder) == (files.name, files.release, None)
    for (_, own), (_, its) in zip(files.splits(), other.splits(), strict=True):
        assert [path.name for path in own] == [path.name for path in its]
        assert len(read_conllu(own[0])) == len(read_conllu(its[0]))
    assert runs(tmp_path) == 3


def test_sentences_of_the_same_words_keep_their_own_trees(file: ConlluFile, tmp_path: Path) -> None:
    words = ("1\tNo\t_\tX\t_\t_\t0\troot\t_\t_", "2\tno\t_\tX\t_\t_\t1\tdep\t_\t_")
    (tmp_path / "es-ud-test.conllu").write_text(("\n".join(words) + "\n\n") * 2)
    turns = "print(sys.stdin.read().rstrip()[::-1].replace('0', '2', 1).replace('1', '0', 1)[::-1] + '\\n')"
    path = scheme_file(tmp_path, f"import sys\n{turns}", '""')
    (tmp_path / "one.conllu").write_text("\n".join([*words, "", ""]))
    files = explicit_files(test=[tmp_path / "one.conllu", file.name])
    made = replace(files, annotations=(("turned", annotator(path).files(files)),))
    treebank = read_treebank(made)
    assert [sentence.tree.heads for sentence in treebank.test] == [(0, 1)] * 3
    assert [annotation(sentence.tree, "turned").heads for sentence in treebank.test] == [
        (2, 0),
        (0, 1),
        (2, 0),
    ]
    assert len(treebank.files) == 4
    with pytest.raises(KeyError):
        annotation(treebank.test[0].tree, "other")


def test_nothing_is_run_for_a_file_without_sentences(file: ConlluFile, tmp_path: Path) -> None:
    empty = tmp_path / "empty.conllu"
    empty.write_text("")
    assert len(annotator(scheme_file(tmp_path)).annotate_file(read_conllu(empty))) == 0
    assert runs(tmp_path) == 0


ANSWERS = {
    "exit": (
        "print('half'); sys.exit('no grammar')",
        "failed with exit code 1; its last line: no grammar; log: ",
    ),
    "time": (
        "print('slow', file=sys.stderr, flush=True); time.sleep(60)",
        "took longer than 0.7 seconds (time_limit); its last line: slow",
    ),
    "nothing": ("pass", "its output is empty: 0 sentences for 2; log: "),
    "bytes": ("out(b'\\xff')", "its output:1: the line is not UTF-8 (byte 0xff)"),
    "fewer": ("out(text.split(b'# sent_id = b')[0])", "its output ends after sentence a: 1 sentence for 2"),
    "word": (
        "out(text.replace(b'\\tya', b'\\tyo', 1))",
        "its output:1: sentence a: word 3 is 'yo', not 'ya'",
    ),
    "cycle": (
        "out(text.replace(b'\\t1\\tobj', b'\\t3\\tobj').replace(b'\\t1\\tadv', b'\\t2\\tadv'))",
        "its output:6: sentence a: the heads form a cycle through word 2",
    ),
    "two roots": (
        "out(text.replace(b'\\t1\\tobj', b'\\t0\\troot', 1))",
        "its output:6: sentence a: the sentence has 2 roots (words 1, 2)",
    ),
    "removed": ("os.remove('output.conllu')", "no output; log: "),
}  # fmt: skip


@pytest.mark.parametrize("kind", ANSWERS)
def test_wrong_answers_are_one_line(kind: str, file: ConlluFile, tmp_path: Path) -> None:
    action, message = ANSWERS[kind]
    program = "import os, sys, time\ntext = sys.stdin.buffer.read()\nout = sys.stdout.buffer.write\n" + action
    path = scheme_file(tmp_path, program, '""', more=f"time_limit = {0.7 if kind == 'time' else 30}")
    with pytest.raises(RunError) as error:
        annotator(path).annotate_file(file)
    said = str(error.value)
    assert said.startswith(f"scheme chain: {file.name}: {message}")
    assert "\n" not in said
    (log,) = (tmp_path / "tmp").iterdir()  # and nothing else is left
    assert said.endswith(f"; log: {log}")
    assert not annotations_folder().exists()


def test_several_roots_where_they_are_allowed(file: ConlluFile, tmp_path: Path) -> None:
    program = "import sys\nsys.stdout.write(sys.stdin.read().replace('\\t1\\tobj', '\\t0\\troot'))"
    path = scheme_file(tmp_path, program, '""')
    other = annotator(path).annotate_file(file, multiple_roots=True)
    assert other[0].tree.heads == (0, 0, 1)
    with pytest.raises(
        InputError, match=r"es-ud-test.conllu by chain:\d: sentence a: the sentence has 2 roots"
    ):
        annotator(path).annotate_file(file)


@pytest.mark.parametrize("program", ["no-such-program", "./chain.py", "/nowhere/chain.py", "{folder}"])
def test_a_program_that_is_not_there(program: str, file: ConlluFile, tmp_path: Path) -> None:
    scheme_file(tmp_path)
    path = tmp_path / "other.toml"
    path.write_text(f'command = ["{program}"]')
    shown = program.replace("{folder}", str(tmp_path))
    with pytest.raises(InputError) as error:
        annotator(path).annotate_file(file)
    assert str(error.value) == (
        f"scheme other needs the program {shown}, which was not found; install it, or write its full path"
    )


def test_a_program_that_cannot_be_started(file: ConlluFile, tmp_path: Path) -> None:
    path = tmp_path / "other.toml"
    (tmp_path / "plain").write_text("text")
    path.write_text('command = ["{folder}/plain"]')
    with pytest.raises(RunError, match=r"scheme other: .*: cannot start .*/plain \(.*Permission denied"):
        annotator(path).annotate_file(file)


def test_an_interrupted_run_leaves_nothing_half(file: ConlluFile, tmp_path: Path) -> None:
    halts = CHAIN.replace(
        "answer.write(",
        "import time; answer.write(text[:90].encode()); answer.flush(); "
        "open(__file__ + 'x', 'w'); time.sleep(60); (",
    )
    path = scheme_file(tmp_path, halts)
    script = (
        "import sys; sys.path[:0] = eval(sys.argv[1])\n"
        "from learnability.schemes.toml_file import read_scheme\n"
        "from learnability.treebanks.conllu_io import read_conllu\n"
        f"read_scheme({str(path)!r}).annotator.annotate_file(read_conllu({file.name!r}))\n"
    )
    run = subprocess.Popen(
        [sys.executable, "-c", script, repr(sys.path)],
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # ignored in the background
    )
    for _ in range(400):
        if (tmp_path / "chain.pyx").exists():
            break
        time.sleep(0.05)
    run.send_signal(signal.SIGINT)
    run.wait(10)
    assert not annotations_folder().exists()
    scheme_file(tmp_path)
    assert annotator(path).annotate_file(file)[0].tree.heads == (0, 1, 2)
