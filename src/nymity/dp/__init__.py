"""Differential privacy: the sampling operator, mechanisms, private releases, forecasts and ledgers of them.

import nymity as ny

beta = ny.dp.largest_beta(0.9)
k = ny.dp.smallest_k(epsilon=0.9, delta=1e-5)
ny.dp.delta(k=k, beta=beta, epsilon=0.9).upper
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from nymity.core.bits import Bits, Drawn, NotPrivate, SystemBits
from nymity.core.extras import require
from nymity.core.public_names import public_names
from nymity.dp.audit import Audit, audit
from nymity.dp.delta_grid import delta_table
from nymity.dp.exponential import exponential_mechanism
from nymity.dp.forecast import Forecast, forecast
from nymity.dp.ledger import Ledger, Spending
from nymity.dp.mechanisms import discrete_laplace, sample_records
from nymity.dp.sampling import SamplingDelta, delta, largest_beta, smallest_k, smoothness

if TYPE_CHECKING:
    from nymity.dp.private_logistic_regression import PrivateLogisticRegression

#: What other packages use besides.
_inner, _load = public_names(
    __name__,
    differential_privacy="DifferentialPrivacy",
    private_method="PrivateMethod PrivateOutcome check_published check_unit the_promise",
    public_domain="check_listed public_schema",
    records="Records others_of read_columns",
    sampling="cost_of_sampling",
)

__all__ = [
    "delta",
    "smallest_k",
    "largest_beta",
    "smoothness",
    "delta_table",
    "SamplingDelta",
    "sample_records",
    "exponential_mechanism",
    "discrete_laplace",
    "Ledger",
    "Spending",
    "audit",
    "Audit",
    "forecast",
    "Forecast",
    "Drawn",
    "Bits",
    "SystemBits",
    "NotPrivate",
    "PrivateLogisticRegression",
    *_inner,
]


def __getattr__(name: str) -> Any:
    """Import the classifier when it is asked for: it needs scikit-learn."""
    if name != "PrivateLogisticRegression":
        return _load(name)
    require("sklearn", extra="learn", purpose="functional logistic regression")
    return import_module("nymity.dp.private_logistic_regression").PrivateLogisticRegression


def __dir__() -> list[str]:
    return sorted(__all__)
