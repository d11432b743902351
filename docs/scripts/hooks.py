"""Add pages outside `docs/` and tables of options, columns and names to the site; make all links work."""

from __future__ import annotations

import posixpath
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]

MANUAL = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
"""Files in the root of the repository that are pages of the manual, and their names in the site."""

RESEARCH = "research/"
"""The studies: the manual links to their pages, but its navigation and its search do not show them."""

ATLAS, LINK_TO_ATLAS = "atlas", "<!-- the atlas -->"
"""The folder of the atlas in the site, and what stands in a page where the site has a link to it."""

DATA = (".csv", ".bib", ".cff", "-metadata.json")
"""How the names of a study's files of data end, which the site has, too."""

ABOUT = "../research/ud-2.16/index.html"
"""The page of the data that the atlas shows, from the first page of the atlas."""

_LINK = re.compile(r"\]\((?!\w+:)(?P<path>[^)#\s]+)(?P<anchor>#[^)]*)?\)")


def on_files(files: Any, config: Any) -> Any:
    """Add the pages from outside and return all files."""
    from mkdocs.structure.files import File, InclusionLevel

    for source, target in MANUAL.items():
        content = (ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, target, content=content))
    for source in research_files():
        path = str(ROOT / source)
        files.append(File.generated(config, source, abs_src_path=path, inclusion=InclusionLevel.NOT_IN_NAV))
    for name, content in atlas_of_survey().items():
        files.append(File.generated(config, f"{ATLAS}/{name}", content=content))
    return files


@cache
def atlas_of_survey() -> Mapping[str, bytes]:
    """Return the files of the atlas of the survey, which is made of its answers."""
    from learnability.evidence.answers_file import combine_answers, read_answers
    from learnability.reports.atlas.site import atlas_files

    answers = [read_answers(ROOT / RESEARCH / "ud-2.16" / "answers.csv")]
    return atlas_files(combine_answers(answers), answers, about=ABOUT)


def on_page_content(html: str, page: Any, config: Any, files: Any) -> str:
    """Return a page with its links to the atlas, which is no page of the manual."""
    address = posixpath.relpath(f"{ATLAS}/index.html", posixpath.dirname(page.url) or ".")
    return html.replace(LINK_TO_ATLAS, f'<a href="{address}">Open the atlas of UD 2.16, with maps</a>.')


def research_files() -> Iterator[str]:
    """Yield the pages, figures and data of the studies, by their paths in the repository."""
    for path in sorted((ROOT / RESEARCH).rglob("*")):
        if path.name.endswith((".md", ".svg", *DATA)):
            yield path.relative_to(ROOT).as_posix()


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Return a page with all tables, whose links to files of the repository are links within the site."""
    here = page.file.src_uri
    markdown = with_reference(here, markdown)
    if here.startswith(RESEARCH):
        page.meta["search"] = {"exclude": True}
        markdown += links_to_data(ROOT / here)
    source = source_of(here)

    def inside(link: re.Match[str]) -> str:
        target = site_uri(posixpath.normpath(posixpath.join(posixpath.dirname(source), link["path"])))
        if target is None:
            return link[0]
        return f"]({posixpath.relpath(target, posixpath.dirname(here) or '.')}{link['anchor'] or ''})"

    return _LINK.sub(inside, markdown)


def links_to_data(page: Path) -> str:
    """Return links to the files of data beside the page of a study; empty if there are none."""
    names = sorted(path.name for path in page.parent.iterdir() if path.name.endswith(DATA))
    links = " · ".join(f"[{name}]({name})" for name in names)
    return f"\n\n**Files of data:** {links}\n" if links and page.name == "README.md" else ""


def with_reference(uri: str, markdown: str) -> str:
    """Return a page with its tables of options, columns and names; any other page stays as it is."""
    scripts = str(Path(__file__).parent)
    if scripts not in sys.path:
        sys.path.append(scripts)
    import column_reference
    import command_reference
    import interface

    return interface.in_site(column_reference.in_site(command_reference.in_site(uri) or markdown))


def source_of(uri: str) -> str:
    """Return the path in the repository of a page of the site."""
    for source, target in MANUAL.items():
        if uri == target:
            return source
    return uri if uri.startswith(RESEARCH) else f"docs/{uri}"


def site_uri(source: str) -> str | None:
    """Return the name in the site of a file of the repository, or None if the site does not have it."""
    if source in MANUAL:
        return MANUAL[source]
    if source.startswith(RESEARCH):
        return source
    if source.startswith("docs/"):
        return source.removeprefix("docs/")
    return None
