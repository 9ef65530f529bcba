"""Which classes of a partition are published, when several models speak of them and some speak of all together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nymity.core.errors import ParameterError
from nymity.privacy.linked_k_anonymity import LinkedKAnonymity
from nymity.privacy.links import PersonRows
from nymity.privacy.model import PrivacyModel
from nymity.table.classes import Classes
from nymity.table.recoding import Outliers


@dataclass(frozen=True, eq=False)
class Decision:
    """The classes to publish, (n_classes,), and what becomes of the records of the others.

    ``persons`` (n_persons,): whose records are published, where rows are linked: the others' are left out of every
    class.
    """

    published: NDArray[np.bool_]
    outliers: Outliers
    persons: NDArray[np.bool_] | None = None


def decide(classes: Classes, models: Sequence[PrivacyModel], outliers: Outliers) -> Decision:
    """Keep the classes that every model accepts, such that the release as a whole keeps every promise.

    Suppressed records stay as masked rows only if these, taken as one class, satisfy every model, and promises about
    all classes together are kept with them; otherwise they are removed. Their people are all those who fit no published
    combination. Removing changes the table that some models compare classes with, so those models are asked again about
    what remains, until nothing changes: a release never promises what its own rows do not show. With ``keep`` the other
    records are published in some other way, and nothing is asked about them.

    What is kept is a subset of the classes that every model accepts in the whole table, and that are good together,
    whether the others are masked or removed. So masked rows never let a node publish more, and bounds on what a node
    and those below it publish need not know of them.
    """
    if (linked := _linked(classes, models)) is not None:
        rows, persons = linked
        return Decision(rows.records_without(persons) < classes.sizes, "remove", persons)
    kept = _together(classes, models, accepted(classes, models))
    # Where nothing goes, or goes into masked rows, the table that classes are compared with is still the whole one.
    if kept.all() or outliers == "keep" or (outliers == "mask" and _masked_rows_pass(classes, models, kept)):
        return Decision(kept, outliers)
    comparing = [model for model in models if model.compares]
    while comparing and kept.any():
        again = kept & accepted(classes.compared_with(kept), comparing)
        if (again == kept).all():
            break
        kept = _together(classes, models, again)
    return Decision(kept, "remove")


def suppressed_records(classes: Classes, models: Sequence[PrivacyModel], outliers: Outliers) -> NDArray[np.uint32]:
    """Return how many records of each class are suppressed, (n_classes,): all or none, unless persons are left out."""
    if (linked := _linked(classes, models)) is not None:
        rows, persons = linked
        return rows.records_without(persons)
    return np.where(kept_classes(classes, models, outliers), np.uint32(0), classes.sizes)


def kept_classes(classes: Classes, models: Sequence[PrivacyModel], outliers: Outliers) -> NDArray[np.bool_]:
    """Return the classes that :func:`decide` keeps, without asking about masked rows where it makes no difference."""
    if outliers != "keep" and any(model.compares for model in models):
        return decide(classes, models, outliers).published
    return _together(classes, models, accepted(classes, models))


def _linked(classes: Classes, models: Sequence[PrivacyModel]) -> tuple[PersonRows, NDArray[np.bool_]] | None:
    """Return the persons to publish where a promise links their rows; None where none does."""
    linking = [model for model in models if isinstance(model, LinkedKAnonymity)]
    if not linking or classes.persons is None:
        return None
    rows = PersonRows.of(classes.persons)
    fewest = max(model.smallest_class for model in models)
    kept = np.logical_and.reduce([rows.kept(model.k, model.knows, fewest=fewest) for model in linking])
    while len(linking) > 1:  # each leaves out persons that another counted
        before = kept
        for model in linking:
            kept = rows.kept(model.k, model.knows, fewest=fewest, among=kept)
        if (kept == before).all():
            break
    return rows, kept


def refuse_shares_of_persons(models: Sequence[PrivacyModel], key: str) -> None:
    """Refuse models that take shares of persons, for methods that divide records until every class is good.

    Such methods begin with all records, or join classes, also where two are published with the same cells. Of good
    classes the union need not be good, so they would miss solutions, or make one that breaks its promise.
    """
    for model in models:
        if model.over_persons == "shares":
            raise ParameterError(
                f"{key}: {model.key}",
                expected="a model that counts the persons of a class, or their records",
                got=f"{model.title}, which takes shares of persons: classes that keep it may break it together",
                hint="use the method 'optimal-lattice'",
            )


def accepted(classes: Classes, models: Sequence[PrivacyModel]) -> NDArray[np.bool_]:
    """Return which classes every model accepts."""
    accepted = np.ones(len(classes), dtype=np.bool_)
    for model in models:
        accepted &= model.accepts(classes)
    return accepted


def accepted_and_most_kept(
    classes: Classes, models: Sequence[PrivacyModel]
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Return which classes every model accepts, and how many records of each any finer partition can publish at most.

    Both are (n_classes,). :func:`decide` keeps no other class than those. An accepted part has no fewer records than
    the smallest class: where fewer can be kept, none are.
    """
    most, together = classes.sizes.astype(np.int64), np.ones(len(classes), dtype=np.bool_)
    for model in models:
        alone = model.accepts(classes)
        most = np.minimum(most, model.most_kept(classes, alone))
        together &= alone
    return together, np.where(most < max((model.smallest_class for model in models), default=1), 0, most)


def _together(classes: Classes, models: Sequence[PrivacyModel], kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Ask the models that speak of all classes together, until none of them takes another one out."""
    demanding = [model for model in models if not model.monotone_suppression]
    while demanding:
        before = kept
        for model in demanding:
            kept = kept & model.together(classes, kept)
        if (kept == before).all():
            break
    return kept


def _masked_rows_pass(classes: Classes, models: Sequence[PrivacyModel], kept: NDArray[np.bool_]) -> bool:
    """Return whether the suppressed records, taken as one class (of stars), satisfy every model."""
    alike = ~kept
    if classes.stars >= 0:
        alike[classes.stars] = True
    if classes.sizes[alike].sum(dtype=np.int64) < max(model.smallest_class for model in models):
        return False  # most often, and without looking at values
    masked = classes.merged(alike)
    if not all(bool(model.accepts(masked)[0]) for model in models):
        return False
    demanding = [model for model in models if not model.monotone_suppression]
    if not demanding:
        return True
    published = _beside(classes, alike, masked)
    everyone = np.ones(len(published), dtype=np.bool_)
    return all(bool(model.together(published, everyone).all()) for model in demanding)


def _beside(classes: Classes, alike: NDArray[np.bool_], masked: Classes) -> Classes:
    """Return the classes of a release: the masked rows, and those that do not look like them; sizes and people.

    All of the population is in one of them: who is in none is the masked rows'. So nobody asks for its persons.
    """
    people = persons = None
    if classes.population is not None and masked.population is not None:
        people = np.append(classes.population[~alike], masked.population)
    if classes.persons is not None and masked.persons is not None:
        persons = classes.persons.beside(~alike, masked.persons)
    sizes = np.append(classes.sizes[~alike], masked.sizes)
    return Classes(sizes, population=people, persons=persons)
