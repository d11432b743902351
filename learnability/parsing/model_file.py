"""Keep a trained parser in one file, without pickle, with a checksum.

Layout, all numbers little-endian::

    bytes 0-15    b"learnability-mdl"
    bytes 16-19   uint32, version of the format
    bytes 20-51   SHA-256 of everything that follows
    bytes 52-     MessagePack: the fields of `StoredModel`, in their order

Most weights are zero (a feature has been updated for few classes), so an array is stored as its shape, the
bits that say which elements are not zero, and those elements; it is exact, bit for bit. An array's dtype is
that of its field, never that of the file.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import math
import os
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_args

import msgspec
import numpy as np
from numpy.typing import NDArray

from learnability.errors import InputError
from learnability.parsing import transitions
from learnability.parsing.parser import Parser, ParserOptions
from learnability.parsing.perceptron import CLASSES, Perceptron
from learnability.parsing.systems import SYSTEMS
from learnability.parsing.templates import FEATURE_SETS, TAGS
from learnability.parsing.vectors import pad_row
from learnability.support.files import write_atomically
from learnability.support.nouns import count_noun
from learnability.treebanks.labels import ROOT_LABEL

MAGIC = b"learnability-mdl"
VERSION = 3
CHECKSUM, BODY = 20, 52
"""The byte offsets of the checksum and of the content."""


@dataclass(frozen=True)
class Attachment:
    """Content of a model file besides the parser, for the caller's use: JSON, and a perceptron or None."""

    content: dict[str, Any]
    weights: Perceptron | None = None


class StoredModel(msgspec.Struct, omit_defaults=True):
    """Hold the content of a model file.

    `features` is the result of `features_digest`. The only label of root words in UD is not stored.
    """

    options: dict[str, Any]
    labels: tuple[str, ...]
    features: str
    weights: Perceptron
    label_weights: Perceptron
    attachment: Attachment | None
    root_labels: tuple[str, ...] = ()


class Sparse(msgspec.Struct):
    """Represent a stored array: little-endian `values` where the bits of `present`, lowest first, are 1."""

    shape: tuple[Annotated[int, msgspec.Meta(ge=0)], ...]
    present: bytes
    values: bytes


def save_model(parser: Parser, path: str | os.PathLike[str], attachment: Attachment | None = None) -> None:
    """Write a parser to a file, which appears under its name only when it is complete.

    The same parser gives the same bytes.

    Args:
        parser: the trained parser.
        path: the file to write.
        attachment: further content for the caller's use.

    Raises:
        InputError: nothing can be written at this path.
        RunError: writing failed.
    """
    options = dataclasses.asdict(parser.options)
    features = features_digest(parser.options)
    weights = parser.weights, parser.label_weights
    root_labels = () if parser.root_labels == (ROOT_LABEL,) else parser.root_labels
    model = StoredModel(options, parser.labels, features, *weights, attachment, root_labels)
    body = msgspec.msgpack.encode(model, enc_hook=sparse)
    version = VERSION.to_bytes(4, "little")
    write_atomically(path, b"".join([MAGIC, version, hashlib.sha256(body).digest(), body]))


def load_model(path: str | os.PathLike[str]) -> Parser:
    """Return the parser in a model file that :func:`save_model` wrote, equal bit for bit.

    Nothing in the file is executed.

    Args:
        path: the model file.

    Raises:
        InputError: the file is unreadable or damaged, or does not fit this version.
    """
    return read_model(path)[0]


