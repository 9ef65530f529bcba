"""Settings to publish with, tried on the custodian's own table: the front of risk against usefulness."""

from __future__ import annotations

from nymity.core.public_names import public_names

__all__, __getattr__ = public_names(
    __name__,
    base_job="suggested_schema",
    recommend="recommend CLASSIFIERS",
    recommendation="Choice Recommendation DATA_NAME",
    recommendation_page="render_page",
)
