"""Project files of ARX made by hand, after what its public source writes (``WorkerSave``, ``Vocabulary_V2``)."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path

#: The beginning of a serialized Java object, and nothing that may be read.
JAVA = b"\xac\xed\x00\x05sr\x00.org.deidentifier.arx.gui.model.Model"

AGES = {str(age): (f"{age // 10 * 10}-{age // 10 * 10 + 9}", "*") for age in range(20, 60)}
TABLE = "name;age;sex;disease\n" + "".join(
    f"p{i};{20 + i % 40};{('f', 'm')[i % 2]};{('flu', 'cold', 'gout')[i % 3]}\n" for i in range(240)
)
METADATA = "<metadata>\n\t<version>3.9.1</version>\n\t<vocabulary>2.0</vocabulary>\n</metadata>\n"
PROJECT = (
    "<project>\n\t<name>Example</name>\n\t<separator>;</separator>\n\t<escape>&quot;</escape>\n\t<quote>&quot;</quote>\n"
    "\t<linebreak>UNIX</linebreak>\n\t<locale>EN</locale>\n</project>\n"
)
DEFINITION = """<definition>
	<assigment>
		<name>name</name>
		<type>IDENTIFYING_ATTRIBUTE</type>
		<datatype>String</datatype>
	</assigment>
	<assigment>
		<name>age</name>
		<type>QUASI_IDENTIFYING_ATTRIBUTE</type>
		<datatype>Integer</datatype>
		<ref>hierarchies/age.csv</ref>
		<min>1</min>
		<max>All</max>
	</assigment>
	<assigment>
		<name>sex</name>
		<type>QUASI_IDENTIFYING_ATTRIBUTE</type>
		<datatype>String</datatype>
		<ref>hierarchies/sex.csv</ref>
		<min>All</min>
		<max>All</max>
	</assigment>
	<assigment>
		<name>disease</name>
		<type>SENSITIVE_ATTRIBUTE</type>
		<datatype>String</datatype>
		<responseVariable>true</responseVariable>
	</assigment>
</definition>
"""
CONFIG = """<config>
	<suppressTuplesInNonAnonymousOutput>true</suppressTuplesInNonAnonymousOutput>
	<suppressedAttributeTypes>
		<type>QUASI_IDENTIFYING_ATTRIBUTE</type>
	</suppressedAttributeTypes>
	<practicalMonotonicity>false</practicalMonotonicity>
	<relativeMaxOutliers>0.05</relativeMaxOutliers>
	<metric>Loss (0.5/1.0/1.0)</metric>
	<attributeWeights>
		<attributeWeight>
			<attribute>age</attribute>
			<weight>0.75</weight>
		</attributeWeight>
	</attributeWeights>
	<criteria>
{criteria}	</criteria>
</config>
"""


def hierarchy(rows: Mapping[str, tuple[str, ...]]) -> str:
    return "".join(";".join((value, *levels)) + "\n" for value, levels in rows.items())


def config(*criteria: str) -> str:
    return CONFIG.format(criteria="".join(f"\t\t<criterion>{one}</criterion>\n" for one in criteria))


def project(path: Path, change: Mapping[str, str | bytes | None] | None = None) -> Path:
    """Write a project; ``change`` replaces entries, adds them, or leaves them out (None)."""
    entries: dict[str, str | bytes | None] = {
        "metadata.xml": METADATA,
        "project.dat": JAVA,
        "project.xml": PROJECT,
        "data/input.csv": TABLE,
        "data/output.dat": JAVA,
        "input/config.dat": JAVA,
        "input/config.xml": config("5-anonymity", "distinct-2-diversity for attribute &apos;disease&apos;"),
        "input/definition.xml": DEFINITION,
        "input/hierarchies/age.csv": hierarchy(AGES),
        "input/hierarchies/sex.csv": hierarchy({"f": ("*",), "m": ("*",)}),
        "output/config.dat": JAVA,
        "output/config.xml": config("5-anonymity"),
        "lattice.xml": "<lattice></lattice>",
        "lattice.dat": JAVA,
        **(change or {}),
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            if content is not None:
                archive.writestr(name, content)
    return path
