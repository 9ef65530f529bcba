"""Generated tables of those who care for people: a hospital, an insurer, care homes, a school."""

from __future__ import annotations

import datetime as dt
import random

from .export_draws import (
    FRENCH_FIRST,
    FRENCH_LAST,
    GERMAN_FIRST,
    GERMAN_LAST,
    SPANISH_FIRST,
    SPANISH_LAST,
    Rows,
    comma,
    day,
    digits,
    maybe,
)


def hopital(draw: random.Random, rows: int = 1800) -> Rows:
    """Stays of a French hospital as its information department exports them (semicolons, cp1252)."""
    towns = [
        ("35000", "RENNES"),
        ("35200", "RENNES"),
        ("35400", "SAINT-MALO"),
        ("35300", "FOUGERES"),
        ("35500", "VITRE"),
        ("35600", "REDON"),
        ("35700", "RENNES"),
        ("22100", "DINAN"),
        ("56000", "VANNES"),
    ]
    diagnoses = [
        "I10",
        "I48.0",
        "J18.9",
        "E11.9",
        "C50.9",
        "N39.0",
        "S72.00",
        "K80.2",
        "F32.1",
        "Z51.1",
        "O80.0",
        "I50.1",
        "J44.1",
        "C18.7",
        "G40.9",
        "K35.8",
    ]
    doctors = [f"Dr {name}" for name in FRENCH_LAST[:18]]
    remarks = [
        "Patient revu en consultation le {d}, RAS.",
        "Fille joignable au 06 {a} {b} {c} 41.",
        "Refus de soins palliatifs, voir courrier du Dr {n}.",
        "Allergie pénicilline signalée par Mme {n}.",
        "Sortie contre avis médical, rappeler le mari.",
        "Transfert SSR demandé, en attente de place.",
    ]
    out: Rows = []
    for number in range(rows):
        born, entry = day(draw, 1928, 2021), day(draw, 2022, 2023)
        length = min(60, int(draw.expovariate(0.18)))
        sex = draw.choice("12")
        code, town = draw.choices(towns, weights=[9, 8, 5, 4, 3, 2, 6, 2, 1])[0]
        remark = draw.choice(remarks).format(
            d=entry.strftime("%d/%m"),
            n=draw.choice(FRENCH_LAST),
            a=digits(draw, 2),
            b=digits(draw, 2),
            c=digits(draw, 2),
        )
        out.append(
            {
                "NDA": f"22{600000 + number * 7}",
                "IPP": 8010000 + draw.randrange(rows * 3 // 4) * 13,
                "NIR": f"{sex}{born:%y%m}35{digits(draw, 6)}{draw.randrange(10, 97)}",
                "NOM_USAGE": draw.choice(FRENCH_LAST).upper(),
                "NOM_NAIS": draw.choice(FRENCH_LAST).upper(),
                "PRENOM": draw.choice(FRENCH_FIRST),
                "DDN": born.strftime("%d/%m/%Y"),
                "SEXE": sex,
                "CP_RESID": code,
                "COMMUNE": town,
                "DT_ENTREE": entry.strftime("%d/%m/%Y"),
                "DT_SORTIE": (entry + dt.timedelta(days=length)).strftime("%d/%m/%Y"),
                "DUREE_SEJ": length,
                "MODE_ENT": draw.choices(["8", "7", "6"], weights=[8, 1, 1])[0],
                "MODE_SOR": draw.choices(["8", "7", "6", "9"], weights=[16, 2, 2, 1])[0],
                "UM": draw.choice(["CARD", "PNEU", "CHIRV", "GER", "OBST", "NEUR", "ONCO"]),
                "DP": draw.choice(diagnoses),
                "NB_DAS": min(12, int(draw.expovariate(0.5))),
                "GHM": f"{draw.randrange(1, 24):02d}{draw.choice('CMK')}"
                f"{draw.randrange(1, 40):02d}{draw.choice('1234')}",
                "MEDECIN_RESP": draw.choice(doctors),
                "COUT_SEJ": comma(draw.lognormvariate(7.7, 0.8)),
                "AMO": draw.choices(["01", "02", "03", "91"], weights=[80, 8, 6, 2])[0],
                "TX_PEC": draw.choice([65, 80, 100]),
                "REM_SORTIE": maybe(draw, 0.6, remark),
            }
        )
    return out


def kasse(draw: random.Random, rows: int = 2500) -> Rows:
    """Insured people of a German health insurer, as SAP lists them (its field names)."""
    towns = [
        ("44137", "Dortmund"),
        ("44787", "Bochum"),
        ("45127", "Essen"),
        ("58095", "Hagen"),
        ("59065", "Hamm"),
        ("44623", "Herne"),
        ("45879", "Gelsenkirchen"),
        ("58239", "Schwerte"),
        ("58452", "Witten"),
    ]
    streets = ["Hauptstr.", "Bahnhofstr.", "Am Anger", "Goethestr.", "Kirchweg", "Feldstr.", "Zum Hohenstein"]
    out: Rows = []
    for number in range(rows):
        born = day(draw, 1932, 2008)
        code, town = draw.choices(towns, weights=[9, 6, 8, 4, 3, 3, 4, 1, 2])[0]
        out.append(
            {
                "MANDT": "100",
                "GPART": f"00{30000000 + number * 3}",
                "KVNR": draw.choice("ABCDEFGHKLMNPRSTUW") + digits(draw, 9),
                "NACHN": draw.choice(GERMAN_LAST),
                "VORNA": draw.choice(GERMAN_FIRST),
                "GBDAT": born.strftime("%Y%m%d"),
                "GESCH": draw.choice("12"),
                "FAMST": draw.choice("01235"),
                "NATIO": draw.choices(["DE", "TR", "PL", "IT", "SY"], weights=[80, 8, 5, 3, 3])[0],
                "PSTLZ": code,
                "ORT01": town,
                "STRAS": f"{draw.choice(streets)} {draw.randrange(1, 140)}",
                "TELF1": f"02{digits(draw, 2)} {digits(draw, 6)}",
                "IBAN": f"DE{digits(draw, 20)}",
                "VERSART": draw.choices(["PFL", "FRW", "FAM", "RNT"], weights=[5, 1, 2, 3])[0],
                "BEITRKL": draw.choice(["A1", "A2", "B1", "B2", "C"]),
                "JAEG": comma(draw.lognormvariate(10.4, 0.5)),
                "DIAGN": draw.choice(["M54.5", "J06.9", "I10.90", "E11.90", "F43.2", "E78.0", "K21.0", "C61", "H52.1"]),
                "ATCCD": draw.choice(["A10BA02", "C09AA05", "N06AB10", "M01AE01", "C10AA05", "R03AC02", "A02BC01"]),
                "AUTAGE": min(200, int(draw.expovariate(0.1))),
                "BETRG": comma(draw.lognormvariate(5.5, 1.1)),
                "WAERS": "EUR",
                "DMPKZ": maybe(draw, 0.2, "X"),
                "PFLGRD": draw.choices(["0", "1", "2", "3", "4", "5"], weights=[80, 4, 7, 5, 3, 1])[0],
                "ERDAT": day(draw, 2005, 2023).strftime("%Y%m%d"),
                "ERNAM": draw.choice(["BRINKMANNS", "SEIDELK", "BATCH01", "VOGELT", "HAASEM", "REUTERJ"]),
            }
        )
    return out


def pflegeheim(draw: random.Random, rows: int = 1600) -> Rows:
    """Visits to residents of German care homes: several rows for each of them."""
    people = [
        {
            "Bew.-Nr.": f"B{1000 + who * 3}",
            "Geb.-Jahr": draw.randrange(1925, 1958),
            "Geschl.": draw.choices(["w", "m"], weights=[7, 3])[0],
            "Konf.": draw.choice(["ev.", "rk.", "o.B.", "isl."]),
            "Famst.": draw.choice(["verw.", "verh.", "led.", "gesch."]),
            "PG": draw.choices([1, 2, 3, 4, 5], weights=[1, 5, 8, 6, 3])[0],
            "Kostenträger": draw.choice(["AOK", "Barmer", "TK", "DAK", "Sozialamt"]),
            "Betreuer/in": f"{draw.choice(GERMAN_FIRST)} {draw.choice(GERMAN_LAST)}",
            "Haus": draw.choice(["Haus Linde", "Haus Birke", "St. Anna"]),
            "Zi.": draw.randrange(101, 340),
            "Größe (cm)": int(draw.gauss(163, 9)),
            "Einzug": day(draw, 2015, 2022).strftime("%d.%m.%Y"),
        }
        for who in range(rows // 4)
    ]
    out: Rows = []
    for _number in range(rows):
        who = draw.choice(people)
        out.append(
            who
            | {
                "Visite am": day(draw, 2023, 2023).strftime("%d.%m.%Y"),
                "Gewicht (kg)": comma(draw.gauss(64, 12), 1),
                "RR": f"{int(draw.gauss(138, 18))}/{int(draw.gauss(78, 10))}",
                "MMST": max(0, min(30, int(draw.gauss(18, 7)))),
                "Dekubitus": draw.choices(["nein", "ja"], weights=[93, 7])[0],
                "Stürze Q": draw.choices([0, 1, 2, 3], weights=[80, 14, 4, 2])[0],
                "Anz. Med.": draw.randrange(2, 16),
                "Psychopharm.": draw.choice(["ja", "nein"]),
                "FEM": draw.choices(["nein", "ja"], weights=[9, 1])[0],
                "BZ nü.": int(draw.gauss(112, 28)),
                "Bemerkung": maybe(
                    draw,
                    0.5,
                    draw.choice(
                        [
                            "Tochter war zu Besuch, Bew. sehr unruhig.",
                            "Appetit gut, trinkt zu wenig.",
                            "Herr Pohlmann klagt über Knie.",
                            "Medikation nach Rücksprache Dr. Wiegand geändert.",
                            "Schläft viel, Sohn informiert (0171 5529914).",
                        ]
                    ),
                ),
            }
        )
    return out


def colegio(draw: random.Random, rows: int = 1100) -> Rows:
    """Pupils of Spanish schools with marks and grants."""
    out: Rows = []
    for number in range(rows):
        year = draw.choice([1, 2, 3, 4])
        born = day(draw, 2011 - year, 2011 - year)
        level = draw.gauss(6.2, 1.6)

        def mark(level: float = level) -> str:
            return comma(min(10.0, max(0.0, draw.gauss(level, 1.2))), 1)

        out.append(
            {
                "n_exp": 20230000 + number,
                "ap1": draw.choice(SPANISH_LAST),
                "ap2": draw.choice(SPANISH_LAST),
                "nom": draw.choice(SPANISH_FIRST),
                "f_nac": born.strftime("%d/%m/%Y"),
                "sexo": draw.choice(["H", "M"]),
                "nacionalidad": draw.choices(
                    ["España", "Marruecos", "Rumanía", "Ecuador", "China", "Colombia"], weights=[80, 7, 5, 3, 2, 3]
                )[0],
                "centro": draw.choice(["28013401", "28020442", "28041111", "28060233"]),
                "curso": f"{year}ESO",
                "grupo": draw.choice("ABCD"),
                "repite": draw.choices(["N", "S"], weights=[9, 1])[0],
                "acnee": draw.choices(["N", "S"], weights=[94, 6])[0],
                "alergia": draw.choices(
                    ["", "frutos secos", "gluten", "lactosa", "huevo", "polen"], weights=[80, 4, 4, 6, 2, 4]
                )[0],
                "nota_mat": mark(),
                "nota_len": mark(),
                "nota_ing": mark(),
                "faltas_just": int(draw.expovariate(0.3)),
                "faltas_injust": int(draw.expovariate(0.6)),
                "beca_comedor": draw.choices(["N", "S"], weights=[7, 3])[0],
                "renta_fam": round(draw.lognormvariate(10.1, 0.5), -2),
                "dni_tutor": f"{digits(draw, 8)}{draw.choice('TRWAGMYFPDXBNJZSQVHLCKE')}",
                "tlf_tutor": f"6{digits(draw, 8)}",
                "c_postal": draw.choice(["28013", "28020", "28041", "28053", "28038", "28018"]),
                "transporte": draw.choice(["pie", "ruta", "metro", "coche"]),
                "obs_orientador": maybe(
                    draw,
                    0.25,
                    draw.choice(
                        [
                            "Derivado a salud mental, cita pendiente.",
                            "Madre solicita reunión con el tutor.",
                            "Conflicto con compañeros en el patio, ver parte.",
                            "Separación de los padres este trimestre.",
                        ]
                    ),
                ),
            }
        )
    return out
