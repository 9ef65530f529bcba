"""Published figures: what the text says about them follows from the tables as transcribed."""

from __future__ import annotations

from nymity_lab.dp.comparators.printed_figures import ACCURACIES, CLASSES, DUELS, FOUAD_SUPPRESSED


def test_what_the_text_says_about_table_3() -> None:
    by = {(row.algorithm, row.dataset): row for row in ACCURACIES}
    assert len(by) == len(ACCURACIES) == 5
    naive_bayes = by["DPNB", "Nursery"]
    assert round(naive_bayes.competitor - naive_bayes.safepub, 3) == 0.063  # "outperformed SafePub by 6.3%"
    assert by["SDQ", "Nursery"].safepub > by["SDQ", "Nursery"].competitor


def test_what_the_text_says_about_table_4() -> None:
    assert sum(row.safepub > row.diffgen for row in DUELS) == 7  # "in seven out of eight experiments"
    last = DUELS[-1]
    assert (last.dataset, last.target) == ("Health interviews", "Education")
    assert round(last.safepub - last.diffgen, 2) == 0.35  # "35% higher"
    faster = {row.dataset for row in DUELS if row.diffgen_seconds < row.safepub_seconds}
    assert faster == {"Crash statistics", "Time use survey", "Health interviews"}
    assert len(CLASSES) == len(DUELS) == FOUAD_SUPPRESSED[1]
