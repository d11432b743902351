"""Every script of `research` runs, on treebanks so small that its figures mean nothing."""

from __future__ import annotations

import importlib
import json
import math
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pages
import pytest
from numpy.typing import NDArray
from run_data import trained
from small_treebanks import DEMO, small_treebank

from learnability.evidence.grouping import PairRecords
from learnability.evidence.score_differences import Difference, ScoringBasis
from learnability.extensions.doubts.doubt import Doubt
from learnability.metrics.scores import Score
from learnability.statistics.spread import SEED_RATIO
from learnability.treebanks.sentence import Tree

REPOSITORY = Path(__file__).resolve().parents[1]
RESEARCH = REPOSITORY / "research"
SHARED = {
    *("treebank_folds", "leads", "settled_families", "gold", "planting", "column_corrections", "regression"),
    *("expecting", "fitting", "model", "properties", "scoring"),  # of decides
    *("trainings", "rows", "paper_tables", "indicators", "complexity"),  # of oracles and reproduction
    "in_memory",  # of harmonise
    "licences",  # of ud-2.16
}
"""Modules that the scripts import."""

PATHS = {path.stem: path for path in RESEARCH.glob("*/*.py")}
"""Scripts and modules, by name."""


class Script(NamedTuple):
    """How a script is called, a pattern that its output contains, and a package that it needs."""

    arguments: str
    output: str
    needs: str = ""


ANSWERS = """\
treebank,release,language,family,construction,tested_on,places,test_places,easier,train_on,uas_base,uas_delta,\
uas_delta_low,uas_delta_high,converted_back_uas_delta
UD_Greek,1.3,Greek,Hellenic,case,test set,100,40,UD,open,70.0000,1.0000,0.5000,1.5000,0.2000
UD_Greek,1.3,Greek,Hellenic,det,test set,100,40,open,open,70.0000,0.1000,-0.5000,0.7000,0.2000
"""
"""What a survey answered."""

FIVE = ("Greek", "Irish", "Tamil", "Basque", "Estonian")
"""Languages of five families."""

TRANSFERRED = "\n".join(
    [
        "treebank,release,language,family,construction,parser,score,basis,is_answer,base,alternative,delta,error,"
        "low,high,better,places",
        *(
            f"UD_{name},1.3,{name},{name},case,{parser},uas,between_phrases,yes,61.0,60.0,1.0{number},0.3,-1,3,"
            "none,40"
            for parser in ("arc-eager", "graph")
            for number, name in enumerate(FIVE)
        ),
        "UD_Tamil-TTB,2.16,Tamil,Tamil,case,graph,uas,between_phrases,yes,61.0,30.0,31,0.1,30,32,base,40\n",
    ]
)
"""What a run of `transfer` found, and a target for practice, which does not count."""

