"""Generated tables of pupils, claims, employees and people asked, in Polish, Italian, English and Swedish."""

from __future__ import annotations

import datetime as dt
import random
import string

from .export_draws import ENGLISH_FIRST, ENGLISH_LAST, Rows, comma, day, digits, maybe

POLISH_LAST = (
    "Kowalczyk Zieliński Szymański Woźniak Dąbrowski Kozłowski Jankowski Mazur Krawczyk Piotrowski Grabowski "
    "Pawłowski Michalski Król Wieczorek Jabłoński Wróbel Stępień Górski Rutkowski Sikora Ostrowski Baran Duda"
).split()
POLISH_FIRST = (
    "Zuzanna Julia Maja Zofia Hanna Lena Alicja Oliwia Wiktoria Antoni Jakub Szymon Filip Franciszek Mikołaj "
    "Wojciech Kacper Igor Nikola Bartosz"
).split()
ITALIAN_LAST = (
    "Esposito Colombo Ricci Marino Greco Conti Bruno Gallo Costa Giordano Mancini Rizzo Lombardi Moretti Barbieri "
    "Fontana Santoro Mariani Rinaldi Caruso Ferrara Galli Martini Leone"
).split()
ITALIAN_FIRST = (
    "Giulia Chiara Francesca Federica Sara Martina Valentina Alessia Elisa Giorgia Marco Andrea Luca Matteo "
    "Lorenzo Davide Simone Riccardo Stefano Giuseppe"
).split()


def szkola(draw: random.Random, rows: int = 640) -> Rows:
    """Pupils of three Polish schools, as the office of a municipality collects them."""
    streets = "Lipowa Ogrodowa Polna Szkolna Leśna Słoneczna Krótka Sienkiewicza Mickiewicza Kościuszki".split()
    notes = [
        "Matka prosi o kontakt po 16, tel. {p}",
        "Opinia poradni złożona {d}",
        "Przeniesiony z SP 12, rodzice po rozwodzie",
        "Babcia {n} upoważniona do odbioru",
        "Nieobecny z powodu pobytu w szpitalu",
    ]
    out: Rows = []
    for number in range(rows):
        born = day(draw, 2009, 2016)
        last = draw.choice(POLISH_LAST)
        out.append(
            {
                "Lp.": number + 1,
                "Nr ewid.": f"{draw.randrange(1, 900)}/{draw.randrange(2016, 2024)}",
                "PESEL": f"{born:%y}{born.month + 20:02d}{born:%d}{digits(draw, 5)}",
                "Nazwisko": last,
                "Imię": draw.choice(POLISH_FIRST),
                "Data urodzenia": born.strftime("%d.%m.%Y"),
                "Płeć": draw.choice("KM"),
                "Klasa": f"{2023 - born.year - 6}{draw.choice('abc')}",
                "Szkoła": draw.choice(["SP 3", "SP 7", "SP 12"]),
                "Ulica": f"ul. {draw.choice(streets)} {draw.randrange(1, 90)}",
                "Kod": f"{draw.choice(['05-800', '05-802', '05-804', '05-806', '05-820'])}",
                "Miejscowość": draw.choice(["Pruszków", "Pruszków", "Pruszków", "Piastów", "Michałowice", "Brwinów"]),
                "Obywatelstwo": draw.choices(["polskie", "ukraińskie", "białoruskie", "inne"], [85, 11, 2, 2])[0],
                "Religia": draw.choices(["tak", "nie"], [6, 4])[0],
                "Orzeczenie": maybe(draw, 0.1, draw.choice(["autyzm", "niedosłuch", "ADHD", "dysleksja"])),
                "Opiekun prawny": f"{draw.choice(POLISH_FIRST)} {last}",
                "Tel. opiekuna": f"{draw.choice([501, 602, 693, 780])} {digits(draw, 3)} {digits(draw, 3)}",
                "Dożywianie": draw.choices(["nie", "tak"], [8, 2])[0],
                "Dochód na osobę": comma(draw.lognormvariate(7.4, 0.4)),
                "Średnia": comma(min(6.0, max(1.5, draw.gauss(4.3, 0.7)))),
                "Zachowanie": draw.choice(["wzorowe", "bardzo dobre", "dobre", "poprawne", "naganne"]),
                "Godz. nieusp.": min(200, int(draw.expovariate(0.12))),
                "Wychowawca": f"{draw.choice(POLISH_FIRST[:9])} {draw.choice(POLISH_LAST[:12])}",
                "Uwagi": maybe(
                    draw,
                    0.2,
                    draw.choice(notes).format(
                        p=digits(draw, 9), d=f"{day(draw, 2023, 2023):%d.%m.%Y}", n=draw.choice(POLISH_LAST)
                    ),
                ),
                "Rok szk.": "2023/2024",
            }
        )
    return out


