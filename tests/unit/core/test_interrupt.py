from __future__ import annotations

import pytest

from nymity.core.interrupt import interruptible


def test_an_interrupt_hidden_in_a_system_error_comes_out() -> None:
    with pytest.raises(KeyboardInterrupt), interruptible():
        raise SystemError("returned a result with an exception set") from KeyboardInterrupt()
    inner = SystemError("inner")
    inner.__cause__ = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt), interruptible():
        raise SystemError("outer") from inner


def test_other_errors_pass() -> None:
    with pytest.raises(SystemError, match="something else"), interruptible():
        raise SystemError("something else")
    with pytest.raises(ValueError, match="wrong"), interruptible():
        raise ValueError("wrong")
    with pytest.raises(KeyboardInterrupt), interruptible():
        raise KeyboardInterrupt
