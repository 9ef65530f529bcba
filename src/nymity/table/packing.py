"""Packing of codes: one bit field per attribute in as many 64-bit words as it takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class KeyLayout:
    """Where each attribute's code lies in a packed key: word, shift and mask, each (n_attributes,) uint64.

    Fields never straddle words, so any number of attributes of any cardinality fits: 100 attributes of 13 bits take
    25 words.
    """

    n_words: int
    word: NDArray[np.uint64]
    shift: NDArray[np.uint64]
    mask: NDArray[np.uint64]

    @staticmethod
    def for_sizes(sizes: Sequence[int]) -> KeyLayout:
        """Lay out fields wide enough for codes below each of ``sizes``, first fit."""
        word, shift, mask = [], [], []
        current = used = 0
        for size in sizes:
            # One bit at least, so that a field of one value has a mask, too.
            bits = max(1, (size - 1).bit_length())
            if used + bits > 64:
                current, used = current + 1, 0
            word.append(current)
            shift.append(used)
            mask.append((1 << bits) - 1)
            used += bits
        return KeyLayout(current + 1, *(np.array(part, dtype=np.uint64) for part in (word, shift, mask)))

    def pack(self, codes: Sequence[NDArray[Any]]) -> NDArray[np.uint64]:
        """Pack one code array per attribute, each (n,), into keys (n, n_words)."""
        keys = np.zeros((len(codes[0]) if len(codes) else 0, self.n_words), dtype=np.uint64)
        for attribute, column in enumerate(codes):
            keys[:, int(self.word[attribute])] |= column.astype(np.uint64) << self.shift[attribute]
        return keys

    def pack_values(self, codes: Sequence[NDArray[Any]], values: Sequence[NDArray[Any]]) -> NDArray[np.uint64]:
        """Pack the codes that one array per attribute, (n_values,), has for the values of rows, each (n,)."""
        keys = np.zeros((len(values[0]) if len(values) else 0, self.n_words), dtype=np.uint64)
        for attribute, (of_value, column) in enumerate(zip(codes, values, strict=True)):
            shifted = of_value.astype(np.uint64) << self.shift[attribute]  # once for each value, not for each row
            keys[:, int(self.word[attribute])] |= shifted[column]
        return keys
