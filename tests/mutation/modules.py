"""Which modules are mutated, and which tests must notice: the nearest ones first."""

from __future__ import annotations

from pathlib import Path

#: Whole folders and single files below src/nymity: what decides whether, and with which draws, something is published.
TARGETS = (
    "core/bits.py",
    "core/commit.py",
    "core/disk.py",
    "core/draws.py",
    "core/journal.py",
    "privacy",
    "lattice/seen_nodes.py",
    "lattice/outcome.py",
    "lattice/rollup.py",
    "lattice/specialization.py",
    "partition/centre_cells.py",
    "partition/exact_suppression.py",
    "partition/group_means.py",
    "partition/merging.py",
    "partition/problem.py",
    "partition/row_suppression.py",
    "partition/suppression.py",
    "baskets",
    "transforms",
    "bucket/anatomy.py",
    "bucket/assignment.py",
    "bucket/filling.py",
    "bucket/methods.py",
    "bucket/problem.py",
    "publishing/certificates/bucket_tables.py",
    "publishing/checking/check.py",
    "publishing/certificates/certificate.py",
    "publishing/certificates/contradictions.py",
    "publishing/releases/released_files.py",
    "publishing/checking/remeasured.py",
    "publishing/certificates/verify.py",
    "table/sampled_persons.py",
    "dp",
)

