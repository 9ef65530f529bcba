"""Generated tables of registers: job seekers, children in care, people on a housing list, medicines, rehabilitation."""

from __future__ import annotations

import datetime as dt
import random

from .export_draws import (
    DUTCH_LAST,
    ENGLISH_FIRST,
    ENGLISH_LAST,
    FRENCH_FIRST,
    FRENCH_LAST,
    GERMAN_LAST,
    SPANISH_FIRST,
    SPANISH_LAST,
    Rows,
    comma,
    day,
    digits,
    maybe,
)


def demandantes(draw: random.Random, rows: int = 1200) -> Rows:
    """Job seekers of a Spanish office: titles above, a sum below, semicolons, decimal commas, Windows-1252."""
    trades = (
        "Albañil;Camarero;Auxiliar de enfermería;Administrativo;Peón agrícola;Conductor;Dependiente;Cocinero;Soldador"
    )
    out: Rows = []
    for number in range(rows):
        born = day(draw, 1959, 2005)
        out.append(
            {
                "Nº demanda": f"28/{2019 + number % 5}/{draw.randrange(10_000, 99_999)}",
                "NIF": f"{digits(draw, 8)}{draw.choice('TRWAGMYFPDXBNJZSQVHLCKE')}",
                "Apellidos y nombre": " ".join(draw.choices(SPANISH_LAST, k=2)) + ", " + draw.choice(SPANISH_FIRST),
                "Fec. nac.": born.strftime("%d/%m/%Y"),
                "Sexo": draw.choice(["H", "M"]),
                "Nac.": draw.choices(["ESP", "MAR", "ROU", "COL", "ECU", "VEN"], weights=[70, 9, 8, 5, 4, 4])[0],
                "Municipio": draw.choice(
                    ["Getafe", "Leganés", "Parla", "Pinto", "Fuenlabrada", "Móstoles", "Alcorcón"]
                ),
                "CP": f"28{draw.randrange(900, 990)}",
                "Móvil": f"6{digits(draw, 8)}",
                "Niv. form.": draw.choice(["Sin estudios", "ESO", "Bachillerato", "FP medio", "FP superior", "Grado"]),
                "Ocupación solicitada": draw.choice(trades.split(";")),
                "Fecha inscripción": day(draw, 2019, 2023).strftime("%d/%m/%Y"),
                "Meses en paro": draw.randrange(0, 60),
                "Cobra prestación": draw.choice(["S", "N"]),
                "Cuantía mensual": comma(draw.choice([0, 480, 570.6, 612.35, 847.2, 1098.09])),
                "Grado discapacidad": draw.choices(["", "33%", "45%", "65%"], weights=[88, 7, 3, 2])[0],
                "Víctima VG": draw.choices(["N", "S"], weights=[97, 3])[0],
                "Hijos a cargo": draw.choices([0, 1, 2, 3, 4], weights=[50, 22, 18, 7, 3])[0],
                "Carnet B": draw.choice(["S", "N"]),
                "Técnico": draw.choice(["mlopez", "jgarcia", "arodri", "pcano"]),
                "Situación": draw.choices(["Alta", "Suspendida", "Baja"], weights=[80, 8, 12])[0],
                "Observaciones": maybe(
                    draw,
                    0.2,
                    f"Llamar por la tarde, la madre cuida a {draw.choice(SPANISH_FIRST)} desde {born.year + 20}",
                ),
            }
        )
    return out


def enfance(draw: random.Random, rows: int = 900) -> Rows:
    """Children looked after by a French department: semicolons, two forms of dates, SPSS-like codes."""
    out: Rows = []
    for number in range(rows):
        born, since = day(draw, 2004, 2022), day(draw, 2022, 2023)
        out.append(
            {
                "id_dossier": f"ASE{77_000 + number // 2}",
                "rang_enfant": number % 2 + 1,
                "nom_usage": draw.choice(FRENCH_LAST).upper(),
                "prenom1": draw.choice(FRENCH_FIRST),
                "ddn": born.strftime("%d/%m/%Y") if draw.random() < 0.8 else born.isoformat(),
                "sexe_cd": draw.choices([1, 2, 9], weights=[52, 47, 1])[0],
                "lieu_naiss": draw.choice(["Melun", "Meaux", "Provins", "Paris 19e", "Bamako", "Oran", "Chelles"]),
                "insee_com": f"77{draw.randrange(1, 514):03}",
                "mna": draw.choices([0, 1], weights=[85, 15])[0],
                "date_decision": since.strftime("%d/%m/%Y"),
                "motif_danger": draw.choice(["01", "02", "03", "04", "99"]),
                "type_mesure": draw.choice(["AEMO", "OPP", "PAD", "TUT", "AED"]),
                "lieu_accueil": draw.choice(["Famille d'accueil", "MECS", "Pouponnière", "Tiers digne de confiance"]),
                "nom_assfam": maybe(draw, 0.5, f"Mme {draw.choice(FRENCH_LAST)}"),
                "nb_fratrie": draw.choices([0, 1, 2, 3, 4, 6, 99], weights=[20, 30, 22, 14, 8, 3, 3])[0],
                "mere_csp": draw.choice(["1", "2", "3", "4", "5", "6", "8", "99"]),
                "handicap_mdph": draw.choices([0, 1, 9], weights=[78, 18, 4])[0],
                "suivi_psy": draw.choices([0, 1, 9], weights=[60, 35, 5])[0],
                "niv_scol": draw.choice(["mat", "elem", "coll", "lyc", "ime", "desc"]),
                "alloc_mens": comma(draw.choice([0, 38.5, 112.4, 254.75, 410])),
                "tel_referent": f"01 64 {digits(draw, 2)} {digits(draw, 2)} {digits(draw, 2)}",
                "lot_extraction": 3,
            }
        )
    return out


