"""Pass named tuples of arrays to kernels as one address each.

Numba passes a named tuple by value, as seven numbers for each array. A workspace of forty arrays becomes
three hundred arguments of every function, which numba writes as text, reads and optimizes again and again
(research/first_use). A *bundle* is a named tuple whose arrays are described once, when Python calls the
kernel, in the memory of that call. Kernels get the address and read what they use.

The descriptions never change while a kernel runs, and the instructions say so (`invariant.load`), so a kernel
may keep an address in a register, as before. Kernels can read the fields of a bundle, but not make one.
"""

from __future__ import annotations

import hashlib
from typing import Any, TypeVar

import numba.extending
from llvmlite import ir
from numba.core import types

from learnability.parsing.numba_parts import AttributeTemplate, cgutils

Class = TypeVar("Class", bound=type)

extending: Any = numba.extending

WORD = 8
"""Bytes of each number in a description."""

I8, I64 = ir.IntType(8), ir.IntType(64)

DATA, SHAPE = 4, 5
"""Where numba's description of an array has the address of its data, and its shape, in words."""


class Bundle(types.Type):
    """The type of a bundle: its class, the types of its fields, and where the description of each begins."""

    def __init__(self, instance_class: type, kinds: tuple[Any, ...]) -> None:
        self.instance_class, self.kinds = instance_class, kinds
        self.fields: tuple[str, ...] = instance_class._fields  # type: ignore[attr-defined]
        sizes = [_words(kind) for kind in kinds]
        self.begins = [sum(sizes[:i]) for i in range(len(sizes))]
        self.words = sum(sizes)
        told_by = (instance_class.__module__, self.fields, [kind.name for kind in kinds])
        digest = hashlib.sha256(repr(told_by).encode()).hexdigest()[:8]
        super().__init__(name=f"{instance_class.__name__}_{digest}")

    def kind_of(self, field: str) -> Any:
        return self.kinds[self.fields.index(field)]


def _words(kind: Any) -> int:
    """Return the length of the description of a field, in words."""
    if isinstance(kind, Bundle):
        return kind.words
    return SHAPE + 2 * kind.ndim if isinstance(kind, types.Array) else 1


def bundle(kind: Class) -> Class:
    """Let kernels get the named tuples of a class as bundles.

    Args:
        kind: a class of named tuples; its fields are arrays, bundles, numbers or None.
    """

    @extending.typeof_impl.register(kind)
    def _type_of(value: Any, context: Any) -> Bundle:
        return Bundle(kind, tuple(extending.typeof_impl(field, context) for field in value))

    return kind


extending.register_model(Bundle)(extending.models.OpaqueModel)


@extending.infer_getattr
class _Fields(AttributeTemplate):
    key = Bundle

    def generic_resolve(self, bundle: Any, field: str) -> Any:
        return bundle.kind_of(field) if field in bundle.fields else None


def _read(builder: Any, address: Any, word: int, kind: Any = I64) -> Any:
    """Return a number of a description, which stays the same while the kernel runs."""
    place = builder.gep(address, [I64(word * WORD)])
    value = builder.load(builder.bitcast(place, kind.as_pointer()))
    value.set_metadata("invariant.load", builder.module.add_metadata([]))
    return value


@extending.lower_getattr_generic(Bundle)
def _get_field(context: Any, builder: Any, bundle: Bundle, address: Any, field: str) -> Any:
    kind, begin = bundle.kind_of(field), bundle.begins[bundle.fields.index(field)]
    if isinstance(kind, Bundle):
        return builder.gep(address, [I64(begin * WORD)])
    if not isinstance(kind, types.Array):
        model = context.data_model_manager[kind]
        return model.from_data(builder, _read(builder, address, begin, model.get_data_type()))
    dtype = context.get_data_type(kind.dtype)
    itemsize = I64(context.get_abi_sizeof(dtype))
    shape = [_read(builder, address, begin + SHAPE + axis) for axis in range(kind.ndim)]
    items = shape[0]
    for length in shape[1:]:
        items = builder.mul(items, length)
    strides = [itemsize]
    for length in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], length))
    if kind.layout != "C":
        strides = [_read(builder, address, begin + SHAPE + kind.ndim + axis) for axis in range(kind.ndim)]
    value = ir.Constant(context.get_value_type(kind), None)
    data = _read(builder, address, begin + DATA, dtype.as_pointer())
    parts: list[tuple[Any, Any]] = [(items, 2), (itemsize, 3), (data, DATA)]
    for axis in range(kind.ndim):
        parts += [(shape[axis], (5, axis)), (strides[axis], (6, axis))]
    for part, place in parts:
        value = builder.insert_value(value, part, place)
    return value


@extending.unbox(Bundle)
def _describe(bundle: Bundle, value: Any, c: Any) -> Any:
    """Write the description of a bundle into the memory of the call."""
    builder = c.builder
    room = cgutils.alloca_once(builder, ir.ArrayType(I64, bundle.words))
    address = builder.bitcast(room, I8.as_pointer())
    failed = _write(bundle, value, address, c)
    # behind an empty instruction, the optimizer takes the description for one that was always there
    kind = ir.FunctionType(I8.as_pointer(), [I8.as_pointer()])
    known = builder.asm(kind, "", "=r,0,~{memory}", [address], side_effect=True)
    return extending.NativeValue(known, is_error=failed)


def _write(bundle: Bundle, value: Any, address: Any, c: Any) -> Any:
    """Write the descriptions of all fields; return whether that failed."""
    builder, failed = c.builder, cgutils.false_bit
    for i, (kind, begin) in enumerate(zip(bundle.kinds, bundle.begins, strict=True)):
        item = c.pyapi.tuple_getitem(value, i)
        place = builder.gep(address, [I64(begin * WORD)])
        if isinstance(kind, Bundle):
            failed = builder.or_(failed, _write(kind, item, place, c))
        elif isinstance(kind, types.Array):
            code = c.pyapi.numba_array_adaptor(item, place)
            failed = builder.or_(failed, cgutils.is_not_null(builder, code))
        else:
            native = c.unbox(kind, item)
            model = c.context.data_model_manager[kind]
            data = model.as_data(builder, native.value)
            builder.store(data, builder.bitcast(place, data.type.as_pointer()))
            failed = builder.or_(failed, native.is_error)
    return failed