def sinistri(draw: random.Random, rows: int = 900) -> Rows:
    """Claims of an Italian insurer, money with decimal commas."""
    places = {"MI": "Milano", "TO": "Torino", "NA": "Napoli", "BA": "Bari", "VR": "Verona", "PA": "Palermo"}
    notes = [
        "Sentito l'assicurato al {p}, conferma la dinamica",
        "Controparte {n} nega responsabilità",
        "In attesa referto PS",
        "Il perito {n} chiede proroga di 15 giorni",
    ]
    out: Rows = []
    for number in range(rows):
        province = draw.choice(list(places))
        happened = day(draw, 2022, 2023)
        born = day(draw, 1940, 2003)
        out.append(
            {
                "Num_Sinistro": f"2023/{1000 + 3 * number:06d}",
                "Polizza": f"{draw.choice([30, 41, 77])}-{digits(draw, 8)}",
                "Contraente": f"{draw.choice(ITALIAN_LAST)} {draw.choice(ITALIAN_FIRST)}".upper(),
                "Cod_Fiscale": "".join(draw.choices(string.ascii_uppercase, k=6))
                + f"{born:%y}{draw.choice('ABCDEHLMPRST')}{born.day:02d}{draw.choice('FGHL')}"
                + digits(draw, 3)
                + draw.choice(string.ascii_uppercase),
                "Data_Nascita": born.strftime("%d/%m/%Y"),
                "Sesso": draw.choice("MF"),
                "Comune": places[province],
                "Prov": province,
                "CAP": {"MI": "201", "TO": "101", "NA": "801", "BA": "701", "VR": "371", "PA": "901"}[province]
                + f"{draw.randrange(20, 50)}",
                "Professione": draw.choice(
                    ["impiegato", "operaio", "pensionato", "libero professionista", "studente", "casalinga"]
                ),
                "Targa": "".join(draw.choices("ABCDEFGHJKLMNPRSTVWXYZ", k=2))
                + digits(draw, 3)
                + "".join(draw.choices("ABCDEFGHJKLMNPRSTVWXYZ", k=2)),
                "Veicolo": draw.choice(["Fiat Panda", "Fiat 500", "Lancia Ypsilon", "VW Golf", "Dacia Duster"]),
                "Classe_BM": draw.randrange(1, 19),
                "Data_Accad": happened.strftime("%d/%m/%Y"),
                "Data_Den": (happened + dt.timedelta(days=draw.randrange(0, 20))).strftime("%d/%m/%Y"),
                "Garanzia": draw.choices(["RCA", "Kasko", "Furto", "Cristalli"], [6, 1, 1, 2])[0],
                "Lesioni": draw.choices(["nessuna", "colpo di frusta", "frattura", "decesso"], [70, 22, 7, 1])[0],
                "Inv_Perm_%": maybe(draw, 0.2, draw.randrange(1, 30)),
                "Riserva": comma(round(draw.lognormvariate(7.8, 0.9), 2)),
                "Liquidato": comma(round(draw.lognormvariate(7.5, 0.9), 2)),
                "Franchigia": draw.choice([0, 250, 500]),
                "Sosp_Frode": draw.choices(["N", "S"], [95, 5])[0],
                "Perito": f"{draw.choice(ITALIAN_LAST[:9])}",
                "IBAN": f"IT{digits(draw, 2)}{draw.choice('ABCXZ')}{digits(draw, 10)}{digits(draw, 12)}",
                "Note": maybe(
                    draw, 0.3, draw.choice(notes).format(p="3" + digits(draw, 9), n=draw.choice(ITALIAN_LAST))
                ),
                "Divisa": "EUR",
                "Stato": draw.choice(["APERTO", "CHIUSO", "SENZA SEGUITO"]),
            }
        )
    return out


