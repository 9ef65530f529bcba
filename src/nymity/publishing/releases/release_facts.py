"""ReleaseFacts: what a release answers from its outcome, its log and its certificate, wherever its rows are."""

from __future__ import annotations

from nymity.publishing.caveats.caveat import Caveat
from nymity.publishing.certificates.certificate import Certificate
from nymity.publishing.custodian.custodian_log import CustodianLog
from nymity.table.outcome import Outcome
from nymity.table.recoding import Recoding


class ReleaseFacts:
    """What releases share whose rows are in memory, and those that an engine wrote."""

    outcome: Outcome
    log: CustodianLog
    certificate: Certificate

    @property
    def recoding(self) -> Recoding:
        """How values were generalized; applies to new rows too."""
        return self.outcome.recoding

    @property
    def levels(self) -> dict[str, int]:
        """Chosen level of each quasi-identifier; empty where classes have cells of their own."""
        return dict(self.outcome.levels)

    @property
    def suppressed(self) -> int:
        """Records that were masked or removed; of a sample, all that are not in it."""
        suppressed = self.outcome.suppressed
        return int(self.log.figures["not_released"]) if suppressed is None else suppressed

    @property
    def is_foreseeable(self) -> bool:
        """Whether it was to be differentially private, and its draws are from a known seed: then it is not."""
        return self.recoding.is_private and bool(self.certificate.get("seeded"))

    @property
    def warnings(self) -> tuple[Caveat, ...]:
        """What someone could still find out although every promise holds, the worst first."""
        told = self.certificate["not_protected"]
        return tuple(Caveat(key=one["warning"], says=one["says"], figures=one.get("figures", {})) for one in told)
