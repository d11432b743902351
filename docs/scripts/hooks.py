"""Add pages outside `docs/` to the place, and make their links work there and on a Git host."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]

OUTSIDE = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
"""Files in the root of the repository, and their names as pages of the place."""

_TO_ROOT = re.compile(r"\]\((?:\.\./)+(?P<name>[A-Z]+\.md)(?P<anchor>#[^)]*)?\)")
_FROM_ROOT = re.compile(r"\]\(docs/(?P<target>[^)]*)\)")


def on_files(files: Any, config: Any) -> Any:
    """Add the pages from outside and return all files."""
    from mkdocs.structure.files import File

    for source, target in OUTSIDE.items():
        content = (ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, target, content=content))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Return a page whose links to these files, or from them, are links within the place."""
    if page.file.src_uri in OUTSIDE.values():
        return _FROM_ROOT.sub(lambda link: f"]({link['target']})", markdown)
    up = "../" * page.file.src_uri.count("/")

    def inside(link: re.Match[str]) -> str:
        name = OUTSIDE.get(link["name"])
        return f"]({up}{name}{link['anchor'] or ''})" if name else link[0]

    return _TO_ROOT.sub(inside, markdown)