def leavers(draw: random.Random, rows: int = 1100) -> Rows:
    """Staff of a British employer with what payroll and the office for personnel know of them."""
    out: Rows = []
    for number in range(rows):
        began = day(draw, 1995, 2022)
        gone = draw.random() < 0.2
        first, last = draw.choice(ENGLISH_FIRST), draw.choice(ENGLISH_LAST)
        pay = round(draw.lognormvariate(10.3, 0.35))
        out.append(
            {
                "Assignment": f"E{20000 + 3 * number}-{draw.choice([1, 1, 1, 2])}",
                "KnownAs": first,
                "Surname": last,
                "WorkEmail": f"{first}.{last}{draw.randrange(99)}@example.org".lower(),
                "NINO": "".join(draw.choices("ABCEGHJKLMNPRSTWXYZ", k=2)) + digits(draw, 6) + draw.choice("ABCD"),
                "DOB": day(draw, 1957, 2003).isoformat(),
                "LegalSex": draw.choice(["Female", "Male"]),
                "EthnicOrigin": draw.choices(
                    ["White British", "White Other", "Asian", "Black", "Mixed", "Not stated"], [60, 10, 12, 8, 4, 6]
                )[0],
                "DisabilityDeclared": draw.choices(["No", "Yes", "Prefer not to say"], [85, 8, 7])[0],
                "Orientation": draw.choices(
                    ["Heterosexual", "Gay or lesbian", "Bisexual", "Not stated"], [70, 4, 3, 23]
                )[0],
                "HomePostcode": f"{draw.choice(['LS6', 'LS7', 'BD3', 'WF1', 'HX1'])} {draw.randrange(1, 9)}"
                + "".join(draw.choices("ABDEFGHJ", k=2)),
                "NextOfKin": f"{draw.choice(ENGLISH_FIRST)} {last}",
                "JobTitle": draw.choice(
                    ["Porter", "Analyst", "Team Leader", "Ward Clerk", "Director", "Engineer", "Cleaner", "Buyer"]
                ),
                "Dept": draw.choice(["Estates", "Finance", "IT", "Wards", "Procurement"]),
                "LineMgr": f"E{20000 + 3 * draw.randrange(40)}-1",
                "StartDate": began.isoformat(),
                "LeaveDate": maybe(draw, 1, (began + dt.timedelta(days=400)).isoformat()) if gone else "",
                "LeaveReason": draw.choice(["Resigned", "Dismissed", "Retired", "Ill health"]) if gone else "",
                "FTE": draw.choice([0.4, 0.5, 0.6, 0.8, 1.0, 1.0, 1.0]),
                "SpinePoint": draw.randrange(3, 44),
                "AnnualSalary": pay,
                "NetPay": round(pay / 12 * 0.78, 2),
                "TaxCode": draw.choice(["1257L", "1257L", "BR", "K475", "D0", "0T"]),
                "StudentLoan": draw.choices(["None", "Plan 1", "Plan 2"], [7, 1, 2])[0],
                "UnionSubs": draw.choices([0, 11.5, 14.3], [6, 2, 2])[0],
                "SickDays12m": min(120, int(draw.expovariate(0.2))),
                "Bradford": min(900, int(draw.expovariate(0.02))),
                "AppraisalRating": draw.choice(["Exceeds", "Meets", "Meets", "Partly meets", "Unsatisfactory"]),
                "DisciplinaryOpen": draw.choices(["N", "Y"], [97, 3])[0],
                "SortCode": f"{draw.randrange(10, 99)}-{draw.randrange(10, 99)}-{draw.randrange(10, 99)}",
                "AccountNo": digits(draw, 8),
                "BadgeNo": f"{draw.randrange(10000, 99999)}",
                "ExtractRun": "HRX_0424_FINAL",
            }
        )
    return out


