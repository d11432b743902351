"""Write what `doubts` prints, and draw sentences for its report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from learnability.extending import (
    DrawnSentence,
    Figure,
    PageHeader,
    Section,
    Table,
    Tree,
    count_noun,
)
from learnability.extensions.doubts.columns import ARCS
from learnability.extensions.doubts.decisions import ACCEPT, REJECT
from learnability.extensions.doubts.doubt import Doubt
from learnability.extensions.doubts.files import DOUBTS, FOLDER, LINES, PATTERNS
from learnability.extensions.doubts.in_lines import (
    INDENT,
    LEGEND,
    describe_annotated,
    describe_proposed,
    describe_second,
    group_by_sentence,
    lines_of_group,
    lines_of_sentence,
    wrap_line,
)
from learnability.extensions.doubts.listing import (
    LEAST,
    AssessedTreebank,
    LemmaUse,
    Listing,
)
from learnability.extensions.doubts.page import PAGE
from learnability.extensions.doubts.patterns import Pattern

FIRST = 10
"""Doubts that a terminal shows; where a sentence has several, all of its doubts that are shown together."""

FIRST_PATTERNS, EXAMPLES = 5, 2
"""Patterns that a terminal shows, and doubts of each."""

SHOWN = 20
"""Doubts, patterns and lemmas that tables show."""

DRAWN = 10
"""Sentences that the report draws, each of another pattern."""

LONGEST_DRAWN = 25
"""Words of the longest sentence that is drawn."""

ORDER = (
    "Start at the top: the higher the score, the more doubtful. Scores only order the doubts. They do not "
    "say how many are errors."
)

PROPOSAL = "Even where the annotation is wrong, the proposal may be wrong, too."


ALSO = "After a semicolon: the word whose head has to change, too, so that the sentence remains a tree. "

QUESTION = "which words contradict the rest of the annotation?"

GRAPH_PARSERS = "two graph-based parsers"
"""The parsers whose margins are evidence, whatever others vote."""


def open_page(listing: Listing, voters: Sequence[str], folds: int) -> PageHeader:
    """Return what a page of doubts says of itself.

    Args:
        listing: the doubts.
        voters: the names of the parsers that vote.
        folds: the folds of the treebank.
    """
    return PageHeader(
        QUESTION,
        f"{_describe_counts(listing)} · {folds} folds · {count_noun(len(voters) + 2, 'parser')}",
        (
            "A doubt is not an error. Most doubts are rare or difficult constructions that are annotated "
            "correctly.",
            "Parsers cannot see what is annotated in the same wrong way everywhere.",
            f"We trained {', '.join(voters)} and {GRAPH_PARSERS} on the other folds. One of these reads "
            "forms, the other lemmas and features. Classifiers doubt tags, lemmas, features and subtypes. "
            "Other parsers may doubt other words.",
            ORDER,
            PROPOSAL,
        ),
    )


def doubts_section(listing: Listing, trees: Sequence[Tree]) -> Section:
    """Return the first doubts: in a table for pages, below their sentences for terminals.

    Args:
        listing: the doubts.
        trees: those of the treebank.
    """
    forms = [tree.forms for tree in trees]
    if not listing.doubts:
        return Section("Doubts", ("No word is listed.",))
    shown = listing.doubts[:SHOWN]
    also = ALSO if any(doubt.also or len(doubt.second_arcs) > 1 for doubt in shown) else ""
    table = Table(
        "The most doubtful words",
        (
            "sentence",
            "file and line",
            "word",
            "annotation",
            "proposal",
            "second proposal",
            "score",
            "pattern",
        ),
        tuple(
            (
                doubt.name,
                f"{doubt.file}:{doubt.line}",
                f"{doubt.word} {doubt.form}",
                describe_annotated(doubt, forms[doubt.sentence]),
                describe_proposed(doubt, forms[doubt.sentence]),
                describe_second(doubt, forms[doubt.sentence]),
                f"{doubt.score:.2f}",
                doubt.pattern,
            )
            for doubt in shown
        ),
        f"{also}{DOUBTS} has all that are listed.",
        "<<<<<<><",
    )

    def laid_out(width: int) -> Iterator[str]:
        """Yield the first doubts as lines, with an empty line after those of a sentence."""
        for group in group_by_sentence(listing.doubts, FIRST):
            yield from lines_of_group(group, trees[group[0].sentence], width)
            yield ""
        yield LEGEND

    return Section("Doubts", (), (table,), laid_out=lambda width: tuple(laid_out(width)))


def next_section(listing: Listing) -> Section:
    """Return how many doubts there are, and what a maintainer can do with them."""
    return Section("Next", tuple(_sentences(listing)))


def _describe_counts(listing: Listing) -> str:
    """Return how many words could have been listed, and which."""
    words, places = count_noun(listing.words, "word"), listing.places
    return f"{words} without punctuation" if places is None else f"{words} at places of {places.construction}"


def _sentences(listing: Listing) -> Iterator[str]:
    """Yield what a maintainer can expect of the list."""
    if listing.doubts:
        sentences = count_noun(len({doubt.sentence for doubt in listing.doubts}), "sentence")
        doubts = count_noun(len(listing.doubts), "doubt")
        yield f"We list {doubts} about {_describe_counts(listing)}, in {sentences}."
        yield ORDER
        if listing.lessons:
            yield f"They are in the order that your {count_noun(listing.lessons, 'decision')} taught."
        yield PROPOSAL
        if listing.is_validated:
            found = sum(bool(doubt.validator) for doubt in listing.doubts)
            yield f"The official validator finds an error at {found:,} of them, too."
        else:
            yield "The official validator did not run. Install udtools to see what it finds, too."
        yield (
            f"{DOUBTS} lists the doubts, {PATTERNS} those that are alike, {LINES} has them as the UD "
            f"validator does, and {FOLDER}/ marks them in the files."
        )
        yield (
            f"In {PAGE} you decide about them by keyboard, and save decisions.csv. Then "
            "`learnability doubts --apply decisions.csv --diff` prints a patch."
        )
    if listing.places is not None:
        are = "is a place" if len(listing.places.annotated) == 1 else "are places"
        yield (
            f"{len(listing.places.annotated):,} of these words {are} as annotated, "
            f"{len(listing.places.proposed):,} only as proposed."
        )
    if listing.certain:
        yield (
            f"We left out {count_noun(listing.certain, 'word')} with a score below {LEAST}. --all "
            "lists every word."
        )
    if listing.decided:
        accepted, rejected = listing.decided.get(ACCEPT, 0), listing.decided.get(REJECT, 0)
        doubts = count_noun(accepted + rejected, "decided doubt")
        yield f"We left out {doubts}: {accepted:,} accepted, {rejected:,} rejected."


def patterns_section(patterns: Sequence[Pattern], trees: Sequence[Tree]) -> Section:
    """Return the patterns with the largest scores: in a table for pages, with sentences for terminals.

    Args:
        patterns: in order, at least one.
        trees: those of the treebank.
    """
    table = Table(
        "Doubts by pattern",
        ("pattern", "doubts", "score", "as annotated", "as proposed", "examples"),
        tuple(
            (
                pattern.name,
                f"{len(pattern.doubts):,}",
                f"{pattern.score:.1f}",
                f"{pattern.words:,}",
                f"{pattern.proposed_words:,}",
                ", ".join(f"{doubt.name} {doubt.form}" for doubt in pattern.doubts[:EXAMPLES]),
            )
            for pattern in patterns[:SHOWN]
        ),
        explanation="Score: the sum of their scores, for ranking only. As annotated, as proposed: how "
        "often this tag and lemma occur in either way.",
        align="<>>>><",
    )

    def laid_out(width: int) -> Iterator[str]:
        """Yield the first patterns, each with its counts, its query and sentences."""
        for pattern in patterns[:FIRST_PATTERNS]:
            counts = (
                f"{count_noun(pattern.words, 'word')} as annotated, {pattern.proposed_words:,} as proposed"
            )
            doubts = count_noun(len(pattern.doubts), "doubt")
            yield from wrap_line(f"{pattern.name}  {doubts}: {counts}", width)
            for doubt in pattern.doubts[:EXAMPLES]:
                yield from lines_of_sentence(doubt, trees[doubt.sentence], width)
            yield f"{INDENT}{pattern.query}"
            yield ""

    sentences = (
        f"You can decide once about {count_noun(len(patterns), 'pattern')}. The words of each have the same "
        "tag and lemma, and the same two arcs or values.",
    )
    return Section("Doubts by pattern", sentences, (table,), laid_out=lambda width: tuple(laid_out(width)))


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
        f"At the places of {construction} as annotated, {count_noun(len(uses), 'lemma')} "
        f"{'occurs' if len(uses) == 1 else 'occur'} with several relations."
    )
    return Section("Annotated in two ways", (sentence,), (table,))


def drawn_doubts(assessed: AssessedTreebank, patterns: Sequence[Pattern]) -> list[Figure]:
    """Return drawings of the first short sentence of the first patterns, with annotation and proposal; one
    whose words are known, if there is any."""
    figures: list[Figure] = []
    for pattern in patterns:
        arcs = [doubt for doubt in pattern.doubts if doubt.column in ARCS]
        short = [d for d in arcs if len(assessed.words.trees[d.sentence]) <= LONGEST_DRAWN]
        short.sort(key=lambda doubt: any(assessed.words.trees[doubt.sentence].find_withheld()))
        if short and len(figures) < DRAWN:
            figures.append(_draw_doubt(assessed, short[0], len(figures) + 1))
    return figures


def _draw_doubt(assessed: AssessedTreebank, doubt: Doubt, position: int) -> Figure:
    original, proposed = assessed.words.trees[doubt.sentence], assessed.proposed_tree(doubt)
    columns = (
        ("head", list(map(str, original.heads))),
        ("relation", original.deprels),
        ("proposed head", list(map(str, proposed.heads))),
        ("proposed relation", proposed.deprels),
    )
    note = f"Word {doubt.word}, {doubt.form}: {doubt.pattern} (score {doubt.score:.2f})."
    if doubt.also:
        word, head, deprel = doubt.also
        note += f" With it changes word {word}, {original.forms[word - 1]}: {deprel} of {head}."
    titles = "annotation", "proposal"
    name = f"doubt-{position}"
    return DrawnSentence.of_trees(
        doubt.name, original, proposed, name, titles, columns=columns, explanation=note
    ).figure
