"""Write what `doubts` prints, and what its page says of the list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from learnability.extending import Section, Table, Tree, count_noun
from learnability.extensions.doubts.decisions import ACCEPT, REJECT
from learnability.extensions.doubts.doubt import Doubt
from learnability.extensions.doubts.files import DOUBTS
from learnability.extensions.doubts.in_lines import LEGEND, ORDER, PROPOSAL, group_by_cause, lines_of_causes
from learnability.extensions.doubts.listing import LEAST, LemmaUse, Listing
from learnability.extensions.doubts.page import PAGE

FIRST = 10
"""Causes that a terminal shows."""

FIRST_CAUSES = 5
"""What counting finds that is shown before the parsers are trained."""

SHOWN = 20
"""Lemmas that a table shows."""

GRAPH_PARSERS = "two graph-based parsers"
"""The parsers whose margins are evidence, whatever others vote."""


def limits_of(voters: Sequence[str]) -> list[str]:
    """Return what a reader of the list should know; `voters`: the names of the parsers that vote."""
    return [
        "A doubt is not an error. Most doubts are rare or difficult constructions that are annotated "
        "correctly.",
        "Parsers cannot see what is annotated in the same wrong way everywhere.",
        f"We trained {', '.join(voters)} and {GRAPH_PARSERS} on the other folds. One of these reads "
        "forms, the other lemmas and features. Classifiers doubt tags, lemmas, features, XPOS and subtypes. "
        "Other parsers may doubt other words.",
        ORDER,
        PROPOSAL,
    ]


def doubts_section(listing: Listing, trees: Sequence[Tree]) -> Section:
    """Return the first doubts with their sentences, by cause.

    Args:
        listing: the doubts.
        trees: those of the treebank.
    """
    if not listing.doubts:
        return Section("Doubts", ("No word is listed.",))

    def laid_out(width: int) -> tuple[str, ...]:
        causes = group_by_cause(listing.doubts)[:FIRST]
        return (*lines_of_causes(causes, trees, width), LEGEND)

    return Section("Doubts", (), laid_out=laid_out)


def next_section(listing: Listing, counted: Sequence[Doubt] = ()) -> Section:
    """Return how many doubts there are, and what a maintainer can do with them.

    Args:
        listing: the doubts.
        counted: those that counting alone finds.
    """
    return Section("Next", (*_sentences(listing), *_tell_merged(listing, counted)))


def _tell_merged(listing: Listing, counted: Sequence[Doubt]) -> Iterator[str]:
    """Yield where the first causes of counting alone are now."""
    causes = group_by_cause(listing.doubts)
    ranks = {doubt.value_place: rank for rank, cause in enumerate(causes, start=1) for doubt in cause}
    first = [ranks.get(cause[0].value_place) for cause in group_by_cause(counted)[:FIRST_CAUSES]]
    if not first:
        return
    also = count_noun(sum(doubt.value_place in ranks for doubt in counted), "doubt")
    yield f"Counting alone finds {also} of the list, too."
    now = [f"{rank:,}" for rank in first if rank is not None]
    told = [f"now number {', '.join(now)} of {len(causes):,}"] if now else []
    told += [f"{missing:,} not listed"] if (missing := first.count(None)) else []
    yield f"Its first {count_noun(len(first), 'cause')}: {'; '.join(told)}."


def _describe_counts(listing: Listing) -> str:
    """Return how many words could have been listed, and which."""
    words, places = count_noun(listing.words, "word"), listing.places
    return f"{words} without punctuation" if places is None else f"{words} at places of {places.construction}"


def _sentences(listing: Listing) -> Iterator[str]:
    """Yield what a maintainer can expect of the list."""
    if listing.doubts:
        sentences = count_noun(len({doubt.sentence for doubt in listing.doubts}), "sentence")
        doubts = count_noun(len(listing.doubts), "doubt")
        yield f"{doubts} about {_describe_counts(listing)}, in {sentences}."
        yield ORDER
        if listing.lessons:
            yield f"Sorted by your {count_noun(listing.lessons, 'decision')}."
        yield PROPOSAL
        if listing.is_validated:
            found = sum(bool(doubt.validator) for doubt in listing.doubts)
            yield f"The official validator marks {found:,} of them."
        else:
            yield "The official validator did not run. Install udtools to see what it finds, too."
        yield (
            f"In {PAGE} you decide about them by keyboard ({DOUBTS}: in a spreadsheet). In the folder of the "
            "decisions.csv that it saves, "
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
    if listing.changed:
        yield (
            f"We left out {count_noun(listing.changed, 'doubt')} whose values have changed since we trained. "
            "--force trains anew."
        )
    if listing.decided:
        accepted, rejected = listing.decided.get(ACCEPT, 0), listing.decided.get(REJECT, 0)
        doubts = count_noun(accepted + rejected, "decided doubt")
        yield f"We left out {doubts}: {accepted:,} accepted, {rejected:,} rejected."


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