SCRIPTS = {
    "answers": [Script("{greek} --transform case det", r"\nall\t2\t")],
    "blind": [
        Script(
            "draw {new}/UD_Mine --runs {out}/doubts --out {out}/blind",
            r"Wrote 50 items from the top and \d+ at random to .*sheet-1\.txt and .*sheet-2\.txt",
        )
    ],
    "chain_evidence": [Script("{chains} conj", r"UD_Demo \| \d+ \| \d+ \| side \| \d+ \|")],
    "confirmed_counts": [Script("{old}/UD_Mine {new}/UD_Mine", r"\d+ counts, 0 differ")],
    "counted_halves": [Script("1 {greek}", r"halves by sentence: 0 lines in 1 pairs")],
    "counted_latin": [Script("{latin}", r"\| UDante \| upos \| \d+ \|")],
    "crossing": [
        Script(
            "small --words 4 --relations conj punct --spec punct+conjuncts --spec punct:head=root+conjuncts",
            r"\n0 of 2 combinations cross arcs; 8,[\d,]+ trees",
        ),
        Script(
            "small --words 5 --relations conj cc obl --spec cc+conjuncts",
            r"\n0 of 1 combinations cross arcs; \d\d,\d{3} trees",
        ),
        Script(
            "random --words 9 --with conjuncts --parts 2 --trees 4",
            r"\n0 of \d+ combinations cross arcs; \d+ trees",
        ),
        Script("treebanks {new} --parts 2 3 --draws 2", r"\| all \| [\d,]+ \| 0 \|"),
    ],
    "decides": [
        Script(
            "measure --ud-home {home} --release 1.3 --constructions case det --out {out}-properties.csv",
            r"UD_Greek\nUD_Irish",
        ),
        Script(
            "fit {out}-properties.csv {runs} {short} --fewest 2 --date 2026-01-02 --out {out}-model.json "
            "--judged {out}-judged.csv",
            r"\| properties \| 4 \| 2 \|(.*\n)+\| det, mean alone \| 2 \|(.*\n)+\| det \| [+-]\d\.\d\d \|",
        ),
        Script(
            "expect {greek} {irish} --out {out}-expected.csv",
            r"\| UD_Greek \| case \| (UD|alt\.) \| \d+ \|(.*\n)+\| UD_Irish \| det \|",
        ),
        Script(
            "agree {out}-expected.csv {runs}",
            r"\| all \| [4-9] \| 2 \|(.*\n)+\| det, mean alone \| 2 \|",
        ),
    ],
    "doubts": [
        Script(
            "accuracy {old} {new} --runs {out}/doubts",
            r"\| UD_Mine \| variation nuclei alone \| \d",
        ),
        Script("fit {old} {new} --runs {out}/doubts --out {out}/weights.json", r"^$"),
        Script("injected {new} --runs {out}/doubts", r"\| UD_Mine \| 2\d \| all evidence \| [01]\.\d{3} "),
    ],
    "estimators": [
        Script("--sentences 150 --families 50", r"\| 150 \| 4 waves \|( [01]\.\d{3} \|){4}"),
        Script("--sentences 150 --families 50 --seeds", r"\| 150 \| 4 \| 0\.1 \|( [01]\.\d{3} \|){6}"),
    ],
    "exaggeration": [
        Script("--sentences 60 --differences 20 --families 2", r"\| 20\.0 \| 1\.000 \| 0\.000 \| [01]\.\d\d"),
    ],
    "counting": [
        Script("corrected {old} {new}", r"\n\| UD_Mine +\| all (\| [\d,]+ ){5}\|"),
        Script(
            "lists {old} --kept {out}/columns",
            r"\| minority lemmas (.*\n)+.* missing features \|.* classifiers",
        ),
    ],
    "patches": [
        Script("{old} --proposals 20", r"\n\| UD_Mine (\| [\d,]+ ){5}\| 0 \|", "udtools"),
    ],
    "price": [
        Script(
            "{greek} {irish} --run='--transform case --iterations 1'",
            r"same results\n(\d+\.\d\t){2}\d\.\d\d\t.*\t\d of 2\tyes\n",
        )
    ],
    "progress": [Script("--only quick --jobs 1", r"\| quick \| \d+ \| \d+ \|")],
    "features": [Script("{greek} --seeds 1 --iterations 1", r"\| mean \|  \| rich \| \d")],
    "first_use": [
        Script("'list transforms'", r"\| `list transforms` \| \w+ \| \d+\.\d \| \d+\.\d \| -?\d\.\d \|"),
        Script("'list transforms' --parts", r"step of `list transforms` \| times"),
    ],
    "growth": [Script("{greek} --of size --of length --part reading --repeat 1", r"\| reading \| [\d,]+ to")],
    "history": [
        Script(
            "{greek} --release 1.3 --seeds 1 --iterations 3 --sentences 99 --only case 'nothing but sets'",
            r"\| UD_Greek \| nothing but sets \|  \| nothing \|.*\n\n\d of 1 planted .*; 0 false alarms",
        )
    ],
    "history_noise": [
        Script(
            "{greek} --release 1.3 --sentences 60 --changes 10 --variants 3 --seeds 2 --iterations 1",
            r"\| UD_Greek \| 10 \| 3 \| [01]\.\d{3} \| [01]\.\d{3} \| [01]\.\d{3} \| \d+ \| \d+ \|",
        )
    ],
    # the oracles differ in no configuration
    "joint_exactness": [Script("{greek} --most-places 3", r"\t\d\d+\t0\t\d+\n")],
    "joint_speed": [Script("{greek} --iterations 1 --repeats 1", r"UD_Greek\t\d+\t\d+\t")],
    "kinds_of_parsers": [
        Script(
            "train {out}/kinds UD_Greek --ud-home {home} --release 1.3 --words 99 --parsers arc-eager",
            r"Wrote results.csv",
        ),
        Script(
            "tables {several} --parser easy-first --others arc-eager graph",
            r"\| `case` \| 2 \|  \|(.*\n)+.*\| all \| \d \|(.*\n)+\| graph \| -?\d\.\d\d \|",
        ),
    ],
    "languages": [Script("--languages 6 --replicates 2", r"\n6\t\d\.\d\t\d+\.\d\t0\.0 0\.0 0\.0\t\d\.\d{3}")],
    "leaning": [Script("{settled}", r"\| 0\.5 to 1 \| [1-4] \| \d\d %")],
    "measures": [Script("--treebank {greek} --repeat 1", r"phrase scores of a parse +\d")],
    "neighbours": [
        Script(
            "train {greek} --release 1.3 --seeds 2 --folds 3 --transform case det --out {out}/neighbours",
            r"UD_Greek-1\.3-along\.npz\n.*-across\.npz",
        ),
        Script(
            "measure {out}/neighbours --orders 9",
            r"\| UD_Greek-1\.3 \| along \| [\d,]+ \| 2 \| 15 \| \d\.\d\d \| -?\d\.\d\d \| [01]\.\d{3} \|",
        ),
        Script(
            "simulate --sentences 150 --families 3 --families-for-power 2",
            r"\| settle \| 150 \| 0\.1 \| marked \|( [01]\.\d{3} \|){4}",
        ),
    ],
    "oracles": [
        Script(
            "{greek} {irish} --seeds 2 --iterations 1 --trainings {out}-trainings.jsonl",
            r"\| UD_Greek 1\.3 \|(.*\n)+\| arc-hybrid explore \| LAS \| [+-]\d",
        ),
        Script(
            "{greek} --seeds 2 --iterations 1 --grid --k 1 --trainings {out}-trainings.jsonl",
            r"#### UAS, arc-eager, UD_Greek 1\.3\n\n\| k \| p = 0 \| p = 0\.3 \|(.*\n)+\| 1 \| \d\d\.\d\d \|",
        ),
    ],
    "costs": [
        Script(
            "--words 2 --sentences 5 --system arc-hybrid --system covington",
            r"\| arc-hybrid \| yes \| \d+ \| \d+ \|\n\| covington \| yes(.*\n)+"
            r"\| covington \| \d+ \| \d+\.\d \| \d+ \|",
        )
    ],
    "tables": [Script("{runs} --out {out}-tables", r"Table 2: how often UD wins\n(.*\n)+case +2 ")],
    "parsing": [Script("{greek} --iterations 1 --repeat 1", r"\n +graph \|")],
    "hidden_features": [Script("{greek}", r"\| \w+ \w+ \| \d+ \| \d+\.\d % \|")],
    "planted_conventions": [Script("{greek}", r"first line \d of \d, nothing of another column \d")],
    "peers": [
        Script(
            "{greek} --iterations 1 --without udpipe --without spacy --without covington "
            "--without graph --without arc-eager:explore,rich --without arc-eager:explore,form",
            r"\| easy-first \| \d.* \| \d+ \|",
        )
    ],
    "copies": [
        Script(
            "{new}/UD_Mine --seeds 1 --folds 3",
            r"\| treebank \| sentences \| in groups, same words .*\n.*\n\| UD_Mine \| \d+ \|",
        )
    ],
    "columns": [
        Script("changes {old} {new}", r"\| treebank \| column \| words \| corrected \|"),
        Script(
            "plain {old} {new} --kept {out}/columns --share 0.05",
            r"\| treebank \| column \| order \| usual \| margin \|",
        ),
        Script(
            "planted {new} --kept {out}/columns --runs {out}/doubts",
            r"\| Mine +\| upos \|(.*\n)+\| Mine +\| head \| [\d,]+ \| 50 \|.*\n\| Mine +\| punct \| \d",
        ),
    ],
    "pipeline": [Script("{greek} --repeat 1", r"all together: train, all references +\d")],
    "predicted_tags": [
        Script("changes --gold {runs} --other {predicted}", r"\| all \| \d \| \d \|(.*\n)+\| gold tags"),
        Script("differences {predicted}", r"UD_Greek(@1\.3)? \| [\d,]+ \|.* \| \d\d\.\d\d \|"),
        Script("tags {greek}", r"UD_Greek \| [\d,]+ \| \d+ \| \d\d+ \|"),
    ],
    "roofline": [Script("{greek} --iterations 1", r"\| label \| \d\d \|")],
    "rules": [
        Script("releases {old} {new}", r"\| UD_Mine \| \w+ to \w+ \| 9 \| DEPREL amod → nmod \|"),
        Script("copies {new}", r"\| det \| 1 \| 1 \| 1 \|"),
    ],
    "round_trips": [
        Script("{home} case", r"\| case \| external \| \d+ \| 100\.00 \|"),
        Script("{home} cc+conjuncts", r"\| cc\+conjuncts \| external \| \d+ \|"),
    ],
    "same_results": [
        Script("run --out {out}/same --only list show-demo", r" s  list  0 \n(.*\n)*2 commands"),
        Script("compare {out}/same {out}/same", r"2 commands, 0 files differ"),
    ],
    "search": [Script("{greek} --transform case --out {out}/search", r"by test +case|by test +UD")],
    "published": [
        Script("{tiny} {tiny}/xx-ud-train.conllu", r"\nsud, without punctuation \([\d,]+\): head \d+\.\d\d ")
    ],
    "drawn": [Script("{tiny} --sentences 1", r"== case:reattach=sud: 1 of \d+ sentences\n")],
    "ud_or_sud": [
        Script("train {out}/sud {greek} --words 900 --settings 1", r"/arc-eager-unlabelled-gold-steps\n"),
        Script("tables {out}/sud", r"\| `sud` \| arc-eager, unlabelled, gold tags, UAS \| \d \|"),
    ],
    "way_back": [Script("{tiny}", r"\| [\d,]+ \| \d+\.\d\d \| \d+\.\d\d \|")],
    "intervals_by_hand": [Script("{run}", r"[1-9] of [1-9] intervals are the same")],
    "fitted": [Script("{out}", r"one fold: 0 treebanks with long enough texts; a prior needs two")],
    "simulated": [
        Script(
            "--sentences 100 --seeds 3 --constructions 3 --mixture --families 2",
            r"\| settle \| 100 \| 3 \| 3 \| mixture \|( [01]\.\d{3} \|){6}",
        )
    ],
    "sham_families": [
        Script("{greek} --kind copies --seeds 24 --families 2", r"\| all \|  \| 2 \| [01]\.\d{3} \|"),
        Script("{greek} --kind coins --seeds 1 --families 1", r"\| all \|  \| 1 \| [01]\.\d{3} \|"),
    ],
    "settling": [
        Script(
            "{greek} --seeds 12 --trials 3 --differences 0 0.5 --folds 3 --most-seeds 4",
            r"UD_Greek\t\d+\t-?\d\.",
        )
    ],
    "second_parser": [
        Script("clear {answers} {out}/second --ud-home {home}", r"UD_Greek\n"),
        Script("agree {answers} {out}/second", r"\| case \| 1 \| [01] \|(.*\n)+\| all \| 1 \| [01] \|"),
        Script("all {answers} {out}/all --ud-home {home}", r"UD_Greek\n(.*\n)*case by graph"),
    ],
    "dataset": [Script("{answers} {out}/cldf --ud-home {home}", r"^2 rows, [\d,]+ bytes\n", "pycldf")],
    "recomputed": [
        Script("{answers} {out}/again --ud-home {home} --cells 1", r"\n[01] of 1 are the same\n"),
        Script("{answers} {run} --held-against", r"2 differences, [0-2] on the same side; moved by \d"),
    ],
    "sham_pairs": [
        Script(
            "{out}/sham --ud-home {home} --release 1.3 --named UD_Greek --transform case det --budget 2",
            r"\| all \| \d \|.*\n\nclear answers: \d of \d, ",
        )
    ],
    "simulation": [
        Script(
            "--ud-home {languages} --release 1.3 --replicates 7",
            r"\| 0\.8, 0\.8 (\| \d+\.\d % ){4}\| \d\.\d\d \|\n(.*\n)+(\| \d+\.\d % ){3}\|",
        )
    ],
    "shams": [
        Script(
            "{abroad} {out}-shams.jsonl --ud-home {languages} --iterations 1",
            r"\d of 5 targets have a side .*\nmean [+-]\d+\.\d\d \(.*\), (a|no) side",
        )
    ],
    "check": [
        Script(
            "build UD_Greek {languages}/universal-dependencies-1.3 {out}/check --words 60",
            r"train: \d+ sentences, \d+ words\n(.*\n)+4 sources, without the family Hellenic",
        ),
        Script("score {out}/check/test.conllu {out}/check/test.conllu", r"^100\.0000 % of [\d,]+ phrases"),
    ],
    "analysis": [
        Script(
            "{transfer} --home {transfer}/home.csv --out {out}/transfer --picture {out}/transfer/home.svg",
            r"\| `case` \| UD \| UD \|( \+1\.0\d \(.*\), 5 of 5, 0 / 0 clear \|){2} \+1\.00, 5 of 5 \|\n"
            r"(.*\n)+\| `case` \| graph \| 5 \| 5 \| ",
        ),
        Script(
            "{transfer} --control {transfer}",
            r"\| `case` \| 5 \| \+1\.02 \| \+1\.02 \| \+0\.00 \(.*\) \| 5 \|",
        ),
    ],
    "significance": [Script("{greek} --seeds 6 --trials 3", r"UD_Greek\t\d+\t\d")],
    "simpler": [
        Script("{greek}", r"all words on the root word\t-?\d+\.\d+\t\d+\.\d+\t"),
        Script("{greek} --labelled", r"\tdeprel:\S+=dep\t-?\d+\.\d+\t\d+\.\d+\t"),
    ],
    "sooner": [
        Script("accuracy --runs {runs} --short {short}", r"More probable side right, %: \d.* of 4"),
        Script("constants --runs {runs} --short {short}", r'"other_parser"'),
        Script("parsers --several {runs} --short {short}", r"\| arc-eager \| 0\.95 \|"),
    ],
    "elsewhere": [
        Script("differences {runs}", r"Irish,UD_Irish,1\.3,det,-?\d"),
        Script("pooled", r"\ncase,Irish,-?\d"),
    ],
    "by_hand": [Script("{latin}", r"PROIEL \| UDante \| \d+\.\d \| \d+\.\d \| [+-]\d")],
    "halves": [
        Script("demo --trials 1 --rewrite cop", r"\| nothing \| 1 \| 0 trials(.*\n)+.* \| cop \| 1 \| cop\n")
    ],
    "house": [
        Script("", r"a sentence passes \d\d files\n(.*\n)+the longest chain of imports has \d\d modules")
    ],
    "latin": [Script("{latin}", r"first 20 lines(\n.* \| \d+){3}\nUDante \| \d+")],
    "tagging": [Script("{greek} --seeds 1 --sentences 30 --without-udpipe", r"\| mean \|  \| \d")],
    "interrupted": [Script("{greek} {irish} --transform case", r"(\n.*\tthe same\t\d+){3}")],
    "training_noise": [
        Script("{runs}", r"(\nUD_\w+@1\.3\t\d+\t\d+\t\d+\.\d\t3\t-?\d+\.\d(\t\d+\.\d\d){3}){2}")
    ],
    "scale": [Script("{run} --treebanks 1", r"\n1\t\d+\t\d+\.\d\d\t\d+\t\d")],
    "survey": [
        Script("{run} --answers {out}/answers.csv", r"\| case \| .*\| 1 \|(.*\n)+\| all \| \d+ \| 0\.0")
    ],
    "throughput": [Script("{run} 2 1", r"\nlargest worker: \d+ MB\n.* of 1 processes that only train")],
    "truth": [Script("{greek} --release 1.3 --parts 2 --seeds 2 --transform case", r"\| all \| 2 \|")],
    "variance": [
        Script(
            "{runs} --trainings 2",
            r"UD_Greek(@1\.3)? \| 2 \| 1 \| \d+ % \| \d+ % \| \d+ % \| \d\.\d{3} \| \d",
        )
    ],
    "walk": [
        Script("", r"report_files:story: \d+ functions, (\d+) stays in \d+ files, \d+ returns"),
        Script("--way --texts", r"\n    reports/page\.py: report_files"),
    ],
    "whole": [
        Script("--treebank {greek} --transform case --seeds 1", r"\| loading or compiling kernels \| \d")
    ],
}


