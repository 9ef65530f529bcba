"""Cells of delimited text: where they end, and a number for each different one of a column.

Text comes in blocks of UTF-8 without NUL; ``block`` (n,) uint8 has at least 64 zeros after the text. A cell of up to
sixteen bytes is two numbers of 64 bits, ``low`` and ``high``, the first byte lowest, and no other cell has the same
two; of a longer one, ``low`` is a hash and ``high`` says where it lies, and how long it is. The byte 0xFF, which UTF-8
does not have, marks hashes as such.

Cells of a column with few and short values are numbered as they are cut. Those of others are numbered column by column,
so that the tables of all need not be in reach at once.
"""

from __future__ import annotations

import numpy as np

from nymity.kernels.compiled import njit
from nymity.kernels.instructions import eight_bytes, equal_bytes, lowest_bit

#: A column has few values as long as half of so many slots are enough for them.
FEW_BITS = 12
FEW = 1 << (FEW_BITS - 1)

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_ALL, _MARK = np.uint64(0xFFFFFFFFFFFFFFFF), np.uint64(0xFF00000000000000)
_ONE, _EIGHT, _HALF, _SHIFT = np.uint64(1), np.uint64(8), np.uint64(32), np.uint64(29)
#: Cells that are looked up together.
_AHEAD = 64
_LOWER = np.uint64(0xFFFFFFFF)
_NEWLINE, _QUOTE = np.uint8(10), np.uint8(34)
_FEW_SHIFT, _FEW_LAST = np.uint64(64 - FEW_BITS), np.int64((1 << FEW_BITS) - 1)


@njit(cache=True, nogil=True)
def find_ends(block, size, delimiter, ends):
    """Write to ``ends`` where delimiters and line ends are; return how many."""
    n = 0
    for at in range(0, size, 64):
        found = equal_bytes(block, at, delimiter) | equal_bytes(block, at, _NEWLINE)
        while found != 0:
            ends[n] = at + lowest_bit(found)
            n += 1
            found &= found - _ONE
    return n


@njit(cache=True, nogil=True)
def find_ends_outside_quotes(block, size, delimiter, ends):
    """As :func:`find_ends`, of text that starts outside of quotes; a doubled quote closes and opens again."""
    n, inside = 0, np.uint64(0)
    for at in range(0, size, 64):
        quoted = equal_bytes(block, at, _QUOTE)
        for step in (1, 2, 4, 8, 16, 32):  # a byte is inside where quotes up to it are odd
            quoted ^= quoted << np.uint64(step)
        quoted ^= inside
        inside = _ALL if quoted >> np.uint64(63) else np.uint64(0)
        found = (equal_bytes(block, at, delimiter) | equal_bytes(block, at, _NEWLINE)) & ~quoted
        while found != 0:
            ends[n] = at + lowest_bit(found)
            n += 1
            found &= found - _ONE
    return n


@njit(cache=True, nogil=True)
def cut_cells(block, ends, few, words, counts, since, wide, low, high, codes):
    """Number the cells of columns with few values, and write the numbers of others to ``low`` and ``high``.

    ``low``, ``high`` and ``codes`` are (n_fields, n_rows). A column has few values in the rows before ``since``
    (n_fields,), which is set here where it gets too many or one of more than eight bytes. ``few`` (n_fields,
    2**FEW_BITS, 2) has a cell and, packed, its number and count in each slot, ``words`` (n_fields, FEW + 1) the cell of
    each number, ``counts`` (n_fields, 2) how many different and how many empty cells there were. ``high`` is written
    for ``wide`` columns (n_fields,) alone: those with cells of more than eight bytes, in this block or an earlier one.

    Returns whether lines end after the last cell of each row, and nowhere else.
    """
    fields, rows = low.shape
    regular, start, at = True, np.int64(0), 0
    for row in range(rows):
        for field in range(fields):
            end = np.int64(ends[at])
            at += 1
            length = end - start
            last = field == fields - 1
            regular &= (block[end] == _NEWLINE) == last
            if last and length > 0 and block[end - 1] == 13:
                length -= 1
            if length > 8:
                since[field] = min(since[field], row)
                if not wide[field]:
                    wide[field] = True
                    high[field, since[field] : row] = 0
                low[field, row], high[field, row] = _long(block, start, length)
            else:
                word = eight_bytes(block, start) & (_ALL >> np.uint64(64 - 8 * length)) if length > 0 else np.uint64(0)
                code = -1
                if row < since[field]:
                    code = _number_of_few(word, few[field], words[field], counts[field])
                    if code < 0:
                        since[field] = row
                if code < 0:
                    low[field, row] = word
                    if wide[field]:
                        high[field, row] = 0
                else:
                    codes[field, row] = code
            start = end + 1
    return regular


