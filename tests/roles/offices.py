"""Tables of eleven offices, made up from the draws of fixed seeds; labels were written before anything saw them."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta

Columns = Mapping[str, Sequence[object]]


def _words(text: str, between: str | None = None) -> list[str]:
    return text.split(between)


FIRST = _words(
    "Olivia Noah Amelia George Isla Arthur Ava Muhammad Mia Leo Ivy Harry Lily Oscar Freya Archie Grace Henry"
)
LAST = _words(
    "Hughes Edwards Walker White Robinson Green Hall Wood Harris Clarke Patel Jackson Lewis Cooper Turner Ward"
)
GERMAN = (
    _words("Lukas Emma Felix Hannah Jonas Lena Paul Marie Leon Sophie Finn Anna Ben Clara Elias Johanna"),
    _words("Schneider Fischer Weber Wagner Becker Schulz Hoffmann Koch Richter Klein Wolf Neumann Schwarz Zimmermann"),
)
FRENCH = (
    _words("Camille Louis Manon Hugo Chloé Jules Inès Gabriel Léa Arthur Zoé Raphaël Juliette Nathan"),
    _words("Bernard Dubois Moreau Laurent Lefebvre Leroy Roux Fournier Girard Bonnet Lambert Fontaine Rousseau"),
)
SPANISH = (
    _words("Lucía Hugo Sofía Mateo Martina Pablo María Daniel Paula Alejandro Carla Adrián Elena Javier"),
    _words("García Fernández González Rodríguez López Martínez Sánchez Pérez Gómez Ruiz Hernández Jiménez"),
)
DUTCH = (
    _words("Sanne Daan Emma Sem Julia Bram Lotte Thijs Fleur Lars Anouk Ruben Femke Niels"),
    _words(
        "de Jong,Jansen,de Vries,van den Berg,Bakker,Visser,Smit,Meijer,Mulder,de Boer,Bos,Vos,Peters,Hendriks", ","
    ),
)


def payroll(draw: random.Random) -> Columns:
    """A month of pay."""
    n = 700
    pay = [round(draw.lognormvariate(7.9, 0.4), 2) for _ in range(n)]
    return {
        "emp_no": [str(40_000 + i) for i in draw.sample(range(9_000), n)],
        "payee": [f"{draw.choice(LAST)}, {draw.choice(FIRST)}" for _ in range(n)],
        "cost_centre": [draw.choice(["CC110", "CC120", "CC210", "CC330", "CC405"]) for _ in range(n)],
        "grade": [draw.choice(["G3", "G4", "G5", "G6", "G7"]) for _ in range(n)],
        "hire_dt": _days(draw, n, date(1998, 1, 1), 9_000),
        "hrs_week": [draw.choice([20.0, 30.0, 37.5, 37.5, 37.5]) for _ in range(n)],
        "base_pay": list(pay),
        "bonus": [round(one * draw.choice([0, 0, 0.05, 0.1]), 2) for one in pay],
        "pension_pct": [draw.choice([3, 5, 5, 8]) for _ in range(n)],
        "bank_ref": [_iban(draw) for _ in range(n)],
        "garnish": [draw.choice(["N"] * 19 + ["Y"]) for _ in range(n)],
        "pay_run": [draw.choice(["2023-10A", "2023-10B"]) for _ in range(n)],
        "currency": ["GBP"] * n,
    }


def school(draw: random.Random) -> Columns:
    """Pupils of a school, with marks and remarks."""
    n = 520
    marks = [min(100, max(0, round(draw.gauss(61, 15)))) for _ in range(3 * n)]
    return {
        "upn": [f"{draw.choice('ABCDEFGH')}{draw.randrange(10**11, 10**12)}" for _ in range(n)],
        "pupil": [f"{draw.choice(FIRST)} {draw.choice(LAST)}" for _ in range(n)],
        "form": [f"{draw.randrange(7, 12)}{draw.choice('ABC')}" for _ in range(n)],
        "yob": [draw.randrange(2006, 2012) for _ in range(n)],
        "home_lang": _weighted(draw, n, "English English English Polish Urdu Bengali Arabic"),
        "free_meals": _weighted(draw, n, "no no no yes"),
        "sen_status": _weighted(draw, n, "none none none support plan"),
        "attendance": [round(min(100, draw.gauss(94, 4)), 1) for _ in range(n)],
        "maths": list(marks[:n]),
        "english": list(marks[n : 2 * n]),
        "science": list(marks[2 * n :]),
        "guardian_tel": [f"07{draw.randrange(10**8, 10**9)}" for _ in range(n)],
        "remark": [_remark(draw) for _ in range(n)],
    }


def library(draw: random.Random) -> Columns:
    """Loans of a library."""
    people = [
        (
            f"L{draw.randrange(10**6, 10**7)}",
            _weighted(draw, 1, "0-11 12-17 18-29 30-49 50-64 65+")[0],
            draw.choice(["BS1 4", "BS2 0", "BS3 1", "BS5 6", "BS6 5", "BS7 8"]),
        )
        for _ in range(260)
    ]
    rows = [draw.choice(people) for _ in range(1500)]
    out = _days(draw, len(rows), date(2023, 1, 1), 360)
    titles = [
        f"{a} {b}"
        for a in ("Living with", "A short history of", "Understanding", "The art of", "Cooking for")
        for b in ("diabetes", "divorce", "the Romans", "gardens", "two", "bankruptcy", "football", "grief")
    ]
    return {
        "card": [one[0] for one in rows],
        "age_band": [one[1] for one in rows],
        "sector": [one[2] for one in rows],
        "branch": _weighted(draw, len(rows), "Central Central Bedminster Clifton Fishponds"),
        "title": [draw.choice(titles) for _ in rows],
        "borrowed": list(out),
        "returned": [one + timedelta(days=draw.randrange(1, 40)) for one in out],
        "renewals": [draw.choice([0, 0, 0, 1, 2]) for _ in rows],
        "fine_pence": [draw.choice([0, 0, 0, 0, 25, 50, 120, 300]) for _ in rows],
        "item_barcode": [str(30_000_000_000 + draw.randrange(9_000_000)) for _ in rows],
        "media": _weighted(draw, len(rows), "book book book audio dvd"),
    }


def claims(draw: random.Random) -> Columns:
    """Claims of drivers to an insurance."""
    holders = [f"POL-{draw.randrange(10**6, 10**7)}" for _ in range(420)]
    n = 900
    paid = [round(draw.lognormvariate(7.2, 1.1), 2) for _ in range(n)]
    staff = [f"{draw.choice(FIRST)} {draw.choice(LAST)}" for _ in range(14)]
    return {
        "claim_ref": [f"C{2_300_000 + i}" for i in range(n)],
        "policy": [draw.choice(holders) for _ in range(n)],
        "loss_date": _days(draw, n, date(2022, 1, 1), 700),
        "peril": _weighted(draw, n, "collision collision theft fire hail injury vandalism"),
        "paid_amt": list(paid),
        "reserve": [round(one * draw.uniform(0, 0.6), 2) for one in paid],
        "adjuster": [draw.choice(staff) for _ in range(n)],
        "vehicle_reg": [_plate(draw) for _ in range(n)],
        "region": _weighted(draw, n, "North Midlands South Wales Scotland London"),
        "driver_age": [draw.randrange(18, 86) for _ in range(n)],
        "licence_years": [draw.randrange(0, 60) for _ in range(n)],
        "at_fault": _weighted(draw, n, "0 0 1"),
        "fraud_flag": _weighted(draw, n, *["0" for _ in range(30)], "1"),
        "product": _weighted(draw, n, "Motor_Basic Motor_Plus Motor_Gold"),
        "loaded_at": ["2024-01-15 03:12:44"] * n,
    }


def einwohner(draw: random.Random) -> Columns:
    """A register of residents of a German town."""
    n = 640
    houses = [
        (
            i,
            draw.choice(["Altstadt", "Nordend", "Seefeld", "Am Hang", "Mühlviertel"]),
            f"{draw.choice(['Lindenweg', 'Bahnhofstr.', 'Am Bach', 'Schulgasse'])} {draw.randrange(1, 90)}",
        )
        for i in range(270)
    ]
    rows = [draw.choice(houses) for _ in range(n)]
    return {
        "Lfd. Nr.": [i + 1 for i in range(n)],
        "Familienname": [draw.choice(GERMAN[1]) for _ in range(n)],
        "Rufname": [draw.choice(GERMAN[0]) for _ in range(n)],
        "GebDat": [one.strftime("%d.%m.%Y") for one in _days(draw, n, date(1930, 1, 1), 32_000)],
        "Geschl.": _weighted(draw, n, "m w"),
        "FamStand": _weighted(draw, n, "led. verh. verh. gesch. verw."),
        "Konfession": _weighted(draw, n, "ev rk rk vd isl jd"),
        "Staatsangeh.": _weighted(draw, n, "deutsch deutsch deutsch türkisch polnisch syrisch"),
        "Zuzug am": [one.strftime("%d.%m.%Y") for one in _days(draw, n, date(1980, 1, 1), 15_000)],
        "Ortsteil": [one[1] for one in rows],
        "Anschrift": [one[2] for one in rows],
        "HH-Nr": [5000 + one[0] for one in rows],
        "Steuerklasse": _weighted(draw, n, "I I II III IV V"),
        "Auskunftssperre": _weighted(draw, n, *["nein" for _ in range(25)], "ja"),
        "Rückstand EUR": [_comma(draw.choice([0, 0, 0, draw.uniform(10, 900)])) for _ in range(n)],
        "Stand": ["31.12.2023"] * n,
    }


def aides(draw: random.Random) -> Columns:
    """Social aid of a French town."""
    n = 560
    agents = [f"{draw.choice(FRENCH[0])} {draw.choice(FRENCH[1])}" for _ in range(9)]
    return {
        "n_dossier": [f"AS{draw.randrange(10**5, 10**6)}" for _ in range(n)],
        "nom_usage": [draw.choice(FRENCH[1]).upper() for _ in range(n)],
        "prénom": [draw.choice(FRENCH[0]) for _ in range(n)],
        "date_naissance": [one.strftime("%d/%m/%Y") for one in _days(draw, n, date(1935, 1, 1), 25_000)],
        "sexe": _weighted(draw, n, "F H"),
        "code_postal": [draw.choice(["69001", "69003", "69007", "69100", "69200", "42000"]) for _ in range(n)],
        "situation_familiale": _weighted(draw, n, "célibataire marié divorcé veuf pacsé"),
        "nb_enfants": [draw.choice([0, 0, 1, 2, 3, 4]) for _ in range(n)],
        "logement": _weighted(draw, n, "locataire locataire propriétaire hébergé sans"),
        "revenu_mensuel": [_comma(draw.lognormvariate(6.8, 0.5)) for _ in range(n)],
        "type_aide": _weighted(draw, n, "RSA RSA APL AAH FSL"),
        "montant_versé": [_comma(draw.uniform(40, 900)) for _ in range(n)],
        "handicap": _weighted(draw, n, "non non non oui"),
        "instructeur": [draw.choice(agents) for _ in range(n)],
        "date_maj": [one.strftime("%d/%m/%Y") for one in _days(draw, n, date(2023, 11, 1), 40)],
    }


def padron(draw: random.Random) -> Columns:
    """Residents of a Spanish province, a sample."""
    n = 600
    return {
        "nif": [_nif(draw) for _ in range(n)],
        "apellidos": [f"{draw.choice(SPANISH[1])} {draw.choice(SPANISH[1])}" for _ in range(n)],
        "fecha_nac": [one.strftime("%d/%m/%Y") for one in _days(draw, n, date(1932, 1, 1), 29_000)],
        "sexo": _weighted(draw, n, "hombre mujer"),
        "provincia": _weighted(draw, n, "Sevilla Huelva Cádiz Málaga Granada"),
        "nivel_estudios": _weighted(draw, n, "primaria secundaria secundaria universidad ninguno"),
        "profesion": _weighted(draw, n, "agricultor camarero docente enfermero comercio jubilado"),
        "ingresos_anuales": [round(draw.lognormvariate(9.8, 0.5)) for _ in range(n)],
        "grado_dependencia": [draw.choice([0, 0, 0, 0, 1, 2, 3]) for _ in range(n)],
        "movil": [f"6{draw.randrange(10**7, 10**8)}" for _ in range(n)],
        "intencion_voto": _weighted(draw, n, "PSOE PP Sumar Vox abstencion"),
        "satisfaccion": [draw.randrange(1, 11) for _ in range(n)],
        "factor_elev": [round(draw.uniform(180, 950), 4) for _ in range(n)],
        "observaciones": [
            draw.choice(
                [
                    "",
                    "",
                    "Llamar por la tarde, vive con su hija",
                    "No contesta al timbre",
                    "Vecina del tercero abre la puerta",
                    "Habla poco castellano",
                ]
            )
            for _ in range(n)
        ],
    }


def personeel(draw: random.Random) -> Columns:
    """Staff of a Dutch hospital."""
    n = 480
    names = [(draw.choice(DUTCH[0]), draw.choice(DUTCH[1])) for _ in range(n)]
    return {
        "personeelsnr": [f"{i:05d}" for i in draw.sample(range(90_000), n)],
        "achternaam": [one[1] for one in names],
        "geb_datum": [one.strftime("%d-%m-%Y") for one in _days(draw, n, date(1958, 1, 1), 16_000)],
        "geslacht": _weighted(draw, n, "M V V X"),
        "woonplaats": _weighted(draw, n, "Utrecht Zeist Amersfoort Houten Nieuwegein"),
        "afdeling": _weighted(draw, n, "zorg zorg facilitair financiën ict"),
        "functie": _weighted(draw, n, "verpleegkundige arts assistent beheerder schoonmaker"),
        "dienstjaren": [draw.randrange(0, 38) for _ in range(n)],
        "contractvorm": _weighted(draw, n, "vast vast tijdelijk oproep"),
        "brutoloon": [_comma(draw.lognormvariate(8.1, 0.3)) for _ in range(n)],
        "verzuimdagen": [draw.choice([0, 0, 1, 2, 5, 12, 40]) for _ in range(n)],
        "ziektereden": _weighted(draw, n, "geen geen griep rug burn-out zwangerschap"),
        "beoordeling": [draw.choice(list("ABBCD")) for _ in range(n)],
        "werkmail": [f"{a[0].lower()}.{b.replace(' ', '').lower()}{i}@zorgnet.nl" for i, (a, b) in enumerate(names)],
    }


def trial(draw: random.Random) -> Columns:
    """Visits of a clinical trial, in the words of CDISC."""
    people = [
        (
            f"AB12-{draw.randrange(1, 9):03d}-{i:04d}",
            draw.randrange(19, 88),
            draw.choice("MF"),
            draw.choice(["WHITE", "WHITE", "BLACK", "ASIAN"]),
            draw.choice(["PLACEBO", "10 MG", "20 MG"]),
            date(2021, 1, 1) + timedelta(days=draw.randrange(500)),
        )
        for i in range(180)
    ]
    rows = [(one, visit) for one in people for visit in range(1, 6)]
    return {
        "STUDYID": ["AB12"] * len(rows),
        "USUBJID": [one[0] for one, _ in rows],
        "SITEID": [one[0][5:8] for one, _ in rows],
        "INVNAM": [f"Dr {LAST[int(one[0][5:8])]}" for one, _ in rows],
        "AGE": [one[1] for one, _ in rows],
        "SEX": [one[2] for one, _ in rows],
        "RACE": [one[3] for one, _ in rows],
        "ARM": [one[4] for one, _ in rows],
        "RANDDT": [one[5] for one, _ in rows],
        "VISITNUM": [visit for _, visit in rows],
        "ALT": [round(draw.lognormvariate(3.2, 0.4)) for _ in rows],
        "SYSBP": [round(draw.gauss(131, 16)) for _ in rows],
        "AETERM": [draw.choice(["", "", "", "NAUSEA", "HEADACHE", "RASH", "DIZZINESS", "FATIGUE"]) for _ in rows],
        "AESEV": [draw.choice(["", "", "", "MILD", "MODERATE", "SEVERE"]) for _ in rows],
        "AECOM": [
            draw.choice(
                [
                    "",
                    "",
                    "husband called the site at night",
                    "seen at her GP Dr Moss on Friday",
                    "son drove her to hospital",
                ]
            )
            for _ in rows
        ],
    }


def telecom(draw: random.Random) -> Columns:
    """Subscribers of a telephone company."""
    n = 800
    return {
        "msisdn": [f"4479{draw.randrange(10**7, 10**8)}" for _ in range(n)],
        "handset": [f"35{draw.randrange(10**12, 10**13)}" for _ in range(n)],
        "tariff": _weighted(draw, n, "S S M L XL"),
        "activated": _days(draw, n, date(2012, 1, 1), 4_000),
        "sub_age": [draw.randrange(18, 84) for _ in range(n)],
        "gender": _weighted(draw, n, "F M"),
        "home_lat": [round(51.4 + draw.random() / 5, 5) for _ in range(n)],
        "home_lon": [round(-0.3 + draw.random() / 3, 5) for _ in range(n)],
        "voice_min": [round(draw.lognormvariate(5, 0.8)) for _ in range(n)],
        "data_mb": [round(draw.lognormvariate(7, 1), 1) for _ in range(n)],
        "night_calls": [draw.randrange(0, 40) for _ in range(n)],
        "churned": _weighted(draw, n, "0 0 0 1"),
        "credit_class": _weighted(draw, n, "A A B C D"),
        "c_txt": [
            draw.choice(["wants calls after six only", "wife pays the bill for him", "says he moved to Leeds"])
            for _ in range(n)
        ],
    }


def staff_survey(draw: random.Random) -> Columns:
    """A survey among the staff of a company."""
    n = 610
    bosses = [f"{draw.choice(FIRST)} {draw.choice(LAST)}" for _ in range(22)]
    answers = {f"eng{i}": [draw.randrange(1, 6) for _ in range(n)] for i in range(1, 6)}
    return {
        "resp": [f"r{i:04d}" for i in draw.sample(range(10_000), n)],
        "dept": _weighted(draw, n, "Sales Sales Research Legal Support Plant"),
        "line_mgr": [draw.choice(bosses) for _ in range(n)],
        "tenure_yrs": [draw.randrange(0, 35) for _ in range(n)],
        "gender": _weighted(draw, n, "woman man other"),
        "age_grp": _weighted(draw, n, "under_25 25-34 35-44 45-54 55+"),
        "commute_km": [draw.randrange(1, 80) for _ in range(n)],
        "disability": _weighted(draw, n, "no no no no yes prefer_not_to_say"),
        "union": _weighted(draw, n, "no no yes"),
        "salary_band": _weighted(draw, n, "<30k 30-45k 45-60k 60-90k 90k+"),
        **answers,
        "mode": _weighted(draw, n, "web web phone paper"),
        "wt": [round(draw.uniform(0.4, 2.6), 5) for _ in range(n)],
    }


def _days(draw: random.Random, n: int, first: date, span: int) -> list[object]:
    return [first + timedelta(days=draw.randrange(span)) for _ in range(n)]


def _weighted(draw: random.Random, n: int, *values: str) -> list[object]:
    words = [word for value in values for word in value.split()]
    return [draw.choice(words) for _ in range(n)]


def _comma(number: float) -> str:
    return f"{number:.2f}".replace(".", ",")


def _iban(draw: random.Random) -> str:
    rest = f"NWBK{draw.randrange(10**6, 10**7):06d}"[:10] + f"{draw.randrange(10**7, 10**8)}"
    digits = "".join(str(int(one, 36)) for one in rest + "GB00")
    return f"GB{98 - int(digits) % 97:02d}{rest}"


def _plate(draw: random.Random) -> str:
    letters = "ABCDEFGHJKLMNOPRSTUVWXY"
    return "".join(draw.choices(letters, k=2)) + f"{draw.randrange(2, 73):02d} " + "".join(draw.choices(letters, k=3))


def _nif(draw: random.Random) -> str:
    number = draw.randrange(10**7, 10**8)
    return f"{number}{'TRWAGMYFPDXBNJZSQVHLCKE'[number % 23]}"


def _remark(draw: random.Random) -> str:
    name = draw.choice(FIRST)
    return draw.choice(
        [
            f"{name} has worked well this term but talks too much.",
            f"A pleasure to teach; {name} should read more at home.",
            f"{name} missed two weeks when the family moved.",
            "Needs to hand in homework on time.",
        ]
    )


OFFICES: dict[str, Callable[[random.Random], Columns]] = {
    one.__name__: one
    for one in (payroll, school, library, claims, einwohner, aides, padron, personeel, trial, telecom, staff_survey)
}


def office(name: str) -> list[dict[str, object]]:
    """Return the rows of a table."""
    columns = OFFICES[name](random.Random(name))
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
