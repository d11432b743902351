"""Choose three sentences for each construction in each treebank, to be drawn in both annotations.

A run that was made with `run` keeps test sentences in its records. For other runs the treebank is read again,
if it is still there and its files are those of the run: the rules make the alternative once more.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import ne
from pathlib import Path
from typing import Any

from learnability.atlas.licences import licence_of
from learnability.comparing.names import annotation_spelled
from learnability.errors import InputError
from learnability.evidence.answers_file import is_file_of_answers
from learnability.evidence.grouping import pair_records
from learnability.evidence.pair_evidence import PairEvidence
from learnability.evidence.stored_runs import StoredPair, StoredRun, finished_records
from learnability.reports.examples import FEWEST_WORDS, MOST_WORDS, example_pairs
from learnability.reports.tree_pair import TreePair
from learnability.running.config import RunConfig
from learnability.treebanks.locate import TreebankFiles
from learnability.treebanks.sentence import Sentence, Tree, Treebank
from learnability.treebanks.splits import read_treebank

DRAWN = 3
"""The sentences that are drawn of a construction in a treebank."""

VARIED = 12
"""The most words of a sentence that is preferred to a shorter one because other words change in it."""

Found = Callable[[RunConfig], Mapping[str, TreebankFiles]]
"""Says of a run, by its config.json, where its treebanks are now: by label, without those that are gone."""


@dataclass(frozen=True)
class DrawnPairs:
    """Hold the sentences to draw of a construction in a treebank.

    Attributes:
        pairs: in both annotations, the shortest first.
        absent: why there are none, as a sentence; empty if there are, or if answers were read from a file.
        licence: the Creative Commons licence of the treebank; empty if it is not known.
    """

    pairs: tuple[TreePair, ...] = ()
    absent: str = ""
    licence: str = ""


class SentenceSource:
    """Find sentences of runs; a treebank is read once."""

    def __init__(self, runs: Iterable[StoredRun], found: Found) -> None:
        self._runs = {run.folder: run for run in runs}
        self._found = found
        self._files: dict[Path, Mapping[str, TreebankFiles]] = {}
        self._kept: dict[Path, Any] = {}
        self._read: dict[tuple[Path, str], Treebank | str] = {}

    def licence(self, pair: StoredPair) -> str:
        """Return the Creative Commons licence of the treebank of a pair; empty if it is not known."""
        files = self._files_of(pair)
        return "" if files is None else licence_of(files.folder)

    def pairs(self, pairs: Sequence[StoredPair]) -> DrawnPairs:
        """Return the sentences to draw of a construction in a treebank; `pairs`: of its parsers."""
        licence = self.licence(pairs[0])
        recorded = (chosen_pairs(self._find_recorded(pair)) for pair in pairs)
        kept = next(filter(None, recorded), ())
        found = self._made_again(pairs[0]) if len(kept) < DRAWN else ""
        if isinstance(found, str):
            return DrawnPairs(kept, "" if kept else found, licence)
        drawn: list[TreePair] = []
        for more in found:
            drawn += more
            if len(chosen_pairs(drawn)) == DRAWN:
                break
        chosen = chosen_pairs(drawn)
        absent = "" if chosen else f"No sentence of at most {MOST_WORDS} words shows this construction."
        return DrawnPairs(chosen, absent, licence)

    def _files_of(self, pair: StoredPair) -> TreebankFiles | None:
        folder = pair.folder
        if folder not in self._files:
            self._files[folder] = self._found(self._runs[folder].config)
        return self._files[folder].get(pair.treebank)

    def _find_recorded(self, pair: StoredPair) -> list[TreePair]:
        folder, config = pair.folder, self._runs[pair.folder].config
        if not config.options.get("trees"):
            return []
        if folder not in self._kept:
            self._kept[folder] = finished_records(folder, config)
        spellings = {parser.title: parser.spelling for parser in config.parsers}
        parser = spellings.get(pair.parser, config.parsers[0].spelling)
        found = pair_records(
            self._kept[folder], pair.treebank, pair.row.pair.alternative.spelling, parser, config.seeds, 1
        )
        evidence = PairEvidence(row=pair.row, name=pair.construction, **vars(found))
        return [replace(example, predicted=None) for example in example_pairs(evidence)]

    def _made_again(self, pair: StoredPair) -> Iterator[Iterator[TreePair]] | str:
        """Return the sentences that differ, made by the rules, of the test, development and training set.

        A text says why there are none.
        """
        config, row = self._runs[pair.folder].config, pair.row
        if is_file_of_answers(config):
            return ""
        try:
            base, alternative = map(
                annotation_spelled, (config.options.get("against") or "ud", row.pair.alternative.spelling)
            )
        except InputError:
            return "No drawings: the file of the scheme is gone."
        if not (alternative.has_rule and (base.is_ud or base.has_rule)):
            return "No drawings: the trees were imported, and the run keeps no sentences."
        definition, known = alternative.definition, config.arguments.get("schemes", {})
        if definition is not None and known.get(alternative.spelling) != list(definition):
            return "No drawings: the scheme has changed since the run."
        treebank = self._treebank(pair)
        if isinstance(treebank, str):
            return treebank
        conventions = treebank.conventions
        changes = [_same if base.is_ud else base.change(conventions, "external")]
        changes.append(alternative.change(conventions, "external"))
        splits = (treebank.test, treebank.dev, treebank.train)
        return (_pairs(split, changes, learned_relations=row.labelled) for split in splits)

    def _treebank(self, pair: StoredPair) -> Treebank | str:
        """Return the treebank of a pair, or why it cannot be read."""
        key = pair.folder, pair.treebank
        if key not in self._read:
            self._read[key] = self._read_again(pair)
        return self._read[key]

    def _read_again(self, pair: StoredPair) -> Treebank | str:
        files = self._files_of(pair)
        absent = "No drawings: the run keeps no sentences, and its treebank"
        if files is None:
            return f"{absent} is not found."
        config = self._runs[pair.folder].config
        recorded = config.treebank(pair.treebank).sha256
        try:
            now = {(path.name, _digest(path)) for path in files.paths()}
            if not recorded or not {(Path(path).name, digest) for path, digest in recorded.items()} <= now:
                return f"{absent} has changed."
            return read_treebank(files, multiple_roots=bool(config.options["data"]["multiple_roots"]))
        except (InputError, OSError, KeyError):
            return f"{absent} cannot be read."


def chosen_pairs(pairs: Iterable[TreePair]) -> tuple[TreePair, ...]:
    """Return up to three short sentences that differ, if possible in other words each time, and with all
    their words known."""
    fitting = [pair for pair in pairs if FEWEST_WORDS <= len(pair.base) <= MOST_WORDS and any(pair.changed)]
    fitting.sort(key=lambda pair: (pair.withheld, len(pair.base)))
    chosen: list[TreePair] = []
    seen: set[frozenset[str]] = set()
    for pair in fitting:
        if len(pair.base) > VARIED:
            break
        words = _changed_words(pair)
        if words not in seen:
            seen.add(words)
            chosen.append(pair)
        if len(chosen) == DRAWN:
            break
    chosen += [pair for pair in fitting if all(pair is not other for other in chosen)]
    return tuple(sorted(chosen[:DRAWN], key=lambda pair: len(pair.base)))


def _changed_words(pair: TreePair) -> frozenset[str]:
    """Return the words that change and are function words by their tag, or all that change."""
    tokens = zip(pair.base.forms, pair.base.upos, pair.changed, strict=True)
    changed = [(form.lower(), upos) for form, upos, is_changed in tokens if is_changed]
    function = {
        form for form, upos in changed if upos not in ("NOUN", "VERB", "PROPN", "ADJ", "NUM", "PUNCT")
    }
    return frozenset(function or {form for form, _ in changed})


def _pairs(
    sentences: Sequence[Sentence], changes: Sequence[Callable[[Tree], Tree]], *, learned_relations: bool
) -> Iterator[TreePair]:
    """Yield the sentences that are not too long, in both annotations."""
    for number, sentence in enumerate(sentences, start=1):
        if not FEWEST_WORDS <= len(sentence.tree) <= MOST_WORDS:
            continue
        base, alternative = (change(sentence.tree) for change in changes)
        if any(map(ne, base.heads, alternative.heads)) or base != alternative:
            where = sentence.name or f"sentence {number}"
            yield TreePair(where, base, alternative, learned_relations=learned_relations)


def _same(tree: Tree) -> Tree:
    return tree


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
