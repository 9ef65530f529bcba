"""Cells of delimited text: where they end, and a number for each different one of a column.

Text comes in blocks of UTF-8 without NUL; ``block`` (n,) uint8 has at least 64 zeros after the text. A cell of up to
sixteen bytes is two numbers of 64 bits, ``low`` and ``high``, the first byte lowest, and no other cell has the same
two; of a longer one, ``low`` is a hash and ``high`` says where it lies, and how long it is. The byte 0xFF, which UTF-8
does not have, marks hashes as such. Dates and numbers of 9 to 14 bytes are one number all the same: the sixteen
characters from ``+`` to ``:`` differ in their lower four bits, and the topmost byte says how many there are, by one
with which no text in UTF-8 ends. A cell of one number is short.

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
#: Of cells with four bits for a character: the most bytes, what is added to how many there are for the topmost byte,
#: and what shows that a byte is in their range: its highest bit is set, or not, when these are added to all eight.
_PACKED, _PACKED_TOP, _TOP = 14, 0xC0 - 8, np.uint64(56)
_SIGNS, _ZEROS = np.uint64(0x8080808080808080), np.uint64(0x3030303030303030)
_ABOVE, _BELOW = np.uint64(0x4545454545454545), np.uint64(0x5555555555555555)
_FEW_SHIFT, _FEW_LAST = np.uint64(64 - FEW_BITS), np.int64((1 << FEW_BITS) - 1)


@njit(cache=True, nogil=True)
def _write_bits(bits, at, ends, n):
    """Write the places of the bits that are set to ``ends`` from ``n`` on, the first bit being at ``at``."""
    while bits != 0:
        ends[n] = at + lowest_bit(bits)
        n += 1
        bits &= bits - _ONE
    return n


@njit(cache=True, nogil=True)
def find_ends(block, size, delimiter, ends):
    """Write to ``ends`` where delimiters and line ends are; return how many."""
    n = 0
    for at in range(0, size, 64):
        found = equal_bytes(block, at, delimiter) | equal_bytes(block, at, _NEWLINE)
        n = _write_bits(found, at, ends, n)
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
        n = _write_bits(found, at, ends, n)
    return n


@njit(cache=True, nogil=True)
def cut_cells(block, ends, few, words, counts, since, wide, low, high, codes):
    """Number the cells of columns with few values, and write the numbers of others to ``low`` and ``high``.

    ``low``, ``high`` and ``codes`` are (n_fields, n_rows). A column has few values in the rows before ``since``
    (n_fields,), which is set here where it gets too many or one that is not short. ``few`` (n_fields,
    2**FEW_BITS, 2) has a cell and, packed, its number and count in each slot, ``words`` (n_fields, FEW + 1) the cell of
    each number, ``counts`` (n_fields, 2) how many different and how many empty cells there were. ``high`` is written
    for ``wide`` columns (n_fields,) alone: those with cells that are not short, in this block or an earlier one.

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
            # Lines may end in CR LF; the last cell does not have the CR.
            if last and length > 0 and block[end - 1] == 13:
                length -= 1
            word = _short(block, start, length) if length > 0 else np.uint64(0)
            if length > 8 and word == 0:
                since[field] = min(since[field], row)
                if not wide[field]:
                    wide[field] = True
                    # So far no cell of this column needed a second number, and none was written.
                    high[field, since[field] : row] = 0
                low[field, row], high[field, row] = _long(block, start, length)
            else:
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
def _short(block, start, length):
    """Return the number of a cell that is one, 0 if it takes two."""
    first = eight_bytes(block, start)
    if length <= 8:
        return first & (_ALL >> np.uint64(64 - 8 * length))
    if length > _PACKED or not _is_packed(first):
        return np.uint64(0)
    there = _ALL >> np.uint64(128 - 8 * length)
    second = (eight_bytes(block, start + 8) & there) | (_ZEROS & ~there)
    if not _is_packed(second):
        return np.uint64(0)
    return _halved(first) | (_halved(second) << _HALF) | (np.uint64(_PACKED_TOP + length) << _TOP)


@njit(cache=True, nogil=True)
def _is_packed(eight):
    """Return whether eight bytes are characters from ``+`` to ``:``."""
    return ((eight | (eight + _ABOVE)) & _SIGNS) == 0 and ((eight + _BELOW) & _SIGNS) == _SIGNS


@njit(cache=True, nogil=True)
def _halved(eight):
    """Return the lower four bits of eight bytes, in 32."""
    eight &= np.uint64(0x0F0F0F0F0F0F0F0F)
    eight = (eight | (eight >> np.uint64(4))) & np.uint64(0x00FF00FF00FF00FF)
    eight = (eight | (eight >> _EIGHT)) & np.uint64(0x0000FFFF0000FFFF)
    return (eight | (eight >> np.uint64(16))) & _LOWER


@njit(cache=True, nogil=True)
def _long(block, start, length):
    """Return the two numbers of a cell that is not short."""
    if length <= 16:
        rest = eight_bytes(block, start + 8) & (_ALL >> np.uint64(128 - 8 * length))
        return eight_bytes(block, start), rest
    return _hashed(block, start, length), (np.uint64(start) << _HALF) | np.uint64(length)


