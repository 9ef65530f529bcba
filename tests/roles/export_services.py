"""Generated tables of stays, employees, pupils, claims, households and police stops; some names say nothing."""

from __future__ import annotations

import datetime as dt
import random
import string

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


def klinik(draw: random.Random, rows: int = 1400) -> Rows:
    """Stays of a German hospital, as the accounts department has them; half of the columns are numbered fields."""
    doctors = [f"Dr. {name}" for name in GERMAN_LAST[:14]]
    calls = ["Pat. ruft zurück, Tel. 0176 {a}", "Tochter {n} informiert am {d}", "Kostenübernahme {n} geklärt"]
    out: Rows = []
    for number in range(rows):
        born, came = day(draw, 1930, 2018), day(draw, 2023, 2023)
        left = came + dt.timedelta(days=draw.choice([1, 2, 3, 4, 6, 9, 14, 21]))
        first, last = draw.choice(GERMAN_FIRST), draw.choice(GERMAN_LAST)
        out.append(
            {
                "Feld1": f"{2300000 + 7 * number}",
                "Feld2": f"{last}, {first}",
                "Feld3": born.strftime("%d.%m.%Y"),
                "Feld4": draw.choice("mw"),
                "Feld5": draw.choice(["50667", "50823", "51103", "53111", "53173", "40213", "40589", "41061"]),
                "Aufnahmeart": draw.choice(["Notfall", "Einweisung", "Verlegung", "Geburt"]),
                "Feld7": came.strftime("%d.%m.%Y %H:%M"),
                "Feld8": left.strftime("%d.%m.%Y"),
                "VWD": (left - came).days,
                "Feld10": draw.choice(["I21.4", "J18.9", "K35.3", "S72.0", "C34.1", "F10.2", "N17.9", "E11.7", "O80"]),
                "Feld11": maybe(draw, 0.6, draw.choice(["5-470.11", "8-930", "5-820.00", "1-632.0", "9-260"])),
                "Feld12": draw.choice(doctors),
                "FA": draw.choice(["INN", "CHI", "GYN", "NEU", "HNO"]),
                "BewRel": comma(draw.lognormvariate(-0.2, 0.6), 3),
                "Erloes_EUR": comma(draw.lognormvariate(8.1, 0.6)),
                "Beatmung_h": draw.choices([0, 12, 48, 96, 250], weights=[90, 4, 3, 2, 1])[0],
                "Kostentr_IK": draw.choice(["108310400", "101575519", "104212059", "109519005"]),
                "KV_Nr": draw.choice(string.ascii_uppercase) + digits(draw, 9),
                "Zuzahlung": draw.choice(["J", "N"]),
                "entlassgrund": draw.choice(["01", "01", "01", "04", "06", "07"]),
                "AngTel": maybe(draw, 0.5, f"0{draw.choice([221, 228, 211])}/{digits(draw, 6)}"),
                "Feld22": maybe(
                    draw,
                    0.25,
                    draw.choice(calls).format(a=digits(draw, 7), n=draw.choice(GERMAN_LAST), d=came.strftime("%d.%m.")),
                ),
                "MDK_gepr": draw.choice(["ja", "nein"]),
                "letzte_Aend": "SAP_IF01",
            }
        )
    return out


