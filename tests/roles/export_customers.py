"""Generated tables of tenants, members, customers and people on benefits."""

from __future__ import annotations

import random
import string

from .export_draws import DUTCH_LAST, ENGLISH_FIRST, ENGLISH_LAST, Rows, comma, day, digits, maybe


def huurders(draw: random.Random, rows: int = 1500) -> Rows:
    """Tenants of a Dutch housing corporation."""
    notes = [
        "Huurder belt over lekkage, monteur langs op {d}.",
        "Betalingsregeling afgesproken met mevr. {n}.",
        "Overlast gemeld door buren nr {a}, wijkagent ingelicht.",
        "Zoon {n} heeft sleutel, tel 06-{b}.",
    ]
    out: Rows = []
    for number in range(rows):
        start = day(draw, 1985, 2023)
        income = draw.lognormvariate(10.2, 0.45)
        last = draw.choice(DUTCH_LAST)
        out.append(
            {
                "huurdernr": 100400 + number,
                "bsn": digits(draw, 9),
                "voorl": ".".join(draw.choices("ABCDEHJKMPRSTW", k=draw.randrange(1, 4))) + ".",
                "tussenv": draw.choices(["", "de", "van", "van der", "van den"], weights=[60, 12, 14, 8, 6])[0],
                "achternaam": last,
                "gebdat": day(draw, 1935, 2004).strftime("%d-%m-%Y"),
                "gesl": draw.choice("MV"),
                "burgst": draw.choice(["ongehuwd", "gehuwd", "gescheiden", "weduwe/wn", "partnerschap"]),
                "pc6": f"{draw.choice([3011, 3012, 3021, 3022, 3024, 3031, 3034, 3061, 3071, 3081])} "
                + "".join(draw.choices("ABCDEGHJKLNPRSTVWXZ", k=2)),
                "huisnr": draw.randrange(1, 320),
                "toev": maybe(draw, 0.3, draw.choice(["A", "B", "bis", "hs", "II"])),
                "wijk": draw.choice(["Delfshaven", "Feijenoord", "Kralingen", "Noord", "Charlois", "Centrum"]),
                "aant_pers": draw.choices([1, 2, 3, 4, 5, 6, 7], weights=[40, 28, 13, 11, 5, 2, 1])[0],
                "inkomen_verz": round(income),
                "huurprijs": comma(draw.gauss(640, 110)),
                "servicekosten": comma(draw.choice([22.5, 31.75, 48.1, 55.0])),
                "huurtoeslag": draw.choice("jn"),
                "achterst_mnd": draw.choices([0, 1, 2, 3, 5, 8], weights=[84, 8, 4, 2, 1, 1])[0],
                "type_won": draw.choices(
                    ["portiek", "galerij", "eengezins", "benedenwoning", "zorgwoning"], weights=[6, 5, 3, 2, 1]
                )[0],
                "bouwjaar": draw.choice([1928, 1936, 1954, 1958, 1963, 1971, 1984, 1992, 2006, 2015]),
                "energielabel": draw.choice("ABCDEFG"),
                "ingangsdat": start.strftime("%d-%m-%Y"),
                "mob": f"06-{digits(draw, 8)}",
                "mail": f"{last.lower()}{draw.randrange(99)}@"
                f"{draw.choice(['ziggo', 'kpnmail', 'gmail'])}.{draw.choice(['nl', 'com'])}",
                "opm": maybe(
                    draw,
                    0.3,
                    draw.choice(notes).format(
                        d=day(draw, 2023, 2023).strftime("%d-%m"), n=last, a=draw.randrange(200), b=digits(draw, 8)
                    ),
                ),
            }
        )
    return out


