"""Write the pages of the changes of tags and relations that come with the package.

    python docs/scripts/label_pages.py

writes `docs/labels/NAME.md` from `learnability/schemes/builtin/NAME.toml`. The comment at the beginning of
the file is the text of the page. Outputs stay; `python docs/scripts/pages.py docs/labels/NAME.md` makes them.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from learnability.transforms.relabelling import Relabelling

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT)]

FOLDER = ROOT / "docs" / "labels"

PAGE = """# {name}: {description}

<!-- made by docs/scripts/label_pages.py; do not edit -->

```console
$ learnability show --treebank demo --transform {name} --sent-id {sent_id}
{output}```

{text}

The name stands for {changes}.{labelled} See [scores](index.md#scores).
"""

LABELLED = " Compare it with `--labelled`."


def shortest_example(relabelling: Relabelling) -> str | None:
    """Return the sent_id of the shortest sentence of the bundled treebank that a change changes."""
    from learnability import load_treebank

    sentences = load_treebank("demo").train
    changed = [sentence for sentence in sentences if relabelling.apply(sentence.tree) != sentence.tree]
    return min(changed, key=len).sent_id


def page(name: str, before: str) -> str:
    """Return the page of a change; `before` is the present one, whose output is kept."""
    from learnability.schemes.relabellings import built_in, description_of, relabelling_named

    toml, relabelling = built_in()[name], relabelling_named(name)
    comments = [line.removeprefix("# ") for line in toml.splitlines() if line.startswith("#")]
    output = re.search(r"```console\n\$ [^\n]*\n(.*?)```", before, re.DOTALL)
    return PAGE.format(
        name=name,
        sent_id=shortest_example(relabelling),
        description=description_of(name),
        output=output[1] if output else "",
        text="\n".join(comments),
        changes=" and ".join(f"`{spec}`" for spec in relabelling.specs),
        labelled=LABELLED if "deprel" in relabelling.columns else "",
    )


def pages() -> dict[Path, str]:
    """Return every page by its path."""
    from learnability.schemes.relabellings import built_in

    paths = {name: FOLDER / f"{name}.md" for name in built_in()}
    texts = {name: path.read_text(encoding="utf-8") if path.exists() else "" for name, path in paths.items()}
    return {path: page(name, texts[name]) for name, path in paths.items()}


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
