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


def _paper(key: str, author: str, title: str, conference: str, year: int, pages: str) -> Source:
    return Source("inproceedings", key, {
        "author": author, "title": title, "booktitle": f"Proceedings of {conference}", "pages": pages,
        "year": str(year),
    })  # fmt: skip


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
AVERAGING = (
    _article(
        "paule-1982", "Paule, Robert C. and Mandel, John", "Consensus Values and Weighting Factors",
        "Journal of Research of the National Bureau of Standards", 1982, volume="87", number="5",
        pages="377--385",
    ),
    _article(
        "hartung-2001", "Hartung, Joachim and Knapp, Guido",
        "On Tests of the Overall Treatment Effect in Meta-Analysis with Normally Distributed Responses",
        "Statistics in Medicine", 2001, volume="20", number="12", pages="1771--1782",
    ),
    _article(
        "roever-2015", r'R{\"o}ver, Christian and Knapp, Guido and Friede, Tim',
        "{H}artung-{K}napp-{S}idik-{J}onkman Approach and its Modification for Random-Effects Meta-Analysis "
        "with Few Studies", "BMC Medical Research Methodology", 2015, volume="15", pages="99",
    ),
)  # fmt: skip
"""What means over treebanks rest on."""

PARSERS = {
    "arc-eager": _paper("nivre-2003", "Nivre, Joakim", "An Efficient Algorithm for Projective Dependency "
        "Parsing", "Eighth International Conference on Parsing Technologies", 2003, "149--160"),
    "arc-standard": _paper("nivre-2004", "Nivre, Joakim", "Incrementality in Deterministic Dependency "
        "Parsing", "Workshop on Incremental Parsing: Bringing Engineering and Cognition Together",
        2004, "50--57"),
    "arc-hybrid": _paper("kuhlmann-2011", r"Kuhlmann, Marco and G{\'o}mez-Rodr{\'i}guez, Carlos and Satta, "
        "Giorgio", "Dynamic Programming Algorithms for Transition-Based Dependency Parsers", "ACL-HLT 2011",
        2011, "673--682"),
    "easy-first": _paper("goldberg-2010", "Goldberg, Yoav and Elhadad, Michael", "An Efficient Algorithm for "
        "Easy-First Non-Directional Dependency Parsing", "NAACL-HLT 2010", 2010, "742--750"),
    "covington": _paper("covington-2001", "Covington, Michael A.", "A Fundamental Algorithm for Dependency "
        "Parsing", "39th Annual ACM Southeast Conference", 2001, "95--102"),
    "graph": _paper("mcdonald-2005", "McDonald, Ryan and Crammer, Koby and Pereira, Fernando", "Online "
        "Large-Margin Training of Dependency Parsers", "ACL 2005", 2005, "91--98"),
    "udpipe": _paper("straka-2016", r"Straka, Milan and Haji{\v{c}}, Jan and Strakov{\'a}, Jana", "{UDP}ipe: "
        "Trainable Pipeline for Processing {CoNLL-U} Files Performing Tokenization, Morphological Analysis, "
        "{POS} Tagging and Parsing", "LREC 2016", 2016, "4290--4297"),
    "spacy": Source("misc", "honnibal-2020", {
        "author": "Honnibal, Matthew and Montani, Ines and Van Landeghem, Sofie and Boyd, Adriane",
        "title": "{spaCy}: Industrial-Strength Natural Language Processing in {P}ython", "year": "2020",
        "doi": "10.5281/zenodo.1212303",
    }),
}  # fmt: skip
"""Who described a parser, by what its name begins with."""

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


def cited_parser(title: str) -> Source | None:
    """Return who described the parser of this title; None where that is not known."""
    return next((source for name, source in PARSERS.items() if title.startswith(name)), None)


def sources_of(
    rows: Sequence[ComparisonRow], configs: Sequence[RunConfig], *, has_means: bool = False
) -> list[Source]:
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
    sources += {source.key: source for source in map(cited_parser, parsers) if source}.values()
    sources += AVERAGING if has_means else ()
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
    return any(title.startswith(("arc-eager", "arc-hybrid")) for title in parsers)


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
