"""Anonymizer: publishing as a transformer of scikit-learn. Importing this module needs scikit-learn."""

from __future__ import annotations

import dataclasses
import warnings
from typing import Any

import numpy as np
import polars as pl

from nymity.core.errors import ParameterError, PromiseError
from nymity.core.estimators import BaseEstimator, TransformerMixin
from nymity.dp.ledger import Ledger
from nymity.io import like
from nymity.lattice.optimal import OptimalLattice
from nymity.publishing.jobs.coercion import GivenMethod, GivenModels, GivenTransforms, method_of
from nymity.publishing.jobs.registry import Method, is_private
from nymity.publishing.releases.release import Release, broken
from nymity.publishing.running.apply import Applied, applied
from nymity.publishing.running.pipeline import publish
from nymity.publishing.steps.transforming import coded_by_cells
from nymity.utility.estimator_rows import is_frame, rows_of


class NewRowsWarning(UserWarning):
    """New rows were recoded like those of a release, and promise nothing by themselves."""


class Anonymizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Publish the rows that it is fitted on, and recode others the same way.

    ``fit_transform`` publishes the rows: they keep every promise together, suppressed ones as ``*`` in every
    quasi-identifier, in the order and with the index they came with: to learn from, not to hand out. ``release_`` is
    the release to hand out, with its certificate. ``transform`` applies
    the recoding to other rows, which promise nothing by themselves, and warns of it. Cells are text, as published;
    :class:`nymity.CellEncoder` makes numbers of them.

    Parameters
    ----------
    roles : the role of each column, as for :func:`nymity.publish`; all are quasi-identifiers unless said.
    privacy, k, method : as for :func:`nymity.publish`, but that the best levels without any suppression are taken where
        no method is named. ``k`` can be searched over.
    transforms : as for :func:`nymity.publish`. ``release_`` has the columns that they change; recoded rows have not, as
        these are changed by a look at all rows of one release, but for codings of each cell by itself.
    ledger : adds up what fits spend, which methods that are differentially private cannot do without.
    spends_in_searches : lets copies of the estimator, as searches and cross-validation make them, spend as well.
    """

    def __init__(
        self,
        roles: Any = None,
        *,
        privacy: GivenModels = (),
        k: int | None = None,
        method: GivenMethod | None = None,
        transforms: GivenTransforms = (),
        ledger: Ledger | None = None,
        spends_in_searches: bool = False,
    ) -> None:
        # Parameters are kept as they were given, which scikit-learn's clone and set_params rely on; fit checks them.
        self.roles = roles
        self.privacy = privacy
        self.k = k
        self.method = method
        self.transforms = transforms
        self.ledger = ledger
        self.spends_in_searches = spends_in_searches

    def fit(self, X: Any, y: Any = None) -> Anonymizer:  # noqa: N803 -- scikit-learn's names
        """Publish the rows of X; ``y`` is not looked at."""
        del y
        method = self._method()
        table = rows_of(self, X, reset=True)
        roles = dict.fromkeys(table.columns, "quasi") if self.roles is None else self.roles
        k = 5 if self.k is None and not self.privacy else self.k
        self.release_: Release = publish(
            table, roles, privacy=self.privacy, k=k, method=method, transforms=self.transforms, ledger=self.ledger
        )
        self.certificate_ = self.release_.certificate
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:  # noqa: N803
        """Publish the rows of X and return them; they are measured once more as they are returned."""
        if is_private(self._method()):
            raise _samples("fit_transform")
        made = self.fit(X, y, **fit_params)._recoded(X)
        if made.verified is None or not made.verified.holds:
            why = made.unchecked if made.verified is None else broken(made.verified)
            raise PromiseError(
                f"the release keeps its promises, but its rows in the place of those that were given do not: {why}. "
                "Try: a method that leaves no record out and publishes equal records alike, such as 'mondrian', or "
                "'optimal-lattice' with suppression = 0"
            )
        return self._as_given(X, made)

    def transform(self, X: Any) -> Any:  # noqa: N803
        """Recode rows as those of the release were: alone they promise nothing."""
        self._check_fitted()
        if self.release_.recoding.is_private:
            raise _samples("transform")
        made = self._recoded(X)
        warnings.warn(
            "rows that were recoded like those of a release promise nothing by themselves: what was certified are the "
            "rows that the Anonymizer was fitted on",
            NewRowsWarning,
            stacklevel=2,
        )
        return self._as_given(X, made)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return the names of the published columns."""
        del input_features
        self._check_fitted()
        return np.array(self._columns(), dtype=object)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "release_")

    def __sklearn_clone__(self) -> Anonymizer:
        from sklearn.base import _clone_parametrized

        copy: Anonymizer = _clone_parametrized(self)
        copy._is_copy = True  # searches fit copies
        return copy

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _method(self) -> Method:
        """Return the method, which must leave no row out, and refuse one that would spend without being told to."""
        method = method_of(self.method) or OptimalLattice(suppression=0)
        if is_private(method):
            if self.ledger is None:
                raise ParameterError(
                    "ledger",
                    expected="a Ledger: every fit spends",
                    got="none",
                    hint="ny.dp.Ledger(path='ledger.json', source='patients'), after its .open(epsilon=..., delta=...)",
                )
            # A search over settings fits dozens of copies, each of which would spend the budget of the records once
            # more.
            if getattr(self, "_is_copy", False) and not self.spends_in_searches:
                raise ParameterError(
                    "spends_in_searches",
                    expected="True, to let a search or cross-validation spend with every fit",
                    got="False, and this is a copy of an estimator",
                )
        # One row out for one in: a method that removes outliers masks them here.
        names = {field.name for field in dataclasses.fields(method)} if dataclasses.is_dataclass(method) else set()
        return dataclasses.replace(method, outliers="mask") if "outliers" in names else method  # type: ignore[type-var]

    def _recoded(self, X: Any) -> Applied:  # noqa: N803
        table = rows_of(self, X, reset=False)
        made = applied(self.release_, table, unseen="mask", outliers="mask")
        if made.table.height != table.height:
            raise ParameterError(
                "X",
                expected="rows that are all published, as a transformer must",
                got=f"{made.removed:,} that are left out",
                hint="missing='category' keeps rows with gaps",
            )
        return made

    def _as_given(self, X: Any, made: Applied) -> Any:  # noqa: N803
        order = np.argsort(made.source_rows, kind="stable")
        table = made.table.select(pl.col(self._columns()))[order]
        if not is_frame(X):
            return table.to_numpy().astype(object)
        made_like = like(X, table)
        if hasattr(X, "index") and hasattr(made_like, "set_axis"):  # pandas puts columns side by side by their index
            made_like.index = X.index
        return made_like

    def _columns(self) -> list[str]:
        """Return the columns that rows are recoded to: those of the release that are functions of a row."""
        recoding, alike = self.release_.recoding, coded_by_cells(self.release_.job.transforms)
        return [name for name in self.release_.frame.columns if name in alike or name not in recoding.beside]

    def _check_fitted(self) -> None:
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self)


def _samples(what: str) -> ParameterError:
    return ParameterError(
        what,
        expected="a method that publishes every row",
        got="a differentially private one, which draws a sample and spends with every draw",
        hint="call fit(X) only; release_.table is what was published",
    )