def woningzoekenden(draw: random.Random, rows: int = 1100) -> Rows:
    """A Dutch list of people who wait for a home, with semicolons and decimal commas."""
    out: Rows = []
    for number in range(rows):
        adults = draw.choice([1, 1, 2])
        out.append(
            {
                "inschrijfnr": 4_400_000 + number * 3,
                "bsn_aanvrager": _bsn(draw),
                "voorl": f"{draw.choice('ABCDEFGHJKLMNPRSTW')}.{draw.choice('ABCDEFGHJKLMNPRSTW')}.",
                "tussenv": draw.choices(["", "van", "de", "van der", "el"], weights=[60, 15, 12, 10, 3])[0],
                "achternaam": draw.choice(DUTCH_LAST),
                "gebjr": draw.randrange(1935, 2005),
                "geslacht": draw.choices(["m", "v", "x"], weights=[48, 51, 1])[0],
                "burg_staat": draw.choice(["ongehuwd", "gehuwd", "gescheiden", "verweduwd"]),
                "aant_volw": adults,
                "aant_kind": draw.choices([0, 1, 2, 3, 4], weights=[55, 20, 15, 7, 3])[0],
                "pc6_huidig": f"{draw.randrange(3511, 3585)} {''.join(draw.choices('ABCDEGHJKLMNP', k=2))}",
                "huisnr": draw.randrange(1, 400),
                "woonsit": draw.choice(["huur corp.", "huur part.", "inwonend", "koop", "opvang", "dakloos"]),
                "wachttijd_mnd": draw.randrange(0, 180),
                "verz_inkomen": comma(draw.lognormvariate(10.2, 0.4)),
                "huurtoeslag": draw.choice(["J", "N"]),
                "urgentie": draw.choices(["geen", "medisch", "sociaal", "statushouder"], weights=[85, 6, 5, 4])[0],
                "med_indicatie": draw.choices(["", "rolstoel", "begane grond", "psychisch"], weights=[90, 3, 5, 2])[0],
                "voorkeur_wijk": draw.choice(["Lombok", "Zuilen", "Overvecht", "Kanaleneiland", "Leidsche Rijn"]),
                "afd_medew": draw.choice(["KCC1", "KCC2", "WZ"]),
                "mailadres": f"{draw.choice(DUTCH_LAST).lower()}{number}@voorbeeld.example",
                "laatste_login": (dt.datetime(2023, 1, 1) + dt.timedelta(minutes=draw.randrange(500_000))).strftime(
                    "%d-%m-%Y %H:%M"
                ),
            }
        )
    return out


