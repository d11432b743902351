"""How many doubts a later release confirms, and how many injected errors are found.

    python research/doubts/doubts.py accuracy OLD NEW --runs FOLDER [--treebank UD_X ...] [--shipped]
    python research/doubts/doubts.py fit OLD NEW --runs DIR --out learnability/extensions/doubts/weights.json
    python research/doubts/doubts.py injected HOME --runs FOLDER [--treebank UD_X ...]

OLD and NEW are folders of two releases. A word is corrected if NEW has another head or another relation for
it in a sentence with the same words. Weights are fitted on these corrections, and on errors injected into the
treebanks of NEW. `accuracy` judges each treebank by weights fitted on the treebanks of other languages
(`--shipped`: by those of the package), and compares with simpler rankings. OLD may be several folders,
separated by commas: `fit` uses all of them.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from learnability.comparing.plan import RunPlan
from learnability.evidence.stored_runs import finished_config, finished_records
from learnability.extensions.doubts.candidates import Candidates, rank_candidates
from learnability.extensions.doubts.columns import HEAD, PUNCTUATION, RELATIONS, TAGS
from learnability.extensions.doubts.features import features
from learnability.extensions.doubts.logistic import (
    PROPOSAL_WEIGHTS,
    LogisticModel,
    load_all_weights,
    load_proposal_weights,
)
from learnability.extensions.doubts.merging import DecidedDoubts
from learnability.extensions.doubts.quick import list_quick_doubts
from learnability.extensions.doubts.study import assessed_words, conllu_files
from learnability.extensions.doubts.variation import Variation, variation
from learnability.extensions.doubts.words import AssessedWords, Proposals, in_units, voted_proposals
from learnability.running.folder import is_finished
from learnability.treebanks.conllu_writing import conllu_text, with_tree
from learnability.treebanks.labels import to_v2, universal
from learnability.treebanks.locate import TreebankFiles, list_treebanks
from learnability.treebanks.sentence import Sentence, Tree, find_cycle
from learnability.treebanks.splits import read_treebank
from research.doubts.regression import fit_choice, fit_model

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]

BASE_RATE = 0.03
"""The share of wrong words that the weights assume: it sets the scale of scores, not their order."""

KIND_FEATURES = frozenset(
    {
        *(f"tag {tag}" for tag in TAGS),
        *(f"{name} {relation}" for name in ("relation", "proposed") for relation in RELATIONS),
    }
)
"""The features that say which tag and relations a word has."""

SYSTEMATIC = 20
"""Corrections of the same kind from which on they are systematic."""

AT, LOOKED_AT = (100, 500, 1000), (0.05, 0.10, 0.20)
"""Where precision is measured, and the shares of the words that are looked at."""

PENALTY, PENALTY_OF_KINDS = 1000.0, 11_000.0
"""See `regression.fit_model`; that of tags and relations is higher: treebanks differ most in these."""

PENALTY_OF_CHOICE = 300.0
"""See `regression.fit_choice`."""

IN_USE = 5
"""Words with a relation from which on it is in use for a tag."""

EQUAL = 1000
"""Corrections of a treebank that count once each when weights are fitted. Of more corrections each counts
less, of fewer more, by the square root."""

WORTH_OF_ERRORS = 0.3
"""How much an injected error counts beside a correction when weights are fitted. If it counted more, fewer of
the first hundreds would be corrections; if less, injected errors would come later."""


@dataclass(frozen=True, eq=False)
class Assessed:
    """A treebank with what the parsers say and what a later release changed.

    Attributes:
        name, release: of the treebank.
        words: of the old release.
        proposed: what the votes propose for each word.
        known: bool[words], which words the later release has in the same sentence, without punctuation.
        new_heads: int64[words], their heads in the later release.
        new_deprels: their relations there.
    """

    name: str
    release: str
    words: AssessedWords
    proposed: Proposals
    known: Flags
    new_heads: NDArray[np.int64]
    new_deprels: Sequence[str]

    @cached_property
    def features(self) -> Mapping[str, Floats]:
        """Return the features of the words."""
        return features(self.words, self.proposed)

    @cached_property
    def language(self) -> str:
        """Return the language of the treebank."""
        return self.name.removeprefix("UD_").partition("-")[0]

    def corrected(self, *, subtypes: bool) -> Flags:
        """Return bool[words], which words were corrected, in their `subtypes` alone, too."""
        pairs = zip(self.words.deprels, self.new_deprels, strict=True)
        part = (lambda deprel: deprel) if subtypes else universal
        other = np.array([part(old) != part(new) for old, new in pairs])
        changed: Flags = self.known & ((self.new_heads != self.words.heads) | other)
        return changed

    @cached_property
    def decisions(self) -> list[tuple[str, str, str, bool]]:
        """Return which decision the later release made about each word: its tag, its relation before and
        after, and whether its head changed."""
        other_head = (self.new_heads != self.words.heads).tolist()
        return list(zip(self.words.tags, self.words.deprels, self.new_deprels, other_head, strict=True))

    def sporadic(self, corrected: Flags) -> Flags:
        """Return bool[words], which corrections are of a kind that is not systematic."""
        count = Counter(
            kind for kind, is_corrected in zip(self.decisions, corrected, strict=True) if is_corrected
        )
        sporadic: Flags = corrected & np.array([count[kind] < SYSTEMATIC for kind in self.decisions])
        return sporadic

    @cached_property
    def new_universals(self) -> NDArray[np.int64]:
        """Return int64[words], the numbers of the universal relations of the later release; -1 for those
        that no annotation and no parser has in the old one."""
        number = {name: place for place, name in enumerate(self.words.universal_names)}
        new = zip(self.new_deprels, self.words.tags, strict=True)
        return np.array([number.get(universal(to_v2(deprel, tag)), -1) for deprel, tag in new])

    def are_new(self, heads: NDArray[np.int64], relations: NDArray[np.int64]) -> Flags:
        """Return bool[words], whether arcs are those of the later release, subtypes aside.

        Args:
            heads: int64[words].
            relations: int64[words], by number.
        """
        same = self.words.universals[relations] == self.new_universals
        right: Flags = (heads == self.new_heads) & same
        return right

    def are_right(self, candidates: Candidates) -> Flags:
        """Return bool[candidates], which are the arcs of the later release, subtypes aside."""
        word = candidates.word
        same = candidates.universals == self.new_universals[word]
        right: Flags = (candidates.heads == self.new_heads[word]) & same
        return right

    @cached_property
    def in_use(self) -> Flags:
        """Return bool[words], whether `IN_USE` words of the old release had the tag of each with its new
        relation, so that no convention is new that a correction follows."""
        universals = [universal(deprel) for deprel in self.words.deprels]
        count = Counter(zip(self.words.tags, universals, strict=True))
        new = zip(self.words.tags, map(universal, self.new_deprels), strict=True)
        return np.array([count[kind] >= IN_USE for kind in new])

    @cached_property
    def candidates(self) -> Candidates:
        """Return the candidates of the corrected words."""
        return Candidates.of(self.words, self.corrected(subtypes=False))


def doubted(treebank: Path, name: str, runs: Path) -> Path:
    """Return the folder of a run of `doubts` on a treebank, which is made unless it is there."""
    folder = runs / name
    if is_finished(folder):
        return folder
    command = ["doubts", "--treebank", str(treebank), "--out", str(folder), "--resume", "--quiet", "--json"]
    command += ["--jobs", "1"]
    done = subprocess.run(
        [sys.executable, "-m", "learnability", *command], stdout=subprocess.DEVNULL, check=False
    )
    if done.returncode:
        raise SystemExit(f"doubts failed on {treebank}")
    return folder


def assessed(folder: Path) -> AssessedWords:
    """Return the words of a finished run with what its parsers say."""
    config = finished_config(folder)
    plan, records = RunPlan.of_config(config), finished_records(folder, config)
    return assessed_words(plan, records, conllu_files(plan, records))


def compared(old: Path, new: Path, names: Sequence[str], runs: Path) -> Iterator[Assessed]:
    """Yield the treebanks of two releases."""
    listed = {files.name: files for files in list_treebanks(new)}
    for before in list_treebanks(old):
        wanted = not names or before.name in names or f"{before.name}@{before.release}" in names
        if before.name not in listed or not wanted:
            continue
        folder = (before.train or before.dev or before.test)[0].parent
        words = assessed(doubted(folder, f"{before.name}-{before.release}", runs))
        after = read_treebank(listed[before.name], multiple_roots=True)
        yield with_release(
            words, before.name, before.release, [s for _, part in after.splits() for s in part]
        )


def matched(sentences: Sequence[Sentence], later: Sequence[Sentence]) -> list[Sentence | None]:
    """Return the sentence of a later release for each one, by its words and its id; None if there is none."""
    waiting: dict[tuple[str, ...], list[Sentence]] = defaultdict(list)
    for sentence in later:
        waiting[sentence.tree.forms].append(sentence)
    found: list[Sentence | None] = []
    for sentence in sentences:
        candidates = waiting.get(sentence.tree.forms, [])
        same = [other for other in candidates if other.sent_id == sentence.sent_id] or candidates
        found.append(same[0] if same else None)
    return found


def with_release(words: AssessedWords, name: str, release: str, later: Sequence[Sentence]) -> Assessed:
    """Return the words with what a later release says of them."""
    known: list[bool] = []
    heads: list[int] = []
    deprels: list[str] = []
    for sentence, other in zip(words.sentences, matched(words.sentences, later), strict=True):
        tree = other.tree if other else sentence.tree
        known += [other is not None and tag != PUNCTUATION for tag in sentence.tree.upos]
        heads += tree.heads
        deprels += tree.deprels
    return Assessed(name, release, words, voted_proposals(words), np.array(known), np.array(heads), deprels)


def model_of(corrections: Sequence[Assessed], errors: Sequence[Assessed] = ()) -> LogisticModel:
    """Return the weights fitted on treebanks, each of which is brought to `BASE_RATE` corrected words.

    A systematic correction counts less than a sporadic one, so that a few large decisions do not decide.

    Args:
        corrections: treebanks that a later release corrected.
        errors: treebanks with injected errors, which count `WORTH_OF_ERRORS` as much.
    """
    columns: dict[str, list[Floats]] = defaultdict(list)
    outcomes, counts = [], []
    worth = {id(treebank): WORTH_OF_ERRORS for treebank in errors}
    for treebank in (*corrections, *errors):
        corrected = treebank.corrected(subtypes=False)
        if not corrected.any():
            continue
        used = treebank.known
        for name, column in treebank.features.items():
            columns[name].append(column[used])
        is_corrected = corrected[used]
        count = damped(treebank, corrected)[used]
        count[is_corrected] *= min(5.0, (EQUAL / count[is_corrected].sum()) ** 0.5)
        count[is_corrected] *= worth.get(id(treebank), 1.0)
        total = count[is_corrected].sum()
        count[~is_corrected] *= total * (1 / BASE_RATE - 1) / count[~is_corrected].sum()
        outcomes.append(is_corrected)
        counts.append(count)
    together = {name: np.concatenate(parts) for name, parts in columns.items()}
    penalties = {name: PENALTY_OF_KINDS if name in KIND_FEATURES else PENALTY for name in together}
    return fit_model(together, np.concatenate(outcomes), np.concatenate(counts), penalties)


def choice_of(corrections: Sequence[Assessed], errors: Sequence[Assessed] = ()) -> LogisticModel:
    """Return the weights of candidates, fitted on sporadic corrections and injected errors whose new analysis
    is among the candidates.

    Args:
        corrections: treebanks that a later release corrected.
        errors: treebanks with injected errors, which count `WORTH_OF_ERRORS` as much.
    """
    columns: dict[str, list[Floats]] = defaultdict(list)
    rights, groups, counts = [], [], []
    worth = {id(treebank): WORTH_OF_ERRORS for treebank in errors}
    first_group = 0
    for treebank in (*corrections, *errors):
        corrected = treebank.corrected(subtypes=False)
        wanted = corrected if id(treebank) in worth else treebank.sporadic(corrected)
        candidates = treebank.candidates
        right = treebank.are_right(candidates)
        has_right = np.zeros(len(wanted), bool)
        has_right[candidates.word[right]] = True
        used = (wanted & has_right)[candidates.word]
        if not used.any():
            continue
        for name, column in candidates.features():
            columns[name].append(np.asarray(column, np.float64)[used])
        words, group = np.unique(candidates.word[used], return_inverse=True)
        count = damped(treebank, corrected)[words]
        counts.append(count * min(5.0, (EQUAL / count.sum()) ** 0.5) * worth.get(id(treebank), 1.0))
        rights.append(right[used])
        groups.append(group + first_group)
        first_group += len(words)
    together = {name: np.concatenate(parts) for name, parts in columns.items()}
    return fit_choice(
        together, np.concatenate(rights), np.concatenate(groups), np.concatenate(counts), PENALTY_OF_CHOICE
    )


def damped(treebank: Assessed, corrected: Flags) -> Floats:
    """Return float64[words], how much each word counts: 1, and less for systematic corrections."""
    kinds = list(zip(treebank.words.tags, treebank.words.deprels, treebank.new_deprels, strict=True))
    count = Counter(kind for kind, is_corrected in zip(kinds, corrected, strict=True) if is_corrected)
    weights = [
        min(1.0, (SYSTEMATIC / count[kind]) ** 0.5) if is_corrected else 1.0
        for kind, is_corrected in zip(kinds, corrected.tolist(), strict=True)
    ]
    return np.array(weights)


def rankings(treebank: Assessed, model: LogisticModel) -> Iterator[tuple[str, Floats]]:
    """Yield scores of the words, the higher the more doubtful: of the model, and of simpler evidence."""
    words = treebank.words
    differs = ((words.voted_heads != words.heads) | (words.voted_relations != words.relations)).mean(axis=0)
    probabilities = model.probabilities(treebank.features)
    yield "all evidence", probabilities
    yield "merged with counting", np.maximum(probabilities, counted(words))
    yield "votes alone", differs
    yield "graph-based parsers alone", -worse(words.arc_margin, words.relation_margin)
    yield "transition-based parsers alone", -worse(words.arc_gap, words.relation_gap)
    yield "variation nuclei alone", score_nuclei(variation(words.columns))


def score_nuclei(found: Variation) -> Floats:
    """Return float64[words], how much variation nuclei alone speak against an arc: the share of the other
    occurrences that contradict it, those in the same context first."""
    near, far = found.other_context + found.without_context, found.other + found.without
    in_context = near / (near + found.same_context + 1)
    anywhere = far / (far + found.same + 1)
    score: Floats = in_context + anywhere / 10
    return score


def counted(words: AssessedWords) -> Floats:
    """Return float64[words], the scores of arcs by counting alone; 0 where it finds nothing."""
    found = np.zeros(len(words.heads))
    for doubt in list_quick_doubts(words.sentences, DecidedDoubts(), columns=[HEAD]):
        found[words.flat.offsets[doubt.sentence] + doubt.word - 1] = doubt.score
    return found


def worse(arc: Floats, relation: Floats) -> Floats:
    """Return float64[words], the lower of the margins of the arc and of the relation, in their units."""
    return np.minimum(in_units(arc), in_units(relation))


def accuracy_row(treebank: Assessed, score: Floats, right: RightProposals, *, subtypes: bool) -> list[str]:
    """Return the figures of a ranking."""
    corrected = treebank.corrected(subtypes=subtypes)
    sporadic = treebank.sporadic(corrected)
    known = np.flatnonzero(treebank.known)
    order = known[np.argsort(-score[known], kind="stable")]
    hits, sporadic_hits = corrected[order], sporadic[order]
    total, base = max(int(hits.sum()), 1), float(hits.mean())
    cells = [f"{hits[:count].mean():.1%}" for count in AT]
    cells.append(f"{hits[:500].mean() / base:.1f}" if base else "")
    cells.append(f"{len({treebank.decisions[word] for word in order[:500][hits[:500]].tolist()}):,}")
    precision = np.cumsum(hits) / np.arange(1, len(hits) + 1)
    cells.append(f"{precision[hits].sum() / total:.3f}")
    for found in (hits, sporadic_hits):
        for share in LOOKED_AT:
            looked_at = int(len(found) * share)
            cells.append(f"{found[:looked_at].sum() / max(int(found.sum()), 1):.0%}")
    top = order[: int(len(order) * LOOKED_AT[-1])]
    top = top[corrected[top]]
    cells += [f"{each[top].mean():.0%}" if len(top) else "" for each in (right.first, right.two)]
    return cells


@dataclass(frozen=True)
class RightProposals:
    """Which corrected words get what the later release has; bool[words] each.

    Attributes:
        voted: as the proposal of the votes.
        first: as the first proposal.
        two: as the first or the second one.
        candidates: as a candidate.
    """

    voted: Flags
    first: Flags
    two: Flags
    candidates: Flags

    @classmethod
    def of(cls, treebank: Assessed, model: LogisticModel) -> RightProposals:
        """Return them by these weights of candidates."""
        candidates = treebank.candidates
        right = treebank.are_right(candidates)

        def words_of(items: NDArray[np.int64]) -> Flags:
            found = np.zeros(len(treebank.new_heads), bool)
            found[candidates.word[items[right[items]]]] = True
            return found

        first, second = (words_of(items) for items in rank_candidates(candidates, model))
        voted = treebank.are_new(treebank.proposed.heads, treebank.proposed.relations)
        return cls(voted, first, first | second, words_of(np.arange(len(right))))


PROPOSAL_HEADINGS = (
    "treebank", "corrections", "hits", "votes", "first", "first two", "among the candidates",
)  # fmt: skip


def first_words(treebank: Assessed, score: Floats) -> Flags:
    """Return bool[words], the words of the largest share that is looked at."""
    known = np.flatnonzero(treebank.known)
    order = known[np.argsort(-score[known], kind="stable")]
    looked_at = np.zeros(len(score), bool)
    looked_at[order[: int(len(order) * LOOKED_AT[-1])]] = True
    return looked_at


def proposal_rows(treebank: Assessed, score: Floats, right: RightProposals) -> Iterator[list[str]]:
    """Yield how many of the hits in the first 20 % get the analysis of the later release.

    That is of all hits, of the sporadic ones, and of those of them whose relation was in use.
    """
    corrected = treebank.corrected(subtypes=False)
    sporadic = treebank.sporadic(corrected)
    looked_at = first_words(treebank, score)
    for name, of_kind in (
        ("all", corrected),
        ("sporadic", sporadic),
        ("sporadic, relation in use", sporadic & treebank.in_use),
    ):
        hits = of_kind & looked_at
        shares = (right.voted, right.first, right.two, right.candidates)
        yield [
            name,
            f"{hits.sum():,}",
            *(f"{each[hits].mean():.0%}" if hits.any() else "" for each in shares),
        ]


def proposals_for_errors(treebank: Assessed, order: LogisticModel, choice: LogisticModel) -> list[str]:
    """Return how many of the injected errors in the first 20 % get their right analysis.

    Args:
        treebank: with errors.
        order: the weights of the order.
        choice: the weights of candidates.
    """
    hits = treebank.corrected(subtypes=False) & first_words(treebank, order.logits(treebank.features))
    right = RightProposals.of(treebank, choice)
    shares = (right.voted, right.first, right.two, right.candidates)
    return [
        label(treebank), "injected errors", f"{hits.sum():,}",
        *(f"{each[hits].mean():.0%}" if hits.any() else "" for each in shares),
    ]  # fmt: skip


HEADINGS = (
    "treebank", "ranking", "@100", "@500", "@1000", "lift@500", "decisions@500", "AP", "5 %", "10 %", "20 %",
    "sporadic 5 %", "10 %", "20 %", "first proposal", "first two",
)  # fmt: skip


def accuracy(
    treebanks: Sequence[Assessed], errors: Sequence[tuple[Assessed, NDArray[np.str_]]], *, use_shipped: bool
) -> None:
    """Print the tables: corrections, with subtypes and without, proposals, injected errors."""

    @cache
    def of_others(language: str) -> LogisticModel:
        others = [treebank for treebank in treebanks if treebank.language != language]
        wrong = [treebank for treebank, _ in errors if treebank.language != language]
        return load_all_weights()[HEAD] if use_shipped or not others else model_of(others, wrong)

    @cache
    def choice_of_others(language: str) -> LogisticModel:
        others = [treebank for treebank in treebanks if treebank.language != language]
        wrong = [treebank for treebank, _ in errors if treebank.language != language]
        return load_proposal_weights() if use_shipped or not others else choice_of(others, wrong)

    models = {(treebank.name, treebank.release): of_others(treebank.language) for treebank in treebanks}
    right = {
        (treebank.name, treebank.release): RightProposals.of(treebank, choice_of_others(treebank.language))
        for treebank in treebanks
    }
    for subtypes in (False, True):
        print(f"\n{'all corrections' if subtypes else 'corrections in more than a subtype'}\n")
        print_row("treebank", "words", "corrected", "share", "sporadic", "decisions", "systematic kinds")
        print_row(*["---"] * 7)
        for treebank in treebanks:
            corrected = treebank.corrected(subtypes=subtypes)
            total = int(treebank.known.sum())
            sporadic = treebank.sporadic(corrected)
            count = int(corrected.sum())
            kinds = {treebank.decisions[word] for word in np.flatnonzero(corrected)}
            systematic = {treebank.decisions[word] for word in np.flatnonzero(corrected & ~sporadic)}
            print_row(
                label(treebank), f"{total:,}", f"{count:,}", f"{count / total:.2%}", f"{sporadic.sum():,}",
                f"{len(kinds):,}", f"{len(systematic):,}",
            )  # fmt: skip
        print()
        print_row(*HEADINGS)
        print_row(*["---"] * len(HEADINGS))
        for treebank in treebanks:
            for name, score in rankings(treebank, models[treebank.name, treebank.release]):
                proposed = right[treebank.name, treebank.release]
                print_row(label(treebank), name, *accuracy_row(treebank, score, proposed, subtypes=subtypes))
    print("\nproposals in the first 20 %\n")
    print_row(*PROPOSAL_HEADINGS)
    print_row(*["---"] * len(PROPOSAL_HEADINGS))
    for treebank in treebanks:
        model = models[treebank.name, treebank.release]
        of_treebank = right[treebank.name, treebank.release]
        for row in proposal_rows(treebank, model.logits(treebank.features), of_treebank):
            print_row(label(treebank), *row)
    for treebank, _ in errors:
        language = treebank.language
        print_row(*proposals_for_errors(treebank, of_others(language), choice_of_others(language)))
    print("\ninjected errors\n")
    injection((treebank, kinds, of_others(treebank.language)) for treebank, kinds in errors)


def label(treebank: Assessed) -> str:
    """Return the name of a treebank with its release."""
    return f"{treebank.name} {treebank.release}".strip()


def print_row(*cells: str) -> None:
    """Print a row of a Markdown table."""
    print(f"| {' | '.join(cells)} |", flush=True)


KINDS = ("relation", "head", "grandparent", "direction")
"""The kinds of injected errors: another relation that words of this tag have; the same relation to another
word within five; the head's head; a dependent in the place of its head."""


