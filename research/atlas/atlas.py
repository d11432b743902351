"""The size of the atlas of many treebanks, and how long it takes to write and to load it in Chromium.

Differences are read from a table with the columns `treebank`, `transform`, `test_places`, `uas_original`,
`uas_delta` and `uas_delta_se`. Records are made for the purpose, in which parsers have so many heads right.
Constructions that the table lacks get the differences of another one, so that there are ten. The records also
keep sentences, so that every cell has three drawings.

    python research/atlas/atlas.py DIFFERENCES.csv [--sentences TREEBANK]... [--out DIR] [--repeat 5]
"""

from __future__ import annotations

import argparse
import csv
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from learnability.atlas.sentences import SentenceSource
from learnability.atlas.site import atlas_files
from learnability.comparing.names import annotation_spelled
from learnability.comparing.options import ExperimentOptions
from learnability.comparing.pair import Pair
from learnability.comparing.results import Measures, ParsedSentence, ScoreCounts, TrainingResult
from learnability.comparing.ud import UD
from learnability.evidence.stored_runs import read_run
from learnability.evidence.survey import combine_runs
from learnability.parsers.trainer import USUAL_PARSER
from learnability.running.cell import key_of
from learnability.running.config import ParserDesign, as_json_bytes
from learnability.running.folder import CONFIG, RECORDS
from learnability.running.records import FORMAT, Record, encode
from learnability.running.versions import installed_versions
from learnability.statistics.spread import SEED_RATIO
from learnability.treebanks.locate import locate_treebank
from learnability.treebanks.sentence import Sentence
from learnability.treebanks.splits import read_treebank

STANDS_FOR = {"aux": "cop", "conj": "cc", "punct": "mark"}
"""Constructions that the table lacks, and whose differences they get."""

SEEDS, SENTENCES, TOKENS = 3, 120, 20
"""Trainings of each parser, and the size of the test set of each treebank."""

KEPT, LONGEST = 300, 16
"""Sentences that the records of a treebank keep, and the most words of one."""

RELEASE = "1.3"

PATIENCE = 60
"""Seconds after which a page that is not loaded is a failure."""


