"""Data dictionaries: every form says the same, and what is no dictionary is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nymity.core.errors import FileError
from nymity.io import Dictionary, read_dictionary

TABLE = """column;label;type;values;missing
sex;Sex of the patient;;1=male | 2=female;9
age;Age at admission;integer;;-9, NA
ort;Wohnort – Größe;text;;
"""
LONG = """Variable,Variable label,Type,Value,Value label,Missing
sex,Sex of the patient,,1,male,9
sex,,,2,female,
age,Age at admission,integer,,,-9; NA
ort,Wohnort – Größe,text,,,
"""
PLAIN = {
    "sex": {"label": "Sex of the patient", "values": {"1": "male", "2": "female"}, "missing": [9]},
    "age": {"label": "Age at admission", "type": "integer", "missing": ["-9", "NA"]},
    "ort": {"label": "Wohnort – Größe", "type": "text"},
}
LISTED = [{"name": name, **fields} for name, fields in PLAIN.items()]
SCHEMA = {
    "fields": [
        {
            "name": "sex",
            "type": "integer",
            "title": "Sex of the patient",
            "categories": [{"value": 1, "label": "male"}, {"value": 2, "label": "female"}],
            "missingValues": ["", "9"],
        },
        {"name": "age", "type": "integer", "description": "Age at admission"},
        {"name": "ort", "type": "string", "title": "Wohnort – Größe", "missingValues": []},
    ],
    "missingValues": ["", "-9", "NA"],
}
PACKAGE = {"name": "p", "resources": [{"path": "t.csv", "schema": SCHEMA}]}
DDI = """<?xml version="1.0" encoding="UTF-8"?>
<codeBook xmlns="ddi:codebook:2_5"><dataDscr>
 <var ID="V1" name="sex"><labl>Sex of the
   patient</labl>
  <catgry><catValu>1</catValu><labl>male</labl></catgry>
  <catgry><catValu>2</catValu><labl>female</labl></catgry>
  <catgry missing="Y"><catValu>9</catValu><labl>no answer</labl></catgry>
  <varFormat type="numeric"/></var>
 <var name="age"><labl>Age at admission</labl>
  <invalrng><item VALUE="-9"/><item VALUE="NA"/></invalrng><varFormat type="numeric"/></var>
 <var name="ort"><labl>Wohnort – Größe</labl><varFormat type="character"/></var>
</dataDscr></codeBook>"""

FORMS = {
    "table.csv": TABLE,
    "long.csv": LONG,
    "plain.json": json.dumps(PLAIN),
    "listed.json": json.dumps(LISTED),
    "schema.json": json.dumps(SCHEMA),
    "datapackage.json": json.dumps(PACKAGE),
    "codebook.xml": DDI,
}


@pytest.mark.parametrize("name", FORMS)
def test_every_form_says_the_same(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(FORMS[name], encoding="utf-8")
    read = read_dictionary(tmp_path / name)
    assert [read.label(column) for column in ("sex", "age", "ort")] == [
        "Sex of the patient",
        "Age at admission",
        "Wohnort – Größe",
    ]
    assert dict(read.values("sex")) == {"1": "male", "2": "female"}
    assert [read.missing(column) for column in ("sex", "age", "ort")] == [("9",), ("-9", "NA"), ()]
    assert read.kind("sex") == "category"
    assert read.kind("age") in ("whole number", "number")
    assert read.kind("ort") == "text"
    assert "sex" in read
    assert read.label("SEX") == "Sex of the patient"


def test_where_it_is_silent() -> None:
    silent = Dictionary()
    assert not silent
    assert (silent.label("a"), silent.kind("a"), silent.missing("a"), dict(silent.values("a"))) == (None, None, (), {})
    assert "a" not in silent


def test_names_that_differ_in_case_alone_are_not_mixed_up(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("column,label\nA,one\na,other\n")
    read = read_dictionary(tmp_path / "d.csv")
    assert (read.label("A"), read.label("a")) == ("one", "other")


def test_only_labels_of_published_values_go_out(tmp_path: Path) -> None:
    (tmp_path / "d.json").write_text(json.dumps(PLAIN))
    out = read_dictionary(tmp_path / "d.json").of_published({"sex": ["1", "*"]})
    assert dict(out.values("sex")) == {"1": "male"}
    assert out.missing("sex") == ()
    assert "age" not in out


ENTITY = (
    '<!DOCTYPE c [<!ENTITY x SYSTEM "file:///etc/passwd">]><codeBook><var name="a"><labl>&x;</labl></var></codeBook>'
)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("d.xml", ENTITY, "document type"),
        ("d.xml", "<codeBook><var", "DDI-Codebook"),
        ("d.xml", "<codeBook/>", "variables"),
        ("d.xml", "<a>" * 200 + "</a>" * 200, "nested too deeply"),
        ("d.json", "[1, 2]", "columns with their fields"),
        ("d.json", '{"fields": [{"title": "x"}]}', "fields with a name"),
        ("d.json", '{"resources": []}', "one table"),
        ("d.json", "{", "data dictionary in JSON"),
        ("d.csv", "what,ever\n1,2\n", "at least one column"),
        ("d.csv", "column,label\n,a\n", "name of a column"),
        ("d.docx", "x", "a data dictionary"),
        ("d.csv", "column,label\nsex,A\nage,C\nsex,B\n", "'sex' twice"),
        ("d.json", '[{"column": "sex"}, {"column": "sex"}]', "'sex' twice"),
        ("d.json", '{"fields": [{"name": "sex"}, {"name": "sex"}]}', "'sex' twice"),
        ("d.xml", '<codeBook><var name="a"/><var name="a"/></codeBook>', "'a' twice"),
    ],
)
def test_what_is_no_dictionary_is_refused(name: str, content: str, says: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(FileError, match=says):
        read_dictionary(tmp_path / name)
