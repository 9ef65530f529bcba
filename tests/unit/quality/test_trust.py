"""The figures that come with nymity: how often metrics picked the more useful of two releases."""

from __future__ import annotations

import pytest

from nymity.core.errors import ParameterError
from nymity.publishing.comparing.metrics import METRICS
from nymity.quality import LOSSES
from nymity.quality.trust import measured_trust, picked, trust_source


def test_what_was_studied_exists() -> None:
    assert set(measured_trust()) <= {*LOSSES, *METRICS, "learnability"}


def test_what_was_not_studied_says_so() -> None:
    assert picked("toy") == "not studied yet"
    assert picked("loss") == f"{measured_trust()['loss'].overall.rate:.0%}"


def test_shares_lie_within_their_intervals() -> None:
    for trust in measured_trust().values():
        assert len(trust.by_utility) == 6
        for share in (trust.overall, *trust.by_utility.values()):
            assert 0 < share.low <= share.rate <= share.high < 1
            assert share.pairs in (8_000, 12_000)  # metrics of levels are defined for two of three algorithms


def test_it_is_told_what_they_were_measured_on() -> None:
    about = trust_source()
    assert (about["name"], about["scale"], about["releases"]) == ("metrics", "full", 2400)
    assert about["steps"] == about["planned"]  # a whole run
    assert about["data"] == ["birth", "ring", "adult", "heart"]
    assert "encodings" not in about


def test_figures_of_both_encodings_come_with_it() -> None:
    ours, theirs = measured_trust(), measured_trust("as published")
    assert set(ours) == set(theirs)
    assert ours is measured_trust("joined") or ours == measured_trust("joined")
    assert ours["loss"] != theirs["loss"]
    with pytest.raises(ParameterError, match="encoding"):
        measured_trust("other")
