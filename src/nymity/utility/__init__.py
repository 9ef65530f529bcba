"""What a release is still good for: count queries, answered from the release and from the original table."""

from __future__ import annotations

from nymity.utility.countable import BucketTables
from nymity.utility.counting import count, count_queries
from nymity.utility.query import Between
from nymity.utility.query_error import QueryError
from nymity.utility.workload import Workload

__all__ = ["count", "count_queries", "Between", "Workload", "QueryError", "BucketTables"]
