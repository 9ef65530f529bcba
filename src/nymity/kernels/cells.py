"""Cells of delimited text: where they end, and a number for each different one of a column.

Text comes in blocks of UTF-8 without NUL. ``block`` (n,) uint8 is followed by at least 16 zeros, ``words`` are its
bytes as 64-bit numbers (n / 8,), the first byte lowest. A cell of up to sixteen bytes is two such numbers, ``low`` and
``high``, and no other cell has the same two; of a longer one, ``low`` is a hash and ``high`` says where it lies. The
byte 0xFF, which UTF-8 does not have, marks hashes as such.
"""

from __future__ import annotations

import numpy as np

from nymity.kernels.compiled import njit

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_ALL, _MARK = np.uint64(0xFFFFFFFFFFFFFFFF), np.uint64(0xFF00000000000000)
_ONE, _EIGHT, _HALF, _SHIFT = np.uint64(1), np.uint64(8), np.uint64(32), np.uint64(29)
#: Cells that are looked up together.
_AHEAD = 64
_TOP, _LOWER = np.uint64(63), np.uint64(0xFFFFFFFF)


@njit(cache=True, nogil=True)
def find_ends(block, size, delimiter, ends):
    """Write to ``ends`` where delimiters and line ends are; return how many."""
    n = 0
    for i in range(size):  # without a branch, which would be guessed wrong at every cell
        byte = block[i]
        ends[n] = i
        n += (byte == delimiter) | (byte == 10)
    return n


@njit(cache=True, nogil=True)
def find_ends_outside_quotes(block, size, delimiter, ends):
    """As :func:`find_ends`, of text that starts outside of quotes; a doubled quote closes and opens again."""
    n, inside = 0, False
    for i in range(size):
        byte = block[i]
        inside ^= byte == 34
        ends[n] = i
        n += ((byte == delimiter) | (byte == 10)) & (not inside)
    return n


@njit(cache=True, nogil=True)
def cut_cells(block, words, ends, low, high):
    """Write the two numbers of each cell to ``low`` and ``high`` (n_fields, n_rows); empty cells have 0.

    Returns whether lines end after the last cell of each row, and nowhere else.
    """
    fields, rows = low.shape
    regular, start, at = True, np.int64(0), 0
    for row in range(rows):
        for field in range(fields):
            end = np.int64(ends[at])
            at += 1
            following = end + 1
            last = field == fields - 1
            regular &= (block[end] == 10) == last
            if last and end > start and block[end - 1] == 13:
                end -= 1
            length = end - start
            if length <= 8:
                high[field, row] = 0
                low[field, row] = _first(words, start, length) if length > 0 else np.uint64(0)
            elif length <= 16:
                low[field, row] = _eight(words, start)
                high[field, row] = _first(words, start + 8, length - 8)
            else:
                low[field, row] = _hashed(words, start, length)
                high[field, row] = (np.uint64(start) << _HALF) | np.uint64(length)
            start = following
    return regular