@njit(cache=True, nogil=True)
def number_short(low, row, table, bits, kept, state, codes):
    """As :func:`number_cells`, where all cells of the column are short."""
    last, shift = np.int64(len(table) - 1), np.uint64(64 - bits)
    values, most = state[0], min(len(table) >> 1, len(kept) - 1)
    # A batch of slots is read, then a batch of values: memory answers many of them at once.
    numbers, there = np.empty(_AHEAD, np.uint32), np.empty(_AHEAD, np.uint64)
    while row < len(low):
        n = min(_AHEAD, len(low) - row)
        for i in range(n):
            word = low[row + i]
            numbers[i] = table[(word * _MULTIPLIER) >> shift] if word != 0 else 0
        for i in range(n):
            there[i] = kept[numbers[i]]
        for i in range(n):
            word, number = low[row], np.int64(numbers[i])
            # Another value, or one that this batch has added since the slot was read: look again.
            if there[i] != word:
                slot = np.int64((word * _MULTIPLIER) >> shift)
                number = np.int64(table[slot])
                while number != 0 and kept[number] != word:
                    slot = (slot + 1) & last
                    number = np.int64(table[slot])
                if number == 0:
                    if values >= most:
                        state[0] = values
                        return row
                    values += 1
                    number = values
                    kept[number], table[slot] = word, number
            codes[row] = number
            row += 1
    state[0] = values
    return row


@njit(cache=True, nogil=True)
def number_cells(low, high, row, block, table, bits, kept_low, kept_high, arena, state, codes):
    """Number the cells of one column from ``row`` on, in the order in which they first occur; empty cells are 0.

    ``table`` (2**bits,) has the number of a value in each slot. ``kept_low`` and ``kept_high`` (n,) have both words of
    each value, of which the text of one of more than 16 bytes lies in ``arena``, whose last 16 bytes stay free; value 0
    is the empty cell. ``state`` has the number of values and the bytes of the arena in use. Returns the row at which
    one of them is full, or how many rows there are.
    """
    last, shift = np.int64(len(table) - 1), np.uint64(64 - bits)
    values, used = state[0], state[1]
    most = min(len(table) >> 1, len(kept_low) - 1)
    slots, ahead = np.empty(_AHEAD, np.int64), _AHEAD
    while row < len(low):
        if ahead == _AHEAD:
            _look_ahead(low, high, row, table, shift, kept_low, kept_high, arena, slots, state)
            ahead = 0
        lower, higher, slot = low[row], high[row], slots[ahead]
        number = np.int64(table[slot]) if lower != 0 else np.int64(0)
        while kept_low[number] != lower or not _same_rest(lower, higher, kept_high[number], block, arena):
            if number == 0:
                break
            slot = (slot + 1) & last
            number = np.int64(table[slot])
        if number == 0 and lower != 0:
            length = np.int64(higher & _LOWER) if lower >= _MARK else 0
            if values >= most or used + length > len(arena) - 16:
                break
            values += 1
            number = values
            table[slot] = number
            if length:
                begin = np.int64(higher >> _HALF)
                arena[used : used + length] = block[begin : begin + length]
                higher = (np.uint64(used) << _HALF) | np.uint64(length)
                used += length
            kept_low[number], kept_high[number] = lower, higher
        codes[row] = number
        row, ahead = row + 1, ahead + 1
    state[0], state[1] = values, used
    return row


@njit(cache=True, nogil=True)
def _slot(lower, higher, shift):
    """Return where a cell is looked for first; what a hash does not hold is where the text lies."""
    mixed = lower * _MULTIPLIER
    if higher != 0 and lower < _MARK:
        mixed = (mixed ^ higher) * _MULTIPLIER
    return np.int64(mixed >> shift)


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
def _look_ahead(low, high, row, table, shift, kept_low, kept_high, arena, slots, state):
    """Write the first slots of the next cells, and touch what will be looked at.

    Tables are larger than caches; reads that do not wait for each other take a fraction of the time.
    """
    touched = np.uint64(0)
    n = min(_AHEAD, len(low) - row)
    hashed = False
    for i in range(n):
        lower = low[row + i]
        hashed |= lower >= _MARK
        slots[i] = _slot(lower, high[row + i], shift)
        touched ^= np.uint64(table[slots[i]])
    for i in range(n):
        number = table[slots[i]]
        touched ^= kept_low[number] ^ kept_high[number]
    if hashed:
        for i in range(n):
            number = table[slots[i]]
            if kept_low[number] >= _MARK:
                touched ^= np.uint64(arena[kept_high[number] >> _HALF])
    state[2] = np.int64(touched & _ONE)  # or the reads would be left out


@njit(cache=True, nogil=True)
def number_again(kept_low, kept_high, values, table, bits):
    """Write the numbers of values into a larger table, which is empty; without ``kept_high`` all are short."""
    last, shift = np.int64(len(table) - 1), np.uint64(64 - bits)
    for number in range(1, values + 1):
        slot = _slot(kept_low[number], kept_high[number] if len(kept_high) else np.uint64(0), shift)
        while table[slot] != 0:
            slot = (slot + 1) & last
        table[slot] = number


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
def counted_few(slots, times):
    """Write how often each of few values occurs to its place in ``times``."""
    for slot in range(len(slots)):
        times[slots[slot, 1] >> _HALF] = slots[slot, 1] & _LOWER


@njit(cache=True, nogil=True)
def counted(codes, times):
    """Count how often each number occurs."""
    for code in codes:
        times[code] += 1


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
        elif higher == 0 and lower >> _TOP > np.uint64(_PACKED_TOP + 8):
            for _ in range(np.int64(lower >> _TOP) - _PACKED_TOP):
                four = lower & np.uint64(0xF)
                texts[used] = four + np.uint64(0x20 if four > 0xA else 0x30)
                used += 1
                lower >>= np.uint64(4)
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
