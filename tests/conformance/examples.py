"""One example of everything that is registered: a new thing joins the checks by its line here."""

from __future__ import annotations

from typing import Any

import nymity as ny
from nymity.privacy import PrivacyModel

#: Good parameters of every model, and bad ones with the parameter to blame.
MODELS: dict[str, tuple[dict[str, Any], list[tuple[str, Any]]]] = {
    "k-anonymity": ({"k": 3}, [("k", 0), ("k", True), ("k", 2.5), ("k", "3")]),
    "linked-k-anonymity": (
        {"k": 3, "knows": 2},
        [("k", 0), ("k", True), ("k", 2.5), ("knows", 0), ("knows", True), ("knows", 1.5), ("knows", "one record")],
    ),
    "km-anonymity": ({"k": 3, "m": 2}, [("k", 0), ("k", True), ("k", 2.5), ("m", 0), ("m", True), ("m", 1.5)]),
    "k-matching": ({"k": 3}, [("k", 0), ("k", True), ("k", 2.5), ("k", "3")]),
    "subset-k-anonymity": ({"k": 3, "m": 2}, [("k", 0), ("k", True), ("k", 2.5), ("m", 0), ("m", True), ("m", 1.5)]),
    "lkc-privacy": (
        {"l": 2, "k": 3, "c": 0.75, "attribute": "s", "values": ("p", "q")},
        [
            *(("l", bad) for bad in (0, True, 1.5)),
            *(("k", bad) for bad in (0, True, 2.5)),
            *(("c", bad) for bad in (0, 1.01, True, "1", 0.30000000001)),
            ("attribute", 7),
            *(("values", bad) for bad in ((), "x", (1,))),
        ],
    ),
    "wildcard-k-anonymity": ({"k": 3}, [("k", 0), ("k", True), ("k", 2.5), ("k", "3")]),
    "distinct-l-diversity": ({"l": 2, "attribute": "s"}, [("l", 0), ("l", False), ("l", 1.5), ("attribute", 7)]),
    "frequency-l-diversity": (
        {"l": 2.5, "attribute": "s"},
        [("l", 0), ("l", 0.99), ("l", True), ("l", "2"), ("l", 2.00000000001), ("attribute", 7)],
    ),
    "entropy-l-diversity": (
        {"l": 2.5, "attribute": "s"},
        [("l", 0), ("l", 0.99), ("l", True), ("l", "2"), ("l", float("inf")), ("attribute", 7)],
    ),
    "recursive-diversity": (
        {"c": 1.5, "l": 2, "attribute": "s"},
        [("c", 0), ("c", -1), ("c", True), ("c", 1.00000000001), ("l", 0), ("l", 1.5), ("attribute", 7)],
    ),
    "alpha-k-anonymity": (
        {"alpha": 0.6, "k": 3, "attribute": "s"},
        [("alpha", 0), ("alpha", 1.01), ("alpha", 1 / 3), ("k", 0), ("k", 2.5), ("attribute", 7)],
    ),
    "t-closeness": (
        {"t": 0.3, "attribute": "s"},
        [("t", -0.1), ("t", 1.01), ("t", True), ("t", "0.2"), ("t", 1 / 3), ("attribute", 7), ("distance", "near")],
    ),
    "delta-disclosure": (
        {"delta": 1.5, "attribute": "s"},
        [("delta", 0), ("delta", -1), ("delta", True), ("delta", "1"), ("delta", float("inf")), ("attribute", 7)],
    ),
    "k-map": (
        {"k": 3, "population": "people.csv"},
        [("k", 0), ("k", True), ("k", 2.5), ("population", 7), ("population", None), ("population", "")],
    ),
    "delta-presence": (
        {"low": 0.1, "high": 0.9, "subset": "patients.csv"},
        [("low", -0.1), ("low", "0"), ("high", 1.01), ("high", 0.05), ("high", 1 / 3), ("subset", 7)],
    ),
    "beta-likeness": (
        {"beta": 0.5, "attribute": "s"},
        [("beta", 0), ("beta", -1), ("beta", True), ("beta", "1"), ("beta", 1 / 3), ("attribute", 7)],
    ),
    "enhanced-beta-likeness": (
        {"beta": 0.5, "attribute": "s"},
        [("beta", 0), ("beta", True), ("beta", float("inf")), ("beta", 1 / 3), ("attribute", 7)],
    ),
    "f-privacy": (
        {"thresholds": {"a": 1.5, "c": 0.1}, "attribute": "s"},
        [("thresholds", {}), ("thresholds", 0.5), ("thresholds", ["p"]), ("thresholds", None), ("attribute", 7)],
    ),
    "dominance": ({"limit": 0.25}, [("limit", 0), ("limit", 1.01), ("limit", True), ("limit", 1 / 3)]),
    "average-risk": ({"limit": 0.25}, [("limit", 0), ("limit", 1.01), ("limit", True), ("limit", 1 / 3)]),
    "sample-uniques": ({"limit": 0.05}, [("limit", -0.1), ("limit", 1.01), ("limit", True), ("limit", 1 / 3)]),
    "prosecutor-risk": ({"limit": 0.25}, [("limit", 0), ("limit", 1.01), ("limit", True), ("limit", "0.2")]),
    "differential-privacy": (
        {"epsilon": 1.0, "public_records": 900, "epsilon_search": 0.2},
        [("epsilon", 0), ("epsilon", "1"), ("public_records", 0), ("delta", 2.0), ("epsilon_search", 1.5)],
    ),
}