def injected(
    tree: Tree, word: int, kind: str, relations: Sequence[str], draw: np.random.Generator
) -> Tree | None:
    """Return the tree with an error at a word; None where this kind is impossible there."""
    heads, deprels = list(tree.heads), list(tree.deprels)
    head = heads[word - 1]
    if kind == "relation":
        others = [name for name in relations if universal(name) != universal(deprels[word - 1])]
        if head == 0 or not others:
            return None
        deprels[word - 1] = str(draw.choice(others))
    elif kind == "head":
        near = [n for n in range(max(1, word - 5), min(len(tree), word + 5) + 1) if n not in (word, head)]
        if head == 0 or not near:
            return None
        heads[word - 1] = int(draw.choice(near))
    elif kind == "grandparent":
        if head == 0 or heads[head - 1] == 0:
            return None
        heads[word - 1] = heads[head - 1]
    else:
        if head == 0:
            return None
        heads[word - 1], heads[head - 1] = heads[head - 1], word
        deprels[word - 1], deprels[head - 1] = deprels[head - 1], deprels[word - 1]
    return None if find_cycle(heads) else tree.with_heads(heads, deprels)


def corrupted(
    sentences: Sequence[Sentence], share: float, seed: int
) -> tuple[list[Sentence], dict[tuple[int, int], str]]:
    """Return sentences with errors at this share of the words, and the kind of each by sentence and word.

    A word whose kind of error is impossible is passed over. A sentence has one error at most.
    """
    draw = np.random.default_rng(seed)
    by_tag: dict[str, list[str]] = defaultdict(list)
    for sentence in sentences:
        for tag, deprel in zip(sentence.tree.upos, sentence.tree.deprels, strict=True):
            if deprel != "root":
                by_tag[tag].append(deprel)
    places = [
        (index, word)
        for index, sentence in enumerate(sentences)
        for word, tag in enumerate(sentence.tree.upos, start=1)
        if tag != PUNCTUATION
    ]
    wanted = round(len(places) * share)
    changed, sentences_with = list(sentences), set()
    errors: dict[tuple[int, int], str] = {}
    for place in draw.permutation(len(places)):
        index, word = places[place]
        if len(errors) == wanted:
            break
        if index in sentences_with:
            continue
        kind, tree = KINDS[len(errors) % len(KINDS)], changed[index].tree
        broken = injected(tree, word, kind, by_tag[tree.upos[word - 1]], draw)
        if broken is not None:
            changed[index] = with_tree(changed[index], broken)
            errors[index, word] = kind
            sentences_with.add(index)
    return changed, errors


