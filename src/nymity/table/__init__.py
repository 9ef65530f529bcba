"""Tables as nymity sees them: roles, schema, hierarchies, encoded columns, classes, recodings."""

from __future__ import annotations

from nymity.core.public_names import public_names

__all__, __getattr__ = public_names(
    __name__,
    attribute="Attribute MissingPolicy Role WeightPublishing "
    "household identifying insensitive items person perturbed quasi sensitive weight",
    bucket_recoding="BucketRecoding Slots BUCKET COUNT MEMBERS NUMBERS",
    builders="Flat HierarchyFile HierarchyRows Intervals LostZeros Shuffled Taxonomy short_codes suggest BUILDERS",
    cell_reading="read_cells",
    cells="Cells",
    classes="Classes Crowd Histogram NOTHING PairHistogram",
    constant_columns="check_constant check_households",
    content_order="content_order is_sorted order_of_ranks ranked_text",
    encoding="EncodedTable PersonColumn SensitiveColumn codes_of counted_cells counted_rows distinct_in_order "
    "check_extent distinct_values encode encode_counted encode_persons labelled MAX_RECORDS numbered_cells person_ids",
    given_column="OF_POLARS check_width days_alone listed_column pandas_column",
    hierarchy="Hierarchy HierarchySource Label some_of",
    hierarchy_edits="merged moved renamed split with_level without_level",
    item_cells="ItemColumn",
    item_recoding="ItemRecoding",
    label_form="LabelForm SET_FORM",
    level_recoding="Layer LevelRecoding",
    numbered_text="with_numbered_text with_numbers with_plain_text",
    one_zero="with_one_zero",
    outcome="ByValues MethodLoss Outcome WithoutLattice",
    packing="KeyLayout",
    partition_recoding="CentreRecoding FreeformRecoding PartitionRecoding SuppressedRowsRecoding Quotas EQUAL_RECORDS "
    "LINKS PLACES",
    published_cells="ReadCells StatedLevels as_they_are by_recoding by_text looked_up",
    recoding="Outliers Recoded Recoding Unseen written_alike",
    sampled_persons="SampledPersonsRecoding person_numbers",
    sampled_recoding="SampledRecoding placed",
    schema="GivenSchema Schema check_columns require_columns",
    text="all_as_known as_floats as_text check_comparable gathered is_missing plainly_named BEYOND MASK",
    value_order="ValueOrder days numbers ranks value_order",
    weights="class_means people_by_weights weights_of",
)