def printed(*words: str) -> str:
    """What a script, or a command of the package, prints on standard output and standard error."""
    done = subprocess.run(
        [*pages.served(), *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        env={
            **os.environ,
            "PYTHONPATH": str(REPOSITORY),
            "NUMBA_CACHE_DIR": pages.kernels(),
            "COLUMNS": "200",
        },
    )
    assert done.returncode == 0, f"{shlex.join(words)}\n{done.stdout}"
    return done.stdout


@pytest.fixture(scope="module")
def treebanks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Two treebanks of a release, one of a few sentences, and a folder for what a script writes."""
    folder = tmp_path_factory.mktemp("research")
    release = folder / "ud" / "universal-dependencies-1.3"
    old, new = (small_treebank(folder / name, "UD_Mine", train=60).parent for name in ("old", "new"))
    corrected = new / "UD_Mine" / "xx-ud-train.conllu"
    text = corrected.read_text(encoding="utf-8").replace("\tamod\t", "\tnmod\t", 9)
    corrected.write_text(text, encoding="utf-8")
    (folder / "answers.csv").write_text(ANSWERS)
    (folder / "transfer").mkdir()
    (folder / "transfer" / "transfer.csv").write_text(TRANSFERRED)
    at_home = [ANSWERS.partition("\n")[2].partition("\n")[0].replace("Greek", name) for name in FIVE]
    header = ANSWERS.partition("\n")[0]
    (folder / "transfer" / "home.csv").write_text("\n".join([header, *at_home, ""]))
    for number, name in enumerate(FIVE):
        small_treebank(
            folder / "five" / "universal-dependencies-1.3", f"UD_{name}", first=15 * number, train=15
        )
    chains = folder / "chains" / "release" / "UD_Demo"
    chains.mkdir(parents=True)
    shutil.copy(DEMO / "demo-ud-test.conllu", chains)
    for version in ("ud-2.10", "harmonised"):
        for first, name in enumerate(("ITTB", "LLCT", "PROIEL", "UDante")):
            latin = small_treebank(folder / "latin" / version, f"UD_Latin-{name}", first=20 * first)
            if version == "harmonised":
                path = latin / "xx-ud-test.conllu"
                path.write_text(
                    path.read_text(encoding="utf-8").replace("\tamod\t", "\tnmod\t"), encoding="utf-8"
                )
    return {
        "latin": str(folder / "latin"),
        "old": str(old),
        "new": str(new),
        "answers": str(folder / "answers.csv"),
        "home": str(release.parent),
        "languages": str(folder / "five"),
        "transfer": str(folder / "transfer"),
        "chains": str(chains.parents[1]),
        "greek": str(small_treebank(release, "UD_Greek", train=60)),
        "irish": str(small_treebank(release, "UD_Irish", first=60, train=60)),
        "tiny": str(small_treebank(folder, "UD_Tiny", train=5)),
        "out": str(folder / "out"),
    }


@pytest.fixture(scope="module")
def runs(treebanks: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Finished runs of both treebanks with three seeds, with gold and predicted tags, and short trainings."""
    folder = tmp_path_factory.mktemp("runs")
    commands = (
        ("run", "run --test-set --seeds 3 --iterations 4"),
        ("predicted", "run --test-set --seeds 3 --iterations 4 --tags predicted"),
        ("short", "run --quick --seeds 1"),
        ("settled", "run --seeds 1 --iterations 1"),
        (
            "several",
            "run --test-set --seeds 2 --iterations 1 --parser arc-eager --parser graph --parser easy-first",
        ),
    )
    finished: dict[str, list[str]] = {kind: [] for kind, _ in commands}
    for name in ("greek", "irish"):
        asked = ("--treebank", treebanks[name], "--transform", "case", "--transform", "det", "--quiet")
        for kind, command in commands:
            finished[kind].append(str(folder / f"{kind}-{name}"))
            printed(*command.split(), *asked, "--out", finished[kind][-1])
    asked = "transfer --all --seeds 1 --iterations 1 --transform case --quiet --ud-home"
    printed(*asked.split(), treebanks["languages"], "--out", str(folder / "abroad"))
    return {
        "abroad": str(folder / "abroad"),
        "run": finished["run"][0],
        "runs": shlex.join(finished["run"]),
        "predicted": shlex.join(finished["predicted"]),
        "short": shlex.join(finished["short"]),
        "several": shlex.join(finished["several"]),
        "settled": shlex.join(finished["settled"]),
    }


def test_every_script_is_called() -> None:
    assert len(PATHS) == len(list(RESEARCH.rglob("*.py"))), "two scripts have one name, or stand too deep"
    assert set(PATHS) - SHARED == set(SCRIPTS)


@pytest.mark.slow
@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_runs(name: str, treebanks: dict[str, str], request: pytest.FixtureRequest) -> None:
    """Its calls follow each other: one may read what another has written."""
    for script in SCRIPTS[name]:
        if script.needs:
            pytest.importorskip(script.needs, reason=f"{script.needs} is not installed")
        places = dict(treebanks)
        if re.search(r"\{(run|runs|short|predicted|several|settled|abroad)\}", script.arguments):
            places |= request.getfixturevalue("runs")
        arguments = shlex.split(script.arguments.format(**places))
        output = printed(str(PATHS[name]), *arguments)
        assert re.search(script.output, output), output


def blind_reading(folder: Path, answers: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Write a key of six items, in another order for each reading, and answers; return the script.

    Each entry of the key is the number of the item, its group, its column, and which analysis is annotated.
    """
    monkeypatch.syspath_prepend(str(REPOSITORY))
    groups = ["top"] * 4 + ["random"] * 2
    columns = ["head", "upos", "feats:Case", "feats:Tense", "head", "upos"]
    orders = {"1": (0, 1, 2, 3, 4, 5), "2": (5, 4, 3, 2, 1, 0)}
    sides = {"1": "ABABBA", "2": "BBAABA"}
    key = {
        reading: [
            {"item": item, "group": groups[item], "column": columns[item], "annotation": side}
            for item, side in zip(order, sides[reading], strict=True)
        ]
        for reading, order in orders.items()
    }
    (folder / "key.json").write_text(json.dumps(key))
    for reading, text in zip(orders, answers, strict=True):
        (folder / f"answers-{reading}.txt").write_text(text)
    return importlib.import_module("research.doubts.blind")


@pytest.mark.parametrize(
    ("column", "old", "new"),
    [
        ("head", ("", (3, "obl")), ("", (2, "nmod"))),
        ("head", ("", (0, "root")), ("", (2, "nmod"))),
        ("subtype", ("", (3, "obl")), ("", (3, "obl:tmod"))),
        ("upos", ("NOUN", (3, "obl")), ("PROPN", (3, "obl"))),
        ("feats:Case", ("Nom", (3, "obl")), ("", (3, "obl"))),
        ("lemma", ("saw", (3, "obl")), ("see", (3, "obl"))),
    ],
)
def test_a_blind_item_does_not_betray_which_analysis_is_the_annotation(
    column: str,
    old: tuple[str, tuple[int, str]],
    new: tuple[str, tuple[int, str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The text stays the same if annotation and proposal change places, whatever else is annotated."""
    monkeypatch.syspath_prepend(str(REPOSITORY))
    script = importlib.import_module("research.doubts.blind")

    def text(first: tuple[str, tuple[int, str]], second: tuple[str, tuple[int, str]], swapped: bool) -> str:
        (value, arc), (proposed, proposed_arc) = first, second
        tag = value if column == "upos" else "NOUN"
        tree = Tree(("saw", "two", "men"), (tag, "NUM", "NOUN"), (arc[0], 1, 1), (arc[1], "x", "y"))
        doubt = Doubt(
            0, "s", "a.conllu", 1, 1, "saw", tag, *arc, *proposed_arc, None, 0.9, "pattern", "mark",
            column=column, value=value, proposed_value=proposed,
        )  # fmt: skip
        return str(script.shown(tree, doubt, swapped))

    assert text(old, new, False) == text(new, old, True) != text(old, new, True)


def test_plain_orders_count_words_once_and_kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(REPOSITORY))
    script = importlib.import_module("research.doubts.columns")
    tree = Tree(("a",) * 10, ("X",) * 10, (0, *[1] * 9), ("root", *["dep"] * 9))
    treebank = script.Compared("UD_Mine", "2", [tree], [tree])
    words = np.array([0, 0, *range(1, 10)])  # the first word has two features
    kinds = [None, ("feats:A", "X", "", "b"), ("feats:A", "X", "", "b"), ("feats:A", "X", "", "c")]
    rows = script.Rows(words, [*kinds, *[None] * 7], {}, np.zeros(11, bool))
    assert script.plain_cell(treebank, rows, -np.arange(11.0)) == "3, 3, 67%; 2, 2, 50%"
    assert script.plain_cell(treebank, rows, np.arange(11.0)) == "3, 3, 0%; 2, 2, 0%"


FIRST_READING = "1\tB\n2\tA\n3\tneither\n4\tboth\n5\tB\n6\tB\n"
SECOND_READING = "1\tB\n\n2\tB\n3\tboth\n4\tneither\n5\tB\n6\tB\n"


def test_blind_answers_are_counted_by_what_they_say_of_the_annotation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Counted by hand. The readings agree on four of six items. By chance they would on 3 x 1 (proposal), 1
    (neither), 1 (both) and 1 x 3 (annotation) of 36, so kappa is (4/6 - 8/36) / (1 - 8/36) = 4/7."""
    script = blind_reading(tmp_path, (FIRST_READING, SECOND_READING), monkeypatch)
    script.count_answers(tmp_path)
    by_group, by_column, agreement = capsys.readouterr().out.split("\n\n")
    assert by_group.splitlines()[2:] == [
        "| top | 4 | 1 | 3 | 2 | 1 | 0 |",
        "| top | 4 | 2 | 2 | 1 | 1 | 1 |",
        "| random | 2 | 1 | 1 | 1 | 0 | 1 |",
        "| random | 2 | 2 | 0 | 0 | 0 | 2 |",
    ]
    assert "| feats, top | 2 | 1 | 1 | 0 | 1 | 0 |" in by_column.splitlines()
    assert agreement.splitlines()[-1] == "| all | 6 | 4 | 0.57 |"


def test_expectations_are_judged_beside_what_runs_predicted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The interval of a prediction says its variance; a pair without one is left out."""
    monkeypatch.syspath_prepend(str(REPOSITORY))
    script = importlib.import_module("research.decides.decides")
    (tmp_path / "predictions.csv").write_text(
        "treebank,release,construction,variant,against,expected_delta,expected_low,expected_high\n"
        "UD_X,1.3,case,,,1.0,-0.96,2.96\nUD_X,1.3,det,,,,,\nUD_X,1.3,cop,,sud,1.0,0.0,2.0\n"
    )
    ((name, predicted),) = script.read_predictions([tmp_path, tmp_path / "none"]).items()
    assert (name.treebank, name.construction) == ("UD_X", "case")
    assert predicted == pytest.approx((1.0, 1.0))


def drawn(draw: np.random.Generator, tokens: NDArray[np.int64], leads: Sequence[float]) -> list[Any]:
    """Trainings by seed under several settings, whose share of right heads has these leads (log odds)."""
    difficulty = draw.normal(1.2, 0.8, len(tokens))
    settings = []
    for lead in leads:
        of_setting = difficulty + lead + draw.normal(0, 0.25, len(tokens))
        seeds = []
        for _ in range(3):
            odds = of_setting + draw.normal(0, 0.02) + draw.normal(0, 0.2, len(tokens))
            right = draw.binomial(tokens, 1 / (1 + np.exp(-odds)))
            seeds.append([trained(right.tolist(), tokens.tolist())])
        settings.append(seeds)
    return settings


def test_a_change_is_a_difference_of_differences(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where UD has the same lead with both kinds of tags, one change in twenty is clear; a large one is."""
    monkeypatch.syspath_prepend(str(REPOSITORY))
    script = importlib.import_module("research.predicted_tags.predicted_tags")
    uas = script.Measured(Score.UAS, ScoringBasis.ANNOTATION)
    draw = np.random.default_rng(1)
    tokens = draw.integers(5, 30, 150)

    def change(*leads: float) -> Difference:
        settings = drawn(draw, tokens, leads)
        gold, other = (PairRecords("case", [], *settings[i : i + 2], []) for i in (0, 2))
        found: Difference = script.change_of(gold, other, uas, SEED_RATIO)
        right = [
            np.mean([100 * sum(fold.scores["uas"].correct) / tokens.sum() for (fold,) in seeds])
            for seeds in settings
        ]
        assert found.delta == pytest.approx((right[2] - right[3]) - (right[0] - right[1]))
        return found

    alarms = sum((change(0.1, 0.0, 0.0, -0.1).p_value or 0) < 0.05 for _ in range(200))
    assert 2 <= alarms <= 20
    planted = change(0.6, 0.0, 0.0, 0.0)
    assert planted.high is not None
    assert planted.high < 0


def test_kinds_of_parsers_differ_by_their_leads_over_the_mean_of_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(REPOSITORY))
    script = importlib.import_module("research.kinds_of_parsers.kinds_of_parsers")
    uas = script.Measured(Score.UAS, ScoringBasis.ANNOTATION)
    tokens = np.random.default_rng(1).integers(5, 30, 150)
    settings = drawn(np.random.default_rng(2), tokens, (0.5, 0.0, 0.1, 0.0, 0.0, 0.2))
    parsers = {
        name: script.OfParser(None, PairRecords("case", [], *settings[i : i + 2], []), SEED_RATIO)
        for name, i in (("neural", 0), ("one", 2), ("two", 4))
    }
    found = script.Contrast("neural", ("one", "two"), uas).of(parsers)
    right = [
        np.mean([100 * sum(fold.scores["uas"].correct) / tokens.sum() for (fold,) in seeds])
        for seeds in settings
    ]
    neural, one, two = (right[i] - right[i + 1] for i in (0, 2, 4))
    assert found.delta == pytest.approx(neural - (one + two) / 2)
    assert found.low is not None
    assert found.low > 0


def test_a_mean_over_treebanks_needs_five_languages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(REPOSITORY))
    leads = importlib.import_module("research.support.leads")
    values = {"Irish": 1.0, "Greek": 2.0, "Tamil": 3.0, "Turkish": 4.0, "Hungarian": 5.0}
    measured = [
        (f"UD_{name}@1.3", Difference(None, None, delta=value, error=0.5)) for name, value in values.items()
    ]
    assert leads.mean_lead(measured[:4]) is None
    mean = leads.mean_lead(measured)
    assert mean.delta == pytest.approx(3.0)
    assert leads.span(mean, alone=True).startswith("+3.00 (")


def test_the_noise_of_seeds_is_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where trainings differ by chance in each sentence alone it is 0, and otherwise as planted."""
    monkeypatch.syspath_prepend(str(REPOSITORY))
    script = importlib.import_module("research.kinds_of_parsers.kinds_of_parsers")
    uas = script.Measured(Score.UAS, ScoringBasis.ANNOTATION)
    draw = np.random.default_rng(3)
    tokens = np.full(200, 1000)

    def lead(of_seeds: float) -> Any:
        """Right tokens of three seeds whose residual, over the root of the sentences, is 1 point."""
        seeds = []
        for shift in draw.normal(0, of_seeds, 3):
            points = 10 * (50 + shift + draw.normal(0, 200**0.5, 200))
            seeds.append([trained(np.clip(points.round(), 0, 1000).astype(int).tolist(), tokens.tolist())])
        return seeds

    for of_seeds, expected in ((0.0, 0.0), (1.0, 1.0), (2.0, 4.0)):
        constant = [[trained([0] * 200, tokens.tolist())]] * 3
        answers = {
            ("UD_A", str(i)): {
                "neural": script.OfParser(
                    None, PairRecords("case", [], lead(of_seeds), constant, []), SEED_RATIO
                )
            }
            for i in range(400)
        }
        assert np.mean(list(script.noise(answers, "neural", uas))) == pytest.approx(
            expected, abs=0.25 + 0.15 * expected
        )


def test_estimators_are_those_of_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks, windows and waves of twenty sentences, from their definitions."""
    monkeypatch.syspath_prepend(str(REPOSITORY))
    script = importlib.import_module("research.neighbours.estimators")
    z = np.random.default_rng(1).normal(size=20)
    rest = (z - z.mean()).tolist()
    sums = [sum(rest[number * 5 : number * 5 + 5]) for number in range(4)]
    windows = sum(max(0, 1 - abs(i - j) / 6) * rest[i] * rest[j] for i in range(20) for j in range(20))
    waves = [
        sum(math.sqrt(2) * math.cos(math.pi * wave * (i + 0.5) / 20) * z[i] for i in range(20))
        for wave in (1, 2, 3)
    ]
    assert script.from_blocks(z[None, :], 4)[0] == pytest.approx(sum(each**2 for each in sums) * 4 / 3)
    assert script.from_windows(z[None, :], 6)[0] == pytest.approx(windows)
    assert script.from_waves(z[None, :], 3)[0] == pytest.approx(sum(each**2 for each in waves) / 3)


def test_a_prior_of_variances_is_found_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ratios are drawn of a treebank (20 degrees), of its constructions (40), and as 20 waves show them."""
    monkeypatch.syspath_prepend(str(REPOSITORY))
    script = importlib.import_module("research.text_noise.fitted")
    chance = np.random.default_rng(5)
    texts = []
    for number in range(600):
        of_constructions = 1.3 * 20 / chance.chisquare(20) * 40 / chance.chisquare(40, 6)
        shown = of_constructions * chance.chisquare(20, 6) / 20
        texts.append(script.Text(str(number), 1000, shown, np.full(6, 20.0), 0.0))
    script.print_prior("drawn", texts)
    found = re.search(r"ratio (\S+), .* \((\d+) degrees .* \((\d+)\); sampling", capsys.readouterr().out)
    assert found is not None
    ratio, of_treebanks, of_constructions = map(float, found.groups())
    assert ratio == pytest.approx(1.3, rel=0.04)
    assert of_treebanks == pytest.approx(20, rel=0.25)
    assert of_constructions == pytest.approx(40, rel=0.35)
