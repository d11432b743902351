"""Writing a tree of the demo grammar as CoNLL-U."""

from __future__ import annotations

from itertools import pairwise

from demo_grammar.words import Node


def _surface(root: Node) -> list[tuple[Node, Node | None]]:
    """Return the words in surface order, each with its head; the root's is None."""
    order: list[tuple[Node, Node | None]] = []

    def walk(node: Node, container: Node | None) -> None:
        for kid in node.before:
            walk(kid, node)
        order.append((node, node.governor or container))
        for kid in node.after:
            walk(kid, node)

    walk(root, None)
    return order


def _tidy(order: list[tuple[Node, Node | None]]) -> list[tuple[Node, Node | None]]:
    """Return the words without a comma before other punctuation.

    Spaces and the first capital letter are set.
    """
    kept = [
        pair
        for pair, following in zip(order, [*order[1:], None], strict=True)
        if not (pair[0].form == "," and (following is None or following[0].upos == "PUNCT"))
    ]
    for (node, _), (following, _) in pairwise(kept):
        node.glued = node.glued or following.upos == "PUNCT"
    first = kept[0][0]
    first.form = first.form[0].upper() + first.form[1:]
    first.joined = first.joined[:1].upper() + first.joined[1:]
    return kept


def to_conllu(root: Node, sent_id: str, document: str = "") -> str:
    """Return a sentence as CoNLL-U; `document` begins a new document with this id."""
    order = _tidy(_surface(root))
    number = {node: index for index, (node, _) in enumerate(order, start=1)}
    lines: list[str] = []
    text = ""
    written = 0  # the last word whose form a multiword token has already contributed to the text
    enhanced: dict[Node, str] = {}
    for node, _ in order:
        if node.elided:
            gap = f"{number[node.before[-1]]}.1"
            enhanced[node] = f"{gap}:nsubj"
            enhanced.update({kid: f"{gap}:{kid.deprel}" for kid in node.before if kid.deprel == "cc"})
            enhanced.update({kid: f"{gap}:obj" for kid in node.after if kid.deprel == "orphan"})
    for index, (node, head) in enumerate(order, start=1):
        misc = "SpaceAfter=No" if node.glued else "_"
        if node.joined:
            after = order[index][0].glued
            spacing = "SpaceAfter=No" if after else "_"
            lines.append("\t".join([f"{index}-{index + 1}", node.joined, *"_______", spacing]))
            text += node.joined + ("" if after else " ")
            written = index + 1
        elif index > written:
            text += node.form + ("" if node.glued else " ")
        if node.elided and head is not None:
            form, lemma = node.elided
            deps = f"{number[head]}:conj"
            feats = "Mood=Ind|Tense=Past|VerbForm=Fin"
            lines.append(
                "\t".join([f"{index - 1}.1", form, lemma, "VERB", "VBD", feats, "_", "_", deps, "_"])
            )
        at = number[head] if head is not None else 0
        deps = enhanced.get(node, f"{at}:{node.deprel}")
        if written >= index:
            misc = "_"
        cells = [str(index), node.form, node.lemma, node.upos, node.xpos, node.feats, str(at), node.deprel]
        lines.append("\t".join([*cells, deps, misc]))
    comments = [f"# newdoc id = {document}"] if document else []
    comments += [f"# sent_id = {sent_id}", f"# text = {text.rstrip()}"]
    return "\n".join([*comments, *lines]) + "\n\n"
