"""Compile the feature templates, and turn a configuration into feature keys.

The templates are tables in `templates`, which also explains addresses and attributes.

Keys are 64-bit sums of one random number per atom value and template (Zobrist hashing). They need no
further mixing, and an unlabelled parser simply omits the templates that mention labels.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from learnability.parsing.bundles import bundle
from learnability.parsing.configuration import FRONT, LAST_FRONT, SIZE, KernelConfiguration, N
from learnability.parsing.jit import Ints, Keys, njit
from learnability.parsing.templates import ADDRESSES

LEFT_ADDRESS, RIGHT_ADDRESS = 0, 3
"""The positions, in every order of addresses, of the two words whose distance is the attribute `d`."""

COLUMNS = ("w", "p", "wp")
"""The token attributes of every corpus, the first columns of `encoding.Corpus.attributes`."""

ALL_COLUMNS = (*COLUMNS, "s1", "s2", "s3", "s4", "p1", "p2", "p3", "p4", "x", "f", "m")
"""All token attributes in the order of the columns; a corpus has as many of them as its features need."""

ARC_ADDRESSES = ("H", "D", "Db", "Da", "Hs", "Dl", "Dr")
"""The addresses of the label templates in the order in which `fill_arc_addresses` writes them."""

LABEL_ATTRIBUTES = ("l", "sl", "sr")
DYNAMIC = ("l", "vl", "vr", "sl", "sr", "d", "zero")

MAX_VALENCY = 7

LEFTWARD = np.uint64(0x9E3779B97F4A7C15)
"""Added to the keys of an arc whose dependent is left of its head: directions have separate features."""


@bundle
class Templates(NamedTuple):
    """Compiled templates.

    Attributes:
        static_address, static_column: int32[k], the atoms that are token attributes.
        dynamic_address, dynamic_kind: int32[m], the other atoms; kind is an index into `DYNAMIC`.
        salt: uint64[k + m], an odd random number for each atom.
        terms: int32[f, 3], the atoms of each template, padded with the last atom, "zero".
        offset: uint64[f], the random number of each template.
        between: bool[1], whether some template reads CL or CR.
    """

    static_address: Ints
    static_column: Ints
    dynamic_address: Ints
    dynamic_kind: Ints
    salt: Keys
    terms: Ints
    offset: Keys
    between: NDArray[np.bool_]


@lru_cache(maxsize=64)
def columns_of(table: str) -> tuple[str, ...]:
    """Return the columns of `encoding.Corpus.attributes` that a table of templates needs."""
    last = len(COLUMNS) - 1
    for template in table.split():
        for atom in template.split("+"):
            _, attribute = split_atom(atom)
            if attribute in ALL_COLUMNS:
                last = max(last, ALL_COLUMNS.index(attribute))
    return ALL_COLUMNS[: last + 1]


def split_atom(atom: str) -> tuple[str, str]:
    """Return address and attribute of an atom; the distance `d` has no address."""
    address, dot, attribute = atom.partition(".")
    return (address, attribute) if dot else ("", atom)


@lru_cache(maxsize=64)
def compile_templates(table: str, *, labelled: bool, addresses: tuple[str, ...] = ADDRESSES) -> Templates:
    """Compile a table of templates."""
    split = [template.split("+") for template in table.split()]
    if not labelled:
        split = [atoms for atoms in split if not any(split_atom(a)[1] in LABEL_ATTRIBUTES for a in atoms)]
    atoms = sorted({atom for template in split for atom in template})
    static = [atom for atom in atoms if split_atom(atom)[1] in ALL_COLUMNS]
    dynamic = [atom for atom in atoms if atom not in static] + ["zero"]
    number = {atom: i for i, atom in enumerate(static + dynamic)}
    terms = []
    for template in split:
        filling = [number["zero"]] * (3 - len(template))
        terms.append([number[atom] for atom in template] + filling)

    def numbers_of_addresses(atoms: list[str]) -> Ints:
        """Return the number of each atom's address; 0 for atoms without an address."""
        named = (split_atom(atom)[0] for atom in atoms)
        return np.array([addresses.index(address) if address else 0 for address in named], np.uint32)

    def numbers_of_attributes(atoms: list[str], attributes: tuple[str, ...]) -> Ints:
        return np.array([attributes.index(split_atom(atom)[1]) for atom in atoms], np.uint32)

    generator = np.random.default_rng(20180601)  # defines the keys in model files, so it never changes

    def randoms(count: int) -> Keys:
        return generator.integers(0, 2**64, size=count, dtype=np.uint64)

    return Templates(
        static_address=numbers_of_addresses(static),
        static_column=numbers_of_attributes(static, ALL_COLUMNS),
        dynamic_address=numbers_of_addresses(dynamic),
        dynamic_kind=numbers_of_attributes(dynamic, DYNAMIC),
        salt=randoms(len(number)) | np.uint64(1),
        terms=np.array(terms, np.uint32),
        offset=randoms(len(split)),
        between=np.array([any(split_atom(atom)[0] in ("CL", "CR") for atom in static)]),
    )


