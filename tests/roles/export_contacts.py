"""Generated tables of ambulance runs, hotel guests, asylum files, car trips and families helped, in five languages."""

from __future__ import annotations

import datetime as dt
import random

from .export_draws import (
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

FINNISH_LAST = (
    "Korhonen Virtanen Mäkinen Nieminen Mäkelä Hämäläinen Laine Heikkinen Koskinen Järvinen Lehtonen Lehtinen "
    "Saarinen Salminen Heinonen Niemi Heikkilä Kinnunen Salonen Turunen Salo Laitinen Tuominen Rantanen Karjalainen "
    "Jokinen Mattila Savolainen Lahtinen Ahonen"
).split()
FINNISH_FIRST = (
    "Aino Helmi Venla Kerttu Siiri Tuulikki Päivi Minna Tuija Riikka Outi Eero Väinö Onni Toivo Jukka Pekka Timo "
    "Kari Mika Janne Antti Ville Jari"
).split()


def ems_runs(draw: random.Random, rows: int = 1400) -> Rows:
    """Runs of an American ambulance service, most columns with the numbers of elements of a standard."""
    crews = [f"{draw.choice(ENGLISH_LAST)}, {first[0]}" for first in ENGLISH_FIRST[:22]]
    medics = [f"{draw.choice('PE')}{digits(draw, 6)}" for _ in range(48)]
    out: Rows = []
    for number in range(rows):
        called = dt.datetime.combine(day(draw, 2022, 2022), dt.time(draw.randrange(24), draw.randrange(60)))
        there = called + dt.timedelta(minutes=draw.randrange(4, 22))
        age = draw.randrange(0, 99)
        out.append(
            {
                "r03": f"22-{18000 + number * 3 + draw.randrange(3)}",
                "r04": f"{digits(draw, 5)}-{draw.randrange(10)}",
                "agency": "0473",
                "r13": draw.choice(["M1", "M2", "M4", "M7", "A11", "A12"]),
                "crew_ld": draw.choice(crews),
                "crew_2": draw.choice(medics),
                "t03": called.strftime("%m/%d/%Y %H:%M"),
                "t06": there.strftime("%m/%d/%Y %H:%M"),
                "resp_min": int((there - called).total_seconds() // 60),
                "s06": draw.choice(["Home", "Street", "Nursing home", "School", "Business", "Public building"]),
                "s15": f"{draw.randrange(100, 9900)} {draw.choice(['Oak', 'Main', 'Elm', 'Lake', 'Mill'])} St",
                "s18": draw.choice(["Dunmore", "Dunmore", "Scranton", "Olyphant", "Throop", "Taylor"]),
                "s19": draw.choice([18509, 18512, 18447, 18505, 18517]),
                "p02": draw.choice(ENGLISH_LAST),
                "p03": draw.choice(ENGLISH_FIRST),
                "p13": draw.choice(["9906001", "9906003"]),
                "p14": draw.choice(["White", "White", "White", "Black", "Asian", "Hispanic"]),
                "p15": age,
                "p17": (called.date() - dt.timedelta(days=age * 365 + draw.randrange(365))).strftime("%m/%d/%Y"),
                "p18": maybe(draw, 0.7, f"570-{draw.randrange(200, 999)}-{digits(draw, 4)}"),
                "pay_01": draw.choice(["Medicare", "Medicaid", "Private", "Self pay"]),
                "si09": draw.choice(["R07.9", "R55", "I46.9", "S09.90", "T40.1", "F10.92", "R06.0", "R41.82"]),
                "vs06": maybe(draw, 0.9, round(draw.gauss(134, 24))),
                "vs10": maybe(draw, 0.9, round(draw.gauss(88, 19))),
                "vs23": maybe(draw, 0.85, draw.choice([15, 15, 15, 14, 13, 10, 6, 3])),
                "narcan_g": draw.choices(["N", "Y"], [24, 1])[0],
                "d12": draw.choice(["Transported", "Refused", "Dead at scene", "Transferred", "Canceled"]),
                "dest": draw.choice(["Regional", "Geisinger CMC", "Moses Taylor", ""]),
                "dl_no": maybe(draw, 0.5, digits(draw, 8)),
                "n01": maybe(
                    draw,
                    0.6,
                    draw.choice(
                        [
                            f"Pt found on floor by daughter, states she fell {draw.randrange(2, 12)} hours ago",
                            f"Dispatched for chest pain, pt {age} y/o, O2 by NC, {draw.choice(ENGLISH_LAST)} on scene",
                            "Pt refused transport, signed, advised to call back",
                            f"Unresponsive on arrival, bystander CPR, {draw.randrange(1, 5)} shocks",
                        ]
                    ),
                ),
                "up_load": "2023-01-09",
            }
        )
    return out


def reservas(draw: random.Random, rows: int = 1300) -> Rows:
    """Guests of two Spanish hotels, as the reception's program exports them."""
    loyal = [f"{draw.choice('GSP')}{digits(draw, 7)}" for _ in range(500)]
    agents = [f"{draw.choice(SPANISH_FIRST)} {last}" for last in SPANISH_LAST[:14]]
    out: Rows = []
    for number in range(rows):
        came = day(draw, 2023, 2023)
        nights = draw.choices([1, 2, 3, 4, 7, 14], [30, 28, 18, 10, 11, 3])[0]
        price = draw.lognormvariate(4.6, 0.35)
        land = draw.choices(["ES", "GB", "DE", "FR", "IT", "PT", "US"], [52, 15, 12, 9, 5, 4, 3])[0]
        out.append(
            {
                "Loc.": "".join(draw.choices("ABCDEFGHJKLMNPQRSTUVWXYZ23456789", k=6)),
                "Hotel": draw.choice(["MAR", "SOL"]),
                "Est.": draw.choices(["OUT", "CAN", "NS"], [90, 7, 3])[0],
                "Titular": f"{draw.choice(SPANISH_LAST)} {draw.choice(SPANISH_LAST)}, {draw.choice(SPANISH_FIRST)}",
                "T.Doc": draw.choices(["DNI", "PAS", "NIE"], [50, 42, 8])[0],
                "Doc": f"{draw.choice('XYZABC')}{digits(draw, 7)}",
                "F.Exp.": day(draw, 2014, 2022).strftime("%d/%m/%Y"),
                "F.Nac.": day(draw, 1940, 2003).strftime("%d/%m/%Y"),
                "Sx": draw.choice("HM"),
                "Nac.": land,
                "CP": f"{draw.choice([28, 8, 46, 41, 29]):02}{draw.randrange(1, 60):03}" if land == "ES" else "",
                "Movil": f"6{digits(draw, 8)}",
                "Mail": f"{draw.choice(SPANISH_LAST).lower()}{number}@correo.example",
                "Entr.": came.strftime("%d/%m/%Y"),
                "Sal.": (came + dt.timedelta(days=nights)).strftime("%d/%m/%Y"),
                "Noches": nights,
                "Pax": draw.choice([1, 2, 2, 2, 3, 4]),
                "Hab": draw.randrange(1, 6) * 100 + draw.randrange(1, 24),
                "Tipo hab": draw.choice(["DBL", "DUI", "SUI", "FAM"]),
                "Reg": draw.choice(["SA", "AD", "MP", "PC", "TI"]),
                "Canal": draw.choice(["WEB", "BOOKING", "AGENCIA", "TEL"]),
                "Agte": maybe(draw, 0.3, draw.choice(agents)),
                "Fidel.": maybe(draw, 0.5, draw.choice(loyal)),
                "Tarjeta": f"**** **** **** {digits(draw, 4)}",
                "Imp. total": comma(price * nights),
                "Extras": comma(draw.choice([0, 0, 0, 12.5, 38, 64.2, 120])),
                "Alergias": maybe(draw, 0.08, draw.choice(["gluten", "lactosa", "frutos secos", "marisco"])),
                "Movred": draw.choices(["N", "S"], [49, 1])[0],
                "Matr.": maybe(draw, 0.35, f"{digits(draw, 4)} {''.join(draw.choices('BCDFGHJKLMNPRSTVWXYZ', k=3))}"),
                "Obs": maybe(
                    draw,
                    0.25,
                    draw.choice(
                        [
                            "Cliente habitual, quiere la misma habitación que en agosto",
                            f"Aniversario de boda, {draw.choice(SPANISH_FIRST)} pide cava",
                            f"Llega tarde, llamar al 6{digits(draw, 8)}",
                            "No admite mascotas, se quejó del ruido",
                        ]
                    ),
                ),
                "Turno": draw.choice(["M", "T", "N"]),
            }
        )
    return out


def asile(draw: random.Random, rows: int = 900) -> Rows:
    """Applications for asylum at a French prefecture, with the abbreviations of its agents."""
    interpreters = [f"{last[:4].upper()}{draw.randrange(10, 99)}" for last in FRENCH_LAST[:26]]
    lawyers = [f"Me {last}" for last in FRENCH_LAST[8:36]]
    lands = {"AFG": "pachto", "GIN": "peul", "TUR": "kurde", "GEO": "géorgien", "COD": "lingala", "BGD": "bengali"}
    out: Rows = []
    family = 4000
    for _number in range(rows):
        family += draw.random() < 0.7
        land = draw.choice(list(lands))
        came, born = day(draw, 2020, 2023), day(draw, 1955, 2021)
        filed = came + dt.timedelta(days=draw.randrange(3, 200))
        out.append(
            {
                "AGDREF": f"{draw.randrange(10, 99)}03{digits(draw, 6)}",
                "N_OFPRA": f"{filed:%Y}-{draw.randrange(1, 13):02}-{digits(draw, 5)}",
                "c3": family,
                "QUAL": draw.choices(["DP", "CJ", "ENF"], [60, 15, 25])[0],
                "NOM_US": draw.choice([*FRENCH_LAST[-18:], "Ahmadi", "Bangoura", "Kilic", "Beridze", "Hossain"]),
                "PREN": draw.choice([*FRENCH_FIRST, "Zabiullah", "Oumou", "Nino", "Dilan", "Shakil"]),
                "DDN": born.strftime("%d/%m/%Y"),
                "SX": draw.choice("MF"),
                "NATIO": land,
                "ETHNIE": draw.choice(["Pachtoune", "Hazara", "Peul", "Kurde", "Malinké", "Bengali", "Autre"]),
                "LNG": lands[land],
                "SIT_FAM": draw.choice(["C", "M", "D", "V", "CC"]),
                "D_ENTR": came.strftime("%d/%m/%Y"),
                "V_ENTR": draw.choice(["aérienne", "terrestre", "maritime"]),
                "D_DEM": filed.strftime("%d/%m/%Y"),
                "PROC": draw.choices(["N", "A", "D"], [50, 30, 20])[0],
                "c17": draw.choice(["POL", "ETH", "REL", "OSP", "CONF"]),
                "ELOI": draw.choices(["", "OQTF", "ASS"], [85, 12, 3])[0],
                "OST": draw.choice(interpreters),
                "Conseil": maybe(draw, 0.7, draw.choice(lawyers)),
                "Agt": draw.randrange(41200, 41264),
                "HEB": draw.choice(["CADA", "HUDA", "CAES", "tiers", "sans"]),
                "Domicil.": draw.choice(["FTDA Créteil", "SPADA Melun", "SPADA Cergy", "CCAS Évry"]),
                "CP_HEB": draw.choice(["94000", "94200", "77000", "95000", "91000", "93200"]),
                "ADA": comma(draw.choice([204, 318, 426, 534]) + draw.choice([0, 221.4])),
                "VULN": maybe(draw, 0.2, draw.choice(["grossesse", "handicap", "traite", "torture", "santé mentale"])),
                "TEL1": f"0{draw.choice([6, 7])}{digits(draw, 8)}",
                "DEC": draw.choice(["rejet", "rejet", "statut réfugié", "PS", "en cours"]),
                "D_DEC": maybe(draw, 0.7, (filed + dt.timedelta(days=draw.randrange(90, 600))).strftime("%d/%m/%Y")),
                "Récit": maybe(
                    draw,
                    0.9,
                    draw.choice(
                        [
                            f"Son frère a été arrêté en {came.year - 1}, il a fui par la Turquie",
                            "Menacée par sa belle-famille après le décès du mari",
                            f"Membre d'un parti d'opposition à {draw.choice(['Conakry', 'Kaboul', 'Dacca'])}",
                        ]
                    ),
                ),
                "maj": "31/12/2023",
            }
        )
    return out


def carsharing(draw: random.Random, rows: int = 1600) -> Rows:
    """Trips of members of a German car sharing association, half of the columns numbered."""
    people = []
    for number in range(420):
        born = day(draw, 1945, 2004)
        people.append(
            {
                "K1": 20311 + number * 7,
                "K2": f"{draw.choice(GERMAN_LAST)}",
                "K3": draw.choice(GERMAN_FIRST),
                "K4": born.strftime("%d.%m.%Y"),
                "K5": draw.choice([34117, 34119, 34121, 34125, 34127, 34131, 34132, 34134]),
                "K6": draw.choice(["w", "m", "w", "m", "d"]),
                "Tarif": draw.choice(["Basis", "Aktiv", "Familie", "Studi", "Firma"]),
                "FS_Nr": f"{draw.choice('BCFJ')}{digits(draw, 3)}{draw.choice('RTNM')}{digits(draw, 6)}",
                "FS_seit": (born + dt.timedelta(days=18 * 365 + draw.randrange(2000))).strftime("%d.%m.%Y"),
                "Chip": f"{draw.getrandbits(32):08X}",
                "Lastschr.": f"DE{digits(draw, 20)}",
                "Kaution": draw.choice([0, 100, 250, 500]),
                "Bonitaet": draw.choice(["A", "A", "B", "C"]),
                "geworben_von": maybe(draw, 0.3, 20311 + draw.randrange(420) * 7),
            }
        )
    staff = [f"{first[:2]}{last[:2]}" for first, last in zip(GERMAN_FIRST, GERMAN_LAST, strict=False)][:16]
    out: Rows = []
    for number in range(rows):
        start = dt.datetime.combine(day(draw, 2023, 2023), dt.time(draw.randrange(5, 23), draw.randrange(60)))
        hours = draw.choice([1, 2, 2, 3, 4, 8, 26])
        km = round(draw.lognormvariate(3.2, 0.9))
        out.append(
            {
                "F1": 880000 + number * 2 + draw.randrange(2),
                **draw.choice(people),
                "Kz": f"KS-{draw.choice('ABCST')}{draw.choice('ABCDEF')} {draw.randrange(100, 160)}",
                "F5": start.strftime("%d.%m.%Y %H:%M"),
                "F6": (start + dt.timedelta(hours=hours)).strftime("%d.%m.%Y %H:%M"),
                "Station": draw.choice("Bebelplatz Königsplatz Wehlheiden Uni-Nord Bahnhof Kirchditmold".split()),
                "F8": comma(51.30 + draw.random() / 12, 6),
                "F9": comma(9.44 + draw.random() / 9, 6),
                "km": km,
                "Kl": draw.choice(["S", "M", "L", "Bus"]),
                "F12": comma(hours * 2.4 + km * 0.31),
                "vmax": round(draw.gauss(94, 22)),
                "Schaden": maybe(draw, 0.03, draw.choice(["Kratzer", "Delle", "Spiegel"])),
                "Owi": maybe(draw, 0.04, draw.choice(["Tempo", "Parken", "Rotlicht"])),
                "Sachb.": draw.choice(staff),
                "Bem.": maybe(
                    draw,
                    0.1,
                    draw.choice(
                        [
                            "Mitglied rief an, Tank leer, hat privat getankt",
                            f"Auto war verschmutzt, Frau {draw.choice(GERMAN_LAST)} informiert",
                            "Schlüssel nicht zurückgegeben, zweimal angemahnt",
                        ]
                    ),
                ),
                "Quelle": "BuchSys4",
            }
        )
    return out


def perheet(draw: random.Random, rows: int = 700) -> Rows:
    """Families that a Finnish wellbeing county helps; none of the vocabulary is Finnish."""
    workers = [f"{draw.choice(FINNISH_LAST)} {first}" for first in FINNISH_FIRST[:18]]
    out: Rows = []
    for number in range(rows):
        born = day(draw, 2005, 2022)
        out.append(
            {
                "Asiakasnro": 310000 + number * 4 + draw.randrange(4),
                "Hetu": f"{born:%d%m%y}A{draw.randrange(2, 899):03}{draw.choice('0123456789ABCDEFHJKLMNPRSTUVWXY')}",
                "Sukunimi": draw.choice(FINNISH_LAST),
                "Etunimi": draw.choice(FINNISH_FIRST),
                "Syntymäaika": born.strftime("%d.%m.%Y"),
                "Sukupuoli": draw.choice(["N", "M"]),
                "Äidinkieli": draw.choices(["suomi", "ruotsi", "venäjä", "somali", "arabia"], [80, 6, 6, 4, 4])[0],
                "Kunta": draw.choice("Kuopio Siilinjärvi Iisalmi Varkaus Leppävirta Suonenjoki".split()),
                "Postinro": draw.choice(["70100", "70200", "70800", "71800", "74100", "78200"]),
                "Lähiosoite": f"{draw.choice('Puistokatu Koulukatu Rantatie Mäkitie'.split())} {draw.randrange(1, 90)}",
                "Huoltaja1": f"{draw.choice(FINNISH_LAST)} {draw.choice(FINNISH_FIRST)}",
                "Huoltajuus": draw.choice(["yhteis", "yksin", "muu"]),
                "Perhekoko": draw.choice([2, 3, 3, 4, 4, 5, 6]),
                "Puh": f"0{draw.choice([40, 44, 45, 50])}{digits(draw, 7)}",
                "Ilm_pvm": day(draw, 2022, 2023).strftime("%d.%m.%Y"),
                "Ilmoittaja": draw.choice(["koulu", "poliisi", "terveydenhuolto", "huoltaja", "muu"]),
                "Syy": draw.choice(["päihteet", "väkivalta", "mielenterveys", "koulupoissaolot", "talous"]),
                "Päätös": draw.choice(["avohuolto", "kiireellinen sijoitus", "huostaanotto", "ei tarvetta"]),
                "Toimeentulotuki": comma(maybe(draw, 0.4, draw.uniform(80, 1400), 0.0)),  # type: ignore[arg-type]
                "Tulot": draw.choice([0, *range(300, 4200, 10)]),
                "Työntekijä": draw.choice(workers),
                "t22": draw.choice(["A", "B", "C"]),
                "Diag": maybe(draw, 0.2, draw.choice(["F90.0", "F43.2", "F32.1", "F84.5", "F91.3", "F10.1"])),
                "Poissaolot": maybe(draw, 0.6, int(draw.expovariate(0.05))),
                "Kirjaus": maybe(
                    draw,
                    0.5,
                    draw.choice(
                        [
                            f"Äiti soitti, sovittu tapaaminen {day(draw, 2023, 2023):%d.%m.}",
                            f"Koulusta oltu yhteydessä, opettaja {draw.choice(FINNISH_LAST)} huolissaan",
                            "Kotikäynti tehty, isä ei ollut paikalla",
                        ]
                    ),
                ),
                "Poiminta": "2023-12-31",
            }
        )
    return out
