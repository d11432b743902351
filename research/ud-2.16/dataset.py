"""Write the answers of the survey as a CLDF dataset, from their file alone.

    python research/ud-2.16/dataset.py ANSWERS OUT [--ud-home DIR]

ANSWERS is `answers.csv`. A *StructureDataset* (cldf.clld.org) has a value for each language and parameter.
Here the parameters are the constructions, the codes are the answers, and a treebank is a contribution,
because a language may have several. No sentence of a treebank is passed on. Where treebanks are below DIR,
their licences and the digests of their files are added. README, LICENSE, CITATION.cff and .zenodo.json are
written by hand.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pycldf import Source, StructureDataset

from learnability.evidence.questions import Answer
from learnability.reports.bibliography import YEARS
from learnability.schemes.catalogue import describe_construction
from learnability.treebanks.families import entry_of
from learnability.treebanks.locate import TreebankFiles, list_treebanks
from learnability.treebanks.releases import Release
from research.support.licences import licence_of

PAPER = "wisniewski2018"
"""The key of the paper whose experiment the values repeat."""

PARSER, SEEDS = "arc-eager", 1
"""The parser of the survey, and its trainings on each test set."""

TERMS = "http://cldf.clld.org/v1.0/terms.rdf#"

Row = Mapping[str, str]


def main() -> None:
    """Write the dataset."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("answers", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--ud-home")
    arguments = parser.parse_args()
    with arguments.answers.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found: dict[tuple[str, str], TreebankFiles] = {}
    if arguments.ud_home:
        found = {(each.name, each.release): each for each in list_treebanks(arguments.ud_home)}
    arguments.out.mkdir(parents=True, exist_ok=True)
    dataset = describe_tables(arguments.out, len({row["treebank"] for row in rows}))
    dataset.add_sources(*sources({row["release"] for row in rows}))
    dataset.write(
        LanguageTable=list(languages(rows)),
        ContributionTable=list(contributions(rows, found)),
        ParameterTable=list(parameters(rows)),
        CodeTable=list(codes(rows)),
        ExampleTable=[],
        ValueTable=list(map(value, rows)),
    )
    print(f"{len(rows)} rows, {sum(path.stat().st_size for path in arguments.out.iterdir()):,} bytes")


def describe_tables(folder: Path, treebanks: int) -> Any:
    """Return the dataset without rows."""
    dataset = StructureDataset.in_dir(folder)
    dataset.properties.update(
        {
            "dc:title": f"UD and its alternatives in {treebanks} treebanks",
            "dc:creator": f"learnability {version('learnability')}",
            "dc:license": "https://creativecommons.org/licenses/by/4.0/",
            "dc:description": "Which annotation is easier for a parser to learn: Universal Dependencies or "
            "an alternative that differs in one construction. A positive difference: UD is easier.",
        }
    )
    contribution = {"name": "Contribution_ID", "propertyUrl": f"{TERMS}contributionReference"}
    parameter = {"name": "Parameter_ID", "propertyUrl": f"{TERMS}parameterReference"}
    examples = {"name": "Example_IDs", "separator": ";", "propertyUrl": f"{TERMS}exampleReference"}
    dataset.add_component("LanguageTable", "Family")
    dataset.add_component("ContributionTable", "Release", "License", {"name": "SHA256", "separator": " "})
    dataset.add_component("ParameterTable")
    dataset.add_component("CodeTable")
    trees = ("UPOS", "Heads", "Relations", "Alternative_UPOS", "Alternative_Heads", "Alternative_Relations")
    listed = [{"name": name, "separator": " "} for name in trees]
    dataset.add_component("ExampleTable", contribution, parameter, "Sentence_ID", "License", *listed)
    decimals = ("Difference", "Difference_Low", "Difference_High", "P_Holm")
    numbers = [{"name": name, "datatype": "decimal"} for name in decimals]
    counts = [{"name": name, "datatype": "integer"} for name in ("Seeds", "Test_Places")]
    texts = ("Reason", "Train_On", "Train_On_Reason", "Parser", "Score")
    dataset.add_columns("ValueTable", contribution, *texts, *numbers, *counts, examples)
    return dataset


