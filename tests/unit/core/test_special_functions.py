"""Functions of scipy.special that are loaded alone are scipy's own, and scipy.special works beside them."""

from __future__ import annotations

import subprocess
import sys

ALONE = """
import sys
from nymity.core.special_functions import special_function
found = special_function("betaincinv")
print("scipy.special" in sys.modules)
import scipy.special, scipy.stats
print(scipy.special.betaincinv is found, scipy.stats.beta(3, 4).ppf(0.25) == found(3, 4, 0.25))
print(scipy.special.gammaln(5) == special_function("gammaln")(5))
"""
AFTER = """
import scipy.special
from nymity.core.special_functions import special_function
print(special_function("betaincinv") is scipy.special.betaincinv)
"""
BESIDE = """
import sys, threading
from nymity.core.special_functions import special_function
wait = threading.Event()
threading.Thread(target=wait.wait).start()
special_function("betaincinv")
wait.set()
print("scipy.special" in sys.modules)
"""


def told(program: str) -> list[str]:
    """Run a program in a process of its own, where nothing is imported yet."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_a_function_comes_without_the_package_which_can_be_imported_later() -> None:
    assert told(ALONE) == ["False", "True", "True", "True"]


def test_a_package_that_is_there_is_taken() -> None:
    assert told(AFTER) == ["True"]


def test_another_thread_never_meets_a_package_without_content() -> None:
    assert told(BESIDE) == ["True"]