def local_union(draw: random.Random, rows: int = 1400) -> Rows:
    """Members of an American union local."""
    out: Rows = []
    for number in range(rows):
        first, last = draw.choice(ENGLISH_FIRST), draw.choice(ENGLISH_LAST)
        joined = day(draw, 1988, 2023)
        city, code = draw.choice(
            [
                ("Toledo", "43604"),
                ("Toledo", "43612"),
                ("Oregon", "43616"),
                ("Sylvania", "43560"),
                ("Maumee", "43537"),
                ("Fremont", "43420"),
                ("Lima", "45801"),
            ]
        )
        grievance = draw.random() < 0.12
        out.append(
            {
                "Card #": f"L12-{40000 + number * 3}",
                "Member": f"{last}, {first} {draw.choice(string.ascii_uppercase)}.",
                "Addr 1": f"{draw.randrange(100, 9900)} "
                + draw.choice(["Maple Ave", "W Central", "Dorr St", "Secor Rd", "Nebraska Ave"]),
                "City": city,
                "ST": "OH",
                "Zip": code,
                "Cell": f"({draw.choice(['419', '567'])}) {digits(draw, 3)}-{digits(draw, 4)}",
                "E-mail (home)": f"{first[0].lower()}{last.lower()}{draw.randrange(90)}@"
                + draw.choice(["aol.com", "yahoo.com", "buckeye-express.com"]),
                "DOB": day(draw, 1958, 2004).strftime("%m/%d/%Y"),
                "M/F": draw.choice("MF"),
                "Ethn.": draw.choices(["W", "B", "H", "A", "O"], weights=[60, 22, 12, 3, 3])[0],
                "Employer": draw.choice(["Libbey Glass", "Jeep Assembly", "Dana Axle", "ProMedica", "Lucas County"]),
                "Classif.": draw.choice(
                    ["Millwright", "Operator II", "Operator III", "Electrician", "Custodian", "LPN", "Tool & Die"]
                ),
                "Shift": draw.choice([1, 2, 3]),
                "Sen. Date": joined.strftime("%m/%d/%Y"),
                "Hrly": f"{draw.gauss(26, 5):.2f}",
                "Dues/mo": f"{draw.choice([38.5, 44, 52.75, 61]):.2f}",
                "Pay meth": draw.choice(["checkoff", "bank", "cash"]),
                "Arrears $": maybe(draw, 0.1, f"{draw.uniform(20, 400):.2f}", "0.00"),
                "Steward": draw.choices(["N", "Y"], weights=[96, 4])[0],
                "Griev. open": "Y" if grievance else "N",
                "Griev. type": draw.choice(["discipline", "overtime", "safety", "harassment", "seniority"])
                if grievance
                else "",
                "Strike vote 23": draw.choices(["yes", "no", "absent"], weights=[6, 2, 3])[0],
                "WC claim": draw.choices(["N", "Y"], weights=[95, 5])[0],
                "PAC $": draw.choice([0, 0, 0, 5, 10, 20]),
                "Rtd": draw.choices(["", "R"], weights=[9, 1])[0],
            }
        )
    return out


