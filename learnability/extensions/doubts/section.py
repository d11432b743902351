"""Write what `doubts` prints, and draw sentences for its report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from learnability.extensions.doubts.files import DOUBTS, FOLDER, LINES, PATTERNS
from learnability.extensions.doubts.listing import (
    BASE_RATE,
    LEAST,
    AssessedTreebank,
    Doubt,
    LemmaUse,
    Listing,
    Pattern,
)
from learnability.reports.content import Opening
from learnability.reports.examples import TreePair
from learnability.reports.figures import Figure
from learnability.reports.text import Section, Table, number
from learnability.reports.trees import drawn_pair
from learnability.support.nouns import count_noun
from learnability.treebanks.sentence import find_withheld

SHOWN = 20
"""Doubts, patterns and lemmas that tables show."""

DRAWN = 10
"""Sentences that the report draws, each of another pattern."""

LONGEST_DRAWN = 25
"""Words of the longest sentence that is drawn."""

FAR = 2.0
"""The mean of the probabilities is far from the share of wrong words that they assume if one of the two is at
least this many times the other."""

ASSUMED = f"{BASE_RATE * 100:.0f} %"

PROPOSAL = "Even where the annotation is wrong, the proposal may be wrong, too."


ALSO = "After a semicolon: the word whose head has to change, too, so that the sentence remains a tree. "

QUESTION = "which words contradict the rest of the annotation?"

GRAPH_PARSERS = "two graph-based parsers"
"""The parsers whose margins are evidence, whatever others vote."""


def probability_in_words(mean: float) -> str:
    """Return what the probabilities of a treebank mean, whose mean this is."""
    here = f"{mean * 100:.1f} %"
    if BASE_RATE / FAR <= mean <= BASE_RATE * FAR:
        return (
            f"The probability orders the words. It does not count errors: it assumes that about {ASSUMED} of "
            f"all words are wrong (its mean is {here} here). In other treebanks, far more or far fewer were "
            "corrected."
        )
    return (
        f"The probability orders the words. It does not count errors: its mean is {here} here, far from the "
        f"{ASSUMED} of wrong words that it assumes, because this treebank differs from those it was learned "
        "from."
    )


def open_page(listing: Listing, voters: Sequence[str], folds: int) -> Opening:
    """Return what a page of doubts says of itself.

    Args:
        listing: the doubts.
        voters: the names of the parsers that vote.
        folds: the folds of the treebank.
    """
    return Opening(
        QUESTION,
        f"{_describe_counts(listing)} · {folds} folds · {count_noun(len(voters) + 2, 'parser')}",
        (
            "A doubt is not an error. Most doubts are rare or difficult constructions that are annotated "
            "correctly.",
            "Parsers cannot see what is annotated in the same wrong way everywhere.",
            f"We trained {', '.join(voters)} and {GRAPH_PARSERS} on the other folds. One of these reads "
            "forms, the other lemmas and features. Other parsers may doubt other words.",
            probability_in_words(listing.mean),
            PROPOSAL,
        ),
    )


def doubts_section(listing: Listing) -> Section:
    """Return how many doubts there are, and the first of them."""
    sentences = tuple(_sentences(listing))
    if not listing.doubts:
        return Section("Doubts", sentences)
    shown = listing.doubts[:SHOWN]
    also = ALSO if any(doubt.also for doubt in shown) else ""
    table = Table(
        "The most doubtful words",
        ("sentence", "word", "annotation", "proposal", "probability", "pattern"),
        tuple(
            (
                doubt.name,
                f"{doubt.word} {doubt.form}",
                f"{doubt.deprel} of {doubt.head}",
                _proposal(doubt),
                number(doubt.probability),
                doubt.pattern,
            )
            for doubt in shown
        ),
        f"Heads are numbers of words; 0 is the root. {also}{DOUBTS} has all that are listed.",
        "<<<<><",
    )
    return Section("Doubts", sentences, (table,))


def _proposal(doubt: Doubt) -> str:
    """Return what is proposed, ``obl of 5; 5: root of 0``."""
    text = f"{doubt.proposed_deprel} of {doubt.proposed_head}"
    return f"{text}; {doubt.also.word}: {doubt.also.deprel} of {doubt.also.head}" if doubt.also else text


def _describe_counts(listing: Listing) -> str:
    """Return how many words could have been listed, and which."""
    words, places = count_noun(listing.words, "word"), listing.places
    return f"{words} without punctuation" if places is None else f"{words} at places of {places.construction}"


def _sentences(listing: Listing) -> Iterator[str]:
    """Yield what a maintainer can expect of the list."""
    count = len(listing.doubts)
    if count:
        yield f"We list {count:,} of {_describe_counts(listing)}, the most doubtful first."
        yield probability_in_words(listing.mean)
        yield PROPOSAL
        yield (
            f"{PATTERNS} groups the doubts, so that you can decide once about a systematic difference. "
            f"{LINES} lists them as the UD validator does, and {FOLDER}/ marks them in the files."
        )
    else:
        yield "No word is listed."
    if listing.places is not None:
        are = "is a place" if len(listing.places.annotated) == 1 else "are places"
        yield (
            f"{len(listing.places.annotated):,} of these words {are} as annotated, "
            f"{len(listing.places.proposed):,} only as proposed."
        )
    if listing.certain:
        yield (
            f"We left out {count_noun(listing.certain, 'word')} with a probability below {LEAST}. --all "
            "lists every word."
        )
    if listing.acknowledged:
        yield f"We left out {count_noun(listing.acknowledged, 'acknowledged doubt')}."


def patterns_section(patterns: Sequence[Pattern]) -> Section:
    """Return the patterns of which most corrections are expected."""
    table = Table(
        "Doubts by pattern",
        ("pattern", "doubts", "expected", "words", "example"),
        tuple(
            (
                pattern.name,
                f"{len(pattern.doubts):,}",
                number(pattern.expected, ".1f"),
                f"{pattern.words:,}",
                f"{pattern.doubts[0].name} {pattern.doubts[0].form}",
            )
            for pattern in patterns[:SHOWN]
        ),
        "Expected: the sum of the probabilities, which orders the patterns. Words: all words of the "
        "treebank with this tag (and lemma) and the annotated relation.",
        "<>>><",
    )
    first = patterns[0]
    sentences = (
        f"The doubts have {count_noun(len(patterns), 'pattern')}. Begin with {first.name}, which has "
        f"{count_noun(len(first.doubts), 'doubt')}.",
    )
    return Section("Doubts by pattern", sentences, (table,))


def lemmas_section(construction: str, uses: Sequence[LemmaUse]) -> Section:
    """Return which lemmas at the places of a construction are annotated in two ways."""
    if not uses:
        return Section(
            "Annotated in two ways", (f"No lemma at the places of {construction} has two relations.",)
        )
    table = Table(
        f"Lemmas at the places of {construction} with several relations",
        ("lemma", "relations", "doubts"),
        tuple(
            (use.lemma, ", ".join(f"{name} {count:,}" for name, count in use.relations), f"{use.doubts:,}")
            for use in uses[:SHOWN]
        ),
        "Relations: how often the lemma has each in the whole treebank. Doubts: how many are listed.",
        "<<>",
    )
    sentence = (
        f"At the places of {construction} as annotated, {count_noun(len(uses), 'lemma')} occur with several "
        "relations."
    )
    return Section("Annotated in two ways", (sentence,), (table,))


def drawn_doubts(assessed: AssessedTreebank, patterns: Sequence[Pattern]) -> list[Figure]:
    """Return drawings of the first short sentence of the first patterns, with annotation and proposal; one
    whose words are known, if there is any."""
    figures: list[Figure] = []
    for pattern in patterns:
        short = [d for d in pattern.doubts if len(assessed.words.trees[d.sentence]) <= LONGEST_DRAWN]
        short.sort(key=lambda doubt: any(find_withheld(assessed.words.trees[doubt.sentence])))
        if short and len(figures) < DRAWN:
            figures.append(_draw_doubt(assessed, short[0], len(figures) + 1))
    return figures


def _draw_doubt(assessed: AssessedTreebank, doubt: Doubt, position: int) -> Figure:
    original, proposed = assessed.words.trees[doubt.sentence], assessed.proposed_tree(doubt)
    pair = TreePair(doubt.name, original, proposed)
    columns = (
        ("head", list(map(str, original.heads))),
        ("relation", original.deprels),
        ("proposed head", list(map(str, proposed.heads))),
        ("proposed relation", proposed.deprels),
    )
    note = f"Word {doubt.word}, {doubt.form}: {doubt.pattern} (probability {doubt.probability:.2f})."
    if doubt.also:
        word, head, deprel = doubt.also
        note += f" With it changes word {word}, {original.forms[word - 1]}: {deprel} of {head}."
    return drawn_pair(pair, f"doubt-{position}", ("annotation", "proposal"), columns, note)