def levnadsvanor(draw: random.Random, rows: int = 1500) -> Rows:
    """A Swedish survey of living conditions, answers in words and codes, weights with decimal commas."""
    out: Rows = []
    for number in range(rows):
        age = draw.randrange(18, 86)
        out.append(
            {
                "lopnr": 100001 + number * 17,
                "kon": draw.choice(["Man", "Kvinna"]),
                "fodar": 2023 - age,
                "lan": draw.choice(["01", "03", "12", "14", "24", "25"]),
                "kommun": draw.choice(["0180", "0380", "1280", "1480", "2480", "2580"]),
                "civilst": draw.choice(["Gift", "Ogift", "Skild", "Änka/änkling"]),
                "antbarn": draw.choices([0, 1, 2, 3, 4], [45, 18, 25, 9, 3])[0],
                "fodland": draw.choices(["Sverige", "Norden", "Europa", "Övriga världen"], [80, 4, 7, 9])[0],
                "utbniva": draw.choice(["Förgymnasial", "Gymnasial", "Eftergymnasial"]),
                "sysels": draw.choices(["Arbetar", "Studerar", "Arbetslös", "Pensionär"], [55, 10, 6, 29])[0],
                "ssyk": draw.choice(["2221", "5321", "9111", "2341", "3322", "7115", ""]),
                "disp_ink": round(draw.lognormvariate(12.4, 0.4), -2),
                "boende": draw.choice(["Hyresrätt", "Bostadsrätt", "Villa"]),
                "f12a": draw.choices(["Mycket bra", "Bra", "Någorlunda", "Dåligt"], [25, 45, 22, 8])[0],
                "langd": round(draw.gauss(172, 9)),
                "vikt": round(draw.gauss(76, 14)),
                "rokare": draw.choices(["Ja, dagligen", "Ja, ibland", "Nej"], [8, 7, 85])[0],
                "alkohol": draw.choice(["Aldrig", "2-4 ggr/mån", "2-3 ggr/vecka", "4+ ggr/vecka"]),
                "diabetes": draw.choices(["Ja", "Nej"], [7, 93])[0],
                "angest": draw.choices(["Nej", "Ja, lätta besvär", "Ja, svåra besvär"], [60, 32, 8])[0],
                "f31": draw.choices([1, 2, 3, 4, 5, 9], [10, 20, 30, 25, 10, 5])[0],
                "parti": draw.choices(["S", "M", "SD", "V", "C", "MP", "Vill ej svara"], [30, 19, 20, 8, 6, 5, 12])[0],
                "tillit": draw.choice(["Stor", "Ganska stor", "Liten", "Ingen"]),
                "svarssatt": draw.choice(["Webb", "Post"]),
                "svarsdat": day(draw, 2023, 2023).isoformat(),
                "kalvikt": comma(draw.lognormvariate(7.6, 0.4), 4),
                "strata": draw.randrange(1, 22),
                "epost_resultat": maybe(
                    draw, 0.15, f"{draw.choice(['anna', 'lars', 'eva', 'nils'])}{number}@example.se"
                ),
                "ovrigt": maybe(
                    draw,
                    0.12,
                    draw.choice(
                        [
                            "Tyckte frågorna om hälsa var för många",
                            "Ring mig gärna på 070-" + digits(draw, 7),
                            "Min man fick stroke i mars, därför sent svar",
                            "Inga synpunkter",
                        ]
                    ),
                ),
            }
        )
    return out


