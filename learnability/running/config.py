"""Describe a run as its config.json does: its command, what reading found, what it has written.

Neither treebanks nor files of schemes are needed to read a finished run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

import msgspec

from learnability.errors import InputError
from learnability.metrics.scores import Score, scores_of
from learnability.parsers.trainer import USUAL_PARSER
from learnability.running.records import FORMAT
from learnability.treebanks.families import language_of
from learnability.treebanks.splits import WITHOUT_WORDS


@dataclass(frozen=True)
class TreebankDesign:
    """Represent a treebank of a run.

    `label` is what records call it, `split_policy` how missing splits were made up, in words, `sha256` the
    digests of its files, `left_out` what the run warned about while it read the treebank.
    """

    label: str
    name: str
    release: str = ""
    folds: Annotated[int, msgspec.Meta(ge=1, le=100_000)] = 1
    split_policy: str = ""
    sha256: Mapping[str, str] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()

    @property
    def language(self) -> str:
        return language_of(self.name, self.sha256)

    @property
    def remarks(self) -> list[str]:
        return [line for line in (self.split_policy, *self.left_out) if line]

    @property
    def has_words(self) -> bool:
        return not any(WITHOUT_WORDS in line for line in self.left_out)

    def is_same(self, other: TreebankDesign) -> bool:
        """Return whether the other is read from the same files in the same way, wherever the files are now.

        What a run said of it in words is no part of it: another version may say it otherwise.
        """
        ignored: dict[str, Any] = {"sha256": {}, "left_out": (), "split_policy": ""}
        return replace(self, **ignored) == replace(other, **ignored) and self._digests() == other._digests()

    def _digests(self) -> list[tuple[str, str]]:
        return sorted((Path(path).name, digest) for path, digest in self.sha256.items())


@dataclass(frozen=True)
class ParserDesign:
    """Represent a parser of a run; `seconds` of one processor to train on 1,000 tokens, roughly; 0 if
    unknown."""

    spelling: str
    title: str
    seed_ratio: float
    seconds: float = 0.0


@dataclass(frozen=True, kw_only=True)
class RunConfig:
    """Hold what config.json says of a run.

    Attributes:
        format: of the records.
        command_line: the command as it was typed; empty from Python.
        out: the folder as it was typed, or by default.
        arguments: what the user asked for; two runs with the same arguments are the same run.
        options: those of all trainings (`ExperimentOptions.as_json`).
        studies: the options of each study, by its name.
        treebanks: in the order of the rows.
        train_tokens: training tokens of each fold, by the label of the treebank.
        compares: whether a study of it compares annotations.
        pairs: the pairs of annotations (`comparing.pair.known_pairs`); none where a study finds them itself.
        parsers: all parsers.
        seeds: the seeds of the trainings.
        versions: of Python, of this package, and of what its results depend on.
        records: how many records the finished run has.
        finished: the files that each study has written, by its name.
    """

    format: int
    command_line: str = ""
    out: str = ""
    arguments: Mapping[str, Any]
    options: Mapping[str, Any]
    studies: Mapping[str, dict[str, Any]]
    treebanks: tuple[TreebankDesign, ...]
    train_tokens: Mapping[str, list[int]] = field(default_factory=dict)
    compares: bool = False
    pairs: list[dict[str, Any]]
    parsers: tuple[ParserDesign, ...]
    seeds: tuple[int, ...] = ()
    versions: Mapping[str, str]
    records: int = 1
    finished: Mapping[str, list[str]] = field(default_factory=dict)

    @property
    def labelled(self) -> bool:
        return self.options.get("labels") is not None

    @property
    def scores(self) -> tuple[Score, ...]:
        return scores_of(labelled=self.labelled)

    @property
    def names_parsers(self) -> bool:
        """Return whether rows name their parser; they do not where only the usual parser ran."""
        return [parser.title for parser in self.parsers] != [USUAL_PARSER]

    @property
    def seed_ratio(self) -> float:
        return sum(parser.seed_ratio for parser in self.parsers) / len(self.parsers)

    @property
    def command(self) -> str:
        return str(self.arguments.get("command", ""))

    @property
    def is_finished(self) -> bool:
        return self.studies.keys() <= self.finished.keys()

    @property
    def outputs(self) -> set[str]:
        return {name for names in self.finished.values() for name in names}

    @property
    def is_cross_validated(self) -> bool:
        return any(treebank.folds > 1 for treebank in self.treebanks)

    def treebank(self, label: str) -> TreebankDesign:
        return next(treebank for treebank in self.treebanks if treebank.label == label)

    def as_bytes(self) -> bytes:
        return as_json_bytes(asdict(self))

    def through_json(self) -> RunConfig:
        """Return the configuration as it is read again: tuples are lists, keys are strings."""
        return msgspec.convert(json.loads(self.as_bytes()), RunConfig)


def read_config(path: Path) -> RunConfig:
    """Return a run's config.json; InputError if it is something else, or of another format."""
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        values = None
    if isinstance(values, dict) and {"arguments", "versions"} <= values.keys():
        if values.get("format") != FORMAT:
            version = dict(values["versions"]).get("learnability")
            made_by = f"learnability {version}" if version else "another version of learnability"
            raise InputError(
                f"{path.parent} holds a run of {made_by}, whose records have another format; "
                "make it again in another folder"
            )
        try:
            return msgspec.convert(values, RunConfig)
        except msgspec.ValidationError:
            pass
    raise InputError(f"{path} is not the configuration of a run; choose another folder")


def as_json_bytes(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2, allow_nan=True) + "\n").encode()
