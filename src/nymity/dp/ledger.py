"""Ledger: what the private releases of the same records have spent together, in a file that the custodian keeps."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

from nymity.core.commit import replace_file
from nymity.core.disk import make_folder
from nymity.core.errors import FileError, ParameterError
from nymity.core.files import read_file
from nymity.core.format_numbers import LEDGER
from nymity.core.locks import locked
from nymity.core.paths import path_text, resolved
from nymity.core.permissions import warn_if_exposed
from nymity.core.plain_data import parse_json
from nymity.core.quoting import as_given
from nymity.core.system_errors import explained
from nymity.dp.differential_privacy import MOST_RECORDS_PER_PERSON, DifferentialPrivacy
from nymity.dp.loss_distribution import Cost, composed_delta, composed_epsilon
from nymity.dp.parameters import Number, fraction_between

#: Names the records of one person that take part, where a release protects persons.
PER_PERSON = "records_per_person"
#: Seconds to wait for another run that writes to the same ledger.
_PATIENCE = 10.0


@dataclass(frozen=True, kw_only=True)
class Spending:
    """What all releases of a ledger have spent together, and the budget; all of it parameters, hence public."""

    #: How releases are added up, in words.
    ADDED_UP: ClassVar[str] = "epsilons and deltas add up"
    PLANNED: ClassVar[str] = "privacy loss distributions of a plan that was fixed before the first release"

    epsilon: Fraction
    delta: Fraction
    budget_epsilon: Fraction
    budget_delta: Fraction
    releases: int
    planned: bool

    @property
    def composition(self) -> str:
        """How releases were added up, in words."""
        return self.PLANNED if self.planned else self.ADDED_UP


@dataclass(frozen=True, kw_only=True)
class Ledger:
    """A ledger file and the ``source`` it is about, a name that the custodian gives the records.

    Epsilons and deltas of releases add up (basic composition, which also covers parameters that follow from earlier
    releases). With a *plan*, all parameters are fixed before the first release, and what releases cost together is much
    less (:mod:`nymity.dp.loss_distribution`); then nothing else can be released. A release is entered before anything
    is drawn, and stays entered whatever becomes of it: a run that was interrupted may have shown something.
    """

    path: str
    source: str

    def __post_init__(self) -> None:
        for name in ("path", "source"):
            if not isinstance(value := getattr(self, name), str) or not value:
                raise ParameterError(f"ledger.{name}", expected="a text", got=as_given(value))
        path_text("ledger.path", self.path)

    def open(self, *, epsilon: Number, delta: Number, plan: Sequence[DifferentialPrivacy] = ()) -> None:
        """Make the file, with the budget that all releases together may spend; refuse to replace one.

        ``plan`` are the promises of all releases there will be, in order. The budget must cover them together.
        """
        budget = {
            "epsilon": str(fraction_between("ledger.epsilon", epsilon, 0)),
            "delta": str(fraction_between("ledger.delta", delta, 0, 1)),
        }
        planned = [_plain(model) for model in plan]
        if len({PER_PERSON in one for one in planned}) > 1:
            raise ParameterError("ledger.plan", expected="promises to persons, or promises to records", got="both")
        # All releases of the plan are bounded together before the first: later choices could depend on what that one
        # shows.
        if planned and Fraction(composed_delta(_costs(planned), Fraction(budget["epsilon"]))) > Fraction(
            budget["delta"]
        ):
            needed = composed_epsilon(_costs(planned), Fraction(budget["delta"]))
            raise ParameterError(
                "ledger.plan",
                expected=f"releases that cost at most epsilon = {epsilon} with delta = {delta} together",
                got="more" if needed is None else f"epsilon = {float(needed):g} at that delta",
                hint="fewer releases, or smaller epsilons; the deltas of all must stay below that of the budget",
            )
        plans = {"plan": planned} if planned else {}
        with explained([self._file.parent]):
            make_folder(self._file.parent, [])
        with self._locked():  # somebody else may open it, and spend
            if Path(self.path).exists():
                raise FileError(self.path, expected="no file yet", got="one, which may hold what was spent before")
            self._write({"format": LEDGER.tag, "source": self.source, "budget": budget, **plans, "releases": []})

    def spending(self) -> Spending:
        """Return what all releases have spent together."""
        return _spending(self._read())

    def spent(self) -> tuple[Fraction, Fraction]:
        """Return epsilon and delta of all releases together; with a plan, epsilon at the delta of the budget."""
        found = self.spending()
        return found.epsilon, found.delta

    def left(self) -> tuple[Fraction, Fraction]:
        """Return what of epsilon and delta is left."""
        found = self.spending()
        return found.budget_epsilon - found.epsilon, found.budget_delta - found.delta

    def check(self, model: DifferentialPrivacy) -> None:
        """Refuse a release that the budget, or the plan, does not cover."""
        self._entry(self._read(), _plain(model))

    def enter(self, model: DifferentialPrivacy, method: str) -> Spending:
        """Spend what a release promises, or refuse it; return what is spent with it."""
        return self._enter(_plain(model), method)

    def spend(
        self,
        *,
        epsilon: Number,
        delta: Number,
        method: str,
        k: int | None = None,
        beta: Fraction | None = None,
        records_per_person: int | None = None,
    ) -> Spending:
        """Enter what something costs that ``method`` is about to show, or refuse it.

        ``k`` and ``beta`` are those of the sampling operator, if it is one: a plan with a release by these covers it.
        ``records_per_person`` is given where the cost is one to persons, and how many records of one took part.
        """
        cost: dict[str, Any] = {
            "epsilon": str(fraction_between("epsilon", epsilon, 0)),
            "delta": str(fraction_between("delta", delta, 0)),
        }
        cost |= {} if k is None else {"k": k, "beta": str(beta)}
        cost |= {} if records_per_person is None else {PER_PERSON: records_per_person}
        return self._enter(cost, method)

    def _enter(self, cost: dict[str, Any], method: str) -> Spending:
        with self._locked():
            content = self._read()
            entry = self._entry(content, cost)
            content["releases"].append({"entered": f"{datetime.now(UTC):%Y-%m-%d}", "method": method, **entry})
            if PER_PERSON in entry:  # programs that know of records alone must not add to it
                content["format"] = LEDGER.tag
            self._write(content)
        return _spending(content)

    def _entry(self, content: dict[str, Any], cost: dict[str, Any]) -> dict[str, Any]:
        """Return what a release adds to the file, or refuse it."""
        self._check_unit(content, cost)
        if "plan" in content:
            return self._planned(content, cost)
        before = _added(content)
        for name, spent in zip(("epsilon", "delta"), before, strict=True):
            budget, wanted = Fraction(content["budget"][name]), Fraction(cost[name])
            if spent + wanted > budget:
                raise ParameterError(
                    f"{DifferentialPrivacy.key}.{name}",
                    expected=f"at most {float(budget - spent):g}, what the ledger {self.path} has left of "
                    f"{float(budget):g}",
                    got=f"{float(wanted):g}",
                    hint="the budget was set before the first release; to raise it is to promise less",
                )
        return cost

    def _check_unit(self, content: dict[str, Any], cost: dict[str, Any]) -> None:
        """Refuse to add what a release costs a person to what others cost a record: the sum would be about neither."""
        before = [*content.get("plan", ()), *content["releases"]]
        if before and (PER_PERSON in before[0]) != (PER_PERSON in cost):
            units = ("records", "persons") if PER_PERSON in cost else ("persons", "records")
            raise ParameterError(
                "ledger",
                expected=f"releases that protect {units[0]}, like those before in {self.path}",
                got=f"one that protects {units[1]}, whose epsilon cannot be added to theirs",
                hint="a ledger of its own; releases of both kinds together protect each person no better than by the "
                "number of their records",
            )

    def _planned(self, content: dict[str, Any], cost: dict[str, Any]) -> dict[str, Any]:
        """Find the next release of the plan that covers this one; those before it are given up."""
        # Composition was counted for the plan in its order. A release that was passed over cannot be made any more.
        done = max((entry["planned"] + 1 for entry in content["releases"]), default=0)
        for place, planned in enumerate(content["plan"][done:], start=done):
            if all(planned.get(name) == cost.get(name) for name in ("k", "beta", PER_PERSON)) and (
                "search" not in cost or planned["search"] == cost["search"]
            ):
                return {**cost, "planned": place}
        raise ParameterError(
            "ledger",
            expected=f"one of the {len(content['plan']) - done} releases that the plan of {self.path} has left",
            got=f"epsilon = {float(Fraction(cost['epsilon'])):g}, delta = {float(Fraction(cost['delta'])):g}"
            + (f", k = {cost['k']}" if "k" in cost else ""),
            hint="a plan is fixed before the first release; what it does not name cannot be released",
        )

    def _read(self) -> dict[str, Any]:
        """Return the content of the file, or say what is wrong with it."""
        warn_if_exposed(self._file)
        try:
            content = parse_json(read_file(self._file), where=self.path, expected=f"a ledger ({LEDGER.tag})")
            number = LEDGER.number_of(content, self.path)
            planned = "plan" in content
            whole = isinstance(content["source"], str) and isinstance(content["releases"], list)
            whole = whole and (not planned or (number > 1 and bool(_costs(content["plan"]))))
            entries = [*content.get("plan", ()), *content["releases"]]
            rows = [entry[PER_PERSON] for entry in entries if PER_PERSON in entry]
            whole = whole and all(type(one) is int and 1 <= one <= MOST_RECORDS_PER_PERSON for one in rows)
            # Each release of a plan is made once and in order: a file that says otherwise was edited.
            places = [entry["planned"] for entry in content["releases"]] if planned else []
            whole = whole and places == sorted(set(places)) and all(0 <= n < len(content["plan"]) for n in places)
            sums = [*_added(content), Fraction(content["budget"]["epsilon"]), Fraction(content["budget"]["delta"])]
        except OSError as error:
            hint = "ny.dp.Ledger(path=..., source=...).open(epsilon=2, delta=1e-5) makes one"
            raise FileError(self.path, expected="a ledger", got=error.strerror or str(error), hint=hint) from error
        except FileError:
            raise
        except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError) as error:
            raise FileError(self.path, expected=f"a ledger ({LEDGER.tag})", got=f"something else: {error}") from error
        if not whole or min(sums) < 0:
            raise FileError(self.path, expected=f"a ledger ({LEDGER.tag})", got="something else")
        if content["source"] != self.source:
            raise FileError(self.path, expected=f"the ledger of {self.source!r}", got=f"that of {content['source']!r}")
        return dict(content)

    def _write(self, content: dict[str, Any]) -> None:
        text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
        replace_file(self._file, lambda staged: staged.write_text(text, encoding="utf-8"), private=True)

    @property
    def _file(self) -> Path:
        """The file itself, by whatever link: a hard link is a copy, as of a backup, and stays as it is."""
        return resolved(self.path)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Keep other runs from reading what is about to change."""
        lock = self._file.with_name(f".{self._file.name}.lock")
        with explained([self._file.parent]), locked(lock, what=self.path, wait=_PATIENCE):
            yield