def auc(scores: Floats, flags: Flags) -> float:
    """Return the probability that a word with the flag scores higher than one without; ties count half."""
    from scipy.stats import rankdata

    ranks, count = rankdata(scores), int(flags.sum())
    return float((ranks[flags].sum() - count * (count + 1) / 2) / (count * (len(flags) - count)))


def with_errors(files: TreebankFiles, runs: Path, share: float) -> tuple[Assessed, NDArray[np.str_]]:
    """Return a treebank with injected errors, whose later release is the treebank itself.

    Also return str[words], the kind of the error of each word, empty for words without.
    """
    treebank = read_treebank(files, multiple_roots=True)
    sentences = [sentence for _, part in treebank.splits() for sentence in part]
    changed, errors = corrupted(sentences, share, seed=1)
    folder = runs / "corrupted" / files.name
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"xx_{files.name}-ud-test.conllu"
    path.write_text(conllu_text(changed), encoding="utf-8")
    words = assessed(doubted(folder, f"corrupted-{files.name}", runs))
    places = zip(words.flat.sentence.tolist(), words.position.tolist(), strict=True)
    kinds = np.array([errors.get(place, "") for place in places])
    return with_release(words, files.name, files.release, sentences), kinds


def injection_rows(treebank: Assessed, kinds: NDArray[np.str_], model: LogisticModel) -> Iterator[list[str]]:
    """Yield the AUC of the errors that were injected into a treebank, for each ranking."""
    listed, wrong = treebank.known, kinds != ""
    for name, score in rankings(treebank, model):
        found = [auc(score[listed], wrong[listed])]
        for kind in KINDS:
            among = listed & ((kinds == kind) | ~wrong)
            found.append(auc(score[among], wrong[among]))
        yield [label(treebank), f"{wrong.sum():,}", name, *(f"{value:.3f}" for value in found)]


