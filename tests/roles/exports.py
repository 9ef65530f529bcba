"""Tables as offices of several countries export them, generated: nobody in them exists.

Labels were written before anything saw them. Each table is written in the form in which its office would send it.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Callable
from pathlib import Path

import polars as pl

from .export_abroad import consultas, kontanthjaelp, leavers, levnadsvanor, sinistri, szkola
from .export_care import colegio, hopital, kasse, pflegeheim
from .export_contacts import asile, carsharing, ems_runs, perheet, reservas
from .export_customers import allocataires, huurders, local_union, retail_bank
from .export_draws import Rows
from .export_offices import blutspende, dentista, energie, panel, prohlidky, sportschool, voters
from .export_registers import demandantes, enfance, reha, rx_claims, woningzoekenden
from .export_services import effectif, instituto, klinik, motor_claims, stops, woononderzoek


def labour_survey(draw: random.Random, rows: int = 2600) -> Rows:
    """A labour force survey as a statistics office keeps it in SPSS; LABELS goes with it."""
    out: Rows = []
    household, person = 0, 0
    size = 0
    for _number in range(rows):
        if person >= size:
            household, person = household + 1, 0
            size = draw.choices([1, 2, 3, 4, 5, 6], weights=[30, 32, 16, 14, 6, 2])[0]
        person += 1
        age = draw.randrange(15, 90)
        status = 4 if age > 66 else draw.choices([1, 2, 3, 4, 5], weights=[58, 9, 6, 12, 15])[0]
        works = status in (1, 2)
        out.append(
            {
                "QHHNUM": 500000 + household * 11,
                "HHSEQNUM": person,
                "QPSU": 1000 + household // 14,
                "QSTRAT": 1 + household // 140,
                "COEFFY": round(draw.lognormvariate(5.8, 0.4), 4),
                "REFWEEK": draw.randrange(1, 14),
                "INTWID": draw.randrange(300, 341),
                "HATSIZE": size,
                "REGIONW": draw.choice([11, 12, 13, 21, 22, 23, 30]),
                "DEGURBA": draw.choice([1, 2, 3]),
                "SEX": draw.choice([1, 2]),
                "YEARBIR": 2023 - age,
                "MARSTDJ": draw.choice([1, 2, 3, 4]),
                "COUNTRYB": draw.choices([0, 1, 2, 3], weights=[85, 7, 5, 3])[0],
                "YEARESID": draw.choices([99, 1, 2, 5, 9, 10, 11], weights=[85, 1, 1, 3, 4, 3, 3])[0],
                "HATLEV1D": draw.choice([1, 2, 3]),
                "HATFIELD": draw.choice([0, 100, 200, 300, 400, 500, 600, 700, 800]),
                "ILOSTAT": status,
                "ISCO4D": draw.choice([2221, 5223, 9112, 4110, 2341, 7231, 8332, 1219, 5321]) if works else -9,
                "NACE3D": draw.choice([471, 861, 412, 853, 493, 561, 841]) if works else -9,
                "HWUSUAL": draw.choice([20, 30, 36, 38, 40, 40, 40, 45, 50]) if works else -9,
                "INCMON": round(draw.lognormvariate(7.5, 0.5)) if works else -9,
                "SEEKWORK": draw.choice([1, 2]) if status == 3 else -9,
                "HEALTHLIM": draw.choices([1, 2, 3, -8], weights=[6, 16, 76, 2])[0],
                "UNIONM": draw.choices([1, 2, -8], weights=[20, 75, 5])[0],
                "SATISJOB": draw.choice([1, 2, 3, 4, 5]) if works else -9,
                "PROXY": draw.choices([1, 2], weights=[8, 2])[0],
            }
        )
    return out


LABELS = {
    "QHHNUM": "Household number",
    "HHSEQNUM": "Sequence number of the person in the household",
    "QPSU": "Primary sampling unit",
    "QSTRAT": "Stratum",
    "COEFFY": "Yearly weighting factor",
    "REFWEEK": "Reference week",
    "INTWID": "Interviewer's number",
    "HATSIZE": "Number of people in the household",
    "REGIONW": "Region of the household",
    "DEGURBA": "Degree of urbanisation",
    "SEX": "Sex",
    "YEARBIR": "Year of birth",
    "MARSTDJ": "Marital status",
    "COUNTRYB": "Country of birth, grouped",
    "YEARESID": "Years of residence in the country",
    "HATLEV1D": "Educational attainment level",
    "HATFIELD": "Field of highest level of education",
    "ILOSTAT": "Labour status",
    "ISCO4D": "Occupation in main job (ISCO-08)",
    "NACE3D": "Economic activity of the employer (NACE)",
    "HWUSUAL": "Hours usually worked per week",
    "INCMON": "Monthly take home pay from main job",
    "SEEKWORK": "Seeking employment",
    "HEALTHLIM": "Limitation in activities because of health problems",
    "UNIONM": "Member of a trade union",
    "SATISJOB": "Satisfaction with main job",
    "PROXY": "Nature of participation in the survey",
}

VALUE_LABELS = {
    "SEX": {1: "Male", 2: "Female"},
    "MARSTDJ": {1: "Single", 2: "Married", 3: "Widowed", 4: "Divorced"},
    "UNIONM": {1: "Yes", 2: "No", -8: "Refused"},
    "ILOSTAT": {1: "Employee", 2: "Self-employed", 3: "Unemployed", 4: "Retired", 5: "Other inactive"},
}


TABLES: dict[str, Callable[[random.Random], Rows]] = {
    "hopital": hopital,
    "kasse": kasse,
    "huurders": huurders,
    "colegio": colegio,
    "labour_survey": labour_survey,
    "local_union": local_union,
    "retail_bank": retail_bank,
    "pflegeheim": pflegeheim,
    "allocataires": allocataires,
    "demandantes": demandantes,
    "enfance": enfance,
    "woningzoekenden": woningzoekenden,
    "rx_claims": rx_claims,
    "reha": reha,
    "klinik": klinik,
    "effectif": effectif,
    "instituto": instituto,
    "motor_claims": motor_claims,
    "woononderzoek": woononderzoek,
    "stops": stops,
    "szkola": szkola,
    "sinistri": sinistri,
    "leavers": leavers,
    "levnadsvanor": levnadsvanor,
    "consultas": consultas,
    "kontanthjaelp": kontanthjaelp,
    "ems_runs": ems_runs,
    "reservas": reservas,
    "asile": asile,
    "carsharing": carsharing,
    "perheet": perheet,
    "blutspende": blutspende,
    "voters": voters,
    "panel": panel,
    "sportschool": sportschool,
    "dentista": dentista,
    "energie": energie,
    "prohlidky": prohlidky,
}


#: What files have instead of commas and UTF-8.
DELIMITERS = dict.fromkeys(
    "hopital kasse huurders colegio pflegeheim allocataires demandantes enfance woningzoekenden reha klinik effectif "
    "instituto woononderzoek szkola sinistri levnadsvanor consultas kontanthjaelp reservas asile carsharing "
    "perheet blutspende sportschool dentista energie prohlidky".split(),
    ";",
)
ENCODINGS = {
    "hopital": "cp1252",
    "pflegeheim": "cp1252",
    "colegio": "utf-8-sig",
    "demandantes": "cp1252",
    "klinik": "cp1252",
    "blutspende": "cp1252",
}
#: Lines above the header and below the records.
TITLES = {"demandantes": "Oficina de Empleo de Getafe\nDemandantes inscritos a 31/12/2023\n\n"}
SUMS = {"demandantes": "Total;1200" + 20 * ";" + "\n"}


def write(name: str, folder: Path) -> Path:
    """Write a table as its office would send it."""
    rows = TABLES[name](random.Random(f"exports {name}"))
    if name == "labour_survey":
        return _write_sav(rows, folder / f"{name}.sav")
    path = folder / f"{name}.csv"
    with path.open("w", newline="", encoding=ENCODINGS.get(name, "utf-8")) as file:
        quoting = csv.QUOTE_NONNUMERIC if name == "rx_claims" else csv.QUOTE_MINIMAL
        writer = csv.DictWriter(file, list(rows[0]), delimiter=DELIMITERS.get(name, ","), quoting=quoting)
        file.write(TITLES.get(name, ""))
        writer.writeheader()
        writer.writerows(rows)
        file.write(SUMS.get(name, ""))
    return path


def _write_sav(rows: Rows, path: Path) -> Path:
    import pyreadstat

    coded = ("ISCO4D", "NACE3D", "HWUSUAL", "INCMON", "SEEKWORK", "HEALTHLIM", "UNIONM", "SATISJOB")
    pyreadstat.write_sav(
        pl.DataFrame(rows),
        str(path),
        column_labels=LABELS,
        variable_value_labels=VALUE_LABELS,
        missing_ranges={name: [-9, -8] for name in coded},
    )
    return path
