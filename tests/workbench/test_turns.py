"""Turns: who came first computes first, and what fills in later waits for what a screen is empty without."""

from __future__ import annotations

import threading
import time

from nymity.workbench.turns import Turns


def _waiting(turns: Turns, order: list[str], name: str, *, later: bool = False) -> threading.Thread:
    """Begin to wait for a turn, and come back when it is in line."""

    def work() -> None:
        with turns(later=later):
            order.append(name)

    before = sum(map(len, turns._waiting))
    thread = threading.Thread(target=work)
    thread.start()
    while sum(map(len, turns._waiting)) == before:
        time.sleep(0.001)
    return thread


def test_turns_go_in_order_and_what_fills_in_later_comes_after_them() -> None:
    turns, order = Turns(1), []
    with turns():
        threads = [_waiting(turns, order, "later one", later=True)]
        threads += [_waiting(turns, order, f"first {number}") for number in range(8)]
        threads += [_waiting(turns, order, "later two", later=True)]
    for thread in threads:
        thread.join(10)
    assert order == [*(f"first {number}" for number in range(8)), "later one", "later two"]


def test_no_more_have_a_turn_than_may_and_an_error_gives_it_back() -> None:
    turns, at_once, most = Turns(2), [], []

    def work() -> None:
        try:
            with turns():
                at_once.append(1)
                most.append(len(at_once))
                time.sleep(0.01)
                at_once.pop()
                raise ValueError
        except ValueError:
            return

    threads = [threading.Thread(target=work) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert len(most) == 12
    assert max(most) == 2
    assert turns._free == 2
