"""What columns look like: by name, by content, and as far as they tell records apart."""

from __future__ import annotations

import json
from collections import Counter
from datetime import date, timedelta
from itertools import combinations
from math import comb

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nymity.core.errors import TableError
from nymity.datasets import hospital
from nymity.publishing.preparing.inspect import inspect
from nymity.risk import suggest
from nymity.risk.evidence.vocabulary import CONCEPTS, WEIGHTS
from nymity.risk.evidence.words_further import FURTHER
from nymity.table.attribute import Role

#: Kind, and values that must be known for it under a name that says nothing.
CONTENTS = {
    "e-mail addresses": ["a.b@example.org", "x@y.co.uk", "info+tag@host.info"],
    "web addresses": ["https://example.org/me", "www.example.com/~you", "http://a.b"],
    "IP addresses": ["192.168.0.1", "10.0.0.255", "2001:db8:0:1:1:1:1:1"],
    "social security numbers": ["078-05-1120", "219-09-9999"],
    "telephone numbers": ["+49 89 1234567", "(089) 123456", "555-867-5309", "089/1234567"],
    "account numbers": ["DE89 3704 0044 0532 0130 00", "GB29NWBK60161331926819"],
    "dates": ["2024-01-31", "31.1.2024", "1/31/24", "2024-01-31T08:00"],
    "places smaller than a state": ["80331", "90210-1234", "K1A 0B1", "SW1A 1AA", "1011 AB"],
}


@pytest.mark.parametrize("kind", CONTENTS)
def test_content_is_known_whatever_the_name(kind: str) -> None:
    (column,) = suggest({"info": CONTENTS[kind]})
    assert [flag.kind for flag in column.flags] == [kind]
    assert column.flags[0].share == 1
    direct = kind not in ("dates", "places smaller than a state")
    assert column.flags[0].direct == direct
    assert (column.role is Role.IDENTIFYING) == direct


def test_codes_of_medicines_are_sensitive_and_no_telephone_numbers() -> None:
    codes = ["00093-1048-01", "00071-0155-23", "61958-1101-1", "00002-3227-30", "50242-040-62", "12345-6789-01"]
    (column,) = suggest({"x": codes * 40})
    assert column.role is Role.SENSITIVE
    assert column.reason.startswith("100% of its values look like codes of the NDC for medicines")


@pytest.mark.parametrize("name", ["tussenv", "nachna", "achtern", "prenom1"])
def test_beginnings_of_words_that_point_to_people_do_so(name: str) -> None:
    """From six letters on: fewer, as in ``mobi``, may be the beginning of anything."""
    (column,) = suggest({name: ["van", "de", "van der", "el"] * 40})
    assert column.role is Role.IDENTIFYING


def test_a_few_other_values_do_not_hide_it_and_a_few_of_it_do_not_make_it() -> None:
    mails = [f"p{i}@example.org" for i in range(9)]
    assert suggest({"contact": [*mails, "none", None]})[0].reason == "90% of its values look like e-mail addresses"
    assert suggest({"contact": [*mails[:2], *"abcdefgh"]})[0].flags == ()


@pytest.mark.parametrize(
    "values",
    [
        ["12.5", "13.7"],
        ["1234567", "7654321"],
        ["A12", "B13"],
        ["20-30", "30-40"],
        ["*"],
        ["00093-1048-01", "00071-0155-23"],
    ],
)
def test_ordinary_values_are_not_flagged(values: list[str]) -> None:
    assert suggest({"x": values})[0].flags == ()


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Last name", "names"), ("homeStreet", "street addresses"), ("zip_code", "places smaller than a state"),
        ("date of birth", "dates"), ("telephone", "telephone numbers"), ("fax", "fax numbers"),
        ("e_mail", "e-mail addresses"), ("SSN", "social security numbers"), ("MRN", "medical record numbers"),
        ("health plan", "health plan numbers"), ("iban", "account numbers"),
        ("driver licence", "certificate and license numbers"), ("VIN", "vehicle numbers"),
        ("serial number", "device numbers"), ("url", "web addresses"), ("ip_address", "IP addresses"),
        ("fingerprint", "biometric identifiers"), ("photo", "photographs"), ("uuid", "other numbers of people"),
    ],
)  # fmt: skip
def test_hipaas_kinds_are_known_by_name(name: str, kind: str) -> None:
    (column,) = suggest({name: [1, 2, 2]})
    assert kind in [flag.kind for flag in column.flags]
    if column.flags[0].direct:
        assert column.role is Role.IDENTIFYING