def consultas(draw: random.Random, rows: int = 800) -> Rows:
    """Appointments of a Portuguese health centre."""
    last = "Antunes Baptista Coelho Domingues Esteves Faria Guerreiro Henriques Leitão Machado Neves Pacheco".split()
    first = "Benedita Caetana Constança Frederica Graça Lurdes Bernardo Duarte Gaspar Jaime Salvador Xavier".split()
    notes = ["Ligar à filha, {p}", "Doente refere que o marido {n} faleceu", "Pede 2.ª via do relatório"]
    return [
        {
            "NumProc": 70000 + draw.randrange(3 * rows),
            "Utente": digits(draw, 9),
            "Doente": f"{draw.choice(first)} {draw.choice(last)}",
            "DtNasc": day(draw, 1932, 2020).strftime("%d-%m-%Y"),
            "Sexo": draw.choice(["F", "M"]),
            "Morada": f"Rua {draw.choice(last)}, n.º {draw.randrange(1, 200)}",
            "CodPostal": f"{draw.choice([3000, 3020, 3030, 3040])}-{draw.randrange(100, 999)}",
            "Freguesia": draw.choice(["Sé Nova", "Olivais", "Ceira", "Eiras"]),
            "EstadoCivil": draw.choice(["Casado", "Solteiro", "Viúvo", "Divorciado"]),
            "Profissao": draw.choice(["Reformado", "Professor", "Operário", "Doméstica", "Estudante"]),
            "DtConsulta": day(draw, 2023, 2023).strftime("%d-%m-%Y"),
            "Especialidade": draw.choice(["Medicina Geral", "Psiquiatria", "Ginecologia", "Pediatria"]),
            "ICPC2": draw.choice(["P76", "K86", "T90", "R74", "L03", "W78"]),
            "Medicacao": draw.choice(["sertralina", "metformina", "ramipril", "nenhuma"]),
            "PesoKg": comma(max(9.0, draw.gauss(71, 15)), 1),
            "TASist": draw.randrange(95, 190),
            "Fumador": draw.choice(["Sim", "Não", "Não", "Ex-fumador"]),
            "TaxaMod": draw.choice(["Isento", "Paga"]),
            "Valor": comma(draw.choice([0, 4.5, 5.0, 7.0])),
            "MedFam": f"Dr.ª {draw.choice(last)}",
            "Obs": maybe(draw, 0.2, draw.choice(notes).format(p="91" + digits(draw, 7), n=draw.choice(first))),
            "Origem": "SCLINICO",
        }
        for _ in range(rows)
    ]


def kontanthjaelp(draw: random.Random, rows: int = 700) -> Rows:
    """Recipients of cash benefits in a Danish municipality."""
    last = "Mortensen Thomsen Møller Knudsen Holm Bertelsen Kjær Lauritsen Bach Østergaard Dahl Frandsen".split()
    first = "Freja Agnes Karla Liv Signe Bodil Vagn Villads Oskar Aksel Malthe Svend".split()
    notes = ["Ringet til mor på {p}", "{n} oplyser at hun er flyttet fra kæresten", "Afventer lægeerklæring"]
    out: Rows = []
    for number in range(rows):
        born = day(draw, 1959, 2004)
        out.append(
            {
                "SagsID": f"K-{2023_0000 + 3 * number}",
                "CPR": f"{born:%d%m%y}-{digits(draw, 4)}",
                "Navn": f"{draw.choice(first)} {draw.choice(last)}",
                "Foedselsaar": born.year,
                "Koen": draw.choice(["Mand", "Kvinde"]),
                "Civilstand": draw.choice(["Ugift", "Gift", "Skilt", "Enke/enkemand"]),
                "AntalBoern": draw.choices([0, 1, 2, 3], [50, 20, 20, 10])[0],
                "Oprindelse": draw.choices(["Dansk", "Indvandrer", "Efterkommer"], [75, 18, 7])[0],
                "Postnr": draw.choice(["8000", "8200", "8210", "8230", "8240"]),
                "Boligform": draw.choice(["Leje", "Ejer", "Herberg", "Hos forældre"]),
                "Uddannelse": draw.choice(["Grundskole", "Gymnasial", "Erhvervsfaglig", "Videregående"]),
                "Startdato": day(draw, 2018, 2023).isoformat(),
                "Ydelse": round(draw.lognormvariate(9.3, 0.2)),
                "Gaeld": maybe(draw, 0.4, round(draw.lognormvariate(10, 1))),
                "Matchgruppe": draw.choice(["Jobparat", "Aktivitetsparat"]),
                "Helbred": draw.choice(["Ingen", "Fysiske", "Psykiske", "Misbrug"]),
                "Sanktion": draw.choices(["Nej", "Ja"], [9, 1])[0],
                "Sagsbehandler": draw.choice(last[:8]),
                "Notat": maybe(draw, 0.25, draw.choice(notes).format(p=digits(draw, 8), n=draw.choice(first))),
                "Udtraek": "2024-01-02",
            }
        )
    return out