@njit(cache=True, nogil=True)
def _number_of_few(word, slots, words, counts):
    """Return the number of a cell among few, which may be new, and count it; -1 if there are too many."""
    if word == 0:
        counts[1] += 1
        return 0
    slot = np.int64((word * _MULTIPLIER) >> _FEW_SHIFT)
    while True:
        there = slots[slot, 0]
        if there == word:
            packed = slots[slot, 1]
            slots[slot, 1] = packed + _ONE
            return np.int64(packed >> _HALF)
        if there == 0:
            break
        slot = (slot + 1) & _FEW_LAST
    if counts[0] == FEW:
        return -1
    counts[0] += 1
    words[counts[0]] = word
    slots[slot, 0], slots[slot, 1] = word, (np.uint64(counts[0]) << _HALF) | _ONE
    return counts[0]


@njit(cache=True, nogil=True)
def _long(block, start, length):
    """Return the two numbers of a cell of more than eight bytes."""
    if length <= 16:
        rest = eight_bytes(block, start + 8) & (_ALL >> np.uint64(128 - 8 * length))
        return eight_bytes(block, start), rest
    return _hashed(block, start, length), (np.uint64(start) << _HALF) | np.uint64(length)


@njit(cache=True, nogil=True)
def number_short(low, row, table, bits, kept, state, codes):
    """As :func:`number_cells`, where no cell of the column has more than eight bytes."""
    last = np.uint64((len(table) >> 1) - 1)
    shift = np.uint64(64 - bits)
    values, empty = state[0], state[2]
    most = min(len(table) >> 2, len(kept) - 1)
    slots = np.empty(_AHEAD, np.uint64)
    while row < len(low):
        n, touched = min(_AHEAD, len(low) - row), np.uint64(0)
        for i in range(n):
            slot = (low[row + i] * _MULTIPLIER) >> shift
            slots[i] = slot
            touched ^= table[2 * slot]
        state[3] = np.int64(touched & _ONE)  # or the reads would be left out
        for i in range(n):
            word, slot = low[row], slots[i]
            if word == 0:
                codes[row] = 0
                empty += 1
                row += 1
                continue
            found = table[2 * slot]
            while found != word and found != 0:
                slot = (slot + _ONE) & last
                found = table[2 * slot]
            if found == 0:
                if values >= most:
                    state[0], state[2] = values, empty
                    return row
                values += 1
                kept[values] = word
                table[2 * slot] = word
                table[2 * slot + 1] = np.uint64(values) << _HALF
            packed = table[2 * slot + 1] + _ONE
            table[2 * slot + 1] = packed
            codes[row] = packed >> _HALF
            row += 1
    state[0], state[2] = values, empty
    return row


@njit(cache=True, nogil=True)
def number_cells(low, high, row, block, table, bits, kept_low, kept_high, arena, state, codes):
    """Number the cells of one column from ``row`` on, in the order in which they first occur; empty cells are 0.

    ``table`` (2 * 2**bits,) has a key and, packed, number and count in each slot. ``kept_low`` and ``kept_high`` (n,)
    have both numbers of each value, of which the text of one of more than 16 bytes lies in ``arena``, whose last 16
    bytes stay free. ``state`` has the number of values, the bytes of the arena in use and the number of empty cells.
    Returns the row at which one of them is full, or how many rows there are.
    """
    last = np.uint64((len(table) >> 1) - 1)
    values, used, empty = state[0], state[1], state[2]
    most = min(len(table) >> 2, len(kept_low) - 1)
    keys, slots = np.empty(_AHEAD, np.uint64), np.empty(_AHEAD, np.uint64)
    ahead = _AHEAD
    while row < len(low):
        if ahead == _AHEAD:
            _look_ahead(low, high, row, table, np.uint64(64 - bits), kept_low, kept_high, arena, keys, slots, state)
            ahead = 0
        lower = low[row]
        if lower == 0:
            codes[row] = 0
            empty += 1
            row, ahead = row + 1, ahead + 1
            continue
        higher, key, slot = high[row], keys[ahead], slots[ahead]
        code = np.int64(0)
        while True:
            found = table[2 * slot]
            if found == 0:
                break
            if found == key:
                packed = table[2 * slot + 1]
                number = np.int64(packed >> _HALF)
                if higher == 0 or (
                    kept_low[number] == lower and _same_rest(lower, higher, kept_high[number], block, arena)
                ):
                    table[2 * slot + 1] = packed + _ONE
                    code = number
                    break
            slot = (slot + _ONE) & last
        if code == 0:
            length = np.int64(higher & _LOWER) if lower >= _MARK else 0
            if values >= most or used + length > len(arena) - 16:
                break
            values += 1
            code = values
            table[2 * slot] = key
            table[2 * slot + 1] = (np.uint64(code) << _HALF) | _ONE
            if length:
                begin = np.int64(higher >> _HALF)
                arena[used : used + length] = block[begin : begin + length]
                higher = (np.uint64(used) << _HALF) | np.uint64(length)
                used += length
            kept_low[code], kept_high[code] = lower, higher
        codes[row] = code
        row, ahead = row + 1, ahead + 1
    state[0], state[1], state[2] = values, used, empty
    return row


