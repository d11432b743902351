"""List what a paper cites: the tool, the methods that were used, and the release of the treebanks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import TextWrapper

from learnability.evidence.rows import ComparisonRow
from learnability.reports.latex import escape_latex
from learnability.running.config import RunConfig
from learnability.treebanks.releases import Release

TOOL_AUTHOR = "{The learnability developers}"
"""The author of the tool, and of what it publishes."""


@dataclass(frozen=True)
class Source:
    """Represent an entry of BibTeX: its kind, its key, and its fields."""

    kind: str
    key: str
    fields: Mapping[str, str]


HANDLE = "https://hdl.handle.net"
"""Where the handles of releases lead."""


def _article(key: str, author: str, title: str, journal: str, year: int, **more: str) -> Source:
    return Source(
        "article", key, {"author": author, "title": title, "journal": journal, "year": str(year), **more}
    )


WISNIEWSKI = Source("inproceedings", "wisniewski-2018", {
    "author": r"Wisniewski, Guillaume and Lacroix, Oph\'elie and Yvon, Fran\c{c}ois",
    "title": "Automatically Selecting the Best Dependency Annotation Design with Dynamic Oracles",
    "booktitle": "Proceedings of NAACL-HLT 2018, Volume 2 (Short Papers)",
    "pages": "401--406", "year": "2018", "doi": "10.18653/v1/N18-2064",
})  # fmt: skip
UNIVERSAL_DEPENDENCIES = _article(
    "universal-dependencies",
    "de Marneffe, Marie-Catherine and Manning, Christopher D. and Nivre, Joakim and Zeman, Daniel",
    "{U}niversal {D}ependencies", "Computational Linguistics", 2021,
    volume="47", number="2", pages="255--308",
)  # fmt: skip
ORACLES = _article(
    "goldberg-2013", "Goldberg, Yoav and Nivre, Joakim",
    "Training Deterministic Parsers with Non-Deterministic Oracles",
    "Transactions of the Association for Computational Linguistics", 2013, volume="1", pages="403--414",
)  # fmt: skip
TESTS = (
    _article(
        "holm-1979", "Holm, Sture", "A Simple Sequentially Rejective Multiple Test Procedure",
        "Scandinavian Journal of Statistics", 1979, volume="6", number="2", pages="65--70",
    ),
    _article(
        "schuirmann-1987", "Schuirmann, Donald J.", "A Comparison of the Two One-Sided Tests Procedure and "
        "the Power Approach for Assessing the Equivalence of Average Bioavailability",
        "Journal of Pharmacokinetics and Biopharmaceutics", 1987, volume="15", pages="657--680",
    ),
    _article(
        "muller-2007", r'M{\"u}ller, Ulrich K.', "A Theory of Robust Long-Run Variance Estimation",
        "Journal of Econometrics", 2007, volume="141", number="2", pages="1331--1352",
    ),
    _article(
        "lazarus-2018", "Lazarus, Eben and Lewis, Daniel J. and Stock, James H. and Watson, Mark W.",
        "{HAR} Inference: Recommendations for Practice", "Journal of Business \\& Economic Statistics", 2018,
        volume="36", number="4", pages="541--559",
    ),
)  # fmt: skip
SUD_NAME = "sud"
SUD = Source("inproceedings", "gerdes-2018", {
    "author": "Gerdes, Kim and Guillaume, Bruno and Kahane, Sylvain and Perrier, Guy",
    "title": "{SUD} or Surface-Syntactic {U}niversal {D}ependencies: An Annotation Scheme Near-Isomorphic "
    "to {UD}",
    "booktitle": "Proceedings of the Second Workshop on Universal Dependencies (UDW 2018)",
    "pages": "66--74", "year": "2018", "doi": "10.18653/v1/W18-6008",
})  # fmt: skip
STOPPING = _article(
    "lan-1983", "Lan, K. K. Gordon and DeMets, David L.",
    "Discrete Sequential Boundaries for Clinical Trials", "Biometrika", 1983,
    volume="70", number="3", pages="659--663",
)  # fmt: skip


def cite_release(release: str) -> str:
    return f"ud-{re.sub('[^A-Za-z0-9.-]+', '-', release)}"


def sources_of(rows: Sequence[ComparisonRow], configs: Sequence[RunConfig]) -> list[Source]:
    """Return what a paper about these comparisons cites."""
    versions = {config.versions.get("learnability", "") for config in configs}
    version = ", ".join(sorted(filter(None, versions)))
    tool = Source("misc", "learnability", {
        "author": TOOL_AUTHOR,
        "title": "learnability: Which annotation of a treebank does a parser learn best?",
        "year": YEAR,
        "note": f"Version {escape_latex(version)}" if version else "Software",
    })  # fmt: skip
    sources = [tool, WISNIEWSKI, UNIVERSAL_DEPENDENCIES, *TESTS]
    parsers = [parser.title for config in configs for parser in config.parsers]
    if has_oracles(parsers):
        sources.append(ORACLES)
    if was_settled(rows, configs):
        sources.append(STOPPING)
    if any(row.name == SUD_NAME for row in rows):
        sources.append(SUD)
    for release in sorted({row.release for row in rows if row.release}):
        sources.append(_release(release))
    return sources


def was_settled(rows: Sequence[ComparisonRow], configs: Sequence[RunConfig]) -> bool:
    """Return whether all sentences were tested where the test set left a question open."""
    return any("settle" in config.studies for config in configs) and any(
        row.answering_row(score).tests_all_places for row in rows for score in row.scores
    )


def has_oracles(parsers: Sequence[str]) -> bool:
    return any(title.startswith("arc-") for title in parsers)


def _release(release: str) -> Source:
    known = Release.known().get(release)
    place = {"url": f"{HANDLE}/{known.handle}"} if known is not None and known.handle else {}
    year = {"year": YEARS[release]} if release in YEARS else {}
    is_early = (release in YEARS and int(YEARS[release]) < 2019) or release == "2.4"
    library = "LINDAT/CLARIN" if is_early else "LINDAT/CLARIAH-CZ"
    return Source("misc", cite_release(release), {
        "author": "Nivre, Joakim and others" if is_early else "Zeman, Daniel and Nivre, Joakim and others",
        "title": f"Universal Dependencies {escape_latex(release)}",
        **year,
        "howpublished": f"{library} digital library, Charles University",
        **place,
    })  # fmt: skip


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


def bibtex(sources: Sequence[Source]) -> str:
    """Return sources as BibTeX, in lines of at most 80 characters."""
    entries = []
    for source in sources:
        fields = "".join(
            _LINE.fill(f"  {name} = {{{value}}},") + "\n" for name, value in source.fields.items()
        )
        entries.append(f"@{source.kind}{{{source.key},\n{fields}}}\n")
    return "\n".join(entries)
