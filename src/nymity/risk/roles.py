"""Roles: which role each column of a table seems to have, how sure that is, and why.

Evidence votes for roles (:mod:`nymity.risk.evidence`); votes are added to what roles are without any, and made shares.
Where the best is not clear the suggestion is a question, with the safer of what it could be as its role until
somebody decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp

import polars as pl

from nymity.io import CodedTable
from nymity.risk.column_facts import TYPES, ColumnFacts, of_items
from nymity.risk.evidence.by_company import by_company
from nymity.risk.evidence.by_distribution import by_distribution
from nymity.risk.evidence.by_name import by_name
from nymity.risk.evidence.by_value import by_value
from nymity.risk.evidence.free_text import free_text
from nymity.risk.evidence.person_names import person_names
from nymity.risk.evidence.role_votes import RoleVotes
from nymity.risk.evidence.suspicion import Suspicion, may_call_people
from nymity.table.attribute import Role

#: What each role has without any evidence: most columns about people are things that others may know.
PRIOR = {
    Role.QUASI: 1.0,
    Role.SENSITIVE: 0.3,
    Role.INSENSITIVE: -0.2,
    Role.IDENTIFYING: -1.0,
    Role.WEIGHT: -4.0,
}
#: A role with a smaller share of all is a question. Where a table's own words are left out of the vocabulary, two in
#: three columns that barely pass are right: quasi is also what is suggested when nothing speaks for anything.
SURE = {Role.QUASI: 0.7, Role.SENSITIVE: 0.45, Role.INSENSITIVE: 0.6, Role.IDENTIFYING: 0.58, Role.WEIGHT: 0.58}
#: Below this share another role may be as likely, and from this vote on something speaks for one.
UNSURE, SPEAKS = 0.45, 0.5
#: From this share on a column is left out until somebody decides, however likely something else is.
TOO_LIKELY = 0.25
#: Insensitive columns are published as they are: the role must be this likely to be suggested.
CLEARLY_INSENSITIVE = 0.6
#: How likely it is taken to be that a column of suspicious values does name people, whatever words say.
SUSPECTED = 0.5
#: What it costs to publish a column in one role that should have another: the first is suggested, the second right.
COSTS = {
    (Role.INSENSITIVE, Role.IDENTIFYING): 10.0,
    (Role.SENSITIVE, Role.IDENTIFYING): 10.0,
    (Role.WEIGHT, Role.IDENTIFYING): 10.0,
    (Role.QUASI, Role.IDENTIFYING): 6.0,
    (Role.INSENSITIVE, Role.QUASI): 5.0,
    (Role.INSENSITIVE, Role.SENSITIVE): 4.0,
    (Role.SENSITIVE, Role.QUASI): 3.0,
    (Role.WEIGHT, Role.QUASI): 3.0,
    (Role.QUASI, Role.SENSITIVE): 2.0,
}
#: Lists that can be published as sets.
_LISTS = ("List(String)", "List(Int64)", "List(Int32)", "List(Categorical)")
#: Each a function from what is known of a column to findings.
EVIDENCE = (by_value, by_name, person_names, free_text, by_distribution)


@dataclass(frozen=True, kw_only=True)
class Suggestion:
    """A role for a column: how sure it is, why, and whether somebody who knows the data should decide."""

    role: Role
    confidence: float  #: share of the role among all, by the evidence
    why: tuple[str, ...]  #: the strongest first
    is_question: bool = False
    instead: tuple[Role, ...] = ()  #: what else it could well be
    stake: float = 0.0  #: what it would cost if the role were wrong; questions are asked in this order

    @property
    def reason(self) -> str:
        """Return why in one line."""
        return "; ".join(self.why)


def suggest_roles(table: pl.DataFrame | CodedTable, facts: Mapping[str, ColumnFacts]) -> dict[str, Suggestion]:
    """Suggest a role for every column of a table, first by itself, then by the company it is in."""
    plain = {name: plainly(one) for name, one in facts.items()}
    found = {name: [] if plain[name] else [f for evidence in EVIDENCE for f in evidence(facts[name])] for name in facts}
    alone = {name: plain[name] or weigh(facts[name], found[name]) for name in facts}
    sure = {name: one.role for name, one in alone.items() if not one.is_question and one.confidence > 0.7}
    beside = by_company(table, {name: facts[name] for name in facts if not plain[name]}, sure)
    return {
        name: weigh(facts[name], [*found[name], *beside[name]]) if name in beside else one
        for name, one in alone.items()
    }


def plainly(facts: ColumnFacts) -> Suggestion | None:
    """Return the role of columns about which there is nothing to weigh: sets, what cannot be generalized, nothing."""
    if facts.type in _LISTS:
        return _sets(facts, "lists of values")
    if facts.type not in TYPES.values():
        return _certain(
            Role.IDENTIFYING, f"values of type {facts.type} cannot be generalized; convert or leave them out"
        )
    if facts.distinct == 0:
        return _certain(Role.INSENSITIVE, "it is empty")
    return None


def weigh(facts: ColumnFacts, findings: Iterable[RoleVotes]) -> Suggestion:
    """Add up what was found, and say what the column seems to be."""
    findings = sorted(findings, key=lambda one: -one.strength)
    shares = shares_of(findings)
    best = max(shares, key=lambda role: shares[role])
    role = best
    # To publish what names people cannot be taken back; to leave out what does not is a line in a job file.
    if shares[Role.IDENTIFYING] >= TOO_LIKELY:
        role = Role.IDENTIFYING
    elif best is Role.INSENSITIVE and (shares[best] < CLEARLY_INSENSITIVE or _may_call_people(facts, findings)):
        role = max((Role.QUASI, Role.SENSITIVE), key=lambda one: shares[one])
    if facts.separator is not None and role is not Role.IDENTIFYING:
        return _sets(facts, f"several values in a cell, {facts.separator!r} between them")
    suspicion = Suspicion.of(facts, findings) if role.is_published else None
    if suspicion is not None:
        return _left_out_until_decided(suspicion, role, shares)
    constant = facts.distinct == 1 and not facts.missing  # a name that all share names nobody
    why = [one.why for one in findings if one.votes.get(role, 0) > 0][:2]
    others = sorted((one for one in shares if one is not role and shares[one] >= 0.15), key=lambda one: -shares[one])
    return Suggestion(
        role=role,
        confidence=shares[role],
        why=tuple(dict.fromkeys(why)) or (f"{facts.distinct:,} different values that others might know",),
        is_question=_is_asked(facts, findings, role, shares[role]) or (constant and role is not Role.INSENSITIVE),
        instead=tuple(others),
        stake=sum(COSTS.get((role, other), 1.0) * share for other, share in shares.items() if other is not role),
    )


def _is_asked(facts: ColumnFacts, findings: Sequence[RoleVotes], role: Role, share: float) -> bool:
    """Whether a suggestion that is not sure is worth a question.

    What is made coarse as a quasi-identifier, though something else, costs detail or a promise about its values; a
    question of every third column costs the steward's attention for those that matter. So the default stands unasked
    for kinds and small whole numbers that most records have. Asked is about what may call people by its form, about two
    answers, amounts with decimals and what few records have, which are more often of health, money or law, and where
    something speaks for another role.
    """
    if role is not Role.QUASI or share < UNSURE or share >= SURE[role]:
        return share < SURE[role]
    if any(one.votes.get(other, 0) >= SPEAKS for one in findings for other in (Role.SENSITIVE, Role.INSENSITIVE)):
        return True
    is_kind = facts.is_whole if facts.is_number else facts.type == "text"
    return (
        not is_kind or facts.distinct <= 2 + facts.is_number or facts.missing > facts.present or may_call_people(facts)
    )


def _may_call_people(facts: ColumnFacts, findings: Iterable[RoleVotes]) -> bool:
    """Whether values may call people as far as their form tells, and no whole word of the name says otherwise."""
    settled = any(one.told_by in ("values", "word") for one in findings)
    return not settled and facts.type == "text" and facts.distinct > 2 and may_call_people(facts)


def _sets(facts: ColumnFacts, told: str) -> Suggestion:
    """Publish sets of items, unless the items may name or number people."""
    items = of_items(facts)
    suspicion = Suspicion.of_items(items, [one for evidence in EVIDENCE for one in evidence(items)])
    if suspicion is None:
        return _certain(Role.ITEMS, f"{told}: sets of items, of which others may know some")
    return Suggestion(
        role=Role.IDENTIFYING,
        confidence=SUSPECTED,
        why=(f"{told}, and of these: {suspicion.why}",),
        is_question=True,
        instead=(Role.ITEMS,),
        stake=COSTS[Role.SENSITIVE, Role.IDENTIFYING] * SUSPECTED,
    )


def _left_out_until_decided(suspicion: Suspicion, likely: Role, shares: Mapping[Role, float]) -> Suggestion:
    """Ask about what may name or number people, however a part of its name or its company sounds."""
    return Suggestion(
        role=Role.IDENTIFYING,
        confidence=shares[Role.IDENTIFYING],
        why=(suspicion.why,),
        is_question=True,
        instead=(likely,),
        stake=COSTS.get((likely, Role.IDENTIFYING), 1.0) * SUSPECTED,
    )


def shares_of(findings: Iterable[RoleVotes]) -> dict[Role, float]:
    """Return how likely each role is: exp of its votes, as a share of all."""
    total = dict(PRIOR)
    for one in findings:
        for role, vote in one.votes.items():
            total[role] += vote
    largest = max(total.values())
    odds = {role: exp(votes - largest) for role, votes in total.items()}
    return {role: one / sum(odds.values()) for role, one in odds.items()}


def _certain(role: Role, why: str) -> Suggestion:
    return Suggestion(role=role, confidence=1.0, why=(why,))