@njit(cache=True, nogil=True)
def _same_rest(lower, higher, kept, block, arena):
    """Return whether cells are the same of which the first numbers are; the second is of one in the arena."""
    if lower < _MARK:
        return higher == kept
    length = np.int64(higher & _LOWER)
    if length != np.int64(kept & _LOWER):
        return False
    one, other = np.int64(higher >> _HALF), np.int64(kept >> _HALF)
    while length > 8:
        if eight_bytes(block, one) != eight_bytes(arena, other):
            return False
        one, other, length = one + 8, other + 8, length - 8
    differ = eight_bytes(block, one) ^ eight_bytes(arena, other)
    return differ & (_ALL >> np.uint64(64 - 8 * length)) == 0


@njit(cache=True, nogil=True)
def _look_ahead(low, high, row, table, shift, kept_low, kept_high, arena, keys, slots, state):
    """Write keys and first slots of the next cells, and touch what will be looked at.

    Tables are larger than caches; reads that do not wait for each other take a fraction of the time.
    """
    touched = np.uint64(0)
    n = min(_AHEAD, len(low) - row)
    long = hashed = False
    for i in range(n):
        lower, higher = low[row + i], high[row + i]
        key = lower
        if higher != 0:
            long = True
            if lower < _MARK:
                key = (((lower * _MULTIPLIER) ^ higher) * _MULTIPLIER >> _EIGHT) | _MARK
            else:
                hashed = True
        keys[i] = key
        slots[i] = (key * _MULTIPLIER) >> shift
        touched ^= table[2 * slots[i]]
    if long:
        for i in range(n):
            number = table[2 * slots[i] + 1] >> _HALF
            touched ^= kept_low[number] ^ kept_high[number]
    if hashed:
        for i in range(n):
            number = table[2 * slots[i] + 1] >> _HALF
            if kept_low[number] >= _MARK:
                touched ^= np.uint64(arena[kept_high[number] >> _HALF])
    state[3] = np.int64(touched & _ONE)  # or the reads would be left out


@njit(cache=True, nogil=True)
def number_again(table, larger, bits):
    """Copy the slots of a table into a larger one."""
    last = np.uint64((len(larger) >> 1) - 1)
    for old in range(len(table) >> 1):
        key = table[2 * old]
        if key != 0:
            slot = (key * _MULTIPLIER) >> np.uint64(64 - bits)
            while larger[2 * slot] != 0:
                slot = (slot + _ONE) & last
            larger[2 * slot] = key
            larger[2 * slot + 1] = table[2 * old + 1]


@njit(cache=True, nogil=True)
def _hashed(block, start, length):
    mixed = np.uint64(length)
    while length > 0:
        word = eight_bytes(block, start)
        if length < 8:
            word &= _ALL >> np.uint64(64 - 8 * length)
        mixed = (mixed ^ word) * _MULTIPLIER
        mixed ^= mixed >> _SHIFT
        start, length = start + 8, length - 8
    return mixed | _MARK


@njit(cache=True, nogil=True)
def counted(table, times):
    """Write how often each value occurs to its place in ``times``."""
    for slot in range(1, len(table), 2):
        times[table[slot] >> _HALF] = table[slot] & _LOWER


@njit(cache=True, nogil=True)
def write_texts(kept_low, kept_high, values, arena, texts):
    """Write the values from 1 on with a zero after each; return how many bytes, and the length of the longest."""
    used, longest = np.int64(0), np.int64(0)
    for number in range(1, values + 1):
        begin = used
        lower, higher = kept_low[number], kept_high[number]
        if lower >= _MARK:
            start, length = np.int64(higher >> _HALF), np.int64(higher & _LOWER)
            texts[used : used + length] = arena[start : start + length]
            used += length
        else:
            for word in (lower, higher):
                while word != 0:  # text has no zeros
                    texts[used] = word & np.uint64(0xFF)
                    used += 1
                    word >>= _EIGHT
        longest = max(longest, used - begin)
        texts[used] = 0
        used += 1
    return used, longest