def main() -> None:
    """Print one line per figure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("differences", type=Path)
    parser.add_argument("--sentences", action="append", default=[], metavar="TREEBANK")
    parser.add_argument("--out", type=Path, help="keep the atlas in this folder")
    parser.add_argument("--repeat", type=int, default=5)
    command_line = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        run = Path(work) / "run"
        write_run(run, command_line.differences, command_line.sentences or ["demo"])
        out = command_line.out or Path(work) / "atlas"
        seconds = write_atlas(run, out)
        for name, value in (*seconds, *sizes(out), *load_times(out, command_line.repeat)):
            print(f"{name}\t{value}", flush=True)


def write_run(folder: Path, table: Path, treebanks: Sequence[str]) -> None:
    """Write a finished run with the differences of a table."""
    with open(table, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    known = {(row["treebank"], row["transform"]): row for row in rows}
    names = list(dict.fromkeys(row["treebank"] for row in rows))
    there = list(dict.fromkeys(row["transform"] for row in rows))
    constructions = {**{name: name for name in there}, **{k: v for k, v in STANDS_FOR.items() if v in there}}
    kept = cycle(short_sentences(treebanks))
    records: list[Record] = []
    for name in names:
        sentences = list(islice(kept, KEPT))
        of_treebank = {c: known.get((name, source)) for c, source in constructions.items()}
        records += records_of(f"{name}@{RELEASE}", of_treebank, sentences)
    folder.mkdir(parents=True)
    (folder / CONFIG).write_bytes(as_json_bytes(config(names, list(constructions))))
    (folder / RECORDS).write_bytes(b"".join(map(encode, records)))


def short_sentences(treebanks: Sequence[str]) -> list[Sentence]:
    """Return sentences that can be drawn."""
    found = []
    for spec in treebanks:
        name, _, release = spec.partition("@")
        treebank = read_treebank(locate_treebank(name, release=release or None))
        sentences = (*treebank.test, *treebank.dev, *treebank.train)
        found += [sentence for sentence in sentences if 5 <= len(sentence.tree) <= LONGEST]
    return found


def records_of(
    treebank: str, rows: dict[str, dict[str, str] | None], sentences: Sequence[Sentence]
) -> Iterator[Record]:
    """Yield the records of a treebank: parsers have so many heads right that the differences are these."""
    rng = np.random.default_rng(len(treebank))
    first = next(row for row in rows.values() if row)
    share = float(first["uas_original"] or 70) / 100
    correct = [rng.binomial(TOKENS, share, SENTENCES) for _ in range(SEEDS)]
    examples = [
        ParsedSentence(
            index=index,
            sent_id=sentence.sent_id,
            forms=list(sentence.tree.forms),
            upos=list(sentence.tree.upos),
            heads=list(sentence.tree.heads),
            deprels=list(sentence.tree.deprels),
            predicted=list(sentence.tree.heads),
        )
        for index, sentence in enumerate(sentences)
    ]
    for seed in range(1, SEEDS + 1):
        kept = examples if seed == 1 else None
        yield record(treebank, "a", "", seed, training(correct[seed - 1], list(rows), kept))
    for name, row in rows.items():
        places = int(row["test_places"] or 0) if row else 0
        yield record(treebank, "measures", name, 0, measures(places))
        if row is None or not row["uas_delta"]:
            continue
        delta, error = float(row["uas_delta"]), float(row["uas_delta_se"] or 0.5)
        annotation = annotation_spelled(name)
        for seed in range(1, SEEDS + 1):
            mean = -delta / 100 * TOKENS + rng.normal(0, error / 100) * TOKENS
            changed = np.round(rng.normal(mean, error / 100 * TOKENS * SENTENCES**0.5, SENTENCES))
            right = np.clip(correct[seed - 1] + changed, 0, TOKENS)
            other = None
            if seed == 1:
                other = [
                    ParsedSentence(index=index, heads=list(tree.heads), predicted=list(tree.heads))
                    for index, sentence in enumerate(sentences)
                    for tree in [annotation.change(conventions(), None)(sentence.tree)]
                    if tree.heads != sentence.tree.heads
                ]
            yield record(treebank, "b", name, seed, training(right, [name], other))


def conventions() -> Any:
    """Return the conventions of the release that the records name."""
    from learnability.treebanks.labels import detect_conventions

    return detect_conventions((), release=RELEASE)


def training(correct: Any, pairs: Sequence[str], examples: list[ParsedSentence] | None) -> TrainingResult:
    """Return what a parser has right, in all comparisons alike."""
    right = [int(value) for value in correct]
    score = ScoreCounts(
        correct=right, words=right, phrases=right, relations={},
        error_split={name: {} for name in pairs},
    )  # fmt: skip
    tokens = [TOKENS] * SENTENCES
    return TrainingResult(
        iterations=10, tokens=tokens, words=tokens, phrases=tokens, scores={"uas": score}, examples=examples,
        kernel_seconds=0.0, trained_tokens=10_000,
    )  # fmt: skip


def measures(places: int) -> Measures:
    """Return the counts of a construction."""
    return Measures(
        places=8 * places, sentences=900, sentences_changed=min(900, 6 * places), tokens_changed=16 * places,
        test_places=places, train_tokens=18_000, nonprojective_train=20,
    )  # fmt: skip


def record(treebank: str, setting: str, alternative: str, seed: int, result: msgspec.Struct) -> Record:
    """Return the record of a cell."""
    parser = "" if setting == "measures" else USUAL_PARSER
    return Record(
        key=key_of(treebank, setting, alternative, seed, parser=parser), treebank=treebank, setting=setting,
        subject=alternative, seed=seed, parser=parser, result=msgspec.Raw(msgspec.json.encode(result)),
    )  # fmt: skip


def config(treebanks: Sequence[str], constructions: Sequence[str]) -> dict[str, Any]:
    """Return the config.json of the run."""
    options = ExperimentOptions.spell_annotations(constructions, seeds=SEEDS, trees=True)
    digest = f"{0:064x}"
    return {
        "format": FORMAT,
        "command_line": f"learnability reproduce --release {RELEASE} --ud-home ud-{RELEASE}",
        "arguments": {"command": "reproduce", "treebanks": []},
        "options": options.as_json(),
        "studies": {"run": {}},
        "treebanks": [
            {
                "label": f"{name}@{RELEASE}",
                "name": name,
                "release": RELEASE,
                "folds": 1,
                "split_policy": "",
                "sha256": {f"{name}/xx-ud-{split}.conllu": digest for split in ("dev", "test", "train")},
            }
            for name in treebanks
        ],
        "compares": True,
        "pairs": [asdict(Pair(UD, annotation_spelled(name)).facts) for name in constructions],
        "parsers": [asdict(ParserDesign(USUAL_PARSER, USUAL_PARSER, SEED_RATIO))],
        "seeds": list(range(1, SEEDS + 1)),
        "versions": installed_versions(),
        "finished": {"run": ["results.csv"]},
    }


def write_atlas(run: Path, out: Path) -> list[tuple[str, str]]:
    """Write the atlas of a run; the processor seconds that reading and drawing take."""
    begun = time.process_time()
    stored = [read_run(run)]
    evidence = combine_runs(stored)
    read = time.process_time()
    files = atlas_files(evidence, stored, SentenceSource(stored, lambda config: {}))
    drawn = time.process_time()
    shutil.rmtree(out, ignore_errors=True)
    for name, data in files.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_bytes(data)
    drawings = sum(data.count(b'class="sentence"') for name, data in files.items() if "treebanks/" in name)
    cells = {(c.treebank, c.construction) for c in evidence.pairs}
    return [
        ("tested cells", str(len(cells))),
        ("drawn sentences", str(drawings)),
        ("reading and comparing, processor seconds", f"{read - begun:.1f}"),
        ("writing the atlas, processor seconds", f"{drawn - read:.1f}"),
    ]


def sizes(out: Path) -> Iterator[tuple[str, str]]:
    """Yield how large the atlas is."""
    files = {path.relative_to(out): path.stat().st_size for path in out.rglob("*") if path.is_file()}
    largest = max((size, str(path)) for path, size in files.items() if path.suffix == ".html")
    yield "files", str(len(files))
    yield "size, MB", f"{sum(files.values()) / 1e6:.2f}"
    yield "first page, kB", f"{files[Path('index.html')] / 1e3:.0f}"
    yield "largest page, kB", f"{largest[0] / 1e3:.0f} ({largest[1]})"


def load_times(out: Path, repeat: int) -> Iterator[tuple[str, str]]:
    """Yield how long Chromium takes to load pages from files, until everything is laid out and drawn."""
    if shutil.which("chromedriver") is None:
        yield "load times", "no Chromium with chromedriver"
        return
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(flag)
    service = webdriver.ChromeService(shutil.which("chromedriver"))
    driver = webdriver.Chrome(options=options, service=service)
    driver.set_page_load_timeout(PATIENCE)
    driver.set_script_timeout(PATIENCE)
    drawn = (
        "const done = arguments[0]; requestAnimationFrame(() => setTimeout(() => done(performance.now())));"
    )
    try:
        pages = {"first page": out / "index.html"}
        pages["page of a construction"] = min((out / "constructions").glob("*.html"))
        pages["page of a treebank"] = min((out / "treebanks").glob("*.html"))
        for title, page in pages.items():
            times = []
            for _ in range(repeat):
                driver.get("about:blank")
                driver.get(page.as_uri())
                times.append(driver.execute_async_script(drawn))
            yield f"loading the {title}, ms (median of {repeat})", f"{statistics.median(times):.0f}"
    finally:
        driver.quit()


if __name__ == "__main__":
    main()
