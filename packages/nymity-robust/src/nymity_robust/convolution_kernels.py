"""Triton kernels of 3 × 3 convolutions for many networks at once, in half precision, with sums in single.

Channels lie last: images (members, n, H, W, C), kernels (members, 9, C_in, C_out), both in half precision. A program
computes ``block`` places of one member, all channels of them, as nine products of matrices, one for each tap:

    out[p, :] = max(0, Σ_tap in[p + tap, :] · K[tap] + b)

With ``pool`` a place is one of 2 × 2 pooled ones, and ``winner`` keeps which of the four was largest, or 4 where none
is above 0, so that no slope goes back there. The ways back give the slope of the input, where the input itself is above
0: it came out of a ReLU. Only the first layer reads and writes images as they are, (members, n, C, H, W) in single.
"""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def first_forward(
    x,
    kernel,
    bias,
    out,
    places,
    colours: tl.constexpr,
    height,
    width,
    inputs: tl.constexpr,
    channels_out: tl.constexpr,
    block: tl.constexpr,
):
    """Convolve images: the C · 9 inputs of a place are a row, padded to ``inputs``; kernel (members, inputs, C_out)."""
    member = tl.program_id(1).to(tl.int64)
    p = tl.program_id(0) * block + tl.arange(0, block)
    k, co = tl.arange(0, inputs), tl.arange(0, channels_out)
    rows, columns = height - 2, width - 2
    column, row, image = p % columns, (p // columns) % rows, p // (columns * rows)
    inside = (p < places)[:, None] & (k < colours * 9)[None, :]
    images = places // (rows * columns)
    corner = (image * colours * height + row) * width + column
    tap = ((k // 9) * height + (k % 9) // 3) * width + k % 3
    seen = tl.load(
        x + member * images * colours * height * width + corner[:, None] + tap[None, :], mask=inside, other=0.0
    )
    weights = tl.load(kernel + member * inputs * channels_out + k[:, None] * channels_out + co[None, :])
    found = tl.dot(seen.to(tl.float16), weights) + tl.load(bias + member * channels_out + co)[None, :]
    place = member * places * channels_out + p[:, None] * channels_out + co[None, :]
    tl.store(out + place, tl.maximum(found, 0.0).to(tl.float16), mask=(p < places)[:, None])


@triton.jit
def forward(
    x,
    kernel,
    bias,
    out,
    winner,
    places,
    height,
    width,
    channels_in: tl.constexpr,
    channels_out: tl.constexpr,
    pool: tl.constexpr,
    block: tl.constexpr,
):
    """Convolve one layer's output (members, n, H, W, C_in); pool it if wanted."""
    member = tl.program_id(1).to(tl.int64)
    p = tl.program_id(0) * block + tl.arange(0, block)
    ci, co = tl.arange(0, channels_in), tl.arange(0, channels_out)
    step: tl.constexpr = 2 if pool else 1
    rows, columns = (height - 2) // step, (width - 2) // step
    column, row, image = p % columns, (p // columns) % rows, p // (columns * rows)
    inside = (p < places)[:, None]
    images = places // (rows * columns)
    x += member * images * height * width * channels_in
    kernel += member * 9 * channels_in * channels_out
    corner = (image * height + row * step) * width + column * step
    best = tl.full((block, channels_out), float("-inf"), tl.float32)
    which = tl.full((block, channels_out), 0, tl.int8)
    for sub in range(step * step):
        found = tl.zeros((block, channels_out), tl.float32)
        for tap in range(9):
            at = (corner + (sub // 2 + tap // 3) * width + sub % 2 + tap % 3) * channels_in
            seen = tl.load(x + at[:, None] + ci[None, :], mask=inside, other=0.0)
            found = tl.dot(
                seen, tl.load(kernel + (tap * channels_in + ci[:, None]) * channels_out + co[None, :]), found
            )
        which = tl.where(found > best, sub, which).to(tl.int8)
        best = tl.maximum(best, found)
    best += tl.load(bias + member * channels_out + co)[None, :]
    place = member * places * channels_out + p[:, None] * channels_out + co[None, :]
    tl.store(out + place, tl.maximum(best, 0.0).to(tl.float16), mask=inside)
    if pool:
        tl.store(winner + place, tl.where(best > 0, which, 4).to(tl.int8), mask=inside)


@triton.jit
def _slope(
    slope,
    winner,
    image,
    row,
    column,
    ok,
    height,
    width,
    channels_out: tl.constexpr,
    pool: tl.constexpr,
):
    """Read the slope of a convolution's output before pooling, 0 outside and where pooling did not take it."""
    co = tl.arange(0, channels_out)
    if pool:
        rows, columns = (height - 2) // 2, (width - 2) // 2
        ok = ok & (row >= 0) & (row < 2 * rows) & (column >= 0) & (column < 2 * columns)
        at = ((image * rows + row // 2) * columns + column // 2)[:, None] * channels_out + co[None, :]
        took = tl.load(winner + at, mask=ok[:, None], other=4).to(tl.int32)
        found = tl.load(slope + at, mask=ok[:, None], other=0.0)
        found = tl.where(took == (row % 2 * 2 + column % 2)[:, None], found, 0.0)
    else:
        ok = ok & (row >= 0) & (row < height - 2) & (column >= 0) & (column < width - 2)
        at = ((image * (height - 2) + row) * (width - 2) + column)[:, None] * channels_out + co[None, :]
        found = tl.load(slope + at, mask=ok[:, None], other=0.0)
    return found


@triton.jit
def backward(
    slope,
    winner,
    x,
    kernel,
    out,
    places,
    below,
    height,
    width,
    channels_in: tl.constexpr,
    channels_out: tl.constexpr,
    pool: tl.constexpr,
    block: tl.constexpr,
):
    """Give the slope of a layer's input (members, n, H, W, C_in); kernel (members, 9, C_out, C_in).

    A member has ``below`` places in the slope of the layer's output.
    """
    member = tl.program_id(1).to(tl.int64)
    p = tl.program_id(0) * block + tl.arange(0, block)
    ci, co = tl.arange(0, channels_in), tl.arange(0, channels_out)
    column, row, image = p % width, (p // width) % height, p // (width * height)
    ok = p < places
    slope += member * below * channels_out
    winner += member * below * channels_out
    kernel += member * 9 * channels_out * channels_in
    found = tl.zeros((block, channels_in), tl.float32)
    for tap in range(9):
        came = _slope(slope, winner, image, row - tap // 3, column - tap % 3, ok, height, width, channels_out, pool)
        weights = tl.load(kernel + (tap * channels_out + co[:, None]) * channels_in + ci[None, :])
        found = tl.dot(came.to(tl.float16), weights, found)
    place = member * places * channels_in + p[:, None] * channels_in + ci[None, :]
    passed = tl.load(x + place, mask=ok[:, None], other=0.0) > 0
    tl.store(out + place, tl.where(passed, found, 0.0).to(tl.float16), mask=ok[:, None])


@triton.jit
def first_backward(
    slope,
    kernel,
    out,
    places,
    colours: tl.constexpr,
    height,
    width,
    channels_out: tl.constexpr,
    padded: tl.constexpr,
    block: tl.constexpr,
):
    """Give the slope of the images (members, n, C, H, W) in single; kernel (members, 9, C_out, padded)."""
    member = tl.program_id(1).to(tl.int64)
    p = tl.program_id(0) * block + tl.arange(0, block)
    c, co = tl.arange(0, padded), tl.arange(0, channels_out)
    column, row, image = p % width, (p // width) % height, p // (width * height)
    ok = p < places
    images = places // (height * width)
    slope += member * images * (height - 2) * (width - 2) * channels_out
    kernel += member * 9 * channels_out * padded
    found = tl.zeros((block, padded), tl.float32)
    for tap in range(9):
        came = _slope(slope, slope, image, row - tap // 3, column - tap % 3, ok, height, width, channels_out, False)
        found = tl.dot(came, tl.load(kernel + (tap * channels_out + co[:, None]) * padded + c[None, :]), found)
    at = (
        member * places * colours
        + (image * colours * height + row)[:, None] * width
        + column[:, None]
        + c[None, :] * height * width
    )
    tl.store(out + at, found, mask=ok[:, None] & (c < colours)[None, :])
