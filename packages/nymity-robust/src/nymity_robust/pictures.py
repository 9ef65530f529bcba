"""Pictures: images as PNG files, made with nothing but the standard library."""

from __future__ import annotations

import struct
import zlib

import torch
from torch import Tensor
from torch.nn.functional import pad


def png(image: Tensor) -> bytes:
    """Encode pixels (1 or 3, height, width) in [0, 1] as a PNG file: grey or RGB, 8 bits, no filter."""
    pixels = (image.detach().cpu().clamp(0, 1) * 255).round().byte().permute(1, 2, 0).contiguous()
    height, width, channels = pixels.shape
    rows = b"".join(b"\0" + bytes(row.flatten().tolist()) for row in pixels)
    header = struct.pack(">IIBBBBB", width, height, 8, 0 if channels == 1 else 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, content) for kind, content in parts)


def contact_sheet(images: Tensor) -> Tensor:
    """Lay images (rows, columns, channels, height, width) out as one, with a grey line between them."""
    framed = pad(images, (1, 1, 1, 1), value=0.5)
    return torch.cat([torch.cat(list(row), dim=2) for row in framed], dim=1)


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
