"""What processors do in one step and numba has no word for: whole words of bytes, and where bytes are among 64.

Bytes are (n,) uint8; the caller keeps the step within them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir

from nymity.kernels.kept import config, intrinsic, types

#: Without numba's compiler there are no steps of the processor.
ARE_THERE = not config.DISABLE_JIT

_BYTE, _WORD = ir.IntType(8), ir.IntType(64)
_BYTES = ir.VectorType(_BYTE, 64)

Lowered = tuple[Any, Callable[..., Any]]


@intrinsic
def eight_bytes(_typing: Any, data: Any, _at: Any) -> Lowered:
    """Return the eight bytes from a place on as a number, the first byte lowest where processors have it so."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _loaded(context, builder, signature, arguments, _WORD)

    return types.uint64(data, types.int64), lower


@intrinsic
def equal_bytes(_typing: Any, data: Any, _at: Any, _byte: Any) -> Lowered:
    """Compare the 64 bytes from a place on with one byte, and return a bit for each, the first lowest."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        there = _loaded(context, builder, signature, arguments, _BYTES)
        nothing, first = ir.Constant(_BYTES, ir.Undefined), ir.Constant(ir.IntType(32), 0)
        one = builder.insert_element(nothing, arguments[2], first)
        every = builder.shuffle_vector(one, nothing, ir.Constant(ir.VectorType(ir.IntType(32), 64), [0] * 64))
        return builder.bitcast(builder.icmp_unsigned("==", there, every), _WORD)

    return types.uint64(data, types.int64, types.uint8), lower


@intrinsic
def lowest_bit(_typing: Any, _bits: Any) -> Lowered:
    """Return the place of the lowest bit of a number that is not zero."""

    def lower(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), lower


def _loaded(context: Any, builder: Any, signature: Any, arguments: Any, kind: Any) -> Any:
    """Load what begins at any byte, wherever words begin."""
    data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
    place = builder.bitcast(builder.gep(data, [arguments[1]]), kind.as_pointer())
    loaded = builder.load(place)
    loaded.align = 1
    return loaded