def read_model(path: str | os.PathLike[str]) -> tuple[Parser, Attachment | None]:
    """Return the parser in a model file, as :func:`load_model` does, and its attachment, if any."""
    name = os.fspath(path)
    with InputError.explain(f"{name} cannot be read", "use a model written by train"):
        data = Path(path).read_bytes()
    if not data.startswith(MAGIC):
        raise InputError(f"{name} is not a model; use a file written by train")
    if len(data) < BODY:
        raise InputError(f"the model {name} is damaged (cut off); copy or train it again")
    version = int.from_bytes(data[len(MAGIC) : CHECKSUM], "little")
    if version != VERSION:
        raise InputError(
            f"the model {name} has format {version}, but this version reads format {VERSION}; "
            + ("upgrade learnability" if version > VERSION else "train it again")
        )
    body = memoryview(data)[BODY:]
    if hashlib.sha256(body).digest() != data[CHECKSUM:BODY]:
        raise InputError(f"the model {name} is damaged (its checksum is wrong); copy or train it again")
    try:
        model = msgspec.msgpack.decode(body, type=StoredModel, dec_hook=dense)
        options = msgspec.convert(model.options, ParserOptions)
        unknown = model.options.keys() - dataclasses.asdict(options).keys()
        if unknown:
            raise ValueError(f"unknown options {', '.join(sorted(unknown))}")
        check(model.weights, transitions.CLASSES)
        check(model.label_weights, len(model.labels) if options.labelled else 1)
        root_labels = model.root_labels or (ROOT_LABEL,)
        check_deprels((*model.labels, *root_labels))
        check_root_labels(model.labels, root_labels)
        if model.attachment is not None and model.attachment.weights is not None:
            check(model.attachment.weights)
    except (RecursionError, ValueError) as error:
        raise InputError(
            f"the model {name} does not fit this version ({type(error).__name__}: {error}); train it again"
        ) from None
    if options.system not in SYSTEMS:
        raise InputError(
            f"the model {name} uses an unknown transition system, {options.system!r}; upgrade learnability"
        )
    if options.features not in FEATURE_SETS or options.tags not in TAGS:
        unknown_to = f"features {options.features!r}, tags {options.tags!r}"
        raise InputError(f"the model {name} uses unknown {unknown_to}; upgrade learnability")
    if model.features != features_digest(options):
        raise InputError(
            f"the feature templates {options.features!r} have changed since the model {name} was trained; "
            "train it again"
        )
    parser = Parser(options, model.weights, model.label_weights, model.labels, root_labels)
    return parser, model.attachment


def check(table: Perceptron, classes: int | None = None) -> None:
    """Raise ValueError for a table with wrong indices, because kernels do not check indices."""
    slots, weight, total, keys, meta = table
    rows = int((slots & np.uint64(0xFFFFFFFF)).max(initial=0))
    slots_fit = slots.ndim == 1 and slots.size.bit_count() == 1 and not slots.all()
    others_fit = (total.ndim, keys.ndim, meta.shape) == (2, 1, (3,)) and 0 < meta[CLASSES] < 1 << 20
    weight_fits = others_fit and len(weight) > rows and weight.shape[1:] == (pad_row(int(meta[CLASSES])),)
    if not (slots_fit and weight_fits and classes in (None, meta[CLASSES])):
        raise ValueError("its weights do not belong together")


def check_deprels(labels: Iterable[str]) -> None:
    """Raise ValueError for a label that cannot stand in a CoNLL-U column."""
    for label in labels:
        if not label or re.search(r"[\t\n]", label):
            raise ValueError(f"a relation {label!r}")


def check_root_labels(labels: Collection[str], root_labels: Sequence[str]) -> None:
    """Raise ValueError if the labels of root words are missing, or several and not among the labels."""
    if not root_labels or (len(root_labels) > 1 and not {*root_labels} <= {*labels}):
        raise ValueError(f"labels of root words {', '.join(root_labels)}")


def features_digest(options: ParserOptions) -> str:
    """Return a SHA-256 of the compiled templates: keys of features are meaningless under others."""
    of_transitions, of_labels = options.templates()
    arrays = (*of_transitions, *of_labels)
    parts = ((str((array.dtype.str, array.shape)).encode(), array.tobytes()) for array in arrays)
    return hashlib.sha256(b"".join(itertools.chain.from_iterable(parts))).hexdigest()


def sparse(array: NDArray[Any]) -> Sparse:
    """Return the stored form of an array."""
    flat = np.ascontiguousarray(array).reshape(-1).astype(array.dtype.newbyteorder("<"), copy=False)
    # compare bits, not values: -0.0 must be stored, so that an array survives saving and loading bit for bit
    present = flat.view(f"<u{flat.itemsize}") != 0
    return Sparse(array.shape, np.packbits(present, bitorder="little").tobytes(), flat[present].tobytes())


def dense(kind: Any, stored: Any) -> NDArray[Any]:
    """Return the array of a stored form; `kind` is NDArray of the dtype of its field."""
    parts = msgspec.convert(stored, Sparse)
    count = math.prod(parts.shape)
    if len(parts.present) != (count + 7) // 8:
        raise ValueError(
            f"array of shape {parts.shape} with {count_noun(len(parts.present), 'byte')} of bits"
        )
    bits = np.frombuffer(parts.present, np.uint8)
    flat = np.zeros(count, get_args(get_args(kind)[1])[0])
    present = np.unpackbits(bits, count=count, bitorder="little").view(np.bool_)
    flat[present] = np.frombuffer(parts.values, flat.dtype.newbyteorder("<"))
    return flat.reshape(parts.shape)
