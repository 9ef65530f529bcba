"""Look-alikes of tables as people have them: made up from the draws of a fixed seed, so that nobody is in them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta

from .offices import OFFICES, office

Row = dict[str, object]


def _words(text: str) -> list[str]:
    return text.split()


FIRST = _words(
    "Anna Emma Mia Sofia Lena Marie Julia Sarah Laura Lea Paul Leon Felix Jonas Lukas Max Tim Jan Peter Michael Thomas "
    "Andreas Stefan Wolfgang Helga Ursula Monika Petra Sabine Karin Claudia Heike Birgit Martin Daniel Markus"
)
LAST = _words(
    "Müller Schmidt Schneider Fischer Weber Meyer Wagner Becker Schulz Hoffmann Koch Bauer Richter Klein Wolf "
    "Schröder Neumann Schwarz Zimmermann Braun Krüger Hofmann Hartmann Lange Schmitt Werner Krause Lehmann"
)
ENGLISH_FIRST = _words(
    "James Mary John Patricia Robert Jennifer Michael Linda William Elizabeth David Barbara Richard Susan Joseph "
    "Jessica Thomas Karen Charles Nancy Christopher Lisa Daniel Betty Matthew Margaret Anthony Sandra Kevin Marcus"
)
ENGLISH_LAST = _words(
    "Smith Johnson Williams Brown Jones Garcia Miller Davis Rodriguez Martinez Hernandez Lopez Wilson Anderson Thomas "
    "Taylor Moore Jackson Martin Lee Perez Thompson White Harris Sanchez Clark Ramirez Lewis Robinson Walker"
)
FRENCH_FIRST = _words("Camille Léa Manon Chloé Inès Jade Louise Zoé Lucas Hugo Enzo Nathan Théo Louis Gabriel Jules")
FRENCH_LAST = _words(
    "Martin Bernard Dubois Thomas Robert Richard Petit Durand Leroy Moreau Simon Laurent Lefebvre Michel Garcia David "
    "Bertrand Roux Vincent Fournier"
)
CITIES = ("München", "Freising", "Dachau", "Erding", "Augsburg", "Landshut", "Rosenheim", "Ingolstadt")


def table(name: str) -> list[Row]:
    """Return the rows of a look-alike; its cells as a file would have them."""
    return office(name) if name in OFFICES else GENERATORS[name](random.Random(f"roles {name}"))


def german_hospital(draw: random.Random) -> list[Row]:
    """Hospital stays as a German information system exports them: compound words, decimal commas, days first."""
    diagnoses = ("I10.00", "E11.90", "J44.1", "I50.13", "C50.9", "F32.1", "K35.8", "S72.0", "N39.0", "I21.4", "Z38.0")
    people = [
        (f"{70_000 + number * 7}", draw.choice(FIRST), draw.choice(LAST), _day(draw, 1925, 2015), draw.choice("mw"),
         f"{draw.choice((80, 81, 82, 83, 84, 85, 86))}{draw.randrange(100, 999)}", draw.choice(CITIES),
         f"{draw.choice('ABCDKLMT')}{draw.randrange(10**8, 10**9)}")
        for number in range(900)
    ]  # fmt: skip
    rows: list[Row] = []
    for number in range(1500):
        patient, first, last, born, sex, plz, city, insured = draw.choice(people)
        came = datetime(2020, 1, 1) + timedelta(minutes=draw.randrange(525_600))
        days = min(60, int(draw.expovariate(1 / 6)) + 1)
        rows.append(
            {
                "Fallnummer": 2_020_000_000 + number * 3,
                "Patientennr": patient,
                "Nachname": last,
                "Vorname": first,
                "Geburtsdatum": born.strftime("%d.%m.%Y"),
                "Geschlecht": sex,
                "PLZ": plz,
                "Wohnort": city,
                "Versichertennr": insured,
                "Krankenkasse": draw.choice(("AOK Bayern", "TK", "Barmer", "DAK", "privat", "BKK Mobil Oil")),
                "Aufnahmedatum": came.strftime("%d.%m.%Y %H:%M"),
                "Entlassungsdatum": (came + timedelta(days=days)).strftime("%d.%m.%Y %H:%M"),
                "Verweildauer": days,
                "Aufnahmeanlass": draw.choice(("Einweisung", "Notfall", "Verlegung", "Geburt")),
                "Entlassungsgrund": draw.choices(("regulär", "verlegt", "verstorben", "gegen Rat"), (80, 9, 6, 5))[0],
                "Fachabteilung": draw.choice(("Innere", "Chirurgie", "Gynäkologie", "Psychiatrie", "Kardiologie")),
                "Station": f"{draw.choice('ABC')}{draw.randint(1, 6)}",
                "Hauptdiagnose": draw.choice(diagnoses),
                "Nebendiagnosen": ";".join(draw.sample(diagnoses, draw.randint(1, 4))),
                "OPS": f"{draw.choice((5, 8, 1, 9))}-{draw.randrange(100, 999)}.{draw.randrange(10)}",
                "Beatmungsstunden": 0 if draw.random() < 0.9 else draw.randint(1, 300),
                "Aufnahmegewicht": f"{draw.gauss(75, 15):.1f}".replace(".", ","),
                "Hausarzt": f"Dr. {draw.choice(LAST[:9])}",
                "Rechnungsbetrag": _german(draw.lognormvariate(8, 0.8)),
                "Bemerkung": _german_note(draw),
                "Mandant": "0100",
            }
        )
    return rows


def eusilc(draw: random.Random) -> list[Row]:
    """A survey of incomes with the short names of its code book: households, persons, weights."""
    rows: list[Row] = []
    for household in range(1, 700):
        size = draw.choices((1, 2, 3, 4, 5, 6), (30, 32, 16, 14, 6, 2))[0]
        region = draw.choice(("Tyrol", "Upper Austria", "Vienna", "Styria", "Burgenland", "Carinthia", "Salzburg"))
        weight = round(draw.uniform(300, 900), 4)
        rent = round(draw.expovariate(1 / 700), 2) if draw.random() < 0.1 else 0.0
        for member in range(1, size + 1):
            age = draw.randint(0, 90)
            adult = age > 15
            rows.append(
                {
                    "db030": household,
                    "hsize": size,
                    "db040": region,
                    "rb030": household * 100 + member,
                    "age": age,
                    "rb090": draw.choice(("male", "female")),
                    "pl030": draw.randint(1, 7) if adult else "",
                    "pb220a": draw.choices(("AT", "EU", "Other"), (88, 5, 7))[0] if adult else "",
                    "py010n": round(draw.lognormvariate(9.6, 0.7), 2) if adult and draw.random() < 0.6 else 0,
                    "py050n": round(draw.lognormvariate(9, 1), 2) if adult and draw.random() < 0.1 else 0,
                    "py090n": round(draw.lognormvariate(8, 0.6), 2) if adult and draw.random() < 0.08 else 0,
                    "hy040n": rent,
                    "db090": weight,
                    "rb050": weight,
                    "pb040": weight if adult else "",
                    "py010n_f": draw.choice((-1, 1, 2)),
                }
            )
    return rows


def stroke(draw: random.Random) -> list[Row]:
    """Risk factors of strokes, with a number for each patient and N/A for gaps."""
    return [
        {
            "id": draw.randrange(10**5),
            "gender": draw.choices(("Male", "Female", "Other"), (41, 58, 1))[0],
            "age": draw.choice((0.64, 1.08, 1.72)) if draw.random() < 0.02 else float(draw.randint(2, 82)),
            "hypertension": int(draw.random() < 0.1),
            "heart_disease": int(draw.random() < 0.05),
            "ever_married": draw.choice(("Yes", "No")),
            "work_type": draw.choice(("Private", "Self-employed", "Govt_job", "children", "Never_worked")),
            "Residence_type": draw.choice(("Urban", "Rural")),
            "avg_glucose_level": round(draw.lognormvariate(4.6, 0.35), 2),
            "bmi": "N/A" if draw.random() < 0.04 else round(draw.gauss(29, 7), 1),
            "smoking_status": draw.choice(("never smoked", "Unknown", "formerly smoked", "smokes")),
            "stroke": int(draw.random() < 0.05),
        }
        for _ in range(2500)
    ]


def dutch_census(draw: random.Random) -> list[Row]:
    """A census in codes alone."""
    activities = (111, 122, 124, 131, 132, 133, 134, 135, 136, 137, 138, 200)
    return [
        {
            "sex": draw.randint(1, 2),
            "age": draw.randint(4, 15),
            "household_position": draw.choice((1110, 1121, 1122, 1131, 1132, 1140, 1210, 1220)),
            "household_size": draw.choice((111, 112, 113, 114, 125, 126)),
            "prev_residence_place": draw.choices((1, 2), (95, 5))[0],
            "citizenship": draw.choices((1, 2, 3), (95, 2, 3))[0],
            "country_birth": draw.choices((1, 2, 3), (88, 4, 8))[0],
            "edu_level": draw.randint(0, 5),
            "economic_status": draw.choice((111, 112, 120)),
            "cur_eco_activity": draw.choice(activities),
            "Marital_status": draw.randint(1, 4),
            "occupation": draw.choice((1, 2, 3, 4, 5, 7, 8, 9)),
        }
        for _ in range(4000)
    ]


def compas(draw: random.Random) -> list[Row]:
    """Scores of the risk of reoffending, as a newspaper published them."""
    charges = (
        "Battery", "arrest case no charge", "Possession of Cocaine", "Grand Theft in the 3rd Degree", "Driving Under "
        "The Influence", "Felony Battery (Dom Strang)", "Possess Cannabis/20 Grams Or Less", "Burglary Unoccupied",
    )  # fmt: skip
    rows: list[Row] = []
    for number in range(1, 2001):
        first, last = draw.choice(ENGLISH_FIRST).lower(), draw.choice(ENGLISH_LAST).lower()
        born, screened = _day(draw, 1940, 1996), date(2013, 1, 1) + timedelta(days=draw.randrange(730))
        age = (screened - born).days // 365
        score, recid = draw.randint(1, 10), int(draw.random() < 0.45)
        jailed = datetime(screened.year, screened.month, screened.day) - timedelta(minutes=draw.randrange(1, 4000))
        again = screened + timedelta(days=draw.randrange(10, 700)) if recid else None
        rows.append(
            {
                "id": number,
                "name": f"{first} {last}",
                "first": first,
                "last": last,
                "compas_screening_date": screened,
                "sex": draw.choice(("Male", "Male", "Male", "Female")),
                "dob": born,
                "age": age,
                "age_cat": "Less than 25" if age < 25 else "25 - 45" if age <= 45 else "Greater than 45",
                "race": draw.choice(("African-American", "Caucasian", "Hispanic", "Other", "Asian")),
                "juv_fel_count": int(draw.random() < 0.05),
                "decile_score": score,
                "priors_count": int(draw.expovariate(1 / 3)),
                "days_b_screening_arrest": draw.choice((-1, -1, -1, 0, -2, 5, 100)),
                "c_jail_in": jailed,
                "c_jail_out": jailed + timedelta(minutes=draw.randrange(600, 100_000)),
                "c_case_number": f"{screened:%y}{draw.randrange(10**6):06d}CF10A",
                "c_offense_date": screened - timedelta(days=1),
                "c_charge_degree": draw.choice("FM"),
                "c_charge_desc": draw.choice(charges),
                "is_recid": recid,
                "r_case_number": f"{again:%y}{draw.randrange(10**6):06d}MM10A" if again else "",
                "r_offense_date": again or "",
                "r_charge_desc": draw.choice(charges) if again else "",
                "type_of_assessment": "Risk of Recidivism",
                "score_text": "Low" if score < 5 else "Medium" if score < 8 else "High",
                "v_decile_score": draw.randint(1, 10),
                "start": draw.randrange(30),
                "end": draw.randrange(30, 1100),
                "event": recid,
                "two_year_recid": recid,
            }
        )
    return rows


def visits(draw: random.Random) -> list[Row]:
    """Visits of members of households to their doctors."""
    codes = ("C09AA05", "A10BA02", "N02BE01", "C07AB02", "A02BC01", "R03AC02", "N06AB04", "J01CA04")
    rows: list[Row] = []
    person = 0
    for household in range(400):
        postcode = f"{draw.choice(('SW1A', 'M1', 'B33', 'CR2', 'DN55'))} {draw.randint(1, 9)}{draw.choice('ABDE')}X"
        for _ in range(draw.randint(1, 5)):
            person += 1
            sex, born = draw.choice(("female", "male")), draw.randint(1930, 2018)
            for _ in range(draw.choices((1, 2, 3, 6), (40, 30, 20, 10))[0]):
                rows.append(
                    {
                        "household_no": f"H{household:05d}",
                        "person_no": 40_000 + person * 3,
                        "visit_date": date(2023, 1, 1) + timedelta(days=draw.randrange(365)),
                        "sex": sex,
                        "birth_year": born,
                        "postcode": postcode,
                        "gp": draw.choice(("Adams", "Baker", "Chen", "Dixon")),
                        "reason": draw.choice(("cough", "check-up", "back pain", "depression", "rash", "vaccination")),
                        "prescription": draw.choice(codes),
                        "systolic": round(draw.gauss(130, 15)),
                        "cost": round(draw.lognormvariate(4, 0.6), 2),
                        "satisfaction": draw.randint(1, 5),
                        "software_version": "4.2",
                    }
                )
    return rows


def mailing_list(draw: random.Random) -> list[Row]:
    """Customers of a shop, as its mailing program has them."""
    rows: list[Row] = []
    for number in range(1200):
        first, last = draw.choice(ENGLISH_FIRST), draw.choice(ENGLISH_LAST)
        rows.append(
            {
                "customer_no": f"K-{10_000 + number}",
                "salutation": draw.choice(("Mr", "Ms", "Dr")),
                "first": first,
                "last": last,
                "street": f"{draw.randint(1, 220)} {draw.choice(('Oak', 'Main', 'Church', 'Mill', 'Park'))} Street",
                "zip": f"{draw.randrange(501, 99_950):05d}",
                "city": draw.choice(("Springfield", "Riverside", "Franklin", "Clinton", "Georgetown")),
                "email": f"{first}.{last}{draw.randrange(100)}@example.org".lower(),
                "mobile": f"+1 555 {draw.randrange(100, 999)} {draw.randrange(1000, 9999)}",
                "birthday": _day(draw, 1935, 2005).strftime("%m/%d/%Y"),
                "newsletter": draw.choice((True, False)),
                "customer_since": draw.randint(2001, 2023),
                "orders": int(draw.expovariate(1 / 4)),
                "revenue_12m": round(draw.lognormvariate(4.5, 1), 2),
                "last_order": date(2022, 1, 1) + timedelta(days=draw.randrange(700)),
                "segment": draw.choice("ABCD"),
                "note": _english_note(draw, first) if draw.random() < 0.4 else "",
            }
        )
    return rows


def school_marks(draw: random.Random) -> list[Row]:
    """Pupils of French schools and their marks."""
    rows: list[Row] = []
    for number in range(900):
        marks = [round(min(20, max(0, draw.gauss(11.5, 3.5))) * 2) / 2 for _ in range(3)]
        rows.append(
            {
                "matricule": 310_000 + number,
                "nom": draw.choice(FRENCH_LAST).upper(),
                "prenom": draw.choice(FRENCH_FIRST),
                "sexe": draw.choice("FM"),
                "date_naissance": _day(draw, 2006, 2010).strftime("%d/%m/%Y"),
                "commune": draw.choice(("Lyon", "Villeurbanne", "Bron", "Vénissieux", "Décines-Charpieu")),
                "etablissement": draw.choice(("Collège A. Camus", "Collège J. Moulin", "Collège M. Curie")),
                "classe": f"{draw.choice((6, 5, 4, 3))}{draw.choice('ABC')}",
                "boursier": draw.choice(("oui", "non", "non")),
                "profession_pere": draw.choice(("ouvrier", "employé", "cadre", "artisan", "enseignant", "retraité")),
                "note_maths": marks[0],
                "note_francais": marks[1],
                "note_histoire": marks[2],
                "moyenne": round(sum(marks) / 3, 2),
                "absences": int(draw.expovariate(1 / 3)),
                "appreciation": _french_note(draw),
                "annee_scolaire": "2022-2023",
            }
        )
    return rows


GENERATORS: dict[str, Callable[[random.Random], list[Row]]] = {
    one.__name__: one
    for one in (german_hospital, eusilc, stroke, dutch_census, compas, visits, mailing_list, school_marks)
}


def _day(draw: random.Random, first: int, last: int) -> date:
    return date(first, 1, 1) + timedelta(days=draw.randrange((last - first + 1) * 365))


def _german(amount: float) -> str:
    return f"{amount:,.2f}".replace(",", " ").replace(".", ",").replace(" ", ".")


def _german_note(draw: random.Random) -> str:
    parts = ("Pat. wünscht Rückruf", "Angehörige informiert", "siehe Arztbrief", "Tochter anrufen", "nüchtern", "")
    phone = f" unter 0{draw.randrange(151, 179)}/{draw.randrange(10**6, 10**7)}" if draw.random() < 0.3 else ""
    return _joined(draw, parts) + phone


def _english_note(draw: random.Random, first: str) -> str:
    parts = (f"{first} prefers calls", "call after 6pm", "moved in May", "daughter orders for her", "returned shoes")
    return _joined(draw, parts)


def _french_note(draw: random.Random) -> str:
    return _joined(draw, ("Bon trimestre", "peut mieux faire", "élève sérieuse", "trop de bavardages", "des progrès"))


def _joined(draw: random.Random, parts: Sequence[str]) -> str:
    return ", ".join(draw.sample(parts, draw.randint(1, 3)))