def scatter(value: Any) -> Any:
    """Scatter 64-bit integers, a single number or an array (the finalizer of splitmix64)."""
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


mix = njit(scatter)


@njit
def fill_addresses(c: KernelConfiguration, out: Ints) -> None:
    """Write the position of every address of `ADDRESSES` (absent: n + 2) to `out`."""
    absent, size = c.at[N] + 2, c.at[SIZE]
    b, last = c.at[FRONT], c.at[LAST_FRONT]
    for i in range(3):
        out[i] = c.stack[size - 1 - i] if size > i else absent
        out[3 + i] = b + i if b + i <= last else absent
    s0, s1, n0 = out[0], out[1], out[3]
    out[6] = c.head[s0]
    out[7] = c.head[out[6]]
    out[8], out[9], out[10], out[11] = c.left1[s0], c.left2[s0], c.right1[s0], c.right2[s0]
    out[12], out[13], out[14] = c.left1[n0], c.left2[n0], c.head[s1]
    out[15], out[16], out[17], out[18] = c.left1[s1], c.left2[s1], c.right1[s1], c.right2[s1]
    out[19], out[20], out[21] = c.near_left[s0], c.near_right[s0], c.near_left[n0]


@njit
def is_outside(c: KernelConfiguration, word: int, left: int, right: int) -> bool:
    """Return whether the word has no head in the interval from left to right."""
    head = c.head[word]
    return bool(head < left or head > right)


@njit
def fill_between(c: KernelConfiguration, out: Ints) -> None:
    """Write CL and CR after `fill_addresses` has written the others; absent where no word qualifies."""
    left, right = out[LEFT_ADDRESS], out[RIGHT_ADDRESS]
    out[22] = out[23] = c.at[N] + 2
    if left >= right:
        return  # there is no left word
    for word in range(left + 1, right):
        if is_outside(c, word, left, right):
            out[22] = word
            break
    for word in range(right - 1, left, -1):
        if is_outside(c, word, left, right):
            out[23] = word
            break


@njit
def bucket(distance: int) -> int:
    """Return the class of a distance: 1, 2, 3 and 4 alone, 5 for 5 to 10, 6 above."""
    if distance < 5:
        return distance
    return 5 if distance <= 10 else 6


@njit
def fill_keys(
    c: KernelConfiguration, attributes: Keys, base: int, templates: Templates, addresses: Ints, atoms: Keys,
    keys: Keys,
) -> None:  # fmt: skip
    """Write the key of every feature that fires in c.

    `attributes`: uint64[positions, columns]; row `base` + i belongs to position i of the sentence.
    `addresses`: int32, the position of every address. `atoms`: uint64, scratch space. `keys`: uint64[f],
    receives the keys.
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
            raw = np.uint64(bucket(addresses[RIGHT_ADDRESS] - addresses[LEFT_ADDRESS]))
        else:
            atoms[k + i] = np.uint64(0)
            continue
        atoms[k + i] = mix(raw + np.uint64(1)) * templates.salt[k + i]
    for f in range(templates.terms.shape[0]):
        a, b, d = templates.terms[f, 0], templates.terms[f, 1], templates.terms[f, 2]
        keys[f] = atoms[a] + atoms[b] + atoms[d] + templates.offset[f]


@njit
def fill_arc_addresses(c: KernelConfiguration, head: int, dependent: int, out: Ints) -> None:
    """Write the position of every address of `ARC_ADDRESSES` (absent: n + 2) for an arc about to be added."""
    out[0], out[1], out[2], out[3] = head, dependent, dependent - 1, dependent + 1
    out[4] = c.left1[head] if dependent < head else c.right1[head]
    out[5], out[6] = c.left1[dependent], c.right1[dependent]


@njit
def fill_arc_keys(
    c: KernelConfiguration, attributes: Keys, base: int, templates: Templates, head: int, dependent: int,
    addresses: Ints, atoms: Keys, keys: Keys,
) -> None:  # fmt: skip
    """Write the key of every feature of an arc about to be added; the other arguments: see `fill_keys`."""
    fill_arc_addresses(c, head, dependent, addresses)
    fill_keys(c, attributes, base, templates, addresses, atoms, keys)
    if dependent < head:
        for f in range(keys.shape[0]):
            keys[f] += LEFTWARD