#: Good parameters of every hierarchy builder for the values 1, 2 and 3, and a bad one.
BUILDERS: dict[str, tuple[dict[str, Any], tuple[str, Any]]] = {
    "intervals": ({"width": 5, "levels": 3}, ("width", -5)),
    "masking": ({"side": "left"}, ("side", "middle")),
    "ordering": ({"order": ("1", "2", "3"), "group": 2}, ("group", 0)),
    "taxonomy": ({"tree": {"low": ["1", "2"], "high": ["3"]}}, ("tree", "low")),
    "dates": ({"levels": ("month", "year")}, ("levels", ("fortnight",))),
    "ages": ({"bands": (1, 2)}, ("bands", (5, 8))),
    "money": ({"lowest": 10}, ("lowest", 5)),
    "countries": ({"other": "other"}, ("other", "Kenya")),
    "nuts": ({"other": "other"}, ("levels", ("NUTS 9",))),
    "us-zip": ({"other": "other", "small": ("036",)}, ("small", ("36",))),
    "icd-10": ({"levels": ("block", "chapter"), "other": "other"}, ("levels", ("chapter", "block"))),
    "atc": ({"other": "other"}, ("other", "A10BA02")),
    "isco-08": ({"levels": ("major group",)}, ("levels", "major group")),
    "nace": ({"other": "other"}, ("other", 5)),
    "file": ({"path": "rows.csv"}, ("path", 5)),
    "rows": ({"rows": (("1", "*"), ("2", "*"))}, ("rows", "1")),
    "flat": ({}, ("width", 5)),
    "suggested": ({}, ("width", 5)),
    "random-tree": ({"seed": 3}, ("branches", 1)),
    "shuffled": ({"hierarchy": {"type": "flat"}, "seed": 3}, ("hierarchy", {"type": "flt"})),
}
SIZES, VALUES = ny.KAnonymity(k=3), ny.FrequencyLDiversity(l=2, attribute="s")
MATCHING = ny.KMatching(k=3)
PRIVATE = ny.DifferentialPrivacy(epsilon=10.0, epsilon_search=9.0, public_records=5000, delta=1e-4)
#: Parameters of every method other than its defaults, and a promise that it can keep.
METHODS: dict[str, tuple[dict[str, Any], PrivacyModel]] = {
    "optimal-lattice": ({"loss": "precision", "suppression": 0.25, "outliers": "remove"}, SIZES),
    "ola": ({"loss": "height", "suppression": 0.25}, SIZES),
    "datafly": ({"at_most": "k-records"}, SIZES),
    "samarati": ({"suppression": 0.25}, SIZES),
    "mingen": ({"prefer": ("a", "b"), "threads": 2}, SIZES),
    "anytime-lattice": ({"loss": "entropy", "suppression": 0.25, "seconds": 1.5, "checks": 10}, SIZES),
    "iterative-recoding": ({"share": 0.05}, SIZES),
    "top-down-specialization": ({"target": "s"}, ny.LKCPrivacy(l=2, k=3, c=1.0, attribute="s")),
    "fixed-levels": ({"suppression": 0.25, "levels": {"a": 1}}, SIZES),
    "mondrian": ({"choose": "gain", "cuts": "relaxed", "cells": "set", "bounds": {"a": (0, 9)}}, SIZES),
    "sorted-groups": ({"cells": "set", "categorical": "order"}, SIZES),
    "greedy-search": ({"cells": "set", "categorical": "order"}, SIZES),
    "k-member": ({"cells": "set", "categorical": "order"}, SIZES),
    "split-carry": ({"cells": "set", "sets": 2, "seconds": 1.5}, SIZES),
    "exact-partition": ({"seconds": 1.5}, SIZES),
    "cell-suppression": ({"levels": {"a": 1}, "rounds": 5}, SIZES),
    "generalized-suppression": ({"levels": {"a": 1}, "rounds": 5, "checks": 3}, SIZES),
    "exact-suppression": ({"levels": {"a": 1}, "seconds": 1.5}, SIZES),
    "subset-suppression": ({"levels": {"a": 1}}, ny.SubsetKAnonymity(k=3, m=1)),
    "wildcard-suppression": ({"levels": {"a": 1}}, ny.WildcardKAnonymity(k=3)),
    "group-means": ({"levels": {"a": 1}, "medians": ["b"], "variable": 1.5}, SIZES),
    "refine": ({"start": "sorted-groups", "candidates": 4, "rounds": 2}, SIZES),
    "freeform-greedy": ({"cells": "hierarchy", "categorical": "order"}, MATCHING),
    "freeform-sort-greedy": ({"cells": "hierarchy"}, MATCHING),
    "freeform-hungarian": ({"most_records": 500, "bounds": {"a": (0, 9)}}, MATCHING),
    "buckets": ({"sizes": (2, 9), "plan": "top-down", "seconds": 1.5}, VALUES),
    "anatomy": ({}, VALUES),
    "safepub": ({"score": "classification", "target": "a", "steps": 9, "final_share": 0.25}, PRIVATE),
    "epsilon-safe-lattice": ({"penalty": 0.3, "interpolation": "dictionary"}, PRIVATE),
}
#: Losses and metrics are there with default parameters, unless listed here with others.
LOSSES: dict[str, dict[str, Any]] = {}
METRICS: dict[str, dict[str, Any]] = {}
#: Parameters of every transform, of columns x and y of numbers and c and g of values.
TRANSFORMS: dict[str, dict[str, Any]] = {
    "top-coding": {"columns": ["x"], "fewest": 2},
    "bottom-coding": {"columns": ["x"], "limit": 3},
    "rounding": {"columns": ["x"], "base": 5},
    "random-rounding": {"columns": ["x"], "base": 5},
    "additive-noise": {"columns": ["x"]},
    "correlated-noise": {"columns": ["x", "y"]},
    "multiplicative-noise": {"columns": ["x"]},
    "post-randomization": {"columns": ["c"]},
    "rank-swapping": {"columns": ["x"], "window": 0.3},
    "record-swapping": {"columns": ["c"], "match": ["g"]},
    "microaggregation": {"columns": ["x"], "k": 3},
    "optimal-microaggregation": {"columns": ["x"], "k": 3},
    "shuffling": {"columns": ["c"], "within": ["g"]},
}
#: Parameters of every attack with which it takes little time.
ATTACKS: dict[str, dict[str, Any]] = {
    "linkage": {"subsets": 3, "threshold": 0.5},
    "linked-records": {"records": 2},
    "date-gaps": {},
    "known-items": {"known": 1, "subsets": 3},
    "homogeneity": {},
    "skewness": {},
    "background-knowledge": {"excluded": 2},
    "membership": {},
    "attribute-inference": {"leaf": 2},
    "intersection": {},
    "minimality": {"tables": 500, "pairs": 2, "draws": 2},
    "downcoding": {"tables": 500},
}