_PRIVACY = (
    "unit/privacy/test_attack_limits.py",
    "unit/privacy/test_sensitive_models.py",
    "unit/privacy/test_averages.py",
    "conformance/test_registered.py",
    "unit/publishing/test_publish_models.py",
    "unit/privacy/test_models.py",
    "unit/publishing/test_empty_promises.py",
    "unit/risk/test_attack_values.py",
    "conformance/test_every_attack.py",
)
_DP = (
    "unit/dp/test_sampling_operator.py",
    "unit/dp/test_safepub.py",
    "unit/dp/test_epsilon_safe.py",
    "conformance/test_registered.py",
    "unit/publishing/test_publish_private.py",
    "unit/publishing/test_publish_epsilon_safe.py",
    "unit/dp/test_scores.py",
    "unit/dp/test_mechanisms.py",
    "unit/publishing/test_publish_private_persons.py",
    "unit/dp/test_private_persons.py",
)
_PUBLISH = (
    "unit/publishing/test_check_forgery.py",
    "adversary/test_red_team_check.py",
    "unit/publishing/test_certificate.py",
    "unit/publishing/test_check.py",
    "unit/publishing/test_salted_hashes.py",
    "unit/publishing/test_second_table_name.py",
    "unit/publishing/test_publish_models.py",
    "unit/publishing/test_publish_closeness.py",
    "unit/publishing/test_publish_buckets.py",
    "unit/publishing/test_publish_freeform.py",
    "unit/publishing/test_publish_private.py",
    "unit/publishing/test_release_write.py",
    "unit/publishing/test_publish_population.py",
)
_BUCKET = (
    "unit/bucket/test_bucket_filling.py",
    "unit/bucket/test_bucket_assignment.py",
    "unit/bucket/test_bucket_anatomy.py",
    "unit/bucket/test_bucket_plan.py",
    "unit/bucket/test_bucket_thesis.py",
    "unit/bucket/test_who_is_in_which_bucket.py",
    "unit/publishing/test_publish_buckets.py",
)
_LATTICE = (
    "unit/lattice/test_rollup.py",
    "unit/lattice/test_optimal_models.py",
    "unit/lattice/test_optimal_decided.py",
    "unit/lattice/test_optimal.py",
    "unit/lattice/test_population.py",
    "unit/lattice/test_solution_space.py",
    "unit/publishing/test_masked_rows.py",
    "unit/lattice/test_optimal_closeness.py",
)
_PARTITION = (
    "unit/partition/test_problem.py",
    "unit/partition/test_order.py",
    "unit/partition/test_methods.py",
    "unit/partition/test_k_member.py",
    "unit/partition/test_greedy_search.py",
    "unit/partition/test_mondrian.py",
    "unit/partition/test_who_is_in_which_class.py",
    "unit/publishing/test_publish_partition.py",
)
_BASKETS = (
    "unit/baskets/test_cut_search.py",
    "adversary/test_replayed_cuts.py",
)
_TRANSFORMS = (
    "unit/transforms/test_transforms.py",
    "unit/transforms/test_microaggregation.py",
    "unit/publishing/test_publish_transforms.py",
)
_FIRST: dict[str, tuple[str, ...]] = {
    "core/bits.py": (
        "unit/core/test_draws.py",
        "unit/dp/test_mechanisms.py",
        "unit/core/test_randomness.py",
        "unit/dp/test_private_persons.py",
    ),
    "core/commit.py": ("unit/core/test_commit.py",),
    "core/disk.py": ("unit/core/test_commit.py",),
    "core/journal.py": ("unit/core/test_commit.py",),
    "core/draws.py": ("unit/core/test_draws.py", "unit/publishing/test_redrawing.py"),
    "lattice/outcome.py": ("unit/lattice/test_optimal_decided.py", "unit/lattice/test_anytime.py"),
    "lattice/seen_nodes.py": ("unit/lattice/test_optimal_decided.py",),
    "partition/merging.py": ("unit/partition/test_methods.py",),
    "partition/centre_cells.py": ("unit/partition/test_group_means.py",),
    "partition/exact_suppression.py": ("unit/partition/test_suppression.py",),
    "publishing/certificates/bucket_tables.py": ("unit/publishing/test_publish_buckets.py", *_PUBLISH),
    "publishing/certificates/verify.py": ("unit/publishing/test_masked_rows.py", *_PUBLISH),
    "publishing/checking/check.py": _PUBLISH,
    "publishing/certificates/contradictions.py": _PUBLISH,
    "publishing/releases/released_files.py": _PUBLISH,
    "publishing/checking/remeasured.py": _PUBLISH,
    "publishing/certificates/certificate.py": _PUBLISH,
    "privacy/lkc_privacy.py": ("unit/lattice/test_top_down_specialization.py",),
    "lattice/specialization.py": ("unit/lattice/test_top_down_specialization.py",),
    "privacy/subset_k_anonymity.py": ("unit/partition/test_row_suppression.py",),
    "privacy/wildcard_k_anonymity.py": ("unit/partition/test_row_suppression.py",),
    "privacy/k_matching.py": ("unit/privacy/test_k_matching.py", "unit/publishing/test_publish_freeform.py"),
    "privacy/consistency.py": ("unit/privacy/test_k_matching.py", "unit/publishing/test_publish_freeform.py"),
    "privacy/k_map.py": ("unit/privacy/test_second_table_models.py", "unit/publishing/test_publish_population.py"),
    "privacy/delta_presence.py": (
        "unit/privacy/test_second_table_models.py",
        "unit/publishing/test_publish_population.py",
    ),
    "privacy/second_table.py": (
        "unit/privacy/test_second_table_models.py",
        "unit/publishing/test_publish_population.py",
    ),
    "privacy/groups.py": ("unit/privacy/test_second_table_models.py", "unit/privacy/test_k_matching.py"),
    "privacy/decision.py": (
        "unit/privacy/test_decision.py",
        "unit/publishing/test_masked_rows.py",
        "unit/lattice/test_optimal_decided.py",
        "unit/lattice/test_optimal_closeness.py",
        "unit/privacy/test_second_table_models.py",
    ),
    "privacy/model.py": ("unit/privacy/test_capped_shares.py", "unit/privacy/test_closeness.py"),
    "privacy/shares.py": ("unit/privacy/test_capped_shares.py",),
    "privacy/frequency_diversity.py": ("unit/privacy/test_capped_shares.py",),
    "privacy/alpha_k_anonymity.py": ("unit/privacy/test_capped_shares.py",),
    "privacy/beta_likeness.py": ("unit/privacy/test_capped_shares.py",),
    "privacy/enhanced_beta_likeness.py": ("unit/privacy/test_capped_shares.py",),
    "privacy/f_privacy.py": ("unit/privacy/test_capped_shares.py",),
    "privacy/delta_disclosure.py": ("unit/privacy/test_closeness.py",),
    "privacy/t_closeness.py": ("unit/privacy/test_closeness.py",),
    "privacy/closeness.py": ("unit/privacy/test_closeness.py",),
    "table/sampled_persons.py": ("unit/dp/test_private_persons.py", "unit/publishing/test_publish_private_persons.py"),
    "dp/ledger.py": ("unit/dp/test_loss_distribution.py", "unit/publishing/test_publish_private_persons.py"),
    "dp/notion.py": ("unit/dp/test_sampling_operator.py",),
    "dp/records.py": ("unit/publishing/test_private_neighbours.py",),
    "dp/public_domain.py": ("unit/publishing/test_private_neighbours.py",),
    "dp/choice.py": ("unit/dp/test_epsilon_safe.py",),
    "dp/good_nodes.py": ("unit/dp/test_epsilon_safe.py",),
    "dp/interpolation.py": ("unit/dp/test_epsilon_safe.py",),
    "dp/epsilon_safe.py": ("unit/dp/test_epsilon_safe.py",),
    "dp/exponential.py": ("unit/dp/test_mechanisms.py",),
    "dp/class_scores.py": ("unit/dp/test_scores.py",),
    "dp/count_scores.py": ("unit/dp/test_scores.py",),
    "dp/differential_privacy.py": ("unit/dp/test_safepub.py", "unit/publishing/test_empty_promises.py"),
    "dp/audit.py": ("unit/dp/test_audit.py",),
    "dp/forecast.py": ("unit/dp/test_forecast.py",),
    "dp/mechanisms.py": ("unit/dp/test_mechanisms.py",),
    "dp/delta_grid.py": ("unit/dp/test_scores.py", "unit/dp/test_private_logistic_regression.py"),
    "dp/expanded_objective.py": ("unit/dp/test_private_logistic_regression.py",),
    "dp/feature_domain.py": ("unit/dp/test_private_logistic_regression.py",),
    "dp/private_logistic_regression.py": ("unit/dp/test_private_logistic_regression.py",),
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
    wide = {
        "privacy": _PRIVACY,
        "dp": _DP,
        "bucket": _BUCKET,
        "lattice": _LATTICE,
        "partition": _PARTITION,
        "baskets": _BASKETS,
        "transforms": _TRANSFORMS,
    }
    named = dict.fromkeys([*near, *beside, *wide.get(package, ())])
    return [f"tests/{name}" for name in named if (root / "tests" / name).is_file()]