@pytest.mark.parametrize(
    ("name", "kind"), [("name", "names"), ("customer name", "names"), ("visit_nr", "other numbers of people")]
)
def test_names_and_numbers_of_people_are_flagged(name: str, kind: str) -> None:
    (column,) = suggest({name: [1, 2, 2]})
    assert [(flag.kind, flag.direct) for flag in column.flags] == [(kind, True)]
    assert suggest({"city name": ["x", "x", "y"]})[0].role is Role.QUASI


def test_dates_are_known_by_their_type() -> None:
    (column,) = suggest({"x": [date(2024, 1, 1) + timedelta(days=i) for i in range(5)]})
    assert [(flag.kind, flag.share, flag.reason) for flag in column.flags] == [("dates", None, "its type: dates")]
    assert column.role is Role.QUASI


@given(st.lists(st.sampled_from(["a", "b", "c", "", None]), min_size=2, max_size=20))
def test_what_a_column_tells_apart(values: list[str | None]) -> None:
    known = [value or None for value in values]
    (column,) = suggest(pl.DataFrame({"x": values}, schema={"x": pl.String}))
    counts = Counter(known)
    assert column.distinction == len(counts) / len(values)
    assert column.separation == pytest.approx(sum(a != b for a, b in combinations(known, 2)) / comb(len(known), 2))
    assert column.unique == sum(count == 1 for count in counts.values())


def test_it_suggests_what_inspection_does() -> None:
    table = hospital(500)
    assert {c.name: (c.role, c.reason) for c in suggest(table)} == {
        c.name: (c.role, c.reason) for c in inspect(table).columns
    }


def test_cells_that_cannot_be_compared_are_said_to_be() -> None:
    column, other = suggest({"x": [[1], [2]], "y": [1, 2]})
    assert (column.role, column.separation, column.unique) == (Role.ITEMS, None, None)
    assert other.separation == 1
    assert json.loads(json.dumps([column.to_dict(), other.to_dict()]))[0]["distinction"] is None


def test_an_empty_table() -> None:
    with pytest.raises(TableError, match="at least one record"):
        suggest({"x": []})


#: How people are called, under names that speak of something else.
CALLED = {
    "Kostenstelle": ["Fr. Lindner", "Hr. Sommer", "Frau Dr. Wolf", "Herr von Berg", "intern"],
    "complement": ["chez M. Fontaine", "Mme Girard", "Mlle Petit", "bât. B"],
    "treatment": ["J. Bakker", "M. de Boer", "K. Smit", "P.-J. Visser", "niemand"],
    "income": ["Durand P.", "Lopez M.", "Benali K.", "Krüger, U."],
    "region": ["3 rue des Lilas", "12 av. Foch", "5 bis, avenue Foch", "14 High Street", "Kerkstraat 1"],
    "type": ["Flat 2, Oak Court", "Goetheplatz 3a", "C/ Mayor, 12", "Lindenweg 7"],
    "worker": ["Sabine", "Heike", "Uwe", "keiner"],
}


@pytest.mark.parametrize("name", CALLED)
def test_how_people_are_called_outweighs_what_a_column_is_called(name: str) -> None:
    table = pl.DataFrame({name: CALLED[name] * 50, "age": [20 + i % 60 for i in range(50 * len(CALLED[name]))]})
    assert inspect(table)[name].role is Role.IDENTIFYING


def test_number_plates_point_to_people() -> None:
    plates = [f"{'ABCDEFGH'[i % 8]}{'KLMNP'[i % 5]}{10 + i % 60} {'RST'[i % 3]}DE" for i in range(60)]
    table = pl.DataFrame({"plate": plates * 10, "age": [20 + i % 60 for i in range(600)]})
    assert inspect(table)["plate"].role is Role.IDENTIFYING


