"""List what a paper cites: the tool, the methods that were used, and the release of the treebanks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from textwrap import TextWrapper

from learnability.evidence.rows import ComparisonRow
from learnability.reports.latex import escape_latex
from learnability.reports.rendering import template_text
from learnability.running.config import RunConfig
from learnability.treebanks.releases import Release

TOOL_AUTHOR = "{The learnability developers}"
"""The author of the tool, and of what it publishes."""

HANDLE = "https://hdl.handle.net"
"""Where the handles of releases lead."""

TESTS = ("holm-1979", "schuirmann-1987", "muller-2007", "lazarus-2018")
AVERAGING = ("paule-1982", "hartung-2001", "roever-2015")
"""What means over treebanks rest on, by keys of `references.bib`."""

PARSERS = {
    "arc-eager": "nivre-2003",
    "arc-standard": "nivre-2004",
    "arc-hybrid": "kuhlmann-2011",
    "easy-first": "goldberg-2010",
    "covington": "covington-2001",
    "graph": "mcdonald-2005",
    "udpipe": "straka-2016",
    "spacy": "honnibal-2020",
}
"""Who described a parser, by what its name begins with."""

SUD_NAME, SUD = "sud", "gerdes-2018"


def cite_release(release: str) -> str:
    return f"ud-{re.sub('[^A-Za-z0-9.-]+', '-', release)}"


def cited_parser(title: str) -> str | None:
    return next((key for name, key in PARSERS.items() if title.startswith(name)), None)


def references(
    rows: Sequence[ComparisonRow], configs: Sequence[RunConfig], *, has_means: bool = False
) -> dict[str, str]:
    """Return what a paper about these comparisons cites: by their keys, entries of BibTeX."""
    versions = {config.versions.get("learnability", "") for config in configs}
    version = ", ".join(sorted(filter(None, versions)))
    tool = entry(
        "learnability",
        author=TOOL_AUTHOR,
        title="learnability: Which annotation of a treebank does a parser learn best?",
        year=YEAR,
        note=f"Version {escape_latex(version)}" if version else "Software",
    )
    keys = ["wisniewski-2018", "universal-dependencies", *TESTS]
    parsers = [parser.title for config in configs for parser in config.parsers]
    keys += dict.fromkeys(filter(None, map(cited_parser, parsers)))
    keys += AVERAGING if has_means else ()
    if has_oracles(parsers):
        keys.append("goldberg-2013")
    if was_settled(rows, configs):
        keys.append("lan-1983")
    if any(row.name == SUD_NAME for row in rows):
        keys.append(SUD)
    known = {
        text.partition("{")[2].partition(",")[0]: f"{text.rstrip()}\n"
        for text in template_text("references.bib").split("\n\n")
    }
    releases = sorted({row.release for row in rows if row.release})
    return {
        "learnability": tool,
        **{key: known[key] for key in keys},
        **{cite_release(release): _release(release) for release in releases},
    }


def was_settled(rows: Sequence[ComparisonRow], configs: Sequence[RunConfig]) -> bool:
    """Return whether all sentences were tested where the test set left a question open."""
    return any("settle" in config.studies for config in configs) and any(
        row.answering_row(score).tests_all_places for row in rows for score in row.scores
    )


def has_oracles(parsers: Sequence[str]) -> bool:
    return any(title.startswith(("arc-eager", "arc-hybrid")) for title in parsers)


def _release(release: str) -> str:
    known = Release.known().get(release)
    is_early = (release in YEARS and int(YEARS[release]) < 2019) or release == "2.4"
    library = "LINDAT/CLARIN" if is_early else "LINDAT/CLARIAH-CZ"
    return entry(
        cite_release(release),
        author="Nivre, Joakim and others" if is_early else "Zeman, Daniel and Nivre, Joakim and others",
        title=f"Universal Dependencies {escape_latex(release)}",
        year=YEARS.get(release, ""),
        howpublished=f"{library} digital library, Charles University",
        url=f"{HANDLE}/{known.handle}" if known is not None and known.handle else "",
    )


YEAR = "2026"
"""Of this version (CITATION.cff)."""

_RELEASES = {
    "2015": "1.0 1.1 1.2",
    "2016": "1.3 1.4",
    "2017": "2.0 2.1",
    "2018": "2.2 2.3",
    "2019": "2.4 2.5",
    "2020": "2.6 2.7",
    "2021": "2.8 2.9",
    "2022": "2.10 2.11",
    "2023": "2.12 2.13",
    "2024": "2.14 2.15",
    "2025": "2.16 2.17",
}
YEARS = {release: year for year, releases in _RELEASES.items() for release in releases.split()}
"""The year of each release of UD."""


_LINE = TextWrapper(width=80, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
"""Lines of BibTeX, which may be broken wherever a space stands."""


def entry(key: str, **fields: str) -> str:
    """Return an entry of BibTeX without empty fields, in lines of at most 80 characters."""
    lines = (_LINE.fill(f"  {name} = {{{value}}},") for name, value in fields.items() if value)
    return "\n".join([f"@misc{{{key},", *lines, "}", ""])
