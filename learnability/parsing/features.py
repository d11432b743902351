"""Feature templates as readable tables, and the kernel that turns a configuration into feature keys.

A template is a sum of atoms, `S0.w+N0.p`; an atom is an address and an attribute. Addresses: S0 S1 S2 (the
stack from its top), N0 N1 N2 (the buffer from its front), followed by h (head), h2 (head's head), l, l2, r,
r2 (outermost and second outermost dependent on the left and right). Attributes: w form, p tag, wp both,
l label, vl and vr number of dependents on a side (valency), sl and sr set of their labels; `d` alone is the
distance of S0 and N0.

Keys are 64-bit sums of one random number per atom value and template (Zobrist hashing): they need no
further mixing, and an unlabelled parser simply leaves the label templates out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from learnability.parsing.configuration import FRONT, SIZE, Configuration, N
from learnability.parsing.jit import njit

ZHANG_NIVRE_2011 = """
S0.wp  S0.w  S0.p  N0.wp  N0.w  N0.p  N1.wp  N1.w  N1.p  N2.wp  N2.w  N2.p
S0.wp+N0.wp  S0.wp+N0.w  S0.w+N0.wp  S0.wp+N0.p  S0.p+N0.wp  S0.w+N0.w  S0.p+N0.p  N0.p+N1.p
N0.p+N1.p+N2.p  S0.p+N0.p+N1.p  S0h.p+S0.p+N0.p  S0.p+S0l.p+N0.p  S0.p+S0r.p+N0.p  S0.p+N0.p+N0l.p
S0.w+d  S0.p+d  N0.w+d  N0.p+d  S0.w+N0.w+d  S0.p+N0.p+d
S0.w+S0.vr  S0.p+S0.vr  S0.w+S0.vl  S0.p+S0.vl  N0.w+N0.vl  N0.p+N0.vl
S0h.w  S0h.p  S0.l  S0l.w  S0l.p  S0l.l  S0r.w  S0r.p  S0r.l  N0l.w  N0l.p  N0l.l
S0h2.w  S0h2.p  S0h.l  S0l2.w  S0l2.p  S0l2.l  S0r2.w  S0r2.p  S0r2.l  N0l2.w  N0l2.p  N0l2.l
S0.p+S0l.p+S0l2.p  S0.p+S0r.p+S0r2.p  S0.p+S0h.p+S0h2.p  N0.p+N0l.p+N0l2.p
S0.w+S0.sr  S0.p+S0.sr  S0.w+S0.sl  S0.p+S0.sl  N0.w+N0.sl  N0.p+N0.sl
"""
"""Zhang & Nivre (2011), Tables 1 and 2, for arc-eager: 72 templates, 58 of them without labels."""

FEATURE_SETS = {"zn11": ZHANG_NIVRE_2011}
"""Feature tables by their names on the command line."""

ADDRESSES = (
    *("S0", "S1", "S2", "N0", "N1", "N2"),
    *("S0h", "S0h2", "S0l", "S0l2", "S0r", "S0r2", "N0l", "N0l2"),
    *("S1h", "S1l", "S1l2", "S1r", "S1r2"),
)
"""The addresses in the order in which `fill_addresses` writes them."""

COLUMNS = ("w", "p", "wp")
"""Token attributes in the order of the columns of `encoding.Corpus.attributes`."""

LABEL_ATTRIBUTES = ("l", "sl", "sr")
DYNAMIC = ("l", "vl", "vr", "sl", "sr", "d", "zero")

MAX_VALENCY = 7


class Templates(NamedTuple):
    """Compiled templates.

    Attributes:
        static_address, static_column: int32[k], the atoms that are token attributes.
        dynamic_address, dynamic_kind: int32[m], the others; kind is an index into `DYNAMIC`.
        salt: uint64[k + m], an odd random number for each atom.
        terms: int32[f, 3], the atoms of each template (the last atom, "zero", fills up).
        offset: uint64[f], the random number of each template.
    """

    static_address: NDArray[np.int32]
    static_column: NDArray[np.int32]
    dynamic_address: NDArray[np.int32]
    dynamic_kind: NDArray[np.int32]
    salt: NDArray[np.uint64]
    terms: NDArray[np.int32]
    offset: NDArray[np.uint64]


def compile_templates(table: str, *, labelled: bool, columns: tuple[str, ...] = COLUMNS) -> Templates:
    """Compile a table of templates; without labels, the templates that mention them are left out."""
    split = [template.split("+") for template in table.split()]
    if not labelled:
        split = [t for t in split if not any(a.partition(".")[2] in LABEL_ATTRIBUTES for a in t)]
    atoms = sorted({atom for template in split for atom in template})
    static = [a for a in atoms if a.partition(".")[2] in columns]
    dynamic = [a for a in atoms if a not in static] + ["zero"]
    number = {atom: i for i, atom in enumerate(static + dynamic)}
    terms = [[number[a] for a in t] + [number["zero"]] * (3 - len(t)) for t in split]
    kinds = [DYNAMIC.index(a.partition(".")[2] or a) for a in dynamic]
    generator = np.random.default_rng(20180601)  # part of the definition of a key: never changes

    def randoms(count: int) -> NDArray[np.uint64]:
        return generator.integers(0, 2**64, size=count, dtype=np.uint64)

    return Templates(
        static_address=np.array([ADDRESSES.index(a.partition(".")[0]) for a in static], np.uint32),
        static_column=np.array([columns.index(a.partition(".")[2]) for a in static], np.uint32),
        dynamic_address=np.array(
            [ADDRESSES.index(a.partition(".")[0]) if "." in a else 0 for a in dynamic], np.uint32
        ),
        dynamic_kind=np.array(kinds, np.uint32),
        salt=randoms(len(number)) | np.uint64(1),
        terms=np.array(terms, np.uint32),
        offset=randoms(len(split)),
    )


@njit
def mix(value: np.uint64) -> np.uint64:
    """Scatter a 64-bit integer (the finalizer of splitmix64)."""
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


@njit
def fill_addresses(c: Configuration, out: NDArray[np.int32]) -> None:
    """Write the position of every address of `ADDRESSES` (absent: n + 2) to `out`."""
    absent = c.at[N] + 2
    size = c.at[SIZE]
    b = c.at[FRONT]
    out[0] = c.stack[size - 1] if size > 0 else absent
    out[1] = c.stack[size - 2] if size > 1 else absent
    out[2] = c.stack[size - 3] if size > 2 else absent
    last = c.at[4]
    out[3] = b if b <= last else absent
    out[4] = b + 1 if b + 1 <= last else absent
    out[5] = b + 2 if b + 2 <= last else absent
    s0, s1, n0 = out[0], out[1], out[3]
    out[6] = c.head[s0]
    out[7] = c.head[out[6]]
    out[8] = c.left1[s0]
    out[9] = c.left2[s0]
    out[10] = c.right1[s0]
    out[11] = c.right2[s0]
    out[12] = c.left1[n0]
    out[13] = c.left2[n0]
    out[14] = c.head[s1]
    out[15] = c.left1[s1]
    out[16] = c.left2[s1]
    out[17] = c.right1[s1]
    out[18] = c.right2[s1]


@njit
def bucket(distance: int) -> int:
    """Distances 1, 2, 3, 4, 5-10, more."""
    if distance < 5:
        return distance
    return 5 if distance <= 10 else 6


@njit
def fill_keys(
    c: Configuration,
    attributes: NDArray[np.uint64],
    base: int,
    templates: Templates,
    addresses: NDArray[np.int32],
    atoms: NDArray[np.uint64],
    keys: NDArray[np.uint64],
) -> None:
    """Write the key of every feature that fires in c.

    `attributes`: uint64[positions, columns], whose row base + i belongs to position i of the sentence;
    `addresses`, `atoms`: scratch; `keys`: uint64[f], the result.
    """
    k = templates.static_address.shape[0]
    for i in range(k):
        value = attributes[base + addresses[templates.static_address[i]], templates.static_column[i]]
        atoms[i] = value * templates.salt[i]
    for i in range(templates.dynamic_kind.shape[0]):
        position = addresses[templates.dynamic_address[i]]
        kind = templates.dynamic_kind[i]
        if kind == 0:
            raw = np.uint64(c.label[position])
        elif kind == 1:
            raw = np.uint64(min(c.left_count[position], MAX_VALENCY))
        elif kind == 2:
            raw = np.uint64(min(c.right_count[position], MAX_VALENCY))
        elif kind == 3:
            raw = c.left_set[position]
        elif kind == 4:
            raw = c.right_set[position]
        elif kind == 5:
            raw = np.uint64(bucket(addresses[3] - addresses[0]))
        else:
            atoms[k + i] = np.uint64(0)
            continue
        atoms[k + i] = mix(raw + np.uint64(1)) * templates.salt[k + i]
    for f in range(templates.terms.shape[0]):
        keys[f] = (
            atoms[templates.terms[f, 0]]
            + atoms[templates.terms[f, 1]]
            + atoms[templates.terms[f, 2]]
            + templates.offset[f]
        )
