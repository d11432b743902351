"""Show doubts as lines of text: where each is, what is proposed, and its sentence with the heads marked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence

from learnability.extending import Tree, count_noun
from learnability.extensions.doubts.columns import ARCS, FEATS, LEMMA, UPOS, XPOS, describe_value, group_of
from learnability.extensions.doubts.doubt import ELSEWHERE, FEW, NEVER_SAW, Doubt

INDENT = "  "

GAP = "…"
"""Stands for words that are left out."""

WORD, PROPOSED, ANNOTATED, BOTH = "^", "+", "-", "="
"""What is below a word in doubt, below its proposed and its annotated head, and below a head that is both."""

LEGEND = f"{WORD} the word   {PROPOSED} its proposed head   {ANNOTATED} its annotated head   {BOTH} both"

ORDER = (
    "Start at the top: the higher the score, the more doubtful. Scores only order the doubts. They do not "
    "say how many are errors."
)

PROPOSAL = "Even where the annotation is wrong, the proposal may be wrong, too."

WIDTH = 80
"""Columns of a line where there is no terminal."""

LEAST_WIDTH = 40
"""Columns of the narrowest line: a narrower terminal wraps it."""

TOGETHER = 3
"""The words of a cause that are shown, at most; `--check` shows all."""


def group_by_cause(doubts: Sequence[Doubt]) -> list[Sequence[Doubt]]:
    """Return the doubts that one decision may settle together, in the order of the first of each.

    They have the same reason and change, break the same rule, or are about copies of a sentence that are
    annotated otherwise. The features of a word change together. What only parsers say, or no other word has,
    is grouped by its pattern.
    """
    changes: dict[tuple[int, int], list[Doubt]] = {}
    for doubt in doubts:
        if group_of(doubt.column) == FEATS:
            changes.setdefault((doubt.sentence, doubt.word), []).append(doubt)

    def cause_of(doubt: Doubt) -> Hashable:
        if doubt.reason.startswith(ELSEWHERE):
            return ELSEWHERE, doubt.content
        counted = _first_reason(doubt)
        if counted in ("", FEW) or NEVER_SAW in counted:
            return None
        if group_of(doubt.column) == FEATS:
            together = changes[doubt.sentence, doubt.word]
            return _first_reason(together[0]), frozenset(map(_change, together))
        return counted, _change(doubt) if " have " in counted else ()

    causes = list(map(cause_of, doubts))
    alike = Counter(causes)
    groups: dict[Hashable, list[Doubt]] = {}
    for doubt, cause in zip(doubts, causes, strict=True):
        is_shared = cause is not None and alike[cause] > 1
        groups.setdefault(cause if is_shared else doubt.pattern, []).append(doubt)
    return list(groups.values())


def _first_reason(doubt: Doubt) -> str:
    return doubt.reason.partition("; ")[0]


def heading_of(doubts: Sequence[Doubt]) -> str:
    """Return what doubts of one cause have in common: their reason, the copy of their sentence, else their
    pattern."""
    words = {
        (doubt.sentence, doubt.word, group_of(doubt.column)): doubt for doubt in reversed(doubts)
    }.values()
    for reasons in ({doubt.reason for doubt in words}, {_first_reason(doubt) for doubt in words}):
        if len(reasons) == 1 and "" not in reasons:
            first, *rest = re.split("(, and |; )", reasons.pop(), maxsplit=1)
            values = {doubt.value for doubt in words if doubt.column in (UPOS, XPOS, LEMMA)}
            other = f", not {values.pop()}" if len(values) == 1 and " have " in first else ""
            return "".join((first, other, *rest))
    if all(doubt.reason.startswith(ELSEWHERE) for doubt in doubts):
        return f"{ELSEWHERE} is annotated otherwise at {_first_reason(doubts[0]).rpartition(' at ')[2]}"
    return doubts[0].pattern


def _change(doubt: Doubt) -> tuple[str, ...]:
    """Return what changes with a doubt: a relation is usual whatever another one is there."""
    if doubt.column in ARCS:
        return doubt.column, doubt.proposed_deprel
    return doubt.column, doubt.value, doubt.proposed_value


def lines_of_causes(
    causes: Sequence[Sequence[Doubt]], trees: Sequence[Tree], width: int, most: int = TOGETHER
) -> Iterator[str]:
    """Yield for each cause its reason, and its first words with what is proposed; below those of the first
    sentence a piece of it. Each line has at most `width` columns."""
    width = max(width, LEAST_WIDTH)
    for doubts in causes:
        words: dict[tuple[int, int], list[Doubt]] = {}
        for doubt in doubts:
            words.setdefault((doubt.sentence, doubt.word), []).append(doubt)
        more = f" ({count_noun(len(words), 'word')})" if len(words) > 1 else ""
        heading = heading_of(doubts)
        yield from wrap_line(f"{heading}{more}", width)
        shown = list(words.values())[:most]
        first = shown[0][0].sentence
        here = [of_word for of_word in shown if of_word[0].sentence == first]
        rest = [of_word for of_word in shown if of_word[0].sentence != first]
        with_reason = heading == doubts[0].pattern
        yield from _lines_of_words(here, trees, width, with_reason=with_reason)
        yield from _drawn([doubt for of_word in here for doubt in of_word], trees[first], width)
        yield from _lines_of_words(rest, trees, width, with_reason=with_reason)


def _lines_of_words(
    words: Sequence[Sequence[Doubt]], trees: Sequence[Tree], width: int, *, with_reason: bool
) -> Iterator[str]:
    """Yield what is proposed for each word, and the reason if asked for; its features change together."""
    for doubts in words:
        forms = trees[doubts[0].sentence].forms
        if len(doubts) > 1 and all(group_of(doubt.column) == FEATS for doubt in doubts):
            texts = [_describe_features(doubts)]
        else:
            texts = [describe_doubt(doubt, forms) for doubt in doubts]
        for text, doubt in zip(texts, doubts, strict=False):
            reason = f"  {doubt.reason}" if with_reason and doubt.reason else ""
            lines = wrap_line(f"{text}{reason}", width - len(INDENT))
            yield from (INDENT + line for line in lines)


def _drawn(doubts: Sequence[Doubt], tree: Tree, width: int) -> Iterator[str]:
    """Yield a piece of a sentence, and below it the marks of doubts about it, once where they are equal."""
    marks = [dict(items) for items in dict.fromkeys(tuple(_marks(doubt).items()) for doubt in doubts)]
    room = width - len(INDENT)
    if tree.is_right_to_left:
        room -= 2 * max(map(len, marks))  # marks stand around the words
    pieces, is_complete = _fit(tree.forms, {word for each in marks for word in each}, room)
    if is_complete:
        yield from _draw(pieces, marks, tree)
        return
    for each in marks:
        yield from _draw(_fit(tree.forms, each.keys(), room)[0], [each], tree)


def _describe_features(doubts: Sequence[Doubt]) -> str:
    first = doubts[0]
    new = "|".join(describe_value(doubt.column, doubt.proposed_value) for doubt in doubts)
    old = "|".join(describe_value(doubt.column, doubt.value) for doubt in doubts)
    tests = dict.fromkeys(doubt.would_break for doubt in doubts if doubt.would_break)
    broken = f"  (would break {'; '.join(tests)})" if tests else ""
    return f"{first.file}:{first.line}  {first.form}  {new}, not {old}  {first.score:.2f}{broken}"


def describe_doubt(doubt: Doubt, forms: Sequence[str]) -> str:
    """Return a doubt in words: ``FILE:LINE  ar  case of bPápacht or det of tír, not conj of agus  0.97``."""
    if doubt.column not in ARCS:
        proposed, annotated = (
            describe_value(doubt.column, value) for value in (doubt.proposed_value, doubt.value)
        )
        text = f"{proposed}, not {annotated}"
    else:
        text = _describe_arcs(doubt, forms)
    with_it = ""
    if also := doubt.also:
        with_it = f"; with it {forms[also.word - 1]} as {describe_arc(also.head, also.deprel, forms)}"
    halves = ", ".join(item for item in doubt.other_half.split() if item.startswith(_TOLD))
    half = f", and then {halves}?" if halves else ""
    broken = f"  (would break {doubt.would_break})" if doubt.would_break else ""
    return f"{doubt.file}:{doubt.line}  {doubt.form}  {text}{half}{with_it}  {doubt.score:.2f}{broken}"


_TOLD = ("deprel=", "upos=", "lemma=")
"""What is told of the other half of a correction; the page shows XPOS and features, too."""


def _describe_arcs(doubt: Doubt, forms: Sequence[str]) -> str:
    """Return the proposed arcs and the annotated one, with the head once where all have the same."""
    second = [(arc.head, arc.deprel) for arc in doubt.second_arcs[:1]]
    arcs = [(doubt.proposed_head, doubt.proposed_deprel), *second, (doubt.head, doubt.deprel)]
    heads = {head for head, _ in arcs}
    if len(heads) == 1 and doubt.head != 0:
        *proposed, annotated = [deprel for _, deprel in arcs]
        return f"{' or '.join(proposed)}, not {annotated}, of {forms[doubt.head - 1]}"
    numbered = len({forms[head - 1] for head in heads if head != 0}) < len(heads - {0})
    *proposed, annotated = [describe_arc(*arc, forms, numbered=numbered) for arc in arcs]
    return f"{' or '.join(proposed)}, not {annotated}"


def describe_arc(head: int, deprel: str, forms: Sequence[str], *, numbered: bool = False) -> str:
    """Return an arc in words, ``case of bPápacht``; with the number of the head if `numbered`."""
    if head == 0:
        return deprel
    return f"{deprel} of {forms[head - 1]} ({head})" if numbered else f"{deprel} of {forms[head - 1]}"


def _marks(doubt: Doubt) -> dict[int, str]:
    marks = {doubt.word: WORD}
    if doubt.column not in ARCS:
        return marks
    for head, sign in ((doubt.head, ANNOTATED), (doubt.proposed_head, PROPOSED)):
        if head != 0:
            marks[head] = BOTH if doubt.head == doubt.proposed_head else sign
    return marks


def _fit(forms: Sequence[str], wanted: Collection[int], width: int) -> tuple[list[tuple[int, str]], bool]:
    """Return the wanted words, and those around them that fit into a line, and whether the wanted ones fit
    without being cut."""
    shown = set(wanted)
    is_complete = _measure(_pieces(forms, shown)) <= width
    if not is_complete:
        each = max(1, width // len(shown) - 2 * len(f"{GAP} "))
        forms = [_cut(form, each) for form in forms]
    by_distance = sorted(
        (min(abs(word - near) for near in wanted), word) for word in range(1, len(forms) + 1)
    )
    for distance, word in by_distance:
        if distance and _measure(_pieces(forms, shown | {word})) > width:
            break
        shown.add(word)
    return _pieces(forms, shown), is_complete


def _pieces(forms: Sequence[str], shown: Collection[int]) -> list[tuple[int, str]]:
    """Return the number and the text of what is shown, 0 for a gap."""
    pieces, before = list[tuple[int, str]](), 0
    for word in sorted(shown):
        if word > before + 1:
            pieces.append((0, GAP))
        pieces.append((word, forms[word - 1]))
        before = word
    return pieces if before == len(forms) else [*pieces, (0, GAP)]


def _measure(pieces: Sequence[tuple[int, str]]) -> int:
    return sum(_columns(text) for _, text in pieces) + len(pieces) - 1


def _draw(pieces: Sequence[tuple[int, str]], marks: Sequence[Mapping[int, str]], tree: Tree) -> Iterator[str]:
    """Yield the sentence, and below it a line for the marks of each doubt.

    A terminal turns words of a right-to-left script around, so that nothing can be below them: there the
    marks are around the words.
    """
    if tree.is_right_to_left:
        for each in marks:
            signs = [(each.get(word, ""), text) for word, text in pieces]
            yield INDENT + " ".join(f"{sign}{text}{sign}" for sign, text in signs)
        return
    yield INDENT + " ".join(text for _, text in pieces)
    for each in marks:
        signs_below = (each.get(word, " ") * _columns(text) for word, text in pieces)
        yield (INDENT + " ".join(signs_below)).rstrip()


def wrap_line(text: str, width: int) -> Iterator[str]:
    """Yield the text in lines that break at spaces, and in what is too long for a line; those after the first
    are indented."""
    from rich.cells import chop_cells

    line = ""
    for part in (
        piece for word in text.split(" ") for piece in chop_cells(word, width - len(INDENT * 2)) or ("",)
    ):
        if line.strip() and _columns(f"{line} {part}") > width:
            yield line.rstrip()
            line = INDENT * 2 + part
        else:
            line = f"{line} {part}" if line else part
    yield line


def _cut(text: str, width: int) -> str:
    if _columns(text) <= width:
        return text
    while text and _columns(text) >= width:
        text = text[:-1]
    return f"{text}{GAP}"


def _columns(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)
