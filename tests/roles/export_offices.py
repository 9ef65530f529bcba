"""Generated tables of blood donors, voters, a panel, a gym, dentists, a power supplier and Czech workers."""

from __future__ import annotations

import datetime as dt
import random

from .export_draws import (
    DUTCH_LAST,
    ENGLISH_FIRST,
    ENGLISH_LAST,
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

CZECH_LAST = (
    "Novák Svoboda Novotný Dvořák Černý Procházka Kučera Veselý Horák Němec Pokorný Marek Pospíšil Hájek Jelínek "
    "Král Růžička Beneš Fiala Sedláček Doležal Zeman Kolář Navrátil Čermák Vaněk Urban Blažek Kříž Kovář"
).split()
CZECH_FIRST = (
    "Jana Marie Eva Hana Anna Lenka Kateřina Alena Petra Lucie Jaroslava Jiří Jan Petr Josef Pavel Martin Tomáš "
    "Jaroslav Miroslav Zdeněk Václav Milan Karel"
).split()
DUTCH_FIRST = "Sanne Lotte Femke Anouk Marloes Ineke Daan Sem Bram Joost Sjoerd Wouter Rik Ton Henk Fatima".split()


def blutspende(draw: random.Random, rows: int = 1500) -> Rows:
    """Donations to a German blood service, with the abbreviations of its laboratory."""
    donors = []
    for number in range(620):
        born = day(draw, 1955, 2005)
        donors.append(
            {
                "SPNR": 4100230 + number * 13,
                "NAM": draw.choice(GERMAN_LAST),
                "VNAM": draw.choice(GERMAN_FIRST),
                "GD": born.strftime("%d.%m.%Y"),
                "G": draw.choice("WM"),
                "WO": draw.choice(["Lich", "Hungen", "Gießen", "Gießen", "Butzbach", "Wetzlar", "Linden"]),
                "BG": draw.choices(["A+", "0+", "B+", "A-", "0-", "AB+"], [37, 35, 9, 6, 6, 4])[0],
                "KELL": draw.choices(["neg", "pos"], [91, 9])[0],
                "E01": draw.randrange(1, 60),
                "ERST": day(draw, 1990, 2022).strftime("%d.%m.%Y"),
                "TELP": f"0{draw.choice([64, 151, 170])}{digits(draw, 7)}",
            }
        )
    nurses = [f"{last[:3].lower()}{first[0].lower()}" for last, first in zip(GERMAN_LAST, GERMAN_FIRST, strict=False)]
    out: Rows = []
    for number in range(rows):
        when = day(draw, 2022, 2023)
        until = when + dt.timedelta(days=draw.choice([28, 120, 365]))
        out.append(
            {
                "KONS": f"D{when:%y}{5000000 + number * 17}",
                **draw.choice(donors),
                "SPD": when.strftime("%d.%m.%Y"),
                "TERM": draw.choice(["Stadthalle Lich", "Institut", "Bürgerhaus Linden", "Mobil 2", "Mobil 3"]),
                "ART": draw.choices(["VB", "PL", "TK"], [80, 15, 5])[0],
                "L1": comma(draw.gauss(14.1, 1.2), 1),
                "L2": round(draw.gauss(131, 15)),
                "L3": round(draw.gauss(80, 9)),
                "L4": round(draw.gauss(71, 10)),
                "L5": comma(draw.gauss(36.5, 0.3), 1),
                "KGK": draw.randrange(50, 118),
                "ALT": maybe(draw, 0.95, round(draw.lognormvariate(3.1, 0.4))),
                "INF1": draw.choices(["n", "p"], [199, 1])[0],
                "INF2": draw.choices(["n", "p", "g"], [196, 2, 2])[0],
                "RST": maybe(draw, 0.12, draw.choice([11, 12, 23, 31, 44, 47, 52])),
                "RST_B": maybe(draw, 0.08, until.strftime("%d.%m.%Y")),
                "FB07": draw.choices(["0", "1"], [95, 5])[0],
                "FB12": draw.choices(["0", "1"], [97, 3])[0],
                "VP": draw.choice(nurses[:24]),
                "AUFW": draw.choice(["", "", "20", "25"]),
                "ANM": maybe(
                    draw,
                    0.09,
                    draw.choice(
                        [
                            "Kreislauf nach der Spende, 20 min gelegen, Ehemann abgeholt",
                            f"Hämatom links, {draw.choice(GERMAN_FIRST)} hat nachgepunktet",
                            "War in Thailand, Rückstellung besprochen",
                        ]
                    ),
                ),
                "CHRG": f"{draw.choice('KLM')}{draw.randrange(220, 260)}",
                "VS": "3.8.1",
            }
        )
    return out


def voters(draw: random.Random, rows: int = 2400) -> Rows:
    """The voter file of an American county, by the short names of its vendor."""
    out: Rows = []
    for number in range(rows):
        precinct = draw.randrange(1, 38)
        house = draw.randrange(100, 9800)
        street = f"{draw.choice(['MAPLE', 'CEDAR', 'COUNTY RD 12', 'HWY 9', 'WALNUT', '3RD', 'CHURCH'])}"
        out.append(
            {
                "SOSID": 7000412 + number * 19 + draw.randrange(19),
                "LN": draw.choice(ENGLISH_LAST).upper(),
                "FN": draw.choice(ENGLISH_FIRST).upper(),
                "MI": maybe(draw, 0.7, draw.choice("ABCDEGJKLMRSTW")),
                "SFX": maybe(draw, 0.04, draw.choice(["JR", "SR", "III"])),
                "YOB": draw.randrange(1930, 2006),
                "GND": draw.choices(["F", "M", "U"], [51, 46, 3])[0],
                "HSE": house,
                "STR": street,
                "UNT": maybe(draw, 0.1, f"APT {draw.randrange(1, 40)}"),
                "TWN": draw.choice(["Ashland", "Ashland", "Milford", "Cold Spring", "Harper"]),
                "Z5": draw.choice([62612, 62615, 62624, 62670]),
                "Z4": draw.randrange(1001, 9900),
                "PCT": precinct,
                "CD": 13 if precinct < 22 else 15,
                "SD": 48 if precinct < 16 else 50,
                "SCH": draw.choice(["A4", "A4", "N1", "W9"]),
                "REG": day(draw, 1975, 2023).strftime("%m/%d/%Y"),
                "ST": draw.choices(["A", "I", "P"], [88, 10, 2])[0],
                "PTY": draw.choices(["R", "D", "", "L"], [44, 34, 20, 2])[0],
                "G22": draw.choice(["P", "E", "M", ""]),
                "P22": draw.choice(["R", "D", "", "", ""]),
                "G20": draw.choice(["P", "E", "M", ""]),
                "P20": draw.choice(["R", "D", "", "", ""]),
                "PROP": round(draw.betavariate(2, 2), 4),
                "PSC": round(draw.betavariate(1, 1) * 100, 1),
                "TURF": f"T{draw.randrange(100, 160)}",
                "CELL": maybe(draw, 0.5, f"217{digits(draw, 7)}"),
                "DNC": draw.choices(["", "1"], [95, 5])[0],
                "SRC": "IL-117",
            }
        )
    return out


def panel(draw: random.Random, rows: int = 1800) -> Rows:
    """The third wave of a panel as its fieldwork agency sends it: numbered questions, no labels."""
    out: Rows = []
    for number in range(rows):
        age = draw.randrange(18, 92)
        out.append(
            {
                "v1": 30011 + number * 3 + draw.randrange(3),
                "v2": draw.randrange(1, 180),
                "v3": draw.randrange(412, 466),
                "v4": day(draw, 2021, 2021).strftime("%Y-%m-%d"),
                "v5": draw.choice([1, 2]),
                "v6": 2021 - age,
                "v7": draw.choices([1, 2, 3, 4, 5], [25, 48, 9, 10, 8])[0],
                "v8": draw.choices([1, 2, 3, 4, 5, 6], [30, 34, 14, 14, 6, 2])[0],
                "v9": draw.randrange(1, 17),
                "v10": draw.choices([1, 2, 3, 4], [8, 40, 30, 22])[0],
                "v11": draw.choices([1, 2, 3, 7, 9], [50, 10, 5, 25, 10])[0],
                "v12": draw.choice([1120, 2310, 3343, 4110, 5120, 5223, 7112, 7233, 8322, 9132, 9999]),
                "v13": draw.choice([16, 20, 32, 38, 40, 40, 45, 60, -8]),
                "v14": draw.choices([draw.randrange(400, 9000, 50), -9], [70, 30])[0],
                "v15": draw.choices([1, 2], [64, 36])[0],
                **{f"v16_{item}": draw.choices([1, 2, 3, 4, 5], [6, 14, 30, 34, 16])[0] for item in "abcdef"},
                "v17": draw.choices(range(11), [1, 1, 2, 4, 6, 14, 12, 20, 24, 10, 6])[0],
                "v18": draw.choices([1, 2, 3, 4, 5], [10, 36, 32, 16, 6])[0],
                "v19": draw.choices([0, 1], [72, 28])[0],
                "v20": draw.choices([0, 1], [93, 7])[0],
                "v21": round(draw.gauss(172, 9)),
                "v22": round(draw.gauss(77, 14)),
                "v23": draw.choices([0, 1, 2, 3, 6, 10, 20, 40], [55, 12, 8, 6, 5, 8, 5, 1])[0],
                "v24": draw.choices([1, 2, 3, 4, 5, 6, 7, 97], [22, 18, 14, 9, 8, 6, 3, 20])[0],
                "v25": draw.randrange(0, 11),
                "v26": draw.choices([1, 2, 3, 4, 6], [28, 24, 4, 34, 10])[0],
                "v27": round(draw.lognormvariate(3.4, 0.35), 1),
                "v28": draw.choices([1, 2], [90, 10])[0],
                "v29": round(draw.choice([0.412, 0.587, 0.731, 0.884, 1.026, 1.283, 1.577, 2.204]) * 1.0137, 6),
                "v30": 3,
            }
        )
    return out


def sportschool(draw: random.Random, rows: int = 1600) -> Rows:
    """Visits to a Dutch gym, with what its program keeps of members."""
    members = []
    for number in range(380):
        members.append(
            {
                "pas": f"{88000000 + number * 7919 % 900000}",
                "rel": 10440 + number * 2,
                "roepn": draw.choice(DUTCH_FIRST),
                "tv": draw.choice(["", "", "van", "de", "van der"]),
                "achtern": draw.choice(DUTCH_LAST),
                "gebdat": day(draw, 1950, 2007).strftime("%d-%m-%Y"),
                "mv": draw.choice(["m", "v"]),
                "pc6": f"{draw.randrange(3511, 3585)}{draw.choice('ABCDHJKLV')}{draw.choice('ABCDEKLNP')}",
                "hnr": draw.randrange(1, 240),
                "abo": draw.choice(["Basis", "Flex", "Jeugd", "Dal", "Premium"]),
                "mnd": comma(draw.choice([19.95, 24.95, 29.95, 39.95])),
                "inc": draw.choices(["S", "A", "M"], [90, 6, 4])[0],
                "sinds": day(draw, 2010, 2023).strftime("%d-%m-%Y"),
                "iban4": digits(draw, 4),
                "trainer": draw.choice(["Kees", "Mo", "Esra", "Jeroen", "Bianca"]),
                "doel": draw.choice(["afvallen", "kracht", "conditie", "revalidatie", "sociaal"]),
                "vet%": comma(draw.gauss(26, 6), 1),
                "gew": comma(draw.gauss(79, 14), 1),
                "rsthr": round(draw.gauss(68, 9)),
                "parq": draw.choices(["nee", "ja"], [88, 12])[0],
                "blessure": maybe(draw, 0.2, draw.choice(["knie", "rug", "schouder", "enkel"])),
            }
        )
    notes = ["pas vergeten, legitimatie gezien", "boos over de incasso, mail gestuurd"]
    out: Rows = []
    for _number in range(rows):
        came = dt.datetime.combine(day(draw, 2023, 2023), dt.time(draw.randrange(6, 22), draw.randrange(60)))
        out.append(
            {
                **draw.choice(members),
                "in": came.strftime("%d-%m-%Y %H:%M"),
                "uit": (came + dt.timedelta(minutes=draw.randrange(30, 130))).strftime("%d-%m-%Y %H:%M"),
                "deur": draw.choice(["1", "2"]),
                "les": maybe(draw, 0.3, draw.choice(["spinning", "yoga", "bodypump", "zumba"])),
                "kluis": maybe(draw, 0.7, draw.randrange(1, 181)),
                "opm": maybe(draw, 0.05, draw.choice(notes)),
            }
        )
    return out


def dentista(draw: random.Random, rows: int = 1200) -> Rows:
    """Treatments in a chain of Spanish dental clinics; codes of the chain in most columns."""
    people = []
    for number in range(500):
        people.append(
            {
                "HC": f"{draw.choice(['AL', 'MU'])}-{12000 + number * 5}",
                "AP1": draw.choice(SPANISH_LAST),
                "AP2": draw.choice(SPANISH_LAST),
                "NOM": draw.choice(SPANISH_FIRST),
                "NACIM": day(draw, 1940, 2015).strftime("%d/%m/%Y"),
                "S": draw.choice(["1", "6"]),
                "MUN": draw.choice(["Elche", "Alicante", "Murcia", "Orihuela", "Lorca"]),
                "TF": f"6{digits(draw, 8)}",
                "ANT1": draw.choices(["", "1"], [85, 15])[0],
                "ANT2": draw.choices(["", "1"], [92, 8])[0],
                "ANT3": draw.choices(["", "1"], [97, 3])[0],
                "FUM": draw.choice(["S", "N", "N", "N", "EX"]),
                "ASEG": maybe(draw, 0.5, draw.choice(["ADE", "SAN", "MAP", "DKV"])),
                "N_POL": maybe(draw, 0.5, f"{digits(draw, 9)}/{draw.randrange(1, 5)}"),
            }
        )
    dentists = [f"{draw.randrange(3000, 9000)}" for _ in range(17)]
    out: Rows = []
    for number in range(rows):
        price = draw.choice([45, 60, 90, 120, 240, 380, 950, 1450])
        out.append(
            {
                "PRES": 2023000000 + number * 37 + draw.randrange(37),
                **draw.choice(people),
                "CLIN": draw.choice(["03", "07", "11", "12"]),
                "GAB": draw.randrange(1, 7),
                "FEC": day(draw, 2023, 2023).strftime("%d/%m/%Y"),
                "COL": draw.choice(dentists),
                "PZ": maybe(draw, 0.8, draw.choice([11, 12, 16, 21, 24, 26, 36, 37, 44, 46, 48])),
                "CARA": maybe(draw, 0.4, draw.choice(["O", "M", "D", "V", "OM", "OD"])),
                "ACT": draw.choice(["E101", "E115", "O201", "O204", "P310", "P322", "I401", "R501", "R502"]),
                "CPOD": round(abs(draw.gauss(7, 4))),
                "IMP": comma(price),
                "DTO": draw.choice(["0", "0", "5", "10", "15"]),
                "PEND": comma(draw.choice([0, 0, 0, price / 2, price])),
                "FIN": draw.choices(["N", "S"], [85, 15])[0],
                "NPS": maybe(draw, 0.3, draw.choice([10, 10, 9, 9, 8, 7, 5, 2])),
                "TRAT": maybe(draw, 0.3, f"LAB{draw.randrange(100, 999)}"),
                "EVOL": maybe(
                    draw,
                    0.5,
                    draw.choice(
                        [
                            f"Pieza {draw.randrange(11, 48)} con caries profunda, refiere dolor nocturno",
                            f"Su madre, {draw.choice(SPANISH_FIRST)}, firma el consentimiento",
                            "No acudió a la cita, se le llama sin respuesta",
                        ]
                    ),
                ),
                "EXP": "05/01/2024",
            }
        )
    return out


def energie(draw: random.Random, rows: int = 1500) -> Rows:
    """Customers of a French supplier of power who are late with their bills."""
    out: Rows = []
    agents = [f"{first[0]}{last[:6]}".lower() for first, last in zip(FRENCH_FIRST, FRENCH_LAST, strict=False)][:28]
    for number in range(rows):
        begun = day(draw, 2008, 2022)
        owed = draw.lognormvariate(5.4, 0.8)
        out.append(
            {
                "PDL": digits(draw, 14),
                "CC": 60001200 + number * 11,
                "CIV": draw.choice(["M", "MME"]),
                "TIT": f"{draw.choice(FRENCH_LAST).upper()} {draw.choice(FRENCH_FIRST)}",
                "COTIT": maybe(draw, 0.3, f"{draw.choice(FRENCH_LAST).upper()} {draw.choice(FRENCH_FIRST)}"),
                "ADR": f"{draw.randrange(1, 140)} rue {draw.choice(['Pasteur', 'du Moulin', 'des Lilas', 'Zola'])}",
                "INSEE": draw.choice(["59350", "59512", "59009", "59599", "62041", "62498"]),
                "DNAIS": day(draw, 1935, 2002).strftime("%d/%m/%Y"),
                "LGT": draw.choice(["A", "M", "A", "A"]),
                "OCC": draw.choice(["L", "P", "L", "LS"]),
                "SURF": draw.randrange(18, 160),
                "NBO": draw.choice([1, 1, 2, 2, 3, 4, 5, 6]),
                "PS": draw.choice([3, 6, 6, 6, 9, 12]),
                "TA": draw.choice(["BASE", "HPHC", "TEMPO"]),
                "CHF": draw.choice(["E", "G", "F", "B"]),
                "CAR": round(draw.lognormvariate(8.3, 0.5)),
                "DSOU": begun.strftime("%d/%m/%Y"),
                "MENS": comma(draw.lognormvariate(4.4, 0.4)),
                "IMP_NB": draw.choices([1, 2, 3, 4, 7], [50, 25, 12, 8, 5])[0],
                "IMP_MT": comma(owed),
                "ANC": draw.randrange(15, 400),
                "CHQ": draw.choices(["", "48", "98", "146", "277"], [60, 10, 10, 10, 10])[0],
                "FSL": draw.choices(["N", "O"], [85, 15])[0],
                "SURD": draw.choices(["", "1"], [95, 5])[0],
                "RED": draw.choice(["", "", "", "R", "C"]),
                "MODP": draw.choice(["PR", "CH", "TIP", "CB"]),
                "GEST": draw.choice(agents),
                "SCO": draw.randrange(310, 850),
                "PROM": maybe(draw, 0.3, day(draw, 2023, 2023).strftime("%d/%m/%Y")),
                "CR": maybe(
                    draw,
                    0.5,
                    draw.choice(
                        [
                            "Cliente en arrêt maladie, demande un délai de deux mois",
                            f"Appel de l'assistante sociale Mme {draw.choice(FRENCH_LAST)}, dossier en cours",
                            "Mari décédé en mars, contrat à mettre à son nom",
                        ]
                    ),
                ),
                "LOT": "L0124",
            }
        )
    return out


def prohlidky(draw: random.Random, rows: int = 900) -> Rows:
    """Examinations of workers of a Czech factory by its physician."""
    out: Rows = []
    for number in range(rows):
        born = day(draw, 1958, 2004)
        out.append(
            {
                "OsC": 2000 + number * 3 + draw.randrange(3),
                "Prijmeni": draw.choice(CZECH_LAST),
                "Jmeno": draw.choice(CZECH_FIRST),
                "RC": f"{born:%y%m%d}/{digits(draw, 4)}",
                "Nar": born.strftime("%d.%m.%Y"),
                "Poj": draw.choice([111, 111, 111, 201, 207, 211]),
                "Stredisko": draw.choice(["lakovna", "lisovna", "montáž", "sklad", "údržba", "kancelář"]),
                "Profese": draw.choice(["svářeč", "lakýrník", "skladník", "seřizovač", "účetní", "mistr", "řidič"]),
                "Kat": draw.choice(["1", "2", "2R", "3"]),
                "Smena": draw.choice(["1", "2", "3", "N"]),
                "Datum": day(draw, 2023, 2023).strftime("%d.%m.%Y"),
                "Druh": draw.choice(["V", "P", "M", "O"]),
                "Vys": round(draw.gauss(174, 9)),
                "Vah": round(draw.gauss(83, 15)),
                "TKs": round(draw.gauss(133, 16)),
                "TKd": round(draw.gauss(82, 10)),
                "Glyk": comma(draw.lognormvariate(1.7, 0.15), 1),
                "FEV1": comma(draw.gauss(3.3, 0.7), 2),
                "Sl_P": draw.choice([10, 10, 15, 20, 25, 40]),
                "Sl_L": draw.choice([10, 10, 15, 20, 25, 45]),
                "Zrak": draw.choice(["1,0", "1,0", "0,8", "0,6 s kor."]),
                "Kour": draw.choice(["N", "N", "A", "B"]),
                "Alk": draw.choice(["N", "P", "P", "A"]),
                "Dg1": draw.choice(["I10", "M54.5", "H83.3", "J45.0", "Z00.0", "L23.9", "E78.5"]),
                "Zaver": draw.choice(["Z", "Z", "Z", "ZP", "N"]),
                "Omez": maybe(draw, 0.1, draw.choice(["noční", "výšky", "břemena", "prach"])),
                "DNP": maybe(draw, 0.4, int(draw.expovariate(0.06))),
                "Lek": draw.choice(["MUDr. Šimek", "MUDr. Hrubá", "MUDr. Valenta", "MUDr. Tichá"]),
                "Sestra": draw.choice(CZECH_LAST[:9]),
                "Pozn": maybe(
                    draw,
                    0.2,
                    draw.choice(
                        [
                            "Doporučena kontrola u praktického lékaře do měsíce",
                            f"Stěžuje si na mistra, pan {draw.choice(CZECH_LAST)} informován",
                        ]
                    ),
                ),
                "Vytisk": "3. 1. 2024",
            }
        )
    return out
