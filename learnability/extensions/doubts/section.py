"""Write what `doubts` prints, and what its page says of the list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from learnability.extending import Section, Tree, count_noun
from learnability.extensions.doubts.decisions import ACCEPT, REJECT
from learnability.extensions.doubts.files import DOUBTS
from learnability.extensions.doubts.in_lines import LEGEND, ORDER, PROPOSAL, group_by_cause, lines_of_causes
from learnability.extensions.doubts.listing import Listing
from learnability.extensions.doubts.page import PAGE

FIRST = 10

FIRST_CAUSES = 5
"""What counting finds that is shown before the parsers are trained."""

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
    """Return the first doubts with their sentences, by cause."""
    if not listing.doubts:
        return Section("Doubts", ("No word is listed.",))

    def laid_out(width: int) -> tuple[str, ...]:
        causes = group_by_cause(listing.doubts)[:FIRST]
        return (*lines_of_causes(causes, trees, width), LEGEND)

    return Section("Doubts", (), laid_out=laid_out)


def next_section(listing: Listing) -> Section:
    return Section("Next", tuple(_sentences(listing)))


def _sentences(listing: Listing) -> Iterator[str]:
    if listing.doubts:
        sentences = count_noun(len({doubt.sentence for doubt in listing.doubts}), "sentence")
        doubts = count_noun(len(listing.doubts), "doubt")
        yield f"{doubts} about {count_noun(listing.words, 'word')} without punctuation, in {sentences}."
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
    if listing.changed:
        yield (
            f"We left out {count_noun(listing.changed, 'doubt')} whose values have changed since we trained. "
            "--force trains anew."
        )
    if listing.decided:
        accepted, rejected = listing.decided.get(ACCEPT, 0), listing.decided.get(REJECT, 0)
        doubts = count_noun(accepted + rejected, "decided doubt")
        yield f"We left out {doubts}: {accepted:,} accepted, {rejected:,} rejected."