def test_namesakes_are_not_one_person() -> None:
    names = ["Krüger, U.", "Nowak, K.-H.", "Maier, A.", "Lenz, B.", "Otte, C.", "Voss, D.", "Jahn, E.", "Pohl, F."]
    table = pl.DataFrame(
        {
            "Pat": [names[i % 8] for i in range(600)],
            "sex": ["mw"[i % 8 % 2] for i in range(600)],
            "ward": [f"{i * 7 % 5}" for i in range(600)],
        }
    )
    assert inspect(table)["Pat"].role is Role.IDENTIFYING


def test_what_counts_occasions_or_years_numbers_nobody() -> None:
    """Visits of each are numbered from one; a licence of so many years is no licence's number."""
    table = pl.DataFrame(
        {
            "visitnum": [i % 5 + 1 for i in range(400)],
            "licence_years": [i * 7 % 60 for i in range(400)],
            "visitno": [i * 37 % 4001 for i in range(400)],
            "licence": [f"L{i * 7919:07d}" for i in range(400)],
        }
    )
    found = {one.name: one.role.value for one in suggest(table)}
    assert found["visitnum"] != "identifying"
    assert found["licence_years"] != "identifying"
    assert (found["visitno"], found["licence"]) == ("identifying", "identifying")


def test_long_numbers_that_hardly_repeat_point_to_people_whatever_their_column_is_called() -> None:
    numbers = [600_000_000 + 7919 * i for i in range(300)]
    found = inspect(pl.DataFrame({"tf_padre": numbers, "n_herm": [i % 4 for i in range(300)]}))
    assert found["tf_padre"].role is Role.IDENTIFYING
    assert found["n_herm"].role is Role.QUASI
    days = [20_200_000 + 100 * (i % 12 + 1) + i % 28 + 1 for i in range(300)]
    assert inspect(pl.DataFrame({"padre": days}))["padre"].role is Role.QUASI  # 20200131 is a day


@pytest.mark.parametrize("after", ["", " 14:05", "T14:05:09Z", " 14:05:09.25+01:00", " 2:05 PM", ", 14.05 Uhr"])
def test_days_may_have_a_time_behind_them(after: str) -> None:
    days = [f"2024{mark}02{mark}{day:02}{after}" for mark in "-/." for day in range(1, 29)]
    assert suggest(pl.DataFrame({"v1": days * 2}))[0].flags[0].kind == "dates"
    with_names = [f"{day} Tarquay" for day in days]
    assert suggest(pl.DataFrame({"v1": with_names * 2}))[0].flags == ()


def test_sort_codes_are_no_dates() -> None:
    codes = [f"{(11, 20, 40, 60)[i % 4]}-{10 + i % 89}-{10 + i * 7 % 89}" for i in range(400)]
    days = [f"{i % 28 + 1:02}-{i % 12 + 1:02}-{i % 99:02}" for i in range(400)]
    american = [f"{i % 12 + 1}/{i % 28 + 1}/{1990 + i % 30}" for i in range(400)]
    flags = {one.name: one.flags[0].kind for one in suggest(pl.DataFrame({"v1": codes, "v2": days, "v3": american}))}
    assert flags == {"v1": "account numbers", "v2": "dates", "v3": "dates"}
    assert inspect(pl.DataFrame({"v1": codes}))["v1"].role is Role.IDENTIFYING


@pytest.mark.parametrize("name", ["star_no", "badge_nr", "officer_id"])
def test_numbers_of_officers_are_of_people(name: str) -> None:
    assert inspect(pl.DataFrame({name: [4411, 5120, 7782, 9034] * 50}))[name].role is Role.IDENTIFYING


def test_two_columns_of_degrees_are_places() -> None:
    north = [41.6 + (i * 7919 % 9973) / 30_001 for i in range(400)]
    west = [-87.8 + (i * 104_729 % 9973) / 30_001 for i in range(400)]
    age = [20 + i % 60 for i in range(400)]
    found = inspect(pl.DataFrame({"v1": age, "v2": north, "v3": west}))
    assert (found["v2"].role, found["v3"].role) == (Role.QUASI, Role.QUASI)
    apart = inspect(pl.DataFrame({"v2": north, "v1": age, "v3": west}))
    assert apart["v2"].role is Role.SENSITIVE  # a measurement, for all that can be seen
    third = [one + 1 for one in north]
    assert inspect(pl.DataFrame({"v2": north, "v3": west, "v4": third}))["v2"].role is Role.SENSITIVE