def identifier(text: str) -> str:
    """Return a name as CLDF wants it."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", text)


def treebank_of(row: Row) -> str:
    """Return the identifier of the treebank of a row."""
    return identifier(f"{row['treebank']}-{row['release']}")


def languages(rows: Sequence[Row]) -> Iterator[dict[str, object]]:
    """Yield the languages by name, with their codes where they are known for certain."""
    families = {row["language"]: row["family"] for row in rows}
    for language in sorted(families):
        known = entry_of(language.replace(" ", "_"))
        yield {
            "ID": identifier(language),
            "Name": language.replace("_", " "),
            "Macroarea": known.macroarea or None,
            "Latitude": known.latitude,
            "Longitude": known.longitude,
            "Glottocode": known.glottocode or None,
            "ISO639P3code": known.iso639_3 or None,
            "Family": families[language],
        }


def contributions(
    rows: Sequence[Row], found: Mapping[tuple[str, str], TreebankFiles]
) -> Iterator[dict[str, object]]:
    """Yield the treebanks; of those that are found, with their licence and the digests of their files."""
    for row in {treebank_of(row): row for row in rows}.values():
        release = row["release"]
        files = found.get((row["treebank"], row["release"]))
        paths = [] if files is None else list(files.paths())
        yield {
            "ID": treebank_of(row),
            "Name": row["treebank"],
            "Contributor": "Universal Dependencies contributors",
            "Citation": f"{row['treebank']}, in Universal Dependencies {release}, {handle(release)}",
            "Release": row["release"],
            "License": (files and licence_of(files.folder)) or None,
            "SHA256": sorted(hashlib.sha256(path.read_bytes()).hexdigest() for path in paths),
        }


def parameters(rows: Sequence[Row]) -> Iterator[dict[str, object]]:
    """Yield the constructions."""
    for name in dict.fromkeys(row["construction"] for row in rows):
        yield {"ID": identifier(name), "Name": name, "Description": describe_construction(name) or None}


def codes(rows: Sequence[Row]) -> Iterator[dict[str, object]]:
    """Yield the answers that a construction can have."""
    for name in dict.fromkeys(row["construction"] for row in rows):
        for answer in Answer:
            if answer not in (Answer.NONE, Answer.TOO_FEW_TREEBANKS):
                named = answer.named("UD")
                yield {
                    "ID": code(name, named),
                    "Parameter_ID": identifier(name),
                    "Name": named,
                    "Description": f"easier to learn: {describe_construction(name)}"
                    if answer is Answer.ALTERNATIVE
                    else None,
                }


def code(construction: str, answer: str) -> str:
    """Return the identifier of an answer."""
    return f"{identifier(construction)}-{re.sub(r'[^A-Za-z0-9]+', '_', answer).strip('_')}"


def value(row: Row) -> dict[str, object]:
    """Return the answers of a row and its difference in UAS."""
    treebank, construction = treebank_of(row), row["construction"]
    return {
        "ID": f"{treebank}-{identifier(construction)}-{PARSER}-uas",
        "Language_ID": identifier(row["language"]),
        "Parameter_ID": identifier(construction),
        "Value": row["easier"],
        "Code_ID": code(construction, row["easier"]),
        "Train_On": row["train_on"] or None,
        "Source": [PAPER, release_key(row["release"])],
        "Contribution_ID": treebank,
        "Parser": PARSER,
        "Score": "UAS",
        "Difference": row["uas_delta"] or None,
        "Difference_Low": row["uas_delta_low"] or None,
        "Difference_High": row["uas_delta_high"] or None,
        "Seeds": None if row["tested_on"] == "all sentences" else SEEDS,
        "Test_Places": int(row["test_places"] or 0),
    }


def handle(release: str) -> str:
    """Return the permanent address of a release."""
    return f"http://hdl.handle.net/{Release.known()[release].handle}"


def release_key(release: str) -> str:
    """Return the key of a release in the bibliography."""
    return f"ud{release.replace('.', '_')}"


def sources(releases: set[str]) -> list[Source]:
    """Return the paper and the releases."""
    paper = Source(
        "inproceedings",
        PAPER,
        author="Wisniewski, Guillaume and Lacroix, Ophélie and Yvon, François",
        title="Automatically Selecting the Best Dependency Annotation Design with Dynamic Oracles",
        booktitle="Proceedings of the 2018 Conference of the North American Chapter of the Association for "
        "Computational Linguistics: Human Language Technologies, Volume 2 (Short Papers)",
        year="2018",
        pages="401--406",
        doi="10.18653/v1/N18-2064",
    )
    return [
        paper,
        *(
            Source(
                "misc",
                release_key(release),
                author="{Universal Dependencies contributors}",
                title=f"Universal Dependencies {release}",
                url=handle(release),
                year=YEARS[release],
            )
            for release in sorted(releases)
        ),
    ]


if __name__ == "__main__":
    main()