def retail_bank(draw: random.Random, rows: int = 3000) -> Rows:
    """Customers of a British bank with a score, for a model of churn."""
    out: Rows = []
    for _number in range(rows):
        out.append(
            {
                "cust_key": f"{draw.getrandbits(32):08x}",
                "acct_open_dt": day(draw, 1995, 2023).isoformat(),
                "brth_yr": draw.randrange(1934, 2005),
                "gndr_cd": draw.choice("MFU"),
                "pcd_sector": draw.choice(
                    ["LS1 4", "LS6 2", "LS7 3", "LS8 1", "BD1 1", "BD3 9", "HX1 5", "WF1 2", "HD1 3", "YO1 7"]
                ),
                "occ_cd": draw.choice(["P1", "P2", "M1", "C1", "C2", "S1", "R", "U", "ST"]),
                "empl_stat": draw.choice(["FT", "PT", "SE", "RET", "UE", "STU"]),
                "mar_stat": draw.choice(["S", "M", "D", "W", "C"]),
                "dep_n": draw.choices([0, 1, 2, 3, 4], weights=[50, 20, 20, 7, 3])[0],
                "res_stat": draw.choice(["OWN", "MTG", "RENT", "FAM"]),
                "tnr_mths": draw.randrange(1, 340),
                "avg_bal_3m": round(draw.lognormvariate(6.8, 1.4), 2),
                "sav_bal": round(maybe(draw, 0.6, draw.lognormvariate(8, 1.5), 0.0), 2),
                "od_lim": draw.choice([0, 0, 250, 500, 1000, 2500]),
                "od_days": draw.choice([0, 0, 0, 3, 11, 25]),
                "cc_util_pct": round(draw.betavariate(1.2, 3) * 100, 1),
                "n_prod": draw.randrange(1, 7),
                "ext_score": int(draw.gauss(560, 110)),
                "int_rtg": draw.choice(["AA", "A", "BB", "B", "C"]),
                "arrears_12m": draw.choices([0, 1], weights=[95, 5])[0],
                "gross_sal": round(draw.lognormvariate(10.2, 0.4), -2),
                "vuln_flag": draw.choices(["N", "Y"], weights=[96, 4])[0],
                "last_login_ts": f"2023-{draw.randrange(1, 13):02d}-{draw.randrange(1, 29):02d} "
                f"{draw.randrange(24):02d}:{draw.randrange(60):02d}:{draw.randrange(60):02d}",
                "last_ip": f"{draw.randrange(11, 220)}.{draw.randrange(256)}."
                f"{draw.randrange(256)}.{draw.randrange(1, 255)}",
                "dev_hash": f"{draw.getrandbits(128):032x}",
                "rm_nm": draw.choice(["K Briggs", "S Holloway", "D Okafor", "J Pruitt"]),
                "churn_ind": draw.choices([0, 1], weights=[9, 1])[0],
                "snap_dt": "2023-12-31",
            }
        )
    return out


def allocataires(draw: random.Random, rows: int = 2200) -> Rows:
    """People on benefits, as a French statistics office samples them for a study."""
    out: Rows = []
    for number in range(rows):
        children = draw.choices([0, 1, 2, 3, 4, 5], weights=[38, 22, 22, 11, 5, 2])[0]
        income = max(0.0, draw.gauss(14500, 9000))
        out.append(
            {
                "num_alloc": f"{digits(draw, 7)}{draw.choice(string.ascii_uppercase)}",
                "id_foyer": 70000 + number // 2,
                "pond_cal": comma(draw.gauss(41, 9), 3),
                "strate": draw.choice(["U1", "U2", "R1", "R2"]),
                "an_naiss": draw.randrange(1948, 2006),
                "sexe": draw.choice(["H", "F"]),
                "sit_fam": draw.choice(["CEL", "MAR", "PAC", "DIV", "VEU", "ISO"]),
                "nb_enf": children,
                "age_dern_enf": draw.randrange(0, 20) if children else "",
                "natio": draw.choices(["FR", "UE", "HUE"], weights=[82, 6, 12])[0],
                "codgeo": draw.choice(["35238", "35288", "35115", "35360", "35047", "35024", "35210"]),
                "iris": f"35238{draw.randrange(101, 1100):04d}",
                "stat_log": draw.choice(["LOC", "HLM", "PROP", "HEB"]),
                "dipl": draw.choice([0, 1, 2, 3, 4]),
                "act_resp": draw.choice(["SAL", "CHO", "INA", "ETU", "RET"]),
                "pcs": draw.choice([21, 34, 42, 47, 52, 55, 56, 62, 67, 68]),
                "rev_net": comma(income),
                "qf": round(income / 12 / (2 + children / 2)),
                "mt_rsa": comma(maybe(draw, 0.3, draw.uniform(80, 900), 0.0)),
                "mt_apl": comma(maybe(draw, 0.5, draw.uniform(40, 380), 0.0)),
                "mt_aah": comma(maybe(draw, 0.06, 971.37, 0.0)),
                "tx_handi": draw.choices(["", "50-79", "80+"], weights=[90, 6, 4])[0],
                "indu": draw.choices(["0", "1"], weights=[93, 7])[0],
                "fraude_susp": draw.choices(["0", "1"], weights=[98, 2])[0],
                "date_ext": "31/12/2023",
                "vague": draw.choice([1, 2]),
            }
        )
    return out
