"""How quasi-identifiers are published, as a page counts and plots them: on levels, with cells of classes, in buckets.

Figures ask the form of a release for what depends on its kind of recoding. A new kind is a class and a line of
``_FORMS``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

from nymity.report.cells import cell_widths
from nymity.report.holders import Holders
from nymity.report.ladder import example_path, shares_of_levels
from nymity.report.page_wording import listed
from nymity.report.scale import Ints, ScaledColumn, cell_scale, plain_scale, quasi_scale, raw_codes
from nymity.report.subject import Subject
from nymity.table.attribute import Role
from nymity.table.bucket_recoding import BucketRecoding
from nymity.table.level_recoding import LevelRecoding
from nymity.table.partition_recoding import PartitionRecoding
from nymity.table.recoding import Recoding


class PublishedForm(ABC):
    """What depends on the kind of recoding. Quasi-identifiers are shown as they are unless a kind says otherwise."""

    def __init__(self, subject: Subject, recoding: Any) -> None:
        self.subject, self.recoding = subject, recoding

    @property
    def class_sizes(self) -> Ints:
        """Sizes of what records are published in."""
        return self.subject.sizes_after

    def scale(self, name: str) -> ScaledColumn | None:
        """Return a quasi-identifier on a scale of its own, None where no page can count it."""
        return plain_scale(self.subject, name) if name in self.subject.frame.columns else None

    def plotted(self) -> Iterator[tuple[str, ScaledColumn]]:
        """Yield the quasi-identifiers whose values can be plotted before and after."""
        yield from ()

    def not_plotted(self) -> str:
        """Say which are not plotted, and why."""
        return "Quasi-identifiers have different cells in each class: there is no one scale to plot."

    @abstractmethod
    def shape(self) -> dict[str, Any]:
        """Return how columns are published, as plain data."""


class OnLevels(PublishedForm):
    """Columns at levels of their hierarchies."""

    recoding: LevelRecoding

    def scale(self, name: str) -> ScaledColumn | None:
        """The values of the level; of several the coarsest."""
        return quasi_scale(self.subject, self.recoding, name)

    def plotted(self) -> Iterator[tuple[str, ScaledColumn]]:
        """All that have several values left."""
        for name in self.recoding.levels:
            if not self._is_flat(name):
                yield name, quasi_scale(self.subject, self.recoding, name)

    def not_plotted(self) -> str:
        """Those of one value."""
        flat = [name for name in self.recoding.levels if self._is_flat(name)]
        one, several = "as one value throughout, so nothing is left", "at several levels up to one value, too coarse"
        how = one if len(self.recoding.layers) == 1 else several
        return f"Published {how} to plot: {listed(flat)}." if flat else ""

    def shape(self) -> dict[str, Any]:
        """A ladder for each column."""
        subject, shares = self.subject, shares_of_levels(self.subject, self.recoding)
        return {
            "shape": "levels",
            "ladders": [
                {
                    "name": name,
                    "used": {str(level): share for level, share in shares[name].items()},
                    "sizes": [len(labels) for labels in hierarchy.labels],
                    "example": example_path(
                        hierarchy, Holders(raw_codes(subject, name), subject.owners), subject.threshold
                    ),
                }
                for name, hierarchy in self.recoding.hierarchies.items()
            ],
        }

    def _is_flat(self, name: str) -> bool:
        return len(self.recoding.hierarchies[name].labels[self.recoding.levels[name]]) == 1


class WithCells(PublishedForm):
    """Classes of records, each with cells of its own."""

    recoding: PartitionRecoding

    def scale(self, name: str) -> ScaledColumn | None:
        """A level of few values, on which cells are spread."""
        return cell_scale(self.subject, self.recoding, name)

    def shape(self) -> dict[str, Any]:
        """How wide the cells of each column are."""
        widths = cell_widths(self.recoding).items()
        return {"shape": "cells", "cells": [{"name": name, **vars(one)} for name, one in widths]}


class InBuckets(PublishedForm):
    """Quasi-identifiers as they are, and sensitive values apart."""

    recoding: BucketRecoding

    @property
    def class_sizes(self) -> Ints:
        """Sizes of buckets, whose rows need not look alike."""
        return self.recoding.slots.sizes

    def shape(self) -> dict[str, Any]:
        """How many buckets there are, and of which sizes."""
        sizes = self.recoding.slots.sizes
        return {
            "shape": "buckets",
            "buckets": {
                "number": len(sizes),
                "smallest": int(sizes.min()) if len(sizes) else 0,
                "largest": int(sizes.max()),
                "attribute": self.recoding.attribute,
            },
        }


_FORMS: dict[type[Recoding], type[PublishedForm]] = {
    LevelRecoding: OnLevels,
    PartitionRecoding: WithCells,
    BucketRecoding: InBuckets,
}


def form_of(subject: Subject) -> PublishedForm:
    """Return how a release publishes quasi-identifiers."""
    kinds = type(subject.recoding).__mro__
    form = next(_FORMS[kind] for kind in kinds if kind in _FORMS)
    return form(subject, subject.recoding)


def scaled_columns(subject: Subject) -> dict[str, ScaledColumn]:
    """Return all columns that can be counted before and after: quasi-identifiers first, then sensitive ones."""
    form, schema, frame = form_of(subject), subject.schema, subject.frame
    kept = [*schema.sensitive, *schema.columns(Role.INSENSITIVE)]
    shown = [name for name in kept if name in frame.columns and name not in schema.shifted]
    found = {name: form.scale(name) for name in schema.quasi} | {name: plain_scale(subject, name) for name in shown}
    return {name: column for name, column in found.items() if column is not None and len(column.labels) > 1}