def _added(content: dict[str, Any]) -> tuple[Fraction, Fraction]:
    """Add up what was spent."""
    releases = [(Fraction(entry["epsilon"]), Fraction(entry["delta"])) for entry in content["releases"]]
    if any(amount < 0 for pair in releases for amount in pair):
        raise ValueError("a release that spent less than nothing")
    return sum((e for e, _ in releases), Fraction(0)), sum((d for _, d in releases), Fraction(0))


def _spending(content: dict[str, Any]) -> Spending:
    budget = {f"budget_{name}": Fraction(content["budget"][name]) for name in ("epsilon", "delta")}
    epsilon, delta = _added(content)
    releases, planned = content["releases"], "plan" in content
    if planned and releases:
        # Each entry stays below the pair of its place in the plan, so those pairs alone are composed.
        used = _costs([content["plan"][entry["planned"]] for entry in releases])
        together = composed_epsilon(used, budget["budget_delta"])
        epsilon = budget["budget_epsilon"] if together is None else together
        delta = budget["budget_delta"]
    return Spending(epsilon=epsilon, delta=delta, releases=len(releases), planned=planned, **budget)


def _plain(model: DifferentialPrivacy) -> dict[str, Any]:
    """Return a promise as a ledger keeps it."""
    assert model.delta is not None  # set at birth
    return {
        "epsilon": str(fraction_between("epsilon", model.epsilon, 0)),
        "delta": str(fraction_between("delta", model.delta, 0)),
        "search": str(fraction_between("epsilon_search", model.epsilon_search, 0)),
        "k": model.k,
        "beta": str(model.beta),
        **({} if model.records_per_person is None else {PER_PERSON: model.records_per_person}),
    }


def _costs(planned: Sequence[Mapping[str, Any]]) -> list[Cost]:
    return [
        Cost(k=int(p["k"]), beta=Fraction(p["beta"]), search=Fraction(p["search"]), rows=int(p.get(PER_PERSON, 1)))
        for p in planned
    ]
