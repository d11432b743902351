"""The model file: a trained parser in one file, without pickle, with a checksum.

Layout, all numbers little-endian::

    bytes 0-15    b"learnability-mdl"
    bytes 16-19   uint32, version of the format
    bytes 20-51   SHA-256 of everything that follows
    bytes 52-59   uint64, length of the header
    header        JSON: options, labels, a digest of the feature templates, and name, dtype, shape and
                  number of stored elements of each array; and what is attached to the parser, if anything
    payload       per array: the bits that say which elements are not zero, then those elements

Most weights are zero (a feature has been updated for few classes), so storing only the others keeps the
file small; it is exact, bit for bit.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import json
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnability.errors import InputError, explained
from learnability.files import write_atomically
from learnability.parsing.parser import Parser, ParserOptions
from learnability.parsing.perceptron import Perceptron
from learnability.parsing.systems import SYSTEMS
from learnability.parsing.transitions import CLASSES

MAGIC = b"learnability-mdl"
VERSION = 1
_PREFIX = struct.Struct("<16sI32sQ")
_DTYPES = {"uint64": "<u8", "float32": "<f4", "float64": "<f8", "int64": "<i8"}
_TABLES = ("weights", "label_weights")
_ATTACHED = "attached"  # the name of the weights of an attachment
_LARGEST = 1 << 34
"""No array of a model has more elements: a header that says so is not believed."""


@dataclass(frozen=True)
class Attachment:
    """What a model file holds besides the parser, for others to interpret: JSON, and a perceptron or none."""

    content: dict[str, Any]
    weights: Perceptron | None = None


def save_model(parser: Parser, path: str | os.PathLike[str], attachment: Attachment | None = None) -> None:
    """Write `parser` to `path`; the file appears when it is complete. The same parser gives the same bytes.

    Raises:
        InputError: nothing can be written at this path.
        RunError: the writing failed.
    """
    descriptions: list[dict[str, Any]] = []
    payload: list[bytes] = []
    for name, array in _arrays(parser, attachment):
        flat = np.ascontiguousarray(array).reshape(-1).astype(_DTYPES[array.dtype.name], copy=False)
        # compare bits, not values: -0.0 is stored, so that what is read equals what was written
        stored = flat.view(f"<u{flat.dtype.itemsize}") != 0
        values = flat[stored]
        payload += [np.packbits(stored, bitorder="little").tobytes(), values.tobytes()]
        descriptions.append(
            {"name": name, "dtype": array.dtype.name, "shape": list(array.shape), "stored": len(values)}
        )
    header: dict[str, Any] = {
        "options": dataclasses.asdict(parser.options),
        "labels": list(parser.labels),
        "features": _features_digest(parser.options),
        "arrays": descriptions,
    }
    if attachment is not None:
        header["attachment"] = attachment.content
    text = json.dumps(header, ensure_ascii=False, sort_keys=True).encode()
    body = b"".join([struct.pack("<Q", len(text)), text, *payload])
    digest = hashlib.sha256(body).digest()
    write_atomically(path, b"".join([MAGIC, struct.pack("<I", VERSION), digest, body]))


def load_model(path: str | os.PathLike[str]) -> Parser:
    """The parser in a model file; see :func:`read_model`."""
    return read_model(path)[0]


def read_model(path: str | os.PathLike[str]) -> tuple[Parser, Attachment | None]:
    """The parser that :func:`save_model` wrote to `path`, equal bit for bit, and what was attached to it.

    Nothing in the file is executed. InputError: it is unreadable, damaged, or does not fit this version.
    """
    name = os.fspath(path)
    with explained(f"{name}: cannot be read", "give a model written by train"):
        data = Path(path).read_bytes()
    header, payload = _checked(name, data)
    try:
        unknown = set(header["options"]) - {field.name for field in dataclasses.fields(ParserOptions)}
        if unknown:
            raise ValueError(f"unknown options {', '.join(sorted(unknown))}")
        options = ParserOptions(**header["options"])
        labels = tuple(str(label) for label in header["labels"])
        arrays = dict(_read_arrays(header["arrays"], payload))
        classes = (CLASSES, len(labels) if options.labelled else 1)
        tables = [_table(name, arrays, count) for name, count in zip(_TABLES, classes, strict=True)]
        attachment = None
        if "attachment" in header:
            weights = _table(_ATTACHED, arrays) if f"{_ATTACHED}.weight" in arrays else None
            attachment = Attachment(dict(header["attachment"]), weights)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{name}: the model does not fit this version ({type(error).__name__}: {error}); train it again"
        ) from None
    if options.system not in SYSTEMS:
        raise InputError(f"{name}: unknown transition system {options.system!r}; use a newer version")
    if header["features"] != _features_digest(options):
        raise InputError(
            f"{name}: trained with other feature templates than {options.features!r} of this version; "
            "train it again"
        )
    return Parser(options, tables[0], tables[1], labels), attachment


def _table(name: str, arrays: dict[str, NDArray[Any]], classes: int | None = None) -> Perceptron:
    """The table of that name; refused if it would send kernels, which check no indices, astray."""
    table = Perceptron(**{field: arrays[f"{name}.{field}"] for field in Perceptron._fields})
    size = table.slots.shape[0]
    rows = int((table.slots & np.uint64(0xFFFFFFFF)).max(initial=0))
    slots_fit = size > 0 and not size & (size - 1) and not table.slots.all()
    weight_fits = table.weight.ndim == 2 and table.weight.shape[0] >= rows
    if slots_fit and weight_fits and classes in (None, table.weight.shape[1]) and table.meta.shape == (2,):
        return table
    raise ValueError("its weights do not belong together")


def _arrays(parser: Parser, attachment: Attachment | None) -> Iterator[tuple[str, NDArray[Any]]]:
    tables = [(name, getattr(parser, name)) for name in _TABLES]
    if attachment is not None and attachment.weights is not None:
        tables.append((_ATTACHED, attachment.weights))
    for name, table in tables:
        for field, array in table._asdict().items():
            yield f"{name}.{field}", array


def _features_digest(options: ParserOptions) -> str:
    """SHA-256 over the compiled templates: the keys of features mean nothing under others."""
    parts = ((str((array.dtype.str, array.shape)).encode(), array.tobytes()) for array in options.templates())
    return hashlib.sha256(b"".join(itertools.chain.from_iterable(parts))).hexdigest()


def _checked(name: str, data: bytes) -> tuple[dict[str, Any], memoryview]:
    """Header and payload of a file whose magic, version and checksum are right."""
    if not data.startswith(MAGIC):
        raise InputError(f"{name}: is not a model; give a file written by train")
    if len(data) < _PREFIX.size:
        raise InputError(f"{name}: the model is damaged (cut off); copy or train it again")
    _, version, digest, length = _PREFIX.unpack_from(data)
    if version != VERSION:
        raise InputError(
            f"{name}: the model has format {version}, this version reads format {VERSION}; "
            + ("upgrade learnability" if version > VERSION else "train it again")
        )
    body = memoryview(data)[_PREFIX.size - 8 :]
    if hashlib.sha256(body).digest() != digest or length > len(body) - 8:
        raise InputError(f"{name}: the model is damaged (its checksum is wrong); copy or train it again")
    return json.loads(bytes(body[8 : 8 + length])), body[8 + length :]


def _read_arrays(descriptions: list[Any], payload: memoryview) -> Iterator[tuple[str, NDArray[Any]]]:
    at = 0
    for description in descriptions:
        dtype = np.dtype(_DTYPES[description["dtype"]])
        shape = tuple(int(size) for size in description["shape"])
        count, stored = int(np.prod(shape, dtype=object)), int(description["stored"])
        if not (0 <= stored <= count <= _LARGEST) or min(shape, default=0) < 0:
            raise ValueError(f"array {description['name']} of shape {shape} with {stored} elements")
        bits = (count + 7) // 8
        mask = np.unpackbits(np.frombuffer(payload, np.uint8, bits, at), count=count, bitorder="little")
        values = np.frombuffer(payload, dtype, stored, at + bits)
        at += bits + values.nbytes
        flat = np.zeros(count, description["dtype"])
        flat[mask.view(np.bool_)] = values
        yield str(description["name"]), flat.reshape(shape)
    if at != len(payload):
        raise ValueError(f"{len(payload) - at} bytes too many")