def effectif(draw: random.Random, rows: int = 1100) -> Rows:
    """The staff of a French company with pay, absence and appraisals."""
    comments = ["À revoir, conflit avec {n}", "Très bon élément, promouvoir", "Retour de congé maternité le {d}"]
    out: Rows = []
    for _number in range(rows):
        first, last = draw.choice(FRENCH_FIRST), draw.choice(FRENCH_LAST)
        since = day(draw, 1990, 2023)
        out.append(
            {
                "v1": f"{last[:3].upper()}{digits(draw, 4)}",
                "v2": f"{last.upper()} {first}",
                "v3": f"{draw.choice('12')} {draw.randrange(55, 100)} {draw.randrange(1, 13):02} "
                f"{digits(draw, 2)} {digits(draw, 3)} {digits(draw, 3)} {digits(draw, 2)}",
                "civilite": draw.choice(["M.", "Mme"]),
                "dt_naiss": day(draw, 1958, 2003).strftime("%d/%m/%Y"),
                "nationalite": draw.choices(["FR", "PT", "DZ", "MA", "BE"], weights=[80, 6, 5, 5, 4])[0],
                "sit_fam": draw.choice(["C", "M", "P", "D", "V"]),
                "nb_enf": draw.choices([0, 1, 2, 3, 4], weights=[40, 22, 25, 10, 3])[0],
                "cp_dom": draw.choice(["69001", "69003", "69100", "69500", "38200", "01000", "42000"]),
                "etab": draw.choice(["LYO1", "LYO2", "VIE", "BRG"]),
                "emploi": draw.choice(["Technicien", "Opérateur", "Cadre commercial", "Comptable", "Ingénieur"]),
                "v12": since.strftime("%d/%m/%Y"),
                "type_contrat": draw.choice(["CDI", "CDI", "CDI", "CDD", "Intérim"]),
                "quotite": draw.choice([50, 80, 80, 100, 100, 100]),
                "sal_base": comma(draw.lognormvariate(7.8, 0.3)),
                "prime_an": comma(draw.lognormvariate(6.5, 0.8)),
                "v17": draw.choices([0, 0, 0, 2, 5, 12, 40, 120], k=1)[0],
                "rqth": draw.choices(["N", "O"], weights=[94, 6])[0],
                "synd": draw.choices(["", "CGT", "CFDT", "FO"], weights=[88, 4, 5, 3])[0],
                "note_eval": draw.choice(["A", "B", "B", "C", "D"]),
                "v21": maybe(
                    draw,
                    0.3,
                    draw.choice(comments).format(n=draw.choice(FRENCH_LAST), d=day(draw, 2023, 2023).strftime("%d/%m")),
                ),
                "manager": f"{draw.choice(FRENCH_FIRST[:9])} {draw.choice(FRENCH_LAST[:9])}",
                "iban": " ".join(["FR76 3000", *(digits(draw, 4) for _ in range(4)), digits(draw, 3)]),
                "badge": digits(draw, 6),
                "source_si": "PAIE-V8",
            }
        )
    return out


def instituto(draw: random.Random, rows: int = 900) -> Rows:
    """Pupils of a Spanish secondary school with marks, grants and family."""
    out: Rows = []
    for number in range(rows):
        born = day(draw, 2006, 2011)
        out.append(
            {
                "NIA": 10480000 + 13 * number,
                "ap1": draw.choice(SPANISH_LAST),
                "ap2": draw.choice(SPANISH_LAST),
                "nom": draw.choice(SPANISH_FIRST),
                "c5": born.strftime("%d/%m/%Y"),
                "c6": draw.choice(["H", "M"]),
                "loc_nac": draw.choice(["Getafe", "Leganés", "Madrid", "Quito", "Casablanca", "Bucarest"]),
                "nivel": f"{draw.choice([1, 2, 3, 4])}º ESO",
                "letra": draw.choice("ABCD"),
                "repite": draw.choices(["NO", "SI"], weights=[85, 15])[0],
                "bil": draw.choice(["SI", "NO"]),
                "acneae": draw.choices(["", "TDAH", "DISLEXIA", "TEA"], weights=[88, 6, 4, 2])[0],
                "beca_comedor": draw.choices(["N", "S"], weights=[70, 30])[0],
                "renta_fam": round(draw.lognormvariate(10, 0.5)),
                "n_herm": draw.choices([0, 1, 2, 3], weights=[30, 45, 20, 5])[0],
                "tutor": f"{draw.choice(SPANISH_FIRST[:8])} {draw.choice(SPANISH_LAST[:8])}",
                "tf_padre": f"6{digits(draw, 8)}",
                "c18": f"C/ {draw.choice(SPANISH_LAST)}, {draw.randrange(1, 90)}",
                "mat": draw.randrange(1, 11),
                "len": draw.randrange(1, 11),
                "ing": draw.randrange(1, 11),
                "faltas_inj": draw.choices([0, 1, 3, 8, 20, 45], weights=[50, 20, 15, 9, 4, 2])[0],
                "partes": draw.choices([0, 1, 2, 5], weights=[80, 12, 6, 2])[0],
                "relig": draw.choice(["Católica", "Valores", "Islámica", "Valores"]),
                "obs_or": maybe(draw, 0.2, f"Hablar con la madre de {draw.choice(SPANISH_FIRST)}, ausencias"),
                "curso_acad": "2023/2024",
            }
        )
    return out


