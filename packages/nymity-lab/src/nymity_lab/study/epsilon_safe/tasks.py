"""What is released and learned from: Adult with 4, 6, 8 or 10 attributes, a census, or generated records."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

    from nymity.table.encoding import EncodedTable
    from nymity.table.schema import Schema
    from nymity.utility.learner import Learner

#: Records of the census, as many as the thesis has of IPUMS, and the share that is tested.
_CENSUS_RECORDS, _TESTED = 188_846, 0.25
_TARGETS = {"acs": "IncomeGT50K", "generated": "rich"}


@dataclass(frozen=True, eq=False, kw_only=True)
class Task:
    """Training and test records, the columns that are published, and the one to predict."""

    train: pl.DataFrame
    test: pl.DataFrame
    schema: Schema
    target: str

    @property
    def learner(self) -> Learner:
        """What learns from releases of the training part."""
        from nymity.utility import Learner

        return Learner.of(self.train, self.schema, target=self.target, test=self.test)

    def encoded(self, table: pl.DataFrame) -> EncodedTable:
        """Encode some of the records."""
        from nymity.dp.public_domain import public_schema
        from nymity.table.encoding import encode

        return encode(table, public_schema(self.schema))


@lru_cache(maxsize=2)
def task(data: str, attributes: int, education: int = 1) -> Task:
    """Return a task; ``education`` is the weight of that column, whose levels cost more then."""
    return _adult(attributes, education) if data == "adult" else _split(data, attributes)


def _adult(attributes: int, education: int) -> Task:
    from nymity.table.attribute import quasi
    from nymity.table.schema import Schema
    from nymity_lab.datasets.adult import TARGET, census_parts, census_schema

    schema = census_schema(attributes)
    if education != 1:
        weighted = {"education": quasi(schema["education"].hierarchy, missing="drop", weight=education)}
        schema = Schema({name: weighted.get(name, attribute) for name, attribute in schema.items()})
    train, test = (part.select(list(schema)) for part in census_parts())
    return Task(train=train, test=test, schema=schema, target=TARGET)


def _split(data: str, attributes: int) -> Task:
    """Divide a table of the study safepub at random, from a seed."""
    from nymity.table.attribute import quasi
    from nymity.table.schema import Schema
    from nymity_lab.study.safepub.study_tables import source

    found, target = source(data), _TARGETS[data]
    names = [name for name in found.hierarchies if name != target][:attributes]
    table = found.table.select(*names, target).sample(fraction=1.0, shuffle=True, seed=0).head(_CENSUS_RECORDS)
    tested = int(table.height * _TESTED)
    schema = {name: quasi(found.hierarchies[name], missing="error") for name in names}
    schema[target] = quasi(found.hierarchies[target], missing="error", level=0, weight=0)
    return Task(train=table[tested:], test=table[:tested], schema=Schema(schema), target=target)
