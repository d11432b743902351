"""Are results the same, byte for byte, before and after a change of the code that must not change them?

    git worktree add ../before HEAD~1
    PYTHONPATH=../before python research/same_results/same_results.py run --out before    (about 60 commands)
    python research/same_results/same_results.py run --out after
    python research/same_results/same_results.py compare before after [--renamed renamed.txt]

`run` executes the commands below over six treebanks, each in a process of its own. `compare` compares what
they printed where that is data (CoNLL-U, JSON), and the tables and records of runs: without times, processes
and memory, and without lines of messages. A command that failed has to fail in both with the same message.

Each line of `renamed.txt` has an old and a new name: of columns, of keys in JSON, and of whole values. A line
that begins with ~ renames inside values, too.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

KAZAKH, TAMIL, IRISH = (f"--treebank {name} --release 1.3" for name in ("UD_Kazakh", "UD_Tamil", "UD_Irish"))
CROATIAN = "--treebank UD_Croatian --release 1.3 --splits 60:20:20"
TTB, IMST = (f"--treebank {name} --release 2.16" for name in ("UD_Tamil-TTB", "UD_Turkish-IMST"))
SHORT = "--seeds 2 --iterations 1"
FEW = "--transform case --transform cop"

COMMANDS = f"""
run-kazakh           run --test-set {KAZAKH} {SHORT} --out {{out}}
run-tamil            run --test-set {TAMIL} {SHORT} --out {{out}}
run-irish            run --test-set {IRISH} {SHORT} {FEW} --out {{out}}
run-croatian         run --test-set {CROATIAN} {SHORT} {FEW} --out {{out}}
run-ttb              run --test-set {TTB} {SHORT} --out {{out}}
run-imst             run --test-set {IMST} --seeds 1 --iterations 1 {FEW} --out {{out}}
run-resumed          run --test-set {KAZAKH} --seeds 3 --iterations 1 --resume --out {{run-kazakh}}
run-folds            run --test-set {TAMIL} {SHORT} {FEW} --cross-validate 4 --out {{out}}
run-external         run --test-set {TTB} {SHORT} {FEW} --labelled external --out {{out}}
run-keep             run --test-set {TTB} {SHORT} {FEW} --labelled keep --out {{out}}
run-schemes          run --test-set {TTB} {SHORT} --alternative all --alternative sud --out {{out}}
run-against          run --test-set {TTB} {SHORT} --alternative sud --transform case --against function-heads --out {{out}}
run-against-rule     run --test-set {TAMIL} {SHORT} --transform det --against case --out {{out}}
run-parsers          run --test-set {TAMIL} {SHORT} --transform case --parser arc-eager --parser easy-first --parser graph --out {{out}}
run-explore          run --test-set {KAZAKH} {SHORT} --transform case --parser arc-eager:explore --out {{out}}
run-covington        run --test-set {KAZAKH} {SHORT} --transform case --parser covington --out {{out}}
run-labelled-graph   run --test-set {KAZAKH} {SHORT} --transform case --parser graph --labelled external --out {{out}}
run-no-tags          run --test-set {TAMIL} {SHORT} --transform case --tags none --out {{out}}
run-xpos             run --test-set {TTB} {SHORT} --transform case --tags xpos --out {{out}}
run-predicted        run --test-set {TAMIL} {SHORT} --transform case --tags predicted --out {{out}}
run-upos             run --test-set {TTB} {SHORT} --transform upos:AUX=VERB --out {{out}}
run-deprel           run --test-set {TTB} {SHORT} --alternative obl-nmod --labelled external --out {{out}}
run-variants         run --test-set {KAZAKH} {SHORT} --transform cc:style=moscow --transform conj:direction=left --out {{out}}
run-punct            run --test-set {TAMIL} {SHORT} --transform punct --out {{out}}
run-two-annotations  run --test-set --treebank {{first}} --alternative {{second}} {SHORT} --out {{out}}
run-releases         run --test-set {TTB} --alternative UD_Tamil@1.3 {SHORT} --out {{out}}
run-until-answered   run {KAZAKH} --seeds 3 --iterations 1 {FEW} --out {{out}}
all-sentences        run --resume --out {{run-ttb}} --most-seeds 3
all-sentences-parsers run --resume --out {{run-parsers}} --most-seeds 2
combinations         combinations {TAMIL} --seeds 1 --iterations 1 {FEW} --out {{out}}
prediction           run --quick {TTB} {FEW} --out {{out}}
history              history --treebank UD_X --ud-home {{versions}} --releases 2.1,2.2 {SHORT} --out {{out}}
history-labelled     history --treebank UD_X --ud-home {{versions}} --releases 2.1,2.2 {SHORT} --labelled --out {{out}}
doubts               doubts {KAZAKH} --iterations 1 --out {{out}}
harmonise            harmonise UD_Tamil@1.3 UD_Tamil-TTB@2.16 --train --seeds 1 --words 2000 --out {{out}}
doubts-upos          doubts {TAMIL} --iterations 1 --column upos --all --out {{out}}
run-treebanks        run --test-set --release 1.3 --treebank UD_Kazakh --treebank UD_Tamil {SHORT} {FEW} --out {{out}}
compare              compare {{run-tamil}} {{run-ttb}} {{run-croatian}} --out {{out}}
compare-json         compare {{run-ttb}} {{run-parsers}} --json
report               report {{run-external}} --json
report-card          report {{run-irish}} --card {{out}}/card.md
measure              measure {IRISH} --json
measure-schemes      measure {TTB} --alternative sud --json
measure-two          measure {TAMIL} --transform cc --transform punct --json
references           references --transform case --transform det {{file}} --json
references-scheme    references --alternative function-heads --enumerate 8 {{file}}
transform            transform --transform cop --treebank UD_Kazakh --release 1.3 --out {{out}}
transform-scheme     transform --alternative sud {{file}} --labels external
transform-back       transform --transform case --invert {{file}}
train                train {{file}} -m {{out}}/model --iterations 2 --labelled
parse                parse -m {{train}}/model {{file}}
evaluate             evaluate {{file}} {{parse}}/stdout --json
train-multiref       train {{file}} -m {{out}}/model --iterations 2 --multiref case
list                 list transforms --json
show-demo            show --treebank demo --transform case --max 2
show                 show {TAMIL} --transform case --max 2
"""  # noqa: E501
"""A name and the arguments of each. `{{out}}` is its folder; another name is the folder of that command."""

VOLATILE = {
    "wall_seconds", "read_seconds", "kernel_seconds", "seconds", "worker", "peak_memory_mb", "versions",
    "command_line", "out", "finished", "bytes", "created", "arguments",
}  # fmt: skip
"""Keys whose values differ between two runs of one command."""


def main() -> None:
    """Run the commands, or compare what they wrote."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    modes = parser.add_subparsers(dest="mode", required=True)
    run = modes.add_parser("run")
    run.add_argument("--out", type=Path, required=True)
    run.add_argument("--jobs", type=int, default=2)
    run.add_argument("--only", nargs="+", help="names of commands, with those that they need")
    run.add_argument("--ud-home", default=os.environ.get("LEARNABILITY_UD_HOME", ""))
    compare = modes.add_parser("compare")
    compare.add_argument("before", type=Path)
    compare.add_argument("after", type=Path)
    compare.add_argument("--renamed", type=Path)
    command_line = parser.parse_args()
    if command_line.mode == "compare":
        sys.exit(
            print_differences(command_line.before, command_line.after, Renamed.read(command_line.renamed))
        )
    run_commands(command_line.out.resolve(), command_line.jobs, command_line.only, command_line.ud_home)


