"""What all pages share: threads, which those who wait for their turn do not hold."""

from __future__ import annotations

import asyncio
import threading

from nymity.workbench.parts import OneAtATime, in_thread


def test_who_waits_for_a_turn_keeps_nobody_else_waiting() -> None:
    """A hundred pages ask for what takes long; somebody else's work goes on, and only then does the first one end."""
    ended, counted, left = threading.Event(), [], False

    def count(number: int) -> int:
        assert ended.wait(20), "nobody else got a thread"
        counted.append(number)
        return number

    async def pages() -> list[int | None]:
        nonlocal left
        turns = OneAtATime()
        waiting = [asyncio.create_task(turns.in_thread(lambda: not left, count, number)) for number in range(100)]
        await asyncio.sleep(0)
        await in_thread(ended.set)
        assert await waiting[0] == 0
        left = True
        return await asyncio.gather(*waiting)

    found = asyncio.run(pages())
    assert [one for one in found if one is not None] == counted
    assert len(counted) < 100, "what nobody waits for any more is not counted"