def motor_claims(draw: random.Random, rows: int = 1500) -> Rows:
    """Claims of a British motor insurer, one row for each payment."""
    plates = [
        f"{draw.choice('ABDEFG')}{draw.choice('ABKNPR')}{draw.randrange(2, 74):02} "
        + "".join(draw.choices("ABCDEFGHJKLMNOPRSTUVWXYZ", k=3))
        for _ in range(800)
    ]
    out: Rows = []
    for number in range(rows):
        driver = draw.randrange(800)
        lost = day(draw, 2019, 2023)
        first, last = ENGLISH_FIRST[driver % 30], ENGLISH_LAST[driver // 30 % 30]
        out.append(
            {
                "clm": f"MC/{draw.randrange(19, 24)}/{100000 + number}",
                "pol": f"PX{7000000 + 31 * driver}",
                "ph": f"{first} {last}",
                "v4": plates[driver],
                "v5": draw.choice(["SA", "WB", "VF", "TM"])
                + "".join(draw.choices("ABCDEFGHJKLMNPRSTUVWXYZ0123456789", k=15)),
                "yob": 1940 + driver % 65,
                "ncd": draw.randrange(0, 10),
                "pcode": f"{draw.choice(['LS', 'BD', 'HX', 'WF'])}{draw.randrange(1, 20)} "
                f"{draw.randrange(1, 10)}{''.join(draw.choices('ABDEFGHJLNPQRSTUWXYZ', k=2))}",
                "lossdt": lost.isoformat(),
                "notified": (lost + dt.timedelta(days=draw.randrange(0, 30))).isoformat(),
                "peril": draw.choice(["AD", "TPPD", "TPBI", "THEFT", "WS"]),
                "fault": draw.choice(["Y", "N", "S"]),
                "inj": draw.choices(["", "whiplash", "fracture", "minor"], weights=[80, 10, 3, 7])[0],
                "v14": round(draw.lognormvariate(7, 1.1), 2),
                "os_res": round(draw.lognormvariate(6, 1.5), 2),
                "excess": draw.choice([100, 250, 500]),
                "fraud_ind": draw.choices([0, 1], weights=[97, 3])[0],
                "handler": f"{draw.choice(ENGLISH_FIRST[:7])} {draw.choice(ENGLISH_LAST[:7])}",
                "tp_name": maybe(draw, 0.5, f"{draw.choice(ENGLISH_FIRST)} {draw.choice(ENGLISH_LAST)}"),
                "v20": f"{draw.choice([11, 20, 40, 60])}-{draw.randrange(10, 99)}-{draw.randrange(10, 99)}",
                "v21": digits(draw, 8),
                "occ": draw.choice(["teacher", "driver", "retired", "nurse", "sales", "builder"]),
                "mileage": draw.randrange(2, 25) * 1000,
                "make": draw.choice(["FORD", "VAUXHALL", "BMW", "KIA", "TOYOTA"]),
                "ccy": "GBP",
                "batch": draw.choice(["B01", "B02", "B03"]),
            }
        )
    return out


def woononderzoek(draw: random.Random, rows: int = 2000) -> Rows:
    """A Dutch survey of households and housing with weights, names of variables as the agency gave them."""
    out: Rows = []
    household, person, size, factor, dwelling = 0, 0, 0, 1.0, 0
    for _number in range(rows):
        if person >= size:
            household, person = household + 1, 0
            size = draw.choices([1, 2, 3, 4, 5], weights=[34, 33, 13, 14, 6])[0]
            factor, dwelling = round(draw.lognormvariate(6.2, 0.5), 3), draw.randrange(1, 8)
        person += 1
        age = draw.randrange(16, 92)
        out.append(
            {
                "volgnr_hh": 81000 + household * 3,
                "lidnr": person,
                "hweegf": factor,
                "prov": draw.randrange(20, 32),
                "sted": draw.randrange(1, 6),
                "lft": age,
                "gesl": draw.choice([1, 2]),
                "herk": draw.choices([1, 2, 3, 9], weights=[76, 10, 12, 2])[0],
                "opl": draw.randrange(1, 8),
                "posit": draw.randrange(1, 6),
                "v11": dwelling,
                "v12": draw.choice([1, 2]),
                "v13": draw.choices([-9, *range(300, 1500, 50)], weights=[20, *[4] * 24])[0],
                "bestink": round(draw.lognormvariate(10.3, 0.5)),
                "schuld": draw.choices([0, 1, 2, 3, 9], weights=[60, 15, 10, 5, 10])[0],
                "tev_won": draw.randrange(1, 6),
                "tev_buurt": draw.randrange(1, 6),
                "onveil": draw.randrange(1, 5),
                "gez_erv": draw.randrange(1, 6),
                "depr_s": draw.randrange(0, 25),
                "stem21": draw.choices([*range(1, 12), 99], k=1)[0],
                "interv": draw.randrange(101, 140),
                "enq_min": draw.randrange(18, 75),
                "modus": draw.choice(["cawi", "capi"]),
                "opm_enq": maybe(
                    draw, 0.15, f"mevr. {draw.choice(DUTCH_LAST)} wil niet teruggebeld worden op 06{digits(draw, 8)}"
                ),
                "jaar": 2021,
            }
        )
    return out


def stops(draw: random.Random, rows: int = 1300) -> Rows:
    """A register of stops and searches of an American police department."""
    said = ["stated he lives with mother", "gave phone 312-555-{}", "known to R/O"]
    out: Rows = []
    for number in range(rows):
        when = day(draw, 2022, 2023)
        out.append(
            {
                "incident": f"22-{draw.randrange(1, 7)}{100000 + 3 * number}",
                "dttm": f"{when:%m/%d/%Y} {draw.randrange(24):02}:{draw.randrange(60):02}",
                "beat": draw.choice(["311", "312", "421", "425", "511", "513"]),
                "xst": f"{draw.randrange(1, 99) * 100} blk {draw.choice(['Elm', 'Oak', 'Main', '5th', 'Lake'])}",
                "field_05": round(41.6 + draw.random() / 3, 6),
                "field_06": round(-87.8 + draw.random() / 3, 6),
                "off1": f"{draw.choice(ENGLISH_LAST[:20])}, {draw.choice(string.ascii_uppercase)}.",
                "star_no": draw.choice([4411, 5120, 7782, 9034, 1120, 3345, 8871, 2210, 6654]),
                "off_yrs": draw.randrange(1, 30),
                "subj_ln": draw.choice(ENGLISH_LAST),
                "subj_fn": draw.choice(ENGLISH_FIRST),
                "field_12": day(draw, 1955, 2006).strftime("%m/%d/%Y"),
                "race": draw.choice(["B", "W", "H", "A", "U"]),
                "sx": draw.choice(["M", "F"]),
                "ht_in": draw.randrange(58, 78),
                "wt_lb": draw.randrange(105, 290),
                "tattoo": maybe(draw, 0.2, draw.choice(["left arm rose", "neck script", "none seen", "right hand"])),
                "plate": "".join(draw.choices(string.ascii_uppercase, k=2)) + f" {digits(draw, 5)}",
                "plate_st": draw.choices(["IL", "IN", "WI", "MI"], weights=[88, 7, 3, 2])[0],
                "veh": draw.choice(["Sedan", "SUV", "Pickup", "On foot", "Van"]),
                "cause": draw.choice(["traffic", "suspicious", "call", "warrant"]),
                "srch": draw.choice([0, 0, 1]),
                "contraband": draw.choices(["none", "drugs", "weapon"], weights=[88, 9, 3])[0],
                "gang_aff": draw.choices(["N", "Y"], weights=[93, 7])[0],
                "outcome": draw.choice(["warning", "citation", "arrest", "none"]),
                "narr": f"Subject {draw.choice(['walking', 'driving', 'standing'])} near "
                f"{draw.choice(['school', 'store', 'park'])}, {draw.choice(said).format(digits(draw, 4))}.",
                "dl_no": f"{draw.choice(string.ascii_uppercase)}{digits(draw, 3)}-{digits(draw, 4)}-{digits(draw, 4)}",
                "cad_unit": draw.choice(["1A12", "1A14", "2B03", "3C21"]),
                "bwc_on": draw.choices(["Y", "N"], weights=[95, 5])[0],
            }
        )
    return out
