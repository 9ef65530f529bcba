"""Which modules are mutated, and which tests must notice: the nearest ones first."""

from __future__ import annotations

from pathlib import Path

#: Whole folders and single files below src/nymity.
TARGETS = (
    "core/commit.py",
    "privacy",
    "publish/check.py",
    "publish/certificate.py",
    "publish/contradictions.py",
    "publish/released_files.py",
    "publish/remeasured.py",
    "dp",
)

_PRIVACY = (
    "unit/privacy/test_sensitive_models.py",
    "unit/privacy/test_averages.py",
    "conformance/test_registered.py",
    "unit/publish/test_publish_models.py",
    "unit/privacy/test_models.py",
)
_DP = (
    "unit/dp/test_sampling_operator.py",
    "unit/dp/test_safepub.py",
    "unit/dp/test_epsilon_safe.py",
    "conformance/test_registered.py",
    "unit/publish/test_publish_private.py",
    "unit/publish/test_publish_epsilon_safe.py",
    "unit/dp/test_scores.py",
    "unit/dp/test_mechanisms.py",
)
_PUBLISH = (
    "unit/publish/test_check_forgery.py",
    "adversary/test_red_team_check.py",
    "unit/publish/test_certificate.py",
    "unit/publish/test_check.py",
    "unit/publish/test_salted_hashes.py",
    "unit/publish/test_second_table_name.py",
    "unit/publish/test_publish_models.py",
    "unit/publish/test_publish_closeness.py",
    "unit/publish/test_publish_buckets.py",
    "unit/publish/test_publish_freeform.py",
    "unit/publish/test_publish_private.py",
    "unit/publish/test_release_write.py",
    "unit/publish/test_publish_population.py",
)
_FIRST: dict[str, tuple[str, ...]] = {
    "core/commit.py": ("unit/core/test_commit.py",),
    "publish/check.py": _PUBLISH,
    "publish/contradictions.py": _PUBLISH,
    "publish/released_files.py": _PUBLISH,
    "publish/remeasured.py": _PUBLISH,
    "publish/certificate.py": _PUBLISH,
    "privacy/k_matching.py": ("unit/privacy/test_k_matching.py", "unit/publish/test_publish_freeform.py"),
    "privacy/consistency.py": ("unit/privacy/test_k_matching.py", "unit/publish/test_publish_freeform.py"),
    "privacy/k_map.py": ("unit/privacy/test_second_table_models.py", "unit/publish/test_publish_population.py"),
    "privacy/delta_presence.py": (
        "unit/privacy/test_second_table_models.py",
        "unit/publish/test_publish_population.py",
    ),
    "privacy/second_table.py": ("unit/privacy/test_second_table_models.py", "unit/publish/test_publish_population.py"),
    "privacy/decision.py": ("unit/lattice/test_optimal_decided.py", "unit/lattice/test_optimal_closeness.py"),
    "privacy/shares.py": ("unit/privacy/test_capped_shares.py",),
    "privacy/frequency_diversity.py": ("unit/privacy/test_capped_shares.py",),
    "privacy/alpha_k_anonymity.py": ("unit/privacy/test_capped_shares.py",),
    "privacy/beta_likeness.py": ("unit/privacy/test_capped_shares.py",),
    "privacy/enhanced_beta_likeness.py": ("unit/privacy/test_capped_shares.py",),
    "privacy/f_privacy.py": ("unit/privacy/test_capped_shares.py",),
    "privacy/delta_disclosure.py": ("unit/privacy/test_closeness.py",),
    "privacy/t_closeness.py": ("unit/privacy/test_closeness.py",),
    "privacy/closeness.py": ("unit/privacy/test_closeness.py",),
    "dp/audit.py": ("unit/dp/test_audit.py",),
    "dp/forecast.py": ("unit/dp/test_forecast.py",),
    "dp/mechanisms.py": ("unit/dp/test_mechanisms.py",),
    "dp/table.py": ("unit/dp/test_scores.py", "unit/dp/test_functional_logistic_regression.py"),
    "dp/expanded_objective.py": ("unit/dp/test_functional_logistic_regression.py",),
    "dp/feature_domain.py": ("unit/dp/test_functional_logistic_regression.py",),
    "dp/functional_logistic_regression.py": ("unit/dp/test_functional_logistic_regression.py",),
}


def modules(root: Path) -> list[str]:
    """Return the modules to mutate, as paths below src/nymity."""
    package, found = root / "src/nymity", []
    for target in TARGETS:
        path = package / target
        found += sorted(path.rglob("*.py")) if path.is_dir() else [path]
    return [path.relative_to(package).as_posix() for path in found if path.name != "__init__.py"]


def files_of(module: str, root: Path) -> list[str]:
    """Return the test files that must notice a mutant of a module."""
    package = module.split("/")[0]
    near = _FIRST.get(module, ())
    beside = [f"unit/{package}/test_{Path(module).stem}.py"]
    wide = {"privacy": _PRIVACY, "dp": _DP}.get(package, ())
    named = dict.fromkeys([*near, *beside, *wide])
    return [f"tests/{name}" for name in named if (root / "tests" / name).is_file()]
