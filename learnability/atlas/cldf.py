"""Make a CLDF dataset of the answers: languages, constructions, answers, and sentences that may be passed on.

A *StructureDataset* (cldf.clld.org) has a value for each language and parameter. Here the languages are those
of the treebanks, the parameters are the constructions, the codes are the answers, and a treebank is a
contribution, because a language may have several. pycldf writes the tables.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from learnability.atlas.cells import (
    AtlasCell,
    cells_of,
    columns_of,
    pairs_of,
    treebanks_of,
)
from learnability.atlas.licences import allows_changes
from learnability.atlas.names import digest_of, link_names
from learnability.atlas.sentences import SentenceSource
from learnability.errors import InputError
from learnability.evidence.questions import Answer, Question
from learnability.evidence.score_differences import Difference
from learnability.evidence.stored_runs import StoredPair, StoredRun
from learnability.evidence.survey import Evidence
from learnability.metrics.scores import Score
from learnability.reports.rendering import render_text
from learnability.schemes.catalogue import describe_construction
from learnability.support.extras import are_installed, check_extra
from learnability.support.nouns import count_noun
from learnability.support.values import JsonObject
from learnability.treebanks.families import codes_of
from learnability.treebanks.releases import Release

METADATA = "StructureDataset-metadata.json"
TABLES = ("languages", "contributions", "parameters", "codes", "values", "examples")
BESIDE = ("CITATION.cff", ".zenodo.json", "LICENSE.md", "README.md")
FILES = (METADATA, "sources.bib", *(f"{table}.csv" for table in TABLES), *BESIDE)
"""The files of a dataset."""

PAPER = "wisniewski2018"
"""The key of the paper whose experiment the values repeat."""

HANDLE = "http://hdl.handle.net"

PYCLDF = "pycldf"
"""The module that writes datasets."""

NOTHING = Difference(None, None, math.nan)
"""Stands for a difference that was not computed."""

SEPARATOR = " "
"""Between the words of an example, and between their heads and relations."""


def is_installed() -> bool:
    return are_installed([PYCLDF])


def check_installed() -> None:
    check_extra(PYCLDF, "cldf", "`cldf`")


def write_dataset(
    folder: Path, evidence: Evidence, runs: Sequence[StoredRun], source: SentenceSource
) -> list[str]:
    """Write the dataset into an empty folder, and return what a reader must know, a line each.

    Args:
        folder: gets the files.
        evidence: what the runs say together, as `compare` has it.
        runs: those it was made of.
        source: finds sentences.

    Raises:
        InputError: pycldf is not installed.
        RunError: the files cannot be written.
    """
    check_installed()
    tables = _Tables(evidence, runs, source)
    dataset = _describe_tables(folder, evidence, len(tables.treebanks))
    with InputError.explain(f"{folder} cannot be written", "choose another folder"):
        dataset.add_sources(*_bibliography({c.row.release for c in tables.pairs}))
        dataset.write(
            LanguageTable=list(tables.languages()),
            ContributionTable=list(tables.contributions()),
            ParameterTable=list(tables.parameters()),
            CodeTable=list(tables.codes()),
            ExampleTable=tables.examples,
            ValueTable=list(tables.values()),
        )
        for name, data in _make_archive_files(evidence, tables).items():
            (folder / name).write_bytes(data)
    return tables.remarks()


def _describe_tables(folder: Path, evidence: Evidence, treebanks: int) -> Any:
    from pycldf import StructureDataset

    dataset = StructureDataset.in_dir(folder)
    dataset.properties.update(
        {
            "dc:title": _title(evidence, treebanks),
            "dc:creator": f"learnability {version('learnability')}",
            "dc:license": "https://creativecommons.org/licenses/by/4.0/",
            "dc:description": "Which annotation is easier for a parser to learn: Universal Dependencies or "
            "an alternative that differs in one construction. A positive difference: UD is easier.",
        }
    )
    dataset.add_component("LanguageTable", "Family")
    dataset.add_component("ContributionTable", "Release", "License", {"name": "SHA256", "separator": " "})
    dataset.add_component("ParameterTable")
    dataset.add_component("CodeTable")
    listed = [
        {"name": name, "separator": SEPARATOR}
        for name in (
            "UPOS",
            "Heads",
            "Relations",
            "Alternative_UPOS",
            "Alternative_Heads",
            "Alternative_Relations",
        )
    ]
    reference = "http://cldf.clld.org/v1.0/terms.rdf#contributionReference"
    contribution = {"name": "Contribution_ID", "propertyUrl": reference}
    parameter = {
        "name": "Parameter_ID",
        "propertyUrl": "http://cldf.clld.org/v1.0/terms.rdf#parameterReference",
    }
    dataset.add_component("ExampleTable", contribution, parameter, "Sentence_ID", "License", *listed)
    numbers = [
        {"name": name, "datatype": "decimal"}
        for name in ("Difference", "Difference_Low", "Difference_High", "P_Holm")
    ]
    counts = [{"name": name, "datatype": "integer"} for name in ("Seeds", "Test_Places")]
    examples = {
        "name": "Example_IDs",
        "separator": ";",
        "propertyUrl": "http://cldf.clld.org/v1.0/terms.rdf#exampleReference",
    }
    texts = ("Reason", "Train_On", "Train_On_Reason", "Parser", "Score")
    dataset.add_columns("ValueTable", contribution, *texts, *numbers, *counts, examples)
    return dataset


def _title(evidence: Evidence, treebanks: int) -> str:
    return f"{evidence.base} and its alternatives in {count_noun(treebanks, 'treebank')}"


class _Tables:
    """Make the rows of the tables of a dataset."""

    def __init__(self, evidence: Evidence, runs: Sequence[StoredRun], source: SentenceSource) -> None:
        self.evidence, self.source = evidence, source
        self.runs = {run.folder: run for run in runs}
        self.pairs = pairs_of(evidence)
        self.treebanks = treebanks_of(self.pairs)
        self.first = {c.treebank: c for c in reversed(self.pairs)}
        self.constructions = list(dict.fromkeys(column.construction for column in columns_of(evidence)))
        self.treebank_ids = _ids(self.treebanks)
        self.construction_ids = _ids(self.constructions)
        self.language_ids = _ids(sorted({c.language for c in self.pairs}))
        self.licences = {label: source.licence(self.first[label]) for label in self.treebanks}
        self.examples: list[JsonObject] = []
        self._examples_of: dict[tuple[str, str], list[str]] = {}
        for key, cell in cells_of(evidence).items():
            self._examples_of[key] = list(self._add_examples(cell))

    def languages(self) -> Iterator[JsonObject]:
        """Yield the languages, with their codes where they are known for certain."""
        families = {c.language: c.family for c in self.pairs}
        for language, identifier in self.language_ids.items():
            codes = codes_of(language)
            yield {
                "ID": identifier,
                "Name": language.replace("_", " "),
                "Glottocode": codes.glottocode or None,
                "ISO639P3code": codes.iso639_3 or None,
                "Family": families[language],
            }

    def contributions(self) -> Iterator[JsonObject]:
        for label in self.treebanks:
            pair = self.first[label]
            digests = self.runs[pair.folder].config.treebank(label).sha256
            yield {
                "ID": self.treebank_ids[label],
                "Name": pair.row.treebank,
                "Release": pair.row.release or None,
                "License": self.licences[label] or None,
                "SHA256": sorted(digests.values()),
            }

    def parameters(self) -> Iterator[JsonObject]:
        for name, identifier in self.construction_ids.items():
            described = describe_construction(name)
            yield {"ID": identifier, "Name": name, "Description": described or None}

    def codes(self) -> Iterator[JsonObject]:
        for identifier in self.construction_ids.values():
            for answer in self._answers():
                yield {"ID": _code(identifier, answer), "Parameter_ID": identifier, "Name": answer}

    def _answers(self) -> list[str]:
        answers = [answer for answer in Answer if answer not in (Answer.NONE, Answer.TOO_FEW_TREEBANKS)]
        return [answer.named(self.evidence.base) for answer in answers]

    def values(self) -> Iterator[JsonObject]:
        """Yield the answers of each parser by each score; what was not computed has none."""
        order = {label: number for number, label in enumerate(self.treebanks)}
        for pair in sorted(self.pairs, key=lambda c: order[c.treebank]):
            for score in pair.row.scores:
                if answer := pair.row.name_answer(Question.EASIER, score):
                    yield self._value(pair, score, answer)

    def _value(self, pair: StoredPair, score: Score, answer: str) -> JsonObject:
        row, treebank = pair.row, self.treebank_ids[pair.treebank]
        parameter, difference = self.construction_ids[row.name], row.difference(score) or NOTHING
        parser = _ids([pair.parser or "parser"])[pair.parser or "parser"]

        def number(value: float | None, decimals: int = 4) -> str | None:
            return None if value is None or math.isnan(value) else f"{value:.{decimals}f}"

        return {
            "ID": f"{treebank}-{parameter}-{parser}-{score}",
            "Language_ID": self.language_ids[pair.language],
            "Parameter_ID": parameter,
            "Value": answer,
            "Code_ID": _code(parameter, answer),
            "Reason": row.easier(score).reason or None,
            "Train_On": row.name_answer(Question.TRAIN_ON, score) or None,
            "Train_On_Reason": row.train_on(score).reason or None,
            "Source": [PAPER, *([release_key(row.release)] if row.release else [])],
            "Contribution_ID": treebank,
            "Parser": pair.parser or None,
            "Score": score.upper(),
            "Difference": number(difference.shown),
            "Difference_Low": number(difference.low),
            "Difference_High": number(difference.high),
            "P_Holm": number(difference.p_holm, 6),
            "Seeds": row.seeds,
            "Test_Places": row.test_places,
            "Example_IDs": self._examples_of[pair.treebank, row.name],
        }

    def _add_examples(self, cell: AtlasCell) -> Iterator[str]:
        """Add the sentences of a cell whose licence lets them be passed on, and yield their ids."""
        if not allows_changes(self.licences[cell.treebank]):
            return
        treebank, parameter = self.treebank_ids[cell.treebank], self.construction_ids[cell.construction]
        for number, pair in enumerate(self.source.pairs(cell.pairs).pairs, start=1):
            identifier = f"{treebank}-{parameter}-{number}"
            base, alternative = pair.base, pair.alternative
            self.examples.append(
                {
                    "ID": identifier,
                    "Language_ID": self.language_ids[cell.pairs[0].language],
                    "Primary_Text": " ".join(base.forms),
                    "Contribution_ID": treebank,
                    "Parameter_ID": parameter,
                    "Sentence_ID": pair.where,
                    "License": self.licences[cell.treebank],
                    "UPOS": list(base.upos),
                    "Heads": list(map(str, base.heads)),
                    "Relations": list(base.deprels),
                    "Alternative_UPOS": list(alternative.upos),
                    "Alternative_Heads": list(map(str, alternative.heads)),
                    "Alternative_Relations": list(alternative.deprels),
                }
            )
            yield identifier

    def remarks(self) -> list[str]:
        """Return what a user must know before publishing the dataset, a line each."""
        without = [label for label in self.treebanks if not allows_changes(self.licences[label])]
        left_out = (
            f"Left out the sentences of {', '.join(without)}: we found no Creative Commons licence that "
            "allows changes."
        )
        authors = "Write your names into CITATION.cff and .zenodo.json before you publish the dataset."
        return [*([left_out] if without else []), authors]


def _ids(names: Sequence[str]) -> dict[str, str]:
    """Return for each name an identifier of letters, digits, hyphens and underscores, as CLDF wants it."""
    found = {}
    for name, link in link_names(names).items():
        plain = link.replace(".", "_")
        identifier = re.sub(r"[^A-Za-z0-9_-]", "_", plain)
        found[name] = identifier if identifier == plain else f"{identifier}-{digest_of(name)}"
    return found


def _code(parameter: str, answer: str) -> str:
    return f"{parameter}-{re.sub(r'[^A-Za-z0-9]+', '_', answer).strip('_')}"


def release_key(release: str) -> str:
    return f"ud{release.replace('.', '_')}"


def _bibliography(releases: set[str]) -> list[Any]:
    from pycldf import Source

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
    sources = [paper]
    for release in sorted(filter(None, releases)):
        known = Release.known().get(release)
        facts = {"url": f"{HANDLE}/{known.handle}"} if known is not None and known.handle else {}
        sources.append(
            Source(
                "misc",
                release_key(release),
                author="{Universal Dependencies contributors}",
                title=f"Universal Dependencies {release}",
                **facts,
            )
        )
    return sources


def _make_archive_files(evidence: Evidence, tables: _Tables) -> dict[str, bytes]:
    """Return the files for an archive: how to cite the dataset, its licences, and what Zenodo reads."""
    title = _title(evidence, len(tables.treebanks))
    licences: dict[str, list[str]] = {}
    for label, licence in tables.licences.items():
        used = any(example["Contribution_ID"] == tables.treebank_ids[label] for example in tables.examples)
        if used:
            licences.setdefault(licence, []).append(label)
    with_sentences = {label for labels in licences.values() for label in labels}
    values = {
        "title": title,
        "version": version("learnability"),
        "licences": sorted(licences.items()),
        "without": [label for label in tables.treebanks if label not in with_sentences],
        "treebanks": len(tables.treebanks),
        "constructions": len(tables.constructions),
    }
    treebanks = count_noun(len(tables.treebanks), "treebank")
    zenodo = {
        "title": title,
        "upload_type": "dataset",
        "description": f"Which annotation of {treebanks} is easier for a parser to learn, for "
        f"{count_noun(len(tables.constructions), 'construction')}. A CLDF StructureDataset.",
        "creators": [{"name": "WRITE YOUR NAME HERE"}],
        "license": "cc-by-4.0",
        "keywords": [
            "universal dependencies",
            "dependency parsing",
            "annotation",
            "linguistics",
            "cldf:StructureDataset",
        ],
        "related_identifiers": [
            {"identifier": "10.18653/v1/N18-2064", "relation": "isDerivedFrom", "scheme": "doi"}
        ],
    }
    return {
        "CITATION.cff": render_text("learnability.atlas:cldf_citation.cff.jinja", **values),
        "LICENSE.md": render_text("learnability.atlas:cldf_license.md.jinja", **values),
        "README.md": render_text("learnability.atlas:cldf_readme.md.jinja", **values),
        ".zenodo.json": (json.dumps(zenodo, ensure_ascii=False, indent=2) + "\n").encode(),
    }
