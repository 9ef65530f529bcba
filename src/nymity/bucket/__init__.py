"""Bucketization: publish quasi-identifiers unchanged, and cut their link to the sensitive value by buckets."""

from __future__ import annotations

from nymity.bucket.anatomy import anatomize, anatomy_loss
from nymity.bucket.assignment import Violation
from nymity.bucket.filling import fill
from nymity.bucket.outcome import Plan
from nymity.bucket.planning import METHODS, check, plan
from nymity.core.public_names import public_names
from nymity.table.bucket_recoding import Slots

#: What other packages use besides.
_inner, __getattr__ = public_names(__name__, bucketized="BucketOutcome", methods="BucketMethod ValueLimits")

__all__ = ["METHODS", "Plan", "Slots", "Violation", "anatomize", "anatomy_loss", "check", "fill", "plan", *_inner]
