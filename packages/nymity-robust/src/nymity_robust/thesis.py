"""What Liang (2020) prints in chapter 4 and appendix B, in percent where it is shares; by data set and defence."""

from __future__ import annotations

ENSEMBLE, NOISY = "ensemble", "ensemble-with-noisy-logit"

#: Section 4.3.1: average accuracy of single members on held-out images.
SINGLE = {"mnist": 96.80, "cifar10": 79.53}

#: Table 4.3: accuracy of the vote on clean images.
CLEAN = {
    "mnist": {ENSEMBLE: 100.0, NOISY: 98.667},
    "cifar10": {ENSEMBLE: 88.889, NOISY: 84.321},
}

#: Tables 4.4a, 4.6a and 4.8a: how the vote answers; correct, target, other.
ANSWERS = {
    "single-network": {
        "mnist": {ENSEMBLE: (88.37, 3.85, 7.78), NOISY: (79.98, 8.35, 11.68)},
        "cifar10": {ENSEMBLE: (85.19, 1.80, 13.01), NOISY: (84.69, 2.15, 13.06)},
    },
    "superimposition-2": {
        "mnist": {ENSEMBLE: (66.2963, 13.3333, 20.3704), NOISY: (96.6667, 0.0, 3.3333)},
        "cifar10": {ENSEMBLE: (87.7778, 1.1111, 11.1111), NOISY: (84.0741, 1.4815, 14.4444)},
    },
    "superimposition-3": {
        "mnist": {ENSEMBLE: (26.6667, 57.7778, 15.5556), NOISY: (90.0, 2.2222, 7.7778)},
        "cifar10": {ENSEMBLE: (86.6667, 1.1111, 12.2222), NOISY: (87.7778, 2.2222, 10.0)},
    },
}

#: Tables 4.4b, 4.6b and 4.8b: mean perturbation relative to the image, by answer, as printed.
PERTURBATIONS = {
    "single-network": {
        "mnist": {ENSEMBLE: (15.34, 15.52, 22.16), NOISY: (13.58, 19.06, 22.42)},
        "cifar10": {ENSEMBLE: (3.59, 0.51, 4.77), NOISY: (3.67, 0.42, 4.13)},
    },
    "superimposition-2": {
        "mnist": {ENSEMBLE: (14.6285, 25.7126, 24.3226), NOISY: (6.4906, 0.0, 24.3824)},
        "cifar10": {ENSEMBLE: (2.7488, 0.0002, 3.9650), NOISY: (2.6369, 0.0002, 2.7721)},
    },
    "superimposition-3": {
        "mnist": {ENSEMBLE: (13.0187, 29.0136, 34.7022), NOISY: (8.36, 50.5385, 26.6385)},
        "cifar10": {ENSEMBLE: (3.5315, 0.0003, 5.1646), NOISY: (3.4029, 0.0003, 3.9467)},
    },
}

#: Tables 4.5 and 4.7: average accuracy of single members on clean images, and on the superimposed examples.
SINGLE_UNDER = {
    "superimposition-2": {
        "mnist": {ENSEMBLE: (96.8, 55.2963), NOISY: (79.6296, 69.1333)},
        "cifar10": {ENSEMBLE: (79.5333, 71.4), NOISY: (74.8889, 71.3556)},
    },
    "superimposition-3": {
        "mnist": {ENSEMBLE: (95.6, 24.6889), NOISY: (74.6222, 55.9333)},
        "cifar10": {ENSEMBLE: (83.0, 68.6222), NOISY: (78.6222, 73.0667)},
    },
}

#: Figure 4.7: of 50 members, how many answer the example that was made for them with the target, and correctly.
OWN_ANSWERS = {
    "mnist": {ENSEMBLE: (50, 0), NOISY: (8, 29)},
    "cifar10": {ENSEMBLE: (50, 0), NOISY: (1, 38)},
}

#: Tables B.1 and B.2: answers of the vote to two samples, by label and target; the columns are SI (2×), SI-NL (2×),
#: SI (3×) and SI-NL (3×).
SAMPLES = {
    "mnist": {
        7: {
            0: (7, 7, 0, 7),
            1: (2, 7, 2, 7),
            2: (7, 7, 2, 7),
            3: (7, 7, 3, 7),
            4: (4, 7, 4, 7),
            5: (7, 7, 5, 7),
            6: (6, 7, 6, 7),
            8: (7, 7, 8, 7),
            9: (9, 7, 9, 7),
        },
        2: {
            0: (2, 2, 2, 2),
            1: (2, 2, 2, 2),
            3: (2, 2, 3, 2),
            4: (8, 2, 4, 4),
            5: (2, 2, 5, 2),
            6: (2, 2, 6, 2),
            7: (7, 8, 7, 3),
            8: (2, 2, 8, 2),
            9: (8, 2, 9, 9),
        },
    },
    "cifar10": {
        3: dict.fromkeys((0, 1, 2, 4, 5, 6, 7, 8, 9), (3, 3, 3, 3)),
        8: {
            0: (8, 8, 8, 8),
            1: (8, 8, 8, 8),
            2: (8, 8, 8, 8),
            3: (8, 8, 8, 8),
            4: (8, 8, 8, 8),
            5: (8, 8, 8, 1),
            6: (8, 8, 8, 8),
            7: (8, 8, 0, 8),
            9: (1, 8, 1, 8),
        },
    },
}