def run_commands(out: Path, jobs: int, only: list[str] | None, ud_home: str) -> None:
    """Run all commands; one that needs the folder of another waits for it."""
    commands = dict(line.split(maxsplit=1) for line in COMMANDS.strip().splitlines())
    folders = {name: str(out / name) for name in commands}
    waiting = {name for name in commands if only is None or name in only}
    if any(f"{{{each}}}" in commands[name] for each in INPUTS for name in waiting):
        write_inputs(out / "inputs", Path(ud_home))
    folders |= {name: str(out / "inputs" / name) for name in INPUTS}
    done: set[str] = set()
    with ThreadPoolExecutor(jobs) as pool:
        while waiting:
            free = [name for name in commands if name in waiting and not needed(commands, name) & waiting]
            list(pool.map(lambda name: run_command(out / name, commands[name], folders), free))
            waiting -= set(free)
            done |= set(free)
    print(f"{len(done)} commands")


def needed(commands: Mapping[str, str], name: str) -> set[str]:
    """Return the commands whose folders this one names, and those that change these folders."""
    named = {other for other in commands if f"{{{other}}}" in commands[name]}
    before = list(commands)[: list(commands).index(name)]
    return named | {other for other in before if any(f"{{{each}}}" in commands[other] for each in named)}


def run_command(folder: Path, arguments: str, folders: Mapping[str, str]) -> None:
    """Run a command; keep its output, and its exit code with the last line of its messages."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    typed = [part.format(out=folder, **folders) for part in shlex.split(arguments)]
    if "-o" not in typed and "-m" not in typed and "--card" not in typed:
        folder.rmdir()  # runs make their folders
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "learnability", *typed], capture_output=True, check=False, cwd=folder.parent
    )
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "stdout").write_bytes(done.stdout)
    last = done.stderr.decode().strip().rpartition("\n")[2] if done.returncode else ""
    (folder / "code").write_text(f"{done.returncode} {last}\n", encoding="utf-8")
    print(f"{time.monotonic() - began:6.1f} s  {folder.name}  {done.returncode} {last}", flush=True)


INPUTS = ("file", "first", "second", "versions")
"""What commands call the files that `write_inputs` writes."""


def write_inputs(folder: Path, ud_home: Path) -> None:
    """Write the test set of a treebank, and two annotations of the sentences of another, also as releases."""
    folder.mkdir(parents=True, exist_ok=True)
    (tamil,) = ud_home.glob("*2.16/UD_Tamil-TTB/*-ud-test.conllu")
    (folder / "file").write_bytes(tamil.read_bytes())
    (kazakh,) = ud_home.glob("*1.3/UD_Kazakh/*-ud-test.conllu")
    first = kazakh.read_text(encoding="utf-8").split("\n\n")[:-1]
    second = list(map(with_other_heads, first))
    third = len(first) // 3
    sets = {"train": slice(third), "dev": slice(third, 2 * third), "test": slice(2 * third, None)}
    for name, release, sentences in (("first", "2.1", first), ("second", "2.2", second)):
        for target in (folder / name, folder / "versions" / f"ud-treebanks-v{release}" / "UD_X"):
            target.mkdir(parents=True, exist_ok=True)
            for split, part in sets.items():
                text = "".join(f"{sentence}\n\n" for sentence in sentences[part])
                (target / f"xx-ud-{split}.conllu").write_text(text, encoding="utf-8")


def with_other_heads(sentence: str) -> str:
    """Return a sentence in which each case marker hangs on the head of its head, unless that is the root."""
    lines = [line.split("\t") for line in sentence.split("\n")]
    heads = {cells[0]: cells[6] for cells in lines if cells[0].isdigit()}
    for cells in lines:
        if cells[0].isdigit() and cells[7] == "case" and heads.get(cells[6], "0") != "0":
            cells[6:8] = [heads[cells[6]], "advmod"]
    return "\n".join("\t".join(cells) for cells in lines)


class Renamed:
    """Names of columns, keys and values that have changed."""

    def __init__(self, whole: Mapping[str, str], inside: Mapping[str, str]) -> None:
        self.whole, self.inside = whole, inside

    @classmethod
    def read(cls, path: Path | None) -> Renamed:
        """Return the names that a file lists."""
        whole: dict[str, str] = {}
        inside: dict[str, str] = {}
        for line in path.read_text(encoding="utf-8").splitlines() if path else ():
            old, new = line.lstrip("~").split()
            (inside if line.startswith("~") else whole)[old] = new
        return cls(whole, inside)

    def name(self, text: str) -> str:
        """Return what a name is now."""
        text = self.whole.get(text, text)
        for old, new in self.inside.items():
            text = text.replace(old, new)
        return text

    def value(self, value: Any) -> Any:
        """Return a JSON value with new names, and without what differs between two runs."""
        if isinstance(value, dict):
            kept = {key: each for key, each in value.items() if key not in VOLATILE}
            return {self.name(key): self.value(each) for key, each in sorted(kept.items())}
        if isinstance(value, list):
            return [self.value(each) for each in value]
        return self.name(value) if isinstance(value, str) else value


def print_differences(before: Path, after: Path, renamed: Renamed) -> int:
    """Print where two folders differ; return the exit code."""
    same, names = Renamed({}, {}), sorted({path.name for path in (*before.iterdir(), *after.iterdir())})
    differing = 0
    for name in names:
        old = dict(comparable(before / name, renamed))
        new = dict(comparable(after / name, same))
        for file in sorted(old.keys() | new.keys()):
            if old.get(file) != new.get(file):
                differing += 1
                print(f"{name}/{file}: {first_difference(old.get(file), new.get(file))}")
    print(f"{len(names)} commands, {differing} files differ")
    return int(differing > 0)


def comparable(folder: Path, renamed: Renamed) -> Iterator[tuple[str, list[Any]]]:
    """Yield the files of a command that are compared, as lists of lines, rows or records."""
    for path in sorted(folder.rglob("*")) if folder.is_dir() and folder.name != "inputs" else ():
        name = renamed.name(path.relative_to(folder).as_posix())
        if path.suffix == ".csv":
            rows = list(csv.DictReader(path.open(encoding="utf-8", newline="")))
            yield name, [renamed.value(dict(row)) for row in rows]
        elif path.name == "records.jsonl":
            records = [json.loads(line) for line in path.read_bytes().splitlines()]
            yield name, sorted((renamed.value(record) for record in records), key=lambda r: str(r["key"]))
        elif path.suffix == ".conllu":
            yield name, path.read_text(encoding="utf-8").splitlines()
        elif path.name == "stdout":
            text = path.read_text(encoding="utf-8")
            if text.startswith(("{", "[")):
                yield name, [renamed.value(json.loads(text))]
            elif "\t" in text:
                yield name, text.splitlines()
        elif path.name == "code":
            yield name, [path.read_text(encoding="utf-8").replace(str(folder.parent), "")]


def first_difference(old: list[Any] | None, new: list[Any] | None) -> str:
    """Return where two lists differ first, and how."""
    if old is None or new is None:
        return "only after" if old is None else "only before"
    for number, (one, other) in enumerate(zip(old, new, strict=False), start=1):
        if one != other:
            if isinstance(one, dict) and isinstance(other, dict):
                keys = sorted(one.keys() | other.keys())
                key = next(key for key in keys if one.get(key) != other.get(key))
                return f"{number} {key}: {str(one.get(key))[:200]} | {str(other.get(key))[:200]}"
            return f"{number}: {str(one)[:200]} | {str(other)[:200]}"
    return f"{len(old)} | {len(new)} lines"


if __name__ == "__main__":
    main()
