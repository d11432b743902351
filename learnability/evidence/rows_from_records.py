"""Make rows from records, one per treebank, pair and parser (docs/rules.md, Scores and uncertainty)."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

import numpy as np

from learnability.comparing.pair import AnnotationFacts, Pair, known_pairs
from learnability.comparing.results import BothResult, Ceiling, Counts, Measures, TrainingResult
from learnability.evidence.answers import add_answers
from learnability.evidence.grouping import (
    PairRecords,
    Seeds,
    document_numbers,
    fold_numbers,
    pair_records,
    per_sentence,
)
from learnability.evidence.rows import (
    ChangeCounts,
    ComparisonRow,
    ConversionCeilings,
    LostArcs,
    PartScores,
    PreferredSides,
    TaggerAccuracies,
    WithoutCopies,
)
from learnability.evidence.score_differences import (
    FIRST_OR_SECOND,
    Difference,
    ScoringBasis,
    counted_tokens,
    right_tokens,
)
from learnability.metrics.scores import FIRST_SCORE, Score, enough
from learnability.parsers.trainer import USUAL_PARSER
from learnability.running.config import ParserDesign, RunConfig, TreebankDesign
from learnability.running.records import Records
from learnability.statistics.inference import Testing, winner
from learnability.statistics.prediction import Belief, Constants, in_other_languages
from learnability.statistics.significance import compare
from learnability.statistics.spread import Spread
from learnability.treebanks.labels import UNIVERSAL, universal

Values = dict[str, Any]
"""Values of a row by attribute."""


def result_rows(config: RunConfig, records: Records) -> list[ComparisonRow]:
    """Return one row per treebank, pair and parser, in this order."""
    rows = []
    pairs = known_pairs(config)
    for treebank in config.treebanks:
        may_be_settled = treebank.folds == 1  # else every sentence is tested already
        by_parser = {
            parser.spelling: [
                pair_records(
                    records,
                    treebank.label,
                    pair.alternative.spelling,
                    parser.spelling,
                    config.seeds,
                    treebank.folds,
                )
                for pair in pairs
            ]
            for parser in config.parsers
        }
        for number, pair in enumerate(pairs):
            for parser in config.parsers:
                of_parser = by_parser[parser.spelling]
                row = row_of(
                    of_parser[number],
                    treebank,
                    pair,
                    parser,
                    seeds=config.seeds,
                    labelled=config.labelled,
                    beside=[*of_parser[:number], *of_parser[number + 1 :]],
                    share=FIRST_OR_SECOND if may_be_settled else 1.0,
                )
                rows.append(row if config.names_parsers else replace(row, parser=""))
    return corrected_rows(rows)


def records_of_rows(config: RunConfig, rows: Sequence[ComparisonRow], records: Records) -> list[PairRecords]:
    """Return what each row was made of."""
    folds = {treebank.label: treebank.folds for treebank in config.treebanks}
    by_title = {parser.title: parser for parser in config.parsers}
    parsers = [by_title.get(row.parser, config.parsers[0]) for row in rows]
    return [
        pair_records(
            records,
            row.treebank_label,
            row.pair.alternative.spelling,
            parser.spelling,
            config.seeds,
            folds[row.treebank_label],
        )
        for row, parser in zip(rows, parsers, strict=True)
    ]


@dataclass(frozen=True, kw_only=True)
class PairEvidence(PairRecords):
    """Hold the records of a pair, its row, and its name (with the treebank, of several)."""

    row: ComparisonRow
    name: str


def join_records(config: RunConfig, rows: Sequence[ComparisonRow], records: Records) -> list[PairEvidence]:
    """Return the rows of a run with their records."""
    several = len({row.treebank for row in rows}) > 1
    of_rows = records_of_rows(config, rows, records)
    return [
        PairEvidence(row=row, name=f"{row.treebank}, {row.title}" if several else row.title, **vars(found))
        for row, found in zip(rows, of_rows, strict=True)
    ]


def corrected_rows(
    rows: Sequence[ComparisonRow],
    scores: Sequence[Score] = tuple(Score),
    tested_before: Sequence[ComparisonRow] = (),
) -> list[ComparisonRow]:
    """Return the rows with p after Holm's correction, what each difference shows, and the answers.

    The correction is over the constructions of a treebank by a parser, separately for each score and
    comparison. So an answer depends neither on other treebanks nor on other parsers. `tested_before`:
    corrected rows of other constructions of these treebanks, which are not tested again.
    """
    families: dict[tuple[str, str], list[int]] = {}
    for number, row in enumerate(rows):
        families.setdefault((row.treebank_label, row.parser), []).append(number)
    found = list(rows)
    for family, numbers in families.items():
        before = [row for row in tested_before if (row.treebank_label, row.parser) == family]
        in_family = _corrected_family([rows[number] for number in numbers], scores, before)
        for number, row in zip(numbers, in_family, strict=True):
            found[number] = row
    return found


def _corrected_family(
    rows: Sequence[ComparisonRow], scores: Sequence[Score], tested_before: Sequence[ComparisonRow]
) -> Iterator[ComparisonRow]:
    shown: list[dict[tuple[Score, ScoringBasis], Difference]] = [dict(row.differences) for row in rows]
    for score in scores:
        for basis in ScoringBasis.of(score):
            before = (row.difference(score, basis) for row in tested_before)
            tested = [difference for difference in before if difference is not None]
            differences = Difference.correct([row.difference(score, basis) for row in rows], tested)
            for of_row, difference in zip(shown, differences, strict=True):
                if difference is not None:
                    of_row[score, basis] = difference
    for row, of_row in zip(rows, shown, strict=True):
        row = replace(row, differences=of_row)
        for score in scores:
            if score in row.scores:
                row = add_answers(row, score)
        yield row


def row_of(
    records: PairRecords,
    treebank: TreebankDesign,
    pair: Pair[AnnotationFacts],
    parser: ParserDesign,
    *,
    seeds: Sequence[int],
    labelled: bool = False,
    beside: Sequence[PairRecords] = (),
    testing: Callable[[Spread], Testing] | None = None,
    share: float = 1.0,
) -> ComparisonRow:
    """Return the row of one pair by one parser, before it is corrected for several constructions.

    It has scores only where every seed and fold is there. Training noise is measured in other alternatives
    of the same folds, too, if they stand `beside`. `testing` says how often the difference was looked at
    (default: once). `share`: of the level, where the question may be tested again.
    """
    row = ComparisonRow(
        folds=treebank.folds,
        treebank=treebank.name,
        release=treebank.release,
        pair=pair,
        parser=parser.title,
        labelled=labelled,
        predicts_tags=_predicts_tags(records),
        seeds=len(seeds),
    )
    if records.measures:
        row = replace(row, **_measure_folds(records.measures))
        row = replace(row, elsewhere=_elsewhere(row, treebank, parser))
    if records.a and row.places != 0:
        iterations = [fold.iterations for seed in records.a for fold in seed]
        row = replace(row, iterations=statistics.fmean(iterations) if all(iterations) else None)
    if row.places is None or (row.places == 0 and pair.has_rules):
        return row
    if records.a and records.b:
        row = _add_scores(row, records, records.scale_ratio(parser.seed_ratio), beside, testing, share)
    if records.c:
        row = _with_trained_on_both(row, records.c)
    return row


def _measure_folds(folds: Sequence[Measures]) -> Values:
    names = (
        "places", "sentences", "sentences_changed", "tokens_changed", "nonprojective_train", "train_tokens"
    )  # fmt: skip
    values: Values = {name: _total(folds, name) for name in names}
    values["test_places"] = sum(fold.test_places for fold in folds)
    if any(fold.changes is not None for fold in folds):
        values["changes"] = _changes(folds)
        values["groups"] = folds[0].groups
    restored = {}
    for name in folds[0].restored:
        counts = [fold.restored[name] for fold in folds]
        restored[Score(name)] = 100 * sum(right for right, _ in counts) / sum(words for _, words in counts)
    values["restored"] = restored
    return values


def _changes(folds: Sequence[Measures]) -> dict[str, ChangeCounts]:
    changes_of_folds = [fold.changes or {} for fold in folds]
    counts = {}
    for kind in {kind for changes in changes_of_folds for kind in changes}:
        of_folds = [changes.get(kind, (0, 0)) for changes in changes_of_folds]
        heads, relations = sum(heads for heads, _ in of_folds), sum(relations for _, relations in of_folds)
        counts[kind] = ChangeCounts(_spread(heads, len(folds)), _spread(relations, len(folds)))

    def order(kind: str) -> tuple[int, str]:
        return -(counts[kind].heads + counts[kind].relations_only), kind

    return {kind: counts[kind] for kind in sorted(counts, key=order)}


def _total(folds: Sequence[Any], name: str) -> int:
    """Return a count of training sentences: with K folds every sentence trains in K - 2 of them."""
    return _spread(sum(getattr(fold, name) for fold in folds), len(folds))


def _spread(total: int, folds: int) -> int:
    return int(total if folds == 1 else round(total / (folds - 2)))


def _elsewhere(row: ComparisonRow, treebank: TreebankDesign, parser: ParserDesign) -> Belief | None:
    if not row.tokens_changed or not row.train_tokens:
        return None
    changed = row.tokens_changed / row.train_tokens
    belief = in_other_languages(row.pair.known_elsewhere_as, treebank.language, changed)
    return belief if parser.title == USUAL_PARSER else belief.of_another_parser(Constants.load_shipped())


def _add_scores(
    row: ComparisonRow,
    records: PairRecords,
    seed_ratio: float,
    beside: Sequence[PairRecords],
    testing: Callable[[Spread], Testing] | None,
    share: float,
) -> ComparisonRow:
    sentences = sum(len(fold.tokens) for fold in records.a[0])
    # of annotations that are equal it is known that they do not differ
    equal = not (row.places or row.test_places)
    tested = equal or enough(sentences, row.test_places or 0)
    differences: dict[tuple[Score, ScoringBasis], Difference] = {}
    ceilings, error_split, relations = {}, {}, {}
    without_copies: dict[Score, WithoutCopies] = {}
    has_ud_relations = _has_ud_relations(records.a[0])
    if not has_ud_relations and row.pair.has_phrases:
        row = replace(row, unmeasured={**row.unmeasured, PHRASES_KEY: OWN_RELATIONS})
    for score in map(Score, records.a[0][0].scores):
        ceilings[score] = _ceilings(records, score)
        error_split[score], relations[score] = _breakdowns(records, score)
        if others := _score_without_copies(records, score):
            without_copies[score] = others
        for basis in ScoringBasis.of(score):
            if basis is ScoringBasis.PHRASES and not row.pair.has_phrases:
                continue
            if basis in NEED_UD and not has_ud_relations:
                continue
            if basis is ScoringBasis.CONVERTED and not row.pair.has_conversion_back:
                continue
            found = _difference(records, score, basis, seed_ratio, tested, beside, testing, share)
            if found is not None:
                differences[score, basis] = found
    return replace(
        row,
        test_sentences=sentences,
        without_copies=without_copies,
        differences=differences,
        ceilings=ceilings,
        error_split=error_split,
        relations=relations,
        tagging=_tagger_accuracies(records, seed_ratio),
        lost_arcs=LostArcs(_percent_lost(records.a[0]), _percent_lost(records.b[0])),
    )


def _percent_lost(folds: Sequence[TrainingResult]) -> float:
    tokens = sum(sum(fold.tokens) for fold in folds)
    return 100 * sum(fold.lost_arcs for fold in folds) / tokens if tokens else 0.0


NEED_UD = (ScoringBasis.WORDS, ScoringBasis.PHRASES)
"""Comparisons that read from relations of UD what is punctuation, and what is a function word."""

PHRASES_KEY, OWN_RELATIONS = "between_phrases", "most relations of this treebank are not those of UD"


def _has_ud_relations(folds: Sequence[TrainingResult]) -> bool:
    """Return whether most test words have a relation of UD; so it is where no relation is recorded."""
    known = other = 0
    for fold in folds:
        for relation, (_, words) in fold.scores[FIRST_SCORE].relations.items():
            if universal(relation) in UNIVERSAL:
                known += words
            else:
                other += words
    return known >= other


def _predicts_tags(records: PairRecords) -> bool:
    return any(fold.tagging is not None for seed in records.a for fold in seed)


def _tagger_accuracies(records: PairRecords, seed_ratio: float) -> TaggerAccuracies | None:
    """Return how accurate predicted tags are; None without them, for one sentence, and if no tag is right."""
    taggings = [fold.tagging for seeds in (records.a, records.b) for seed in seeds for fold in seed]
    (total,) = per_sentence(records.a[:1], attrgetter("tokens"))
    if None in taggings or len(total) < 2 or not sum(total):
        return None
    first, second = (per_sentence(seeds, attrgetter("tagging.correct")) for seeds in (records.a, records.b))
    if not np.any(first) and not np.any(second):
        return None
    found = compare(
        first,
        second,
        total,
        seed_ratio=seed_ratio,
        folds=fold_numbers(records.a),
        documents=document_numbers(records.a),
    )
    return TaggerAccuracies(found.score_a, found.score_b, found.delta, found.low, found.high)


def _difference(
    records: PairRecords,
    score: Score,
    basis: ScoringBasis,
    seed_ratio: float,
    tested: bool,
    beside: Sequence[PairRecords],
    testing: Callable[[Spread], Testing] | None,
    share: float,
) -> Difference | None:
    """Return a difference; None if nothing was recorded, or there is nothing to get right."""
    totals = {ScoringBasis.WORDS: "words", ScoringBasis.PHRASES: "phrases"}.get(basis, "tokens")

    def right(seeds: Seeds[TrainingResult], alternative: str) -> list[list[int]]:
        return per_sentence(seeds, lambda fold: right_tokens(fold.scores[score], basis, alternative))

    def counted(seeds: Seeds[TrainingResult], alternative: str) -> list[list[int]]:
        return per_sentence(seeds, lambda fold: counted_tokens(fold.scores[score], basis, alternative))

    first, second = (right(seeds, records.alternative) for seeds in (records.a, records.b))
    (total,) = per_sentence(records.a[:1], attrgetter(totals))
    recorded = all(counts for counts in (*first, *second))
    if not sum(total) or not recorded:
        return None
    out_of = None
    if not score.counts_every_token:
        out_of = counted(records.a, records.alternative), counted(records.b, records.alternative)
        if not all(sum(tokens) for tokens in (*out_of[0], *out_of[1])):
            return None
    alternatives = [right(others.b, others.alternative) for others in beside]
    tested_difference = compare(
        first,
        second,
        total,
        seed_ratio=seed_ratio,
        folds=fold_numbers(records.a),
        documents=document_numbers(records.a),
        beside=[counts for counts in alternatives if counts and all(counts)] if out_of is None else [],
        counted=out_of,
        testing=testing,
        moderated=True,
    )
    difference = Difference.of(tested_difference, share)
    return difference if tested else difference.drop_test()


def _score_without_copies(records: PairRecords, score: Score) -> WithoutCopies | None:
    """Return the scores on the own annotation without copies of training sentences; None if there are
    none."""
    is_copy = [number in set(fold.copies) for fold in records.a[0] for number in range(len(fold.tokens))]
    kept = np.logical_not(is_copy)
    if kept.all() or not score.counts_every_token:
        return None
    if not kept.any():
        return WithoutCopies(len(kept), None, None)
    (total,) = per_sentence(records.a[:1], attrgetter("tokens"))
    words = np.array(total)[kept].sum()

    def percent(seeds: Seeds[TrainingResult]) -> float:
        right = per_sentence(seeds, lambda fold: fold.scores[score].count_right(records.alternative))
        return float(100 * np.array(right)[:, kept].sum(axis=1).mean() / words)

    return WithoutCopies(int((~kept).sum()), percent(records.a), percent(records.b))


def _ceilings(records: PairRecords, score: Score) -> ConversionCeilings:
    tokens = sum(sum(fold.tokens) for seed in records.a for fold in seed)

    def ceilings(seeds: Seeds[TrainingResult]) -> list[Ceiling]:
        known = (fold.scores[score].ceiling for seed in seeds for fold in seed)
        return [ceiling for ceiling in known if ceiling]

    def percent(right: Sequence[int]) -> float | None:
        return 100 * sum(right) / tokens if right else None

    base, alternative = ceilings(records.a), ceilings(records.b)
    gold_places = [ceiling.gold_places or 0 for ceiling in alternative if not score.needs_labels]
    return ConversionCeilings(
        alternative=percent([ceiling.found_places for ceiling in alternative]),
        base=percent([ceiling.found_places for ceiling in base]),
        gold_places=percent(gold_places),
    )


def _breakdowns(records: PairRecords, score: Score) -> tuple[dict[str, PartScores], dict[str, PartScores]]:
    parts, relations = [], []
    for seeds in (records.a, records.b):
        counts_of = [fold.scores[score] for seed in seeds for fold in seed]
        parts.append([counts.error_split.get(records.alternative, {}) for counts in counts_of])
        relations.append([counts.by_relation(records.alternative) for counts in counts_of])
    count = len(records.a)
    return breakdown(parts[0], parts[1], count), breakdown(relations[0], relations[1], count)


def breakdown(a: Sequence[Counts], b: Sequence[Counts], seeds: int) -> dict[str, PartScores]:
    """Return how (a) and (b) do by part or relation; `a`, `b`: the counts of all seeds and folds."""

    def percent(counts: Sequence[Counts], name: str) -> float | None:
        right = sum(count.get(name, (0, 0))[0] for count in counts)
        tokens = sum(count.get(name, (0, 0))[1] for count in counts)
        return 100 * right / tokens if tokens else None

    parts = {}
    for name in dict.fromkeys(name for count in (*a, *b) for name in count):
        # a part may be known to (b) alone, such as a relation of its annotation
        counted = a if any(name in count for count in a) else b
        tokens = sum(count.get(name, (0, 0))[1] for count in counted)
        parts[name] = PartScores(tokens // seeds, percent(a, name), percent(b, name))
    return parts


def _with_trained_on_both(row: ComparisonRow, c: Seeds[BothResult]) -> ComparisonRow:
    """Return the row with the shares in the last iteration: means over seeds, each weighted over folds by
    sentences. Picked is the side with the larger mean over iterations, of which each training has its own
    number."""

    def mean(value: Callable[[BothResult], Any]) -> float:
        seeds = [[fold for fold in seed if fold.places] for seed in c]
        weights = [[fold.sentences_with_places for fold in seed] for seed in seeds]
        return statistics.fmean(
            float(np.average(list(map(value, seed)), weights=of_seed))
            for seed, of_seed in zip(seeds, weights, strict=True)
        )

    def lead(fold: BothResult) -> float:
        base, alternative = (np.array(shares, float) for shares in (fold.base_share, fold.alternative_share))
        return float((base - alternative).mean())

    # lifting may take all places away: then nothing was there to prefer
    if not any(fold.places for fold in c[0]):
        return row
    first = c[0][0]
    preferred = PreferredSides(
        base=mean(lambda fold: fold.base_share[-1]),
        alternative=mean(lambda fold: fold.alternative_share[-1]),
        pick=_pick(mean(lead)),
    )
    return replace(
        row,
        trained_on_both=preferred,
        factors_cut=_total(c[0], "factors_cut"),
        sentences_unmixed=(None if first.sentences_unmixed is None else _total(c[0], "sentences_unmixed")),
    )


NO_DIFFERENCE = 1e-9
"""Shares that differ by less are equal: sums in another order differ by rounding errors."""


def _pick(base_leads_by: float) -> str:
    return winner(base_leads_by if abs(base_leads_by) >= NO_DIFFERENCE else 0)
