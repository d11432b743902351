"""Hostile input: files, names and arguments that are nearly right, and hardly ever quite."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import msgspec
from hypothesis import strategies as st
from trees import random_heads

from learnability.parsing.model_file import BODY, CHECKSUM
from learnability.transforms.registry import TRANSFORMATIONS
from learnability.transforms.restriction import RESTRICTIONS, criterion_of_word

CONTROLS = (
    "\x00", "\x07", "\x1b[31m", "\x1b]0;x\x07", "\x7f", "\x85", "\x9b2J", "\u2028", "\u202e", "\u2066",
    "\ufeff",
)  # fmt: skip
NUMBERS = (
    "0", "-1", "+1", "01", "1.0", "1e9", "٣", "²", "9" * 19, "9" * 5000, "1-2", "2-1", "1.1", "0.1", "nan",
)  # fmt: skip
WORDS = (
    "", " ", "_", "__", "a", "é", "e\u0301", "می\u200cخواهم", "名", "x" * 3000, "a b", "a\r", "=", "|", ":",
    "#", "\\", "'",
)  # fmt: skip
RECORDS = ("A=b|C=2", "Z||Z", "_|_")
NASTY = (*CONTROLS, *NUMBERS, *WORDS, *RECORDS)

RELATIONS = (
    "root", "case", "cop", "mark", "det", "aux", "aux:pass", "auxpass", "cc", "conj", "name", "mwe",
    "fixed", "flat", "flat:name", "nsubj", "obl", "obj", "punct", "dep", "nmod", "advmod", "comp:case",
    "COMP:x", "acl:relcl",
)  # fmt: skip
TAGS = ("NOUN", "VERB", "ADP", "AUX", "DET", "SCONJ", "CCONJ", "CONJ", "PROPN", "PUNCT", "X", "_")
MISC = ("_", "SpaceAfter=No", "A=b|C=d")

cells = st.sampled_from(NASTY) | st.text(st.characters(exclude_categories=["Cs"]), max_size=3)
"""What may stand in a cell."""

seeds = st.integers(0, 2**32)


def sentence(draw: Random) -> list[list[str]]:
    """A sound sentence of up to nine words, with a range or an empty node now and then."""
    n = draw.randint(1, 9)
    heads = random_heads(draw, n)
    rows = []
    for i, head in enumerate(heads, start=1):
        relation = "root" if head == 0 else draw.choice(RELATIONS)
        form, feats = draw.choice("abcde"), draw.choice(("_", "Case=Gen", "Voice=Pass|X=y"))
        if draw.random() < 0.05:
            rows.append([f"{i}-{i}", form, *"_______", draw.choice(MISC)])
        tail = [str(head), relation, draw.choice(("_", f"{head}:x")), draw.choice(MISC)]
        rows.append([str(i), form, draw.choice(("_", form)), draw.choice(TAGS), "_", feats, *tail])
        if draw.random() < 0.05:
            rows.append([f"{i}.1", *"_______", "0:root", "_"])
    return rows


@st.composite
def conllu_files(draw: st.DrawFn) -> bytes:
    """A few sentences; in most files a cell or two are replaced."""
    rng = Random(draw(seeds))
    sentences = [sentence(rng) for _ in range(draw(st.integers(0, 4)))]
    for _ in range(draw(st.integers(0, 2)) if sentences else 0):
        row = rng.choice(rng.choice(sentences))
        row[draw(st.integers(0, 9))] = draw(cells)
    blocks = []
    for number, rows in enumerate(sentences):
        comments = rng.choice(([], [f"# sent_id = {number}"], [f"# sent_id = {draw(cells)}", "# newdoc"]))
        blocks.append("\n".join([*comments, *map("\t".join, rows)]) + "\n\n")
    return rng.choice(("", "", "", "\ufeff", "\n")).encode() + "".join(blocks).encode()


def _flip(data: bytes, draw: Random) -> bytes:
    at = draw.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << draw.randrange(8)]) + data[at + 1 :]


def _cut(data: bytes, draw: Random) -> bytes:
    return data[: draw.randrange(len(data))]


def _insert(data: bytes, draw: Random) -> bytes:
    at = draw.randrange(len(data) + 1)
    return data[:at] + draw.choice(NASTY).encode() + data[at:]


def _line_ends(data: bytes, draw: Random) -> bytes:
    return data.replace(b"\n", draw.choice((b"\r\n", b"\r", b"\n\n", b"\n \n")), draw.randint(1, 99))


def _of_lines(change: Callable[[list[bytes], int, Random], None]) -> Callable[[bytes, Random], bytes]:
    def changed(data: bytes, draw: Random) -> bytes:
        lines = data.split(b"\n")
        change(lines, draw.randrange(len(lines)), draw)
        return b"\n".join(lines)

    return changed


def _swap(lines: list[bytes], at: int, draw: Random) -> None:
    other = draw.randrange(len(lines))
    lines[at], lines[other] = lines[other], lines[at]


def _repeat(lines: list[bytes], at: int, draw: Random) -> None:
    lines[at:at] = [lines[at]] * draw.randint(1, 3)


def _drop(lines: list[bytes], at: int, draw: Random) -> None:
    del lines[at : at + draw.randint(1, 2)]


def _column(lines: list[bytes], at: int, draw: Random) -> None:
    parts = lines[at].split(b"\t")
    match draw.randrange(3):
        case 0:
            del parts[draw.randrange(len(parts))]
        case 1:
            parts.insert(draw.randrange(len(parts)), b"_")
        case 2:
            parts[draw.randrange(len(parts))] = draw.choice(NASTY).encode()
    lines[at] = b"\t".join(parts)


def _number(lines: list[bytes], at: int, draw: Random) -> None:
    digits = [i for i, byte in enumerate(lines[at]) if chr(byte).isdigit()]
    if digits:
        i = draw.choice(digits)
        lines[at] = lines[at][:i] + draw.choice(NUMBERS).encode() + lines[at][i + 1 :]


DAMAGE = (
    _flip, _cut, _insert, _line_ends,
    *map(_of_lines, (_swap, _repeat, _drop, _column, _column, _number, _number)),
)  # fmt: skip
"""What can happen to a text."""


@st.composite
def damaged(draw: st.DrawFn, originals: Sequence[bytes]) -> bytes:
    """One of the texts with up to four things wrong."""
    data, rng = draw(st.sampled_from(originals)), Random(draw(seeds))
    for _ in range(draw(st.integers(1, 4))):
        data = rng.choice(DAMAGE)(data, rng) if data else data
    return data


def deep(levels: int) -> list[Any]:
    """Lists within lists."""
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


VALUES = (
    None, True, 0, -1, 1, 3, 2**31, 2**63 - 1, 0.0, -0.5, 1e308, float("nan"), float("inf"), "", "a",
    "\x1b[31m", "9" * 5000, [], [0], ["a"], [[]], [["a", 1]], {}, {"a": 1}, {"": []}, "case", "demo",
    "../..", "x.toml", "NaN", "_", "\ud800",
)  # fmt: skip
"""Values of any type, for where one of another is expected."""


def with_other_part(value: Any, draw: Random) -> Any:
    """The value of lists and dictionaries with one part of it replaced, dropped, repeated or renamed."""
    if isinstance(value, list | dict) and value and draw.random() < 0.9:
        copy: Any = value.copy()
        key: Any = draw.choice(list(value)) if isinstance(value, dict) else draw.randrange(len(value))
        match draw.randrange(12):
            case 0:
                del copy[key]
            case 1 if isinstance(value, list):
                copy[key:key] = [copy[key]] * draw.choice((1, 3, 40))
            case 1:
                copy[draw.choice(("x", "", "\x1b[31m"))] = copy.pop(key)
            case _:
                copy[key] = with_other_part(copy[key], draw)
        return copy
    if isinstance(value, bytes) and value and draw.random() < 0.7:
        return draw.choice((_flip, _cut))(value, draw)
    if isinstance(value, int | float) and draw.random() < 0.5:
        return draw.choice((value + 1, -value, value * 2, 0, 2**40, 2**63 - 1))
    return deep(draw.choice((3, 900))) if draw.random() < 0.03 else draw.choice(VALUES)


@st.composite
def json_files(draw: st.DrawFn, originals: Sequence[bytes]) -> bytes:
    """JSON, or lines of JSON, with another part somewhere; or damaged as any text."""
    if draw(st.integers(0, 3)) == 0:
        return draw(damaged(originals))
    rng, lines = Random(draw(seeds)), draw(st.sampled_from(originals)).splitlines()
    whole = lines[0].strip() in (b"{", b"[")  # one value on several lines
    at = rng.randrange(len(lines))
    value = with_other_part(json.loads(b"".join(lines) if whole else lines[at]), rng)
    text = json.dumps(value).encode()
    if whole:
        return text
    lines[at] = text
    return b"\n".join(lines) + b"\n"


@st.composite
def model_files(draw: st.DrawFn, originals: Sequence[bytes]) -> bytes:
    """A model with another part somewhere in its content and the checksum of that; or damaged bytes."""
    data, rng = draw(st.sampled_from(originals)), Random(draw(seeds))
    if draw(st.integers(0, 9)) == 0:
        return rng.choice((_flip, _cut, _insert))(data, rng)
    content = msgspec.msgpack.decode(data[BODY:])
    for _ in range(draw(st.integers(1, 2))):
        content = with_other_part(content, rng)
    try:
        body = msgspec.msgpack.encode(content)
    except (ValueError, RecursionError, OverflowError):  # half a character, numbers that it cannot hold
        body = b""
    return data[:CHECKSUM] + hashlib.sha256(body).digest() + body


KEYS = (
    "name", "description", "language", "not_in_ud", "transform", "kind", "labels", "reattach",
    "style", "to", "x", *RESTRICTIONS,
)  # fmt: skip
TOML_VALUES = (
    '"case"', '"cop"', '"clf"', '"head-inversion"', '"chain"', '"root"', '"clause"', '"fr"',
    '["clf"]', '["mod", "PUNC"]',
    '["case", "a"]', '"left"', '"ADP"', '"Case=Gen"', '""', "[]", "[[1]]", "1", "-0.5", "true",
    "1979-05-27", "{a = 1}", "nan", "'''x", '"\\u001b"', "9" * 5000, "[" * 3000, "{a = " * 900, '["a"',
    '"\x1b"', '"\u202e"', '"\\ud800"', "0x10", "+nan", "a", "=",
)  # fmt: skip


@st.composite
def scheme_files(draw: st.DrawFn, originals: Sequence[bytes]) -> bytes:
    """Scheme files of keys and values that belong together or not; or those of the documentation, damaged."""
    if draw(st.booleans()):
        return draw(damaged(originals))
    rng = Random(draw(seeds))

    def lines(most: int) -> list[str]:
        return [f"{rng.choice(KEYS)!r} = {rng.choice(TOML_VALUES)}" for _ in range(rng.randint(0, most))]

    tables = []
    for _ in range(rng.randint(0, 3)):
        named = rng.choice(
            ('name = "case"', 'name = "cop"', 'name = "clf"\nkind = "chain"\nlabels = ["clf"]')
        )
        header = rng.choice(("[[transform]]",) * 6 + ("[transform]", "[[transform.x]]", "[[x]]", "[["))
        tables += [header, named, *lines(2)]
    for _ in range(rng.choice((0, 0, 1, 2))):
        column, old, new = (rng.choice(values) for values in (LABELLED, VALUES, VALUES))
        header = rng.choice((f"[merge.{column}]", f"[split.{column}]", f"[[merge.{column}]]", "[merge]"))
        pair = rng.choice((f'"{old}" = "{new}"', f'from = "{old}"\nto = "{new}"', f'from = ["{old}"]'))
        tables += [header, pair, *lines(1)]
    return "\n".join([*lines(1), *tables, ""]).encode()


LABELLED = ("upos", "xpos", "feats", "deprel", "upso")
VALUES = (
    "AUX", "VERB", "AUX|VERB", "*", "*:*", "obl", "obl:*", "nmod:*", "{lemma}", "X-{Case}", "lemma",
    "Case=Gen",
    "Case", "_", "", "root", "mod", "PUNC",
)  # fmt: skip
"""Columns and values of changes of tags and relations, right and wrong."""

FITTING = {
    "form": ("de", "of", "the", "to"), "lemma": ("de", "of", "the", "be"), "side": ("left", "right"),
    "feats": ("Case", "Case=Gen", "Number=Sing"), "deprel": ("case", "det", "cop"),
    "upos": ("ADP", "NOUN", "AUX", "DET"), "language": ("fr", "en"),
}  # fmt: skip


@st.composite
def specifications(draw: st.DrawFn) -> str:
    """What may follow --transform: names, options and restrictions, right and wrong."""
    rng = Random(draw(seeds))
    wrong = rng.random() < 0.4
    name = (
        draw(cells)
        if wrong and rng.random() < 0.2
        else rng.choice((*TRANSFORMATIONS, "clf") if wrong else list(TRANSFORMATIONS))
    )
    offered = {k: v for rule in TRANSFORMATIONS.values() for k, v in rule.options.items()}
    own = TRANSFORMATIONS[name].options if name in TRANSFORMATIONS else offered
    parts = []
    for _ in range(rng.choice((0, 0, 1, 1, 2, 3))):
        if rng.random() < 0.5:
            key, values = rng.choice(list((offered if wrong else own or offered).items()))
            parts.append(f"{key}={rng.choice(values)}")
        else:
            key = rng.choice((*RESTRICTIONS, "x") if wrong else RESTRICTIONS[:-2])  # no language
            fitting = FITTING.get(criterion_of_word(key.removesuffix("!")), ())
            values = (*fitting, *(NASTY if wrong else ()))
            parts.append(f"{key}={'|'.join(rng.choices(values, k=rng.randint(1, 3)))}")
    text = ":".join((name, ",".join(parts))) if parts else name
    if rng.random() < 0.2:
        column, old, new = (rng.choice(values) for values in (LABELLED, VALUES, VALUES))
        text = ",".join((f"{column}:{old}={new}", *parts))
    return (
        _insert(text.encode(), rng).decode(errors="surrogateescape") if wrong and rng.random() < 0.3 else text
    )
