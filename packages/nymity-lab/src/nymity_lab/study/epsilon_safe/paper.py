"""What Li (2019) prints in chapter 5."""

from __future__ import annotations

#: Table 5.1, in units of 1e-5, and table 5.5, in units of 1e-6: the largest delta by k and beta.
ADULT_DELTAS = {
    55: {0.60: 1.59, 0.65: 2.40, 0.70: 5.00, 0.75: 9.72, 0.80: 34.4},
    60: {0.60: 0.71, 0.65: 1.29, 0.70: 3.30, 0.75: 9.72, 0.80: 13.2},
    65: {0.60: 0.32, 0.65: 0.80, 0.70: 1.12, 0.75: 3.09, 0.80: 6.73},
    70: {0.60: 0.14, 0.65: 0.26, 0.70: 0.74, 0.75: 1.23, 0.80: 6.73},
    75: {0.60: 0.06, 0.65: 0.11, 0.70: 0.25, 0.75: 1.23, 0.80: 3.86},
    80: {0.60: 0.03, 0.65: 0.07, 0.70: 0.17, 0.75: 0.39, 0.80: 1.51},
}
IPUMS_DELTAS = {
    75: {0.60: 0.64, 0.65: 1.05, 0.70: 2.53, 0.75: 12.3, 0.80: 38.6},
    80: {0.60: 0.29, 0.65: 0.65, 0.70: 1.68, 0.75: 3.93, 0.80: 15.1},
    85: {0.60: 0.13, 0.65: 0.30, 0.70: 0.58, 0.75: 1.59, 0.80: 5.86},
}
#: Records that deltas are judged by, and the pair of k and beta that is chosen.
ADULT_RECORDS, IPUMS_RECORDS = 30_162, 141_634
ADULT_PAIR, IPUMS_PAIR = (75, 0.7), (85, 0.7)
#: Section 5.1.3: the epsilon of the draw; penalties of suppressed shares in percent; about the largest probabilities.
EPSILON = 0.5
PENALTIES = {4: 0.01, 6: 0.02}
PROBABILITIES = {4: 0.8, 6: 0.3}
#: Tables 5.2 (six attributes), 5.4 and 5.6 (ten): accuracies.
SIX = {"raw": 0.819, "release": 0.752, "baseline": 0.754}
SIX_RECORDS = {"raw": 21_113, "release": 19_518}
INTERPOLATED = {"none": 0.7592, "level": 0.7576}
TEN = {"functional": 0.530, "release": 0.759, "ola": 0.770, "raw": 0.830, "baseline": 0.754}
IPUMS = {"functional": 0.832, "release": 0.816, "ola": 0.826, "raw": 0.836, "baseline": 0.751}
#: Table 5.3: seconds by attributes, and nodes.
SECONDS = {
    "none": {4: 5.404, 6: 19.279, 8: 258.358, 10: 2473.51},
    "level": {4: 4.217, 6: 11.480, 8: 141.733, 10: 1336.08},
}
NODES = {4: 108, 6: 648, 8: 7_776, 10: 62_208}
#: Table 5.7: columns after one-hot encoding, and seconds.
COLUMNS = {"functional": 100, "release": 19, "ola": 63, "raw": 100}
TIMES = {"functional": 0.082, "release": 2491.76, "ola": 3491.57, "raw": 0.24}
