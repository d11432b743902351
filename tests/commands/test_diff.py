"""`learnability diff`: what it prints and writes, and what it refuses."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from invoking import DEMO, PACKAGE, Call
from small_treebanks import small_treebank

from learnability.reports.annotation_diffs.files import FILES


@pytest.fixture
def both(tmp_path: Path, demo_dev: Path) -> tuple[Path, Path]:
    text = demo_dev.read_text(encoding="utf-8")
    first, second = tmp_path / "first.conllu", tmp_path / "second.conllu"
    first.write_text(text, encoding="utf-8")
    changed = re.sub(r"Tense=[A-Za-z]+\|", "", text).replace("\tnmod\t", "\tobl\t")
    second.write_text("\n\n".join(changed.split("\n\n")[1:]), encoding="utf-8")
    return first, second


def test_the_list_fits_a_terminal(call: Call, both: tuple[Path, Path]) -> None:
    done = call("diff", *both, "--quiet")
    assert (done.code, done.errors) == (0, "")
    lines = done.text.splitlines()
    assert max(map(len, lines[1:])) <= 80
    assert any("nmod → obl" in line and "DEPREL" in line for line in lines)
    assert any(re.search(r"AUX: Tense=Past → none +\d+ of \d+ +0 of \d+", line) for line in lines)
    assert "1 sentence was deleted (demo-dev-001)." in done.text
    only = call("diff", *both, "--max", "1").text
    assert "and 4 smaller groups" in only


def test_the_legend_has_numbers_of_the_table(call: Call, demo_dev: Path, tmp_path: Path) -> None:
    """Of the first row that has any; changes of word forms and lemmas have none."""
    text = demo_dev.read_text(encoding="utf-8")
    tags, misc = tmp_path / "tags.conllu", tmp_path / "misc.conllu"
    tags.write_text(text.replace("\tADP\t", "\tX\t"), encoding="utf-8")
    misc.write_text(text.replace("SpaceAfter=No", "_"), encoding="utf-8")
    shown = call("diff", demo_dev, tags).text
    first = re.search(r"\d+ of \d+", shown.partition("what differs")[2])
    assert first
    count, _, words = first[0].partition(" of ")
    legend = f"{first[0]}: of {words} words in question, {count} have the old value, or else the new"
    assert shown.splitlines()[-1] == legend
    assert "in question" not in call("diff", demo_dev, misc).text


def test_a_long_label_leaves_the_groups_a_table(call: Call, demo_dev: Path, tmp_path: Path) -> None:
    text = demo_dev.read_text(encoding="utf-8").replace("\tADP\t", "\tX\t")
    other = tmp_path / "other.conllu"
    other.write_text(text.replace("\tcase\t", f"\tcase:{'long' * 20}\t"), encoding="utf-8")
    lines = call("diff", demo_dev, other).text.splitlines()
    assert max(map(len, lines[1:])) <= 80
    assert any(re.match(r"\d +[\d,]+  DEPREL .*case → case:long.*…  +\d+ of", line) for line in lines)
    assert any(re.match(r"\d +[\d,]+  UPOS +ADP → X +\d+ of", line) for line in lines)


def test_one_group(call: Call, both: tuple[Path, Path]) -> None:
    groups = json.loads(call("diff", *both, "--json").text)["groups"]
    (number,) = (group["group"] for group in groups if group["column"] == "DEPREL")
    shown = call("diff", *both, "--group", number).text
    assert shown.startswith("DEPREL nmod → obl\n")
    assert "pattern { H -[nmod]-> W }" in shown
    assert "pattern { H -[obl]-> W }" in shown
    assert shown.count("▶ nmod") >= 3
    refused = call("diff", *both, "--group", "9999")
    assert refused.code == 2
    assert refused.errors.startswith("learnability: --group 9999 does not exist, because there are only")


def test_the_changelog_names_what_vanished_and_what_stayed(call: Call, both: tuple[Path, Path]) -> None:
    text = " ".join(call("diff", *both, "--changelog").text.split())
    assert re.search(r"The feature Tense vanished: \d+ words had it, and none has it now\.", text)
    assert "The relation nmod vanished" in text
    assert re.search(r"have another relation \([\d.]+ %\), nmod → obl, for example in demo-dev-\d+\.", text)
    assert text.endswith(
        "Word forms, lemmas, UPOS tags, XPOS tags, heads, enhanced graphs and MISC did not change."
    )


def test_nothing_differs(call: Call, demo_dev: Path) -> None:
    done = call("diff", demo_dev, demo_dev)
    assert (done.code, done.text.splitlines()[1]) == (0, "Nothing differs in 40 sentences.")
    assert " is the same as " in " ".join(call("diff", demo_dev, demo_dev, "--changelog").text.split())
    found = json.loads(call("diff", demo_dev, demo_dev, "--json").text)
    assert (found["groups"], found["features"], found["sentences"]["differing"]) == ([], [], 0)


def test_the_same_command_gives_the_same_bytes(call: Call, both: tuple[Path, Path], tmp_path: Path) -> None:
    """Also in a process in which strings have other hashes; of short sentences, whose agreement is fast."""
    for path in both:
        blocks = path.read_text(encoding="utf-8").rstrip("\n").split("\n\n")
        short = [block for block in blocks if block.count("\n") < 25]
        assert len(short) > 10
        path.write_text("\n\n".join([*short, ""]), encoding="utf-8")
    options = ((), ("--json",), ("--changelog",))
    commands = [["diff", *map(str, both), *words] for words in options]
    code = "import sys; from learnability import cli; sys.exit(sum(map(cli.run, eval(sys.argv[1]))))"
    path = os.pathsep.join([str(PACKAGE.parent), os.environ.get("PYTHONPATH", "")])
    elsewhere = subprocess.run(
        [sys.executable, "-c", code, repr(commands)],
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": "1"},
    )
    assert elsewhere.stdout == b"".join(call(*words).output for words in commands)
    for name in ("one", "two"):
        assert call("diff", *both, "--out", tmp_path / name, "--quiet").code == 0
    for name in FILES:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_the_files_agree(call: Call, both: tuple[Path, Path], tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = call("diff", *both, "--out", out)
    assert (done.code, done.errors) == (0, f"Wrote {', '.join(FILES)} to {out}\n")
    assert sorted(path.name for path in out.iterdir()) == sorted(FILES)
    found = json.loads(call("diff", *both, "--json").text)
    rows = list(csv.DictReader(io.StringIO((out / "groups.csv").read_text(encoding="utf-8"))))
    assert [int(row["words"]) for row in rows] == [group["words"] for group in found["groups"]]
    page = (out / "diff.html").read_text(encoding="utf-8")
    shown = json.loads(
        page.partition('<script type="application/json" id="data">')[2].partition("</script>")[0]
    )
    assert [cause["words"] for cause in shown["causes"]] == [0] * len(rows)  # nothing to decide
    for cause, row in zip(shown["causes"], rows, strict=True):
        first = shown["evidence"][cause["evidence"][0]]
        assert first["query"] == row["base_query"]
        for word in first["words"]:
            assert word["where"] in row["examples"].split()
            arcs = [(word["head"], word["deprel"]), (word["other_head"], word["other_deprel"])]
            if row["column"] == "DEPREL":
                assert [deprel for _, deprel in arcs] == [row["base"], row["alternative"]]
            if row["column"] == "HEAD":
                assert arcs[0][0] != arcs[1][0]
            if row["column"] == "UPOS":
                assert arcs[0] == (-1, f"{row['base']} → {row['alternative']}")


def test_a_rule_in_place_of_b(call: Call, demo_dev: Path) -> None:
    done = call("diff", demo_dev, "--transform", "cop", "--json")
    found = json.loads(done.text)
    assert found["alternative"]["name"] == "cop"
    assert {group["column"] for group in found["groups"]} <= {"HEAD", "DEPREL"}
    kept = json.loads(call("diff", demo_dev, "--transform", "cop", "--labels", "keep", "--json").text)
    assert len(kept["groups"]) < len(found["groups"])
    assert call("diff", "demo", "--alternative", "sud", "--max", "1").code == 0
    tags = json.loads(call("diff", demo_dev, "--transform", "upos:AUX=VERB", "--json").text)
    assert [(g["column"], g["base"], g["alternative"]) for g in tags["groups"] if g["column"] == "UPOS"] == [
        ("UPOS", "AUX", "VERB")
    ]


def test_releases_folders_and_commits(call: Call, tmp_path: Path) -> None:
    for release in ("2.4", "2.8"):
        small_treebank(tmp_path / f"ud-treebanks-v{release}", "UD_Irish-IDT", train=30)
    checkout = tmp_path / "ud-treebanks-v2.8" / "UD_Irish-IDT"
    done = call("diff", "UD_Irish-IDT@2.4", "UD_Irish-IDT@v2.8", "--ud-home", tmp_path)
    assert done.text.splitlines()[0] == "here: UD_Irish-IDT 2.4, there: UD_Irish-IDT 2.8"
    git = ("git", "-C", str(checkout), "-c", "user.name=x", "-c", "user.email=x@example.org")
    for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "first")):
        subprocess.run([*git, *words], check=True, capture_output=True)
    file = checkout / "xx-ud-test.conllu"
    file.write_text(file.read_text(encoding="utf-8").replace("\tnsubj\t", "\tsubj\t"), encoding="utf-8")
    done = call("diff", f"{checkout}@HEAD", checkout, "--json")
    assert done.code == 0, done.errors
    assert [(g["base"], g["alternative"]) for g in json.loads(done.text)["groups"]] == [("nsubj", "subj")]
    refused = call("diff", f"{checkout}@nothing", checkout)
    assert (refused.code, "has no commit 'nothing'" in refused.errors) == (2, True)


def test_a_pipe_of_the_shell(shell: Call, demo_dev: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as pool:
        written = pool.submit(pipe.write_bytes, demo_dev.read_bytes())
        done = shell("diff", demo_dev, pipe)
        written.result()
    assert (done.code, done.text.splitlines()[1]) == (0, "Nothing differs in 40 sentences.")


def test_standard_input(call: Call, demo_dev: Path) -> None:
    done = call("diff", demo_dev, "-", stdin=demo_dev.read_bytes())
    assert (done.code, done.text.splitlines()[0]) == (0, f"here: {demo_dev}, there: <stdin>")


HOSTILE = {
    "empty": b"",
    "other words": b"1\tzzz\t_\tX\t_\t_\t0\troot\t_\t_\n\n",
    "binary": bytes(range(256)) * 9,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_get_one_line(call: Call, name: str, tmp_path: Path, demo_dev: Path) -> None:
    file = tmp_path / "hostile.conllu"
    file.write_bytes(HOSTILE[name])
    for words in ((demo_dev, file), (file, demo_dev), (file, demo_dev, "--out", tmp_path / "out")):
        done = call("diff", *words)
        assert (done.code, done.text) == (2, "")
        assert done.errors.count("\n") == 1
        assert "hostile.conllu" in done.errors
    assert not (tmp_path / "out").exists()


def test_columns_that_are_empty_or_odd(call: Call, tmp_path: Path) -> None:
    """Underscores, features without a value, withheld words, empty nodes and ranges do no harm."""
    first, second = tmp_path / "a.conllu", tmp_path / "b.conllu"
    first.write_text(
        "# sent_id = 1\n1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n1\tde\t_\t_\t_\tA|B=\t3\t_\t_\tX|X\n"
        "2\tle\t_\t_\t_\t_\t3\t_\t_\t_\n"
        '3\t"\t\\\t_\t_\tN[x]=1\t0\t_\t0:root\t_\n3.1\te\t_\t_\t_\t_\t_\t_\t3:x\t_\n\n'
        "# sent_id = 2\n1\t_\t_\t_\t_\t_\t0\t_\t_\t_\n\n",
        encoding="utf-8",
    )
    second.write_text(
        "# sent_id = 2\n1\t_\t_\tX\t_\t_\t0\t_\t_\t_\n\n"
        '# sent_id = 1\n1\tdu\t_\t_\t_\t_\t2\t_\t_\t_\n2\t"\tq|x\t_\t_\t_\t0\t_\t0:root|1:a:b\t_\n\n',
        encoding="utf-8",
    )
    for words in ((first, second), (second, first)):
        for more in ((), ("--json",), ("--changelog",), ("--group", "1")):
            done = call("diff", *words, *more)
            assert done.code == 0, done.errors
        done = call("diff", *words, "--out", tmp_path / "out")
        assert done.code == 0, done.errors


def test_no_kernels_are_imported(shell: Call) -> None:
    script = (
        "import sys; from learnability import cli\n"
        f"code = cli.run(['diff', {str(DEMO)!r}, '--transform', 'cop', '--max', '1'])\n"
        "print([name for name in ('numba', 'scipy', 'pandas', 'nltk') if name in sys.modules], code)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[] 0"


def test_remarks_on_the_data_are_printed(call: Call, tmp_path: Path, demo_dev: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "part.conllu").write_bytes(demo_dev.read_bytes())
    done = call("diff", folder, demo_dev)
    assert (done.code, "no file of the folder is named as a training" in done.errors) == (0, True)
    assert call("diff", folder, demo_dev, "--quiet").errors == ""


def test_annotators_are_compared_in_one_table(call: Call, tmp_path: Path, demo_dev: Path) -> None:
    text = demo_dev.read_text(encoding="utf-8")
    users = {
        name: re.sub(r"(# sent_id.*)", rf"\1\n# user_id = {name}", text).replace("\tobl\t", f"\t{relation}\t")
        for name, relation in (("ann1", "obl"), ("ann2", "nmod"), ("ann3", "obl"))
    }
    words = len(re.findall("\tobl\t", text))
    together = tmp_path / "all.conllu"
    together.write_text("".join(users.values()), encoding="utf-8")
    done = call("diff", "--by", "user_id", together)
    assert done.code == 0
    rows = [line.split() for line in done.text.splitlines()[2:-1]]
    assert [(row[0], row[1], row[5]) for row in rows] == [
        ("ann1", "ann2", str(words)), ("ann1", "ann3", "0"), ("ann2", "ann3", str(words))
    ]  # fmt: skip
    assert done.text.endswith(f"Details of two: learnability diff {together} --by user_id=ann1,ann2\n")
    assert "obl → nmod" in call("diff", together, "--by", "user_id=ann1,ann2").text
    refused = call("diff", together, "--by", "user_id", "--changelog")
    assert (refused.code, "--changelog shows two annotations" in refused.errors) == (2, True)
    files = []
    for name, content in users.items():
        files.append(tmp_path / f"{name}.conllu")
        files[-1].write_text(content, encoding="utf-8")
    pairs = json.loads(call("diff", *files, "--json").text)["pairs"]
    assert [pair["base"]["name"] for pair in pairs] == [str(files[0]), str(files[0]), str(files[1])]
    assert pairs[1]["beside_words"][0]["detail"] == "user_id"


def test_a_sentence_of_two_annotators_is_refused(call: Call, tmp_path: Path) -> None:
    """The second one would not count."""
    path = tmp_path / "all.conllu"
    word = "1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n\n"
    path.write_text(
        f"# sent_id = s1\n# user_id = a\n# user_id = b\n{word}# user_id = b\n{word}", encoding="utf-8"
    )
    refused = call("diff", path, "--by", "user_id")
    assert (refused.code, refused.text) == (2, "")
    assert "sentence s1 has several # user_id (a, b); give it one" in refused.errors


def test_compressed_files_are_read(call: Call, tmp_path: Path, demo_dev: Path) -> None:
    folder = tmp_path / "UD_Packed"
    folder.mkdir()
    packed = folder / "xx_packed-ud-dev.conllu.gz"
    packed.write_bytes(gzip.compress(demo_dev.read_bytes()))
    for name in (packed, folder):
        assert call("diff", name, demo_dev).text.splitlines()[1:] == ["Nothing differs in 40 sentences."]
    assert call("transform", "--transform", "case", packed).text == (
        call("transform", "--transform", "case", demo_dev).text
    )
    packed.write_bytes(packed.read_bytes()[:100])
    broken = call("diff", packed, demo_dev)
    assert (broken.code, "is a damaged gzip file; compress" in broken.errors) == (2, True)


def test_a_folder_that_hides_a_release(
    call: Call, tmp_path: Path, demo_dev: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home" / "ud-treebanks-v2.14" / "UD_Small"
    for folder in (home, tmp_path / "work" / "UD_Small"):
        folder.mkdir(parents=True)
        (folder / "xx_small-ud-train.conllu").write_bytes(demo_dev.read_bytes())
    monkeypatch.chdir(tmp_path / "work")
    done = call("diff", "UD_Small@2.14", "UD_Small", "--ud-home", tmp_path / "home")
    assert done.code == 2
    assert done.errors == (
        f"learnability: the folder ./UD_Small hides the release UD_Small@2.14; use {home}\n"
    )
