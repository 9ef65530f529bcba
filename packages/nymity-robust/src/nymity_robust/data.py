"""Data: MNIST and CIFAR-10 from the folder that ``NYMITY_DATA`` names, and generated images for tests and examples.

    mnist/train-images-idx3-ubyte.gz      mnist/train-labels-idx1-ubyte.gz      60,000 images of 28 × 28
    mnist/t10k-images-idx3-ubyte.gz       mnist/t10k-labels-idx1-ubyte.gz       10,000
    cifar10/cifar10_train_jpeg.npz        cifar10/cifar10_test_jpeg.npz         50,000 and 10,000 of 3 × 32 × 32

An npz of CIFAR-10 holds ``jpeg`` (all files, one after the other), ``offsets`` and ``labels``. JPEG is lossy, so every
figure made from it says so.
"""

from __future__ import annotations

import gzip
import io
import os
import zipfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from nymity.core.errors import FileError
from nymity.core.validation import one_of, whole_number
from nymity_robust.images import LabelledImages
from nymity_robust.seeds import generator

#: The environment variable that names the folder.
DATA_VARIABLE = "NYMITY_DATA"

#: Stated beside every figure from this copy of CIFAR-10.
JPEG_REMARK = "CIFAR-10 from a JPEG copy (lossy)"


def load_images(name: str, split: str = "train") -> LabelledImages:
    """Load ``mnist``, ``cifar10`` or ``generated`` images: ``train`` or ``test``."""
    one_of("split", split, ("train", "test"))
    one_of("data", name, _LOADERS)
    return _LOADERS[name](split)


def mnist(split: str = "train") -> LabelledImages:
    """Read the idx files of MNIST (LeCun, Cortes & Burges)."""
    stem = "train" if split == "train" else "t10k"
    pixels = _idx(_file("mnist", f"{stem}-images-idx3-ubyte.gz"), dimensions=3)
    labels = _idx(_file("mnist", f"{stem}-labels-idx1-ubyte.gz"), dimensions=1)
    return _labelled("mnist", pixels[:, None], labels)


def cifar10(split: str = "train") -> LabelledImages:
    """Read CIFAR-10 (Krizhevsky 2009) from JPEG files in one npz; decoding needs Pillow."""
    path = _file("cifar10", f"cifar10_{split}_jpeg.npz")
    try:
        with np.load(path) as archive:
            jpeg, offsets, labels = archive["jpeg"], archive["offsets"], archive["labels"]
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise _not_understood(path, "an npz with jpeg, offsets and labels", error) from error
    decode = _jpeg_decoder()
    pixels = np.stack([decode(jpeg[a:b].tobytes()) for a, b in pairwise(offsets)])
    return _labelled("cifar10", pixels.transpose(0, 3, 1, 2), labels, remark=JPEG_REMARK)


def generated(
    count: int = 600,
    *,
    shape: tuple[int, int, int] = (1, 16, 16),
    classes: int = 10,
    seed: int = 0,
    split: str = "train",
) -> LabelledImages:
    """Draw images of simple shapes: one pattern of strokes per class, moved by up to a pixel, with noise.

    The patterns follow from the seed alone; ``train`` and ``test`` are different draws of the same patterns.
    """
    whole_number("generated.count", count, at_least=1)
    cpu = torch.device("cpu")
    patterns = (torch.rand((classes, *shape), generator=generator(cpu, seed, "patterns")) < 0.25).float()
    source = generator(cpu, seed, "images", split)
    labels = torch.arange(count) % classes
    moves = torch.randint(-1, 2, (count, 2), generator=source)
    moved = [
        patterns[label].roll((int(down), int(right)), (1, 2))
        for label, (down, right) in zip(labels, moves, strict=True)
    ]
    ink = 0.6 + 0.4 * torch.rand((count, 1, 1, 1), generator=source)
    noise = 0.08 * torch.randn((count, *shape), generator=source)
    images = (torch.stack(moved) * ink + noise).clamp(0, 1)
    return LabelledImages(name="generated", images=images, labels=labels, classes=classes)


_LOADERS: dict[str, Callable[[str], LabelledImages]] = {
    "mnist": mnist,
    "cifar10": cifar10,
    "generated": lambda split: generated(2_000 if split == "train" else 400, split=split),
}


# -- files ---------------------------------------------------------------------------------------------------


def _file(folder: str, name: str) -> Path:
    root = os.environ.get(DATA_VARIABLE, "")
    path = Path(root) / folder / name
    if root and path.is_file():
        return path
    raise FileError(
        f"data set {folder!r}",
        expected=f"{name} in the folder {folder} of your data",
        got="no such file" if root else f"no folder, because {DATA_VARIABLE} is not set",
        hint=f"set the environment variable {DATA_VARIABLE} to the folder that holds {folder}, or use 'generated'",
    )


def _idx(path: Path, *, dimensions: int) -> NDArray[np.uint8]:
    """Read an idx file of bytes: two zeros, the type 8, the number of dimensions, their sizes, the values."""
    try:
        content = gzip.decompress(path.read_bytes())
        if content[:4] != bytes([0, 0, 8, dimensions]):
            raise ValueError(f"a header of {content[:4].hex()}")
        sizes = np.frombuffer(content, ">u4", count=dimensions, offset=4)
        return np.frombuffer(content, np.uint8, offset=4 + 4 * dimensions).reshape(tuple(map(int, sizes)))
    except (OSError, EOFError, ValueError) as error:
        raise _not_understood(path, f"a gzipped idx file of {dimensions} dimensions", error) from error


def _jpeg_decoder() -> Callable[[bytes], NDArray[np.uint8]]:
    from PIL import Image

    def decode(content: bytes) -> NDArray[np.uint8]:
        with Image.open(io.BytesIO(content)) as image:
            return np.asarray(image.convert("RGB"))

    return decode


def _labelled(name: str, pixels: NDArray[np.uint8], labels: NDArray[np.uint8], *, remark: str = "") -> LabelledImages:
    return LabelledImages(
        name=name,
        images=torch.from_numpy(np.ascontiguousarray(pixels, dtype=np.float32)).div_(255),
        labels=torch.from_numpy(labels.astype(np.int64)),
        remark=remark,
    )


def _not_understood(path: Path, expected: str, error: Exception) -> FileError:
    got = str(error).splitlines()[0] if str(error) else type(error).__name__
    return FileError(f"data file {path}", expected=expected, got=got, hint="fetch the file again")
