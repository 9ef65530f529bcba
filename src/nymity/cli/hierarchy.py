"""``nymity hierarchy``: look at a hierarchy file, or get one suggested for a column."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from rich.table import Table
from rich.tree import Tree

from nymity.cli.console import Screen, add_row, cell, counted, table
from nymity.cli.options import AsJson, Delimiter, Encoding, Force, Header, Quiet, Sheet
from nymity.cli.source import may_write
from nymity.core.errors import ParameterError, SchemaError
from nymity.core.validation import nearest

if TYPE_CHECKING:
    from nymity.table.hierarchy import Hierarchy