def rx_claims(draw: random.Random, rows: int = 1500) -> Rows:
    """Pharmacy claims of a US plan as R's ``write.csv`` writes them: row names without a name, NA, codes -9 and -8."""
    people = [
        {
            "MBR_ID": f"W{digits(draw, 9)}",
            "SUBSCR_LAST": draw.choice(ENGLISH_LAST),
            "SUBSCR_FIRST": draw.choice(ENGLISH_FIRST),
            "DOB": day(draw, 1932, 2015).strftime("%m/%d/%Y"),
            "GNDR_CD": draw.choice(["M", "F"]),
            "RACE_ETH": draw.choice([1, 2, 3, 4, -8]),
            "ZIP5": f"{draw.choice([30, 31, 39])}{draw.randrange(100, 999)}",
            "LOB": draw.choice(["COM", "MCR", "MCD"]),
        }
        for _ in range(rows // 4)
    ]
    drugs = [
        ("00093-1048-01", "METFORMIN HCL", 4.1),
        ("00071-0155-23", "ATORVASTATIN", 9.8),
        ("00006-0277-31", "SITAGLIPTIN", 480),
        ("00002-3227-30", "FLUOXETINE", 6.2),
        ("61958-1101-1", "EMTRICITABINE/TENOFOVIR", 1900),
        ("00074-4339-02", "ADALIMUMAB", 5800),
    ]
    out: Rows = []
    for number in range(rows):
        ndc, name, price = draw.choice(drugs)
        paid = price * draw.uniform(0.7, 1.3)
        out.append(
            {
                "": str(number + 1),
                "CLM_NBR": f"{20230000000 + number * 17}",
                **draw.choice(people),
                "FILL_DT": day(draw, 2023, 2023).strftime("%m/%d/%Y"),
                "NDC": ndc,
                "DRUG_NM": name,
                "DAYS_SPLY": draw.choice([30, 30, 30, 60, 90]),
                "QTY_DISP": draw.choice([30, 60, 90, 2]),
                "PAID_AMT": round(paid, 2),
                "COPAY": draw.choice([0, 5, 10, 35, 50, -9]),
                "PRSCRBR_NPI": f"1{digits(draw, 9)}",
                "PHCY_NCPDP": draw.randrange(1_100_000, 1_100_060),
                "DX1": draw.choice(["E11.9", "E78.5", "F32.9", "B20", "M06.9", "I10", "NA"]),
                "RISK_SCR": round(draw.lognormvariate(0, 0.5), 3),
                "REJ_CD": draw.choices(["NA", "70", "75", "79"], weights=[90, 4, 3, 3])[0],
                "SRC_SYS": "ESI",
            }
        )
    return out


def reha(draw: random.Random, rows: int = 1000) -> Rows:
    """Patients of German rehabilitation clinics: decimal commas, 97 to 99 for no answer."""
    trades = ["Maurer", "Pflegefachkraft", "Lehrer/in", "Schlosser", "Verkäufer/in"]
    said = "Frau {} berichtet über Streit mit dem Chef, AU verlängert"
    out: Rows = []
    for number in range(rows):
        start, born = day(draw, 2022, 2023), day(draw, 1950, 2000).strftime("%d%m%y")
        out.append(
            {
                "lfd": number + 1,
                "VSNR": f"{draw.randrange(10, 90)}{born}{draw.choice('ABDGHKLMRSW')}{digits(draw, 3)}",
                "Name_Pat": draw.choice(GERMAN_LAST),
                "GJahr": draw.randrange(1948, 2003),
                "Geschl": draw.choice([1, 2]),
                "PLZ3": draw.choice(["790", "791", "792", "793", "794", "781", "782"]),
                "FamStand": draw.choice([1, 2, 3, 4, 99]),
                "Schulabschl": draw.choice([1, 2, 3, 4, 5, 98, 99]),
                "zuletzt_ausgeuebter_Beruf": draw.choice(trades),
                "Aufn": start.strftime("%d.%m.%Y"),
                "Entl": (start + dt.timedelta(days=draw.randrange(18, 36))).strftime("%d.%m.%Y"),
                "HD_ICD": draw.choice(["M54.4", "M17.1", "F33.1", "I25.1", "C50.4", "F43.2", "S83.5"]),
                "AU_Tage_Vorjahr": draw.choice([*range(0, 200, 7), 999]),
                "BMI_Aufn": comma(draw.gauss(28, 5), 1),
                "BMI_Entl": comma(draw.gauss(27.5, 5), 1),
                "PHQ9_sum": draw.choice([*range(28), 99]),
                "Schmerz_NRS": draw.choice([*range(11), 97]),
                "Rauchen": draw.choice([0, 1, 99]),
                "GdB": draw.choices([0, 20, 30, 50, 80], weights=[70, 8, 10, 9, 3])[0],
                "Rentenantrag": draw.choices([0, 1, 99], weights=[82, 15, 3])[0],
                "Klinik_Nr": draw.randrange(1, 7),
                "Gewicht_W": comma(draw.uniform(0.4, 2.9), 4),
                "arzt_freitext": maybe(draw, 0.3, said.format(draw.choice(GERMAN_LAST))),
            }
        )
    return out


def _bsn(draw: random.Random) -> str:
    """Return nine digits with the weights of a citizen service number."""
    while True:
        nine = [draw.randrange(10) for _ in range(8)]
        last = sum(weight * digit for weight, digit in zip(range(9, 1, -1), nine, strict=True)) % 11
        if last < 10 and nine[0]:
            return "".join(map(str, [*nine, last]))