def injection(treebanks: Iterable[tuple[Assessed, NDArray[np.str_], LogisticModel]]) -> None:
    """Print the AUC of errors that were injected into treebanks, each with the weights that judge it."""
    print_row("treebank", "errors", "ranking", "all", *KINDS)
    print_row(*["---"] * (4 + len(KINDS)))
    for treebank, kinds, model in treebanks:
        for row in injection_rows(treebank, kinds, model):
            print_row(*row)


def write_weights(path: Path, models: Mapping[str, LogisticModel]) -> None:
    """Write the weights of groups of columns to a file, which keeps those of the others."""
    kept = msgspec.json.decode(path.read_bytes(), type=dict[str, LogisticModel]) if path.exists() else {}
    path.write_bytes(msgspec.json.format(msgspec.json.encode({**kept, **models})) + b"\n")


def main() -> None:
    """Print the tables that were asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("accuracy", "fit"):
        command = commands.add_parser(name)
        command.add_argument("old", help="folders of an old release, separated by commas")
        command.add_argument("new", type=Path)
        command.add_argument(
            "--injected", type=Path, metavar="HOME", help="get injected errors (default: new)"
        )
    commands.choices["accuracy"].add_argument("--shipped", action="store_true")
    commands.choices["fit"].add_argument("--out", type=Path, required=True)
    commands.add_parser("injected").add_argument("home", type=Path)
    for command in commands.choices.values():
        command.add_argument("--runs", type=Path, required=True)
        command.add_argument("--treebank", action="append", default=[], metavar="UD_X[@RELEASE]")
        command.add_argument("--share", type=float, default=0.01)
    line = parser.parse_args()
    line.runs.mkdir(parents=True, exist_ok=True)
    if line.command == "injected":
        chosen = [
            files for files in list_treebanks(line.home) if not line.treebank or files.name in line.treebank
        ]
        errors = [with_errors(files, line.runs, line.share) for files in chosen]
        injection((*each, load_all_weights()[HEAD]) for each in errors)
        print()
        print_row(*PROPOSAL_HEADINGS)
        print_row(*["---"] * len(PROPOSAL_HEADINGS))
        for treebank, _ in errors:
            print_row(*proposals_for_errors(treebank, load_all_weights()[HEAD], load_proposal_weights()))
        return
    treebanks = [
        treebank
        for old in line.old.split(",")
        for treebank in compared(Path(old), line.new, line.treebank, line.runs)
    ]
    names = {treebank.name for treebank in treebanks}
    errors = [
        with_errors(files, line.runs, line.share)
        for files in list_treebanks(line.injected or line.new)
        if files.name in names
    ]
    if line.command == "accuracy":
        accuracy(treebanks, errors, use_shipped=line.shipped)
    else:
        model = model_of(treebanks, [treebank for treebank, _ in errors])
        write_weights(line.out, {HEAD: model})
        choice = choice_of(treebanks, [treebank for treebank, _ in errors])
        line.out.with_name(PROPOSAL_WEIGHTS).write_bytes(
            msgspec.json.format(msgspec.json.encode(choice)) + b"\n"
        )


if __name__ == "__main__":
    main()
