"""Studies: every folder has its page, links lead somewhere, and the manual and the code name them."""

from __future__ import annotations

import re
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
RESEARCH = REPOSITORY / "research"
STUDIES = sorted(
    path.name for path in RESEARCH.iterdir() if list(path.glob("*.py")) or (path / "README.md").exists()
)
STUDIES.remove("support")

MANUAL = [REPOSITORY / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
MANUAL += sorted((REPOSITORY / "docs").rglob("*.md"))

_LINK = re.compile(r"\]\((?!\w+:)(?P<path>[^)#\s]*)(?:#(?P<anchor>[^)]*))?\)")


def text_of(path: Path) -> str:
    """The text of a page without its blocks of code."""
    return re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def anchors(path: Path) -> set[str]:
    """What links can name on a page: its headings in small letters, with hyphens for spaces."""
    headings = re.findall(r"^#+ (.+)$", text_of(path), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


def broken(path: Path) -> list[str]:
    found = []
    for link in _LINK.finditer(text_of(path)):
        target = (path.parent / link["path"]).resolve() if link["path"] else path
        if not target.is_file() or (link["anchor"] and link["anchor"] not in anchors(target)):
            found.append(link[0])
    return found


def links_to_research(path: Path) -> list[str]:
    """The links of a page into the studies."""
    targets = [
        (path.parent / link["path"]).resolve() for link in _LINK.finditer(text_of(path)) if link["path"]
    ]
    return [str(target.relative_to(REPOSITORY)) for target in targets if target.is_relative_to(RESEARCH)]


def test_every_study_has_a_page_with_a_question_and_a_line_in_the_table() -> None:
    assert len(STUDIES) > 25
    listed = re.findall(r"\]\(([\w.-]+)/README\.md\)", text_of(RESEARCH / "README.md"))
    assert sorted(listed) == STUDIES
    for name in STUDIES:
        assert "**Question.**" in text_of(RESEARCH / name / "README.md"), name


def test_links_of_a_study_lead_somewhere() -> None:
    assert {path: links for path in RESEARCH.rglob("*.md") if (links := broken(path))} == {}


def test_broken_links_are_found(tmp_path: Path) -> None:
    page = tmp_path / "README.md"
    page.write_text(
        "# A b: c?\n[x](#a-b-c) [y](#d) [z](gone.md)\n[w](README.md#a-b-c)\n```\n[v](gone.md)\n```\n"
    )
    assert broken(page) == ["](#d)", "](gone.md)"]


def test_a_page_of_the_manual_links_to_one_study_at_most() -> None:
    found = {path: links_to_research(path) for path in MANUAL}
    assert {path: links for path, links in found.items() if len(links) > 1} == {}
    assert [link for links in found.values() for link in links if not (REPOSITORY / link).is_file()] == []


def test_the_manual_links_to_studies() -> None:
    assert sum(len(links_to_research(path)) for path in MANUAL) > 20


def test_what_code_and_pages_cite_exists() -> None:
    """`research/calibration`, as constants cite a study, and paths of pages and scripts."""
    files = [*MANUAL, *RESEARCH.rglob("*.md")]
    for folder in ("learnability", "research", "tests/verification", "docs/scripts"):
        files += (REPOSITORY / folder).rglob("*.py")
    cited = {
        (str(path.relative_to(REPOSITORY)), name.rstrip("."))
        for path in files
        for name in re.findall(r"(?<![\w/.])research/[\w./-]+", path.read_text(encoding="utf-8"))
    }
    assert len(cited) > 60
    assert [(path, name) for path, name in sorted(cited) if not (REPOSITORY / name).exists()] == []


def test_old_places_are_named_nowhere() -> None:
    """Scripts and pages of studies stood in two folders before; only the changelog may say so."""
    files = [path for path in MANUAL if path.name != "CHANGELOG.md"]
    files += RESEARCH.rglob("*.md")
    for folder in ("learnability", "research", "docs/scripts"):
        files += (REPOSITORY / folder).rglob("*.py")
    old = re.compile(r"benchmarks/|measurements/")
    assert [str(path) for path in files if old.search(path.read_text(encoding="utf-8"))] == []