@njit(cache=True, nogil=True)
def number_cells(low, high, row, words, table, bits, pairs, starts, kept, arena, state, codes):
    """Number the cells of one column from ``row`` on, in the order in which they first occur; empty cells are 0.

    ``table`` (2 * 2**bits,) has a key and, packed, number and count in each slot. ``pairs`` (n, 2) has both numbers of
    each value, ``arena`` the texts with a zero after each, ``starts`` where they start in it, ``kept`` its bytes as
    64-bit numbers; its last 16 bytes stay free. ``state`` has the number of values, the bytes of the arena in use and
    the number of empty cells. Returns the row at which one of them is full, or how many rows there are.
    """
    last = np.uint64((len(table) >> 1) - 1)
    values, used, empty = state[0], state[1], state[2]
    most = min(len(table) >> 2, len(starts) - 1)
    keys, slots = np.empty(_AHEAD, np.uint64), np.empty(_AHEAD, np.uint64)
    ahead = 0
    while row < len(low):
        if ahead == _AHEAD or row == 0 or ahead == 0:
            _look_ahead(low, high, row, table, np.uint64(64 - bits), pairs, keys, slots, state)
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
                same = higher == 0
                if not same:
                    expected = higher if lower < _MARK else higher & _LOWER
                    same = pairs[number, 0] == lower and pairs[number, 1] == expected
                    if same and lower >= _MARK:
                        same = _alike(words, np.int64(higher >> _HALF), kept, starts[number], np.int64(expected))
                if same:
                    table[2 * slot + 1] = packed + _ONE
                    code = number
                    break
            slot = (slot + _ONE) & last
        if code == 0:
            length = np.int64(higher & _LOWER) if lower >= _MARK else 16
            if values >= most or used + length + 1 > len(arena) - 16:
                break
            values += 1
            code = values
            table[2 * slot] = key
            table[2 * slot + 1] = (np.uint64(code) << _HALF) | _ONE
            pairs[code, 0], pairs[code, 1] = lower, higher & _LOWER if lower >= _MARK else higher
            starts[code] = used
            used = _keep(lower, higher, words, arena, used)
        codes[row] = code
        row, ahead = row + 1, ahead + 1
    state[0], state[1], state[2] = values, used, empty
    return row


@njit(cache=True, nogil=True)
def _alike(words, begin, others, start, length):
    """Return whether two texts of a length are the same."""
    while length > 8:
        if _eight(words, begin) != _eight(others, start):
            return False
        begin, start, length = begin + 8, start + 8, length - 8
    return _first(words, begin, length) == _first(others, start, length)


@njit(cache=True, nogil=True)
def _look_ahead(low, high, row, table, shift, pairs, keys, slots, state):
    """Write keys and first slots of the next cells, and touch what will be looked at.

    Tables are larger than caches; reads that do not wait for each other take a fraction of the time.
    """
    touched = np.uint64(0)
    n = min(_AHEAD, len(low) - row)
    long = False
    for i in range(n):
        lower, higher = low[row + i], high[row + i]
        key = lower
        if higher != 0:
            long = True
            if lower < _MARK:
                key = (((lower * _MULTIPLIER) ^ higher) * _MULTIPLIER >> _EIGHT) | _MARK
        keys[i] = key
        slots[i] = (key * _MULTIPLIER) >> shift
        touched ^= table[2 * slots[i]]
    if long:
        for i in range(n):
            touched ^= pairs[table[2 * slots[i] + 1] >> _HALF, 0]
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
def _eight(words, start):
    """Return the eight bytes from ``start`` on, wherever words begin."""
    at, shift = start >> 3, np.uint64((start & 7) << 3)
    return (words[at] >> shift) | ((words[at + 1] << _ONE) << (_TOP - shift))


@njit(cache=True, nogil=True)
def _first(words, start, length):
    """Return the first bytes of the eight, 1 to 8 of them."""
    return _eight(words, start) & (_ALL >> np.uint64(64 - 8 * length))


@njit(cache=True, nogil=True)
def _hashed(words, start, length):
    mixed = np.uint64(length)
    while length > 0:
        mixed = (mixed ^ _first(words, start, min(length, 8))) * _MULTIPLIER
        mixed ^= mixed >> _SHIFT
        start, length = start + 8, length - 8
    return mixed | _MARK


@njit(cache=True, nogil=True)
def _keep(lower, higher, words, arena, used):
    """Write a value to the arena, a zero after it; return where the next one goes."""
    if lower >= _MARK:
        length, begin = np.int64(higher & _LOWER), np.int64(higher >> _HALF)
        for i in range(length):
            at = begin + i
            arena[used + i] = (words[at >> 3] >> np.uint64((at & 7) << 3)) & np.uint64(0xFF)
        used += length
    else:
        for word in (lower, higher):
            while word != 0:  # text has no zeros
                arena[used] = word & np.uint64(0xFF)
                used += 1
                word >>= _EIGHT
    arena[used] = 0
    return used + 1