@pytest.mark.parametrize("form", ["${:,}", "{:,} €", "{:,}"])
def test_thousands_are_no_items(form: str) -> None:
    amounts = [form.format(500 * (i % 90 + 1)) for i in range(400)]
    found = inspect(pl.DataFrame({"bail": amounts}))["bail"]
    assert found.role is Role.SENSITIVE
    sets = ["1,2,3", "2", "1,3", "2,3,4", "4", "1,4"] * 20 + [f"{i % 5},{i % 3},{i % 7}" for i in range(60)]
    assert inspect(pl.DataFrame({"answers": sets}))["answers"].role is Role.ITEMS


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("Cognome", Role.IDENTIFYING),
        ("Sobrenome", Role.IDENTIFYING),
        ("Imię", Role.IDENTIFYING),
        ("Förnamn", Role.IDENTIFYING),
        ("Płeć", Role.QUASI),
        ("Køn", Role.QUASI),
        ("Profissão", Role.QUASI),
        ("Malattia", Role.SENSITIVE),
        ("Dochód", Role.SENSITIVE),
        ("Sjukdom", Role.SENSITIVE),
        ("separated", Role.QUASI),
        ("getrennt", Role.QUASI),
    ],
)
def test_names_of_columns_are_read_in_further_languages(name: str, role: Role) -> None:
    (column,) = suggest({name: ["aq", "br", "cs"] * 40})
    assert (column.role, column.is_question) == (role, False)


def test_further_words_are_of_concepts_that_are_there() -> None:
    """Others would be read by nobody."""
    assert set(FURTHER) <= {concept.meaning for concept in (*CONCEPTS, WEIGHTS)}


@pytest.mark.parametrize(
    "surnames",
    [
        ["Mortensen", "Thomsen", "Knudsen", "Bertelsen", "Holm"],
        ["Wysocka", "Sadowska", "Urbanowicz", "Adamczyk", "Duda"],
        ["Gunnarsson", "Sigurðsson", "Helgadóttir", "Ek"],
    ],
)
def test_surnames_are_known_by_how_they_end(surnames: list[str]) -> None:
    (column,) = suggest({"v7": surnames * 30})
    assert (column.role, column.is_question) == (Role.IDENTIFYING, False)


def test_places_and_adjectives_that_end_alike_are_no_surnames() -> None:
    for values in (["Hessen", "Sachsen", "Essen", "Bremen"], ["polska", "niemiecka", "czeska"]):
        (column,) = suggest({"v7": values * 30})
        assert column.role is Role.QUASI


def test_numbers_that_nobody_counted_are_of_cases_where_the_name_says_number_first() -> None:
    cases, counts = [20_000 + 3 * i for i in range(300)], [i % 40 for i in range(300)]
    assert suggest({"num_proc": [*cases, cases[0]]})[0].role is Role.IDENTIFYING
    assert suggest({"num_proc": [*counts, 1]})[0].role is not Role.IDENTIFYING


def test_numbers_beyond_signed_ones_are_counted() -> None:
    high = pl.DataFrame({"number": pl.Series([2**64 - 1, 2**64 - 2, 2**64 - 1], dtype=pl.UInt64)})
    assert inspect(high)["number"].distinct == 2


@pytest.mark.parametrize("name", ["credcon", "credhab", "eparlog", "viredeb", "prelfin", "cheques"])
def test_banks_shorten_words_for_money(name: str) -> None:
    (column,) = suggest({name: ["nul", "fai", "for"] * 40})
    assert column.role is Role.SENSITIVE


@pytest.mark.parametrize("name", ["TooHigh", "survey_7", "prob"])
def test_words_that_only_qualify_say_nothing_by_themselves(name: str) -> None:
    """``high`` is no school, ``survey`` no weight, ``prob`` no probation, though all of them begin words that are."""
    (column,) = suggest({name: [0, 1, 2] * 40})
    assert "in its name" not in column.reason
