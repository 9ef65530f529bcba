"""Names, days and digits that exported tables are drawn from."""

from __future__ import annotations

import datetime as dt
import random
import string

Rows = list[dict[str, object]]

FRENCH_LAST = (
    "Lefebvre Moreau Girard Roux Fontaine Chevalier Garnier Faure Mercier Blanchard Guerin Boyer Lemoine Perrot "
    "Marchal Colin Vidal Renaud Leclerc Barbier Arnaud Rousset Bouchet Delmas Pichon Besnard Carlier Hoarau "
    "Benali Diallo Traore Nguyen Lopez Ferreira Schmitt Meyer Le-Goff Kerboul Etcheverry Santoni"
).split()
FRENCH_FIRST = (
    "Camille Manon Chloe Ines Jeanne Louise Margaux Odile Solange Yvette Huguette Ginette Aurelie Nadia Fatou "
    "Thibault Enzo Gaspard Loic Yannick Regis Fabrice Gilles Herve Bertrand Mamadou Karim Didier Baptiste Hugo"
).split()
GERMAN_LAST = (
    "Brinkmann Seidel Vogel Petersen Oestreich Kuhnert Dietz Wiegand Ahrens Lindner Haase Reuter Pohlmann Scholz "
    "Zimmermann Yilmaz Demir Kowalski Nowak Hartung Brandl Huber Aigner Stadler Moser Eberle Rapp Dörfler Thönnes "
    "Großmann Löffler Jürgens Brügge Maaßen"
).split()
GERMAN_FIRST = (
    "Hannelore Gisela Waltraud Edeltraud Renate Ursula Kerstin Anja Silke Frauke Mareike Leonie Finja Ayse Elif "
    "Horst Günter Manfred Dieter Wolfgang Torsten Heiko Jens Malte Lennart Emre Mehmet Piotr Rainer Detlef"
).split()
DUTCH_LAST = (
    "Jansen Visser Hendriks Dekker Brouwer Mulder Bos Kuipers Verhoeven Hoekstra Postma Wiersma Bakker Schouten "
    "Molenaar Timmermans Willems Peeters Claes Bouzid Kaya Ramdin Sewpersad Graaf Berg Vries Dijk Leeuwen"
).split()
SPANISH_LAST = (
    "Ortega Castillo Rubio Marín Iglesias Gallardo Herrera Peña Cano Prieto Vega Campos Lozano Nieto Aguilar "
    "Carmona Pascual Bermúdez Etxeberria Puig Ferrer Soler Quispe Mamani Benítez Robles Molina Serrano"
).split()
SPANISH_FIRST = (
    "Lucía Martina Paula Carla Noa Valeria Alba Jimena Rocío Inmaculada Yolanda Nerea Aitana Mateo Leo Hugo "
    "Álvaro Iker Adrián Izan Gonzalo Rubén Joaquín Marcos Bruno Iván Unai Biel Darío Saúl"
).split()
ENGLISH_LAST = (
    "Whitaker Holloway Briggs Sandoval Okafor McAllister Delgado Nguyen Kowalczyk Fitzgerald Abernathy Pruitt "
    "Vaughn Beaumont Ledbetter Hutchins Ybarra Tran Singh Goldberg Rosario Lindqvist Hargrove Stovall Pettway "
    "Castellano Novak Kincaid Mobley Underwood"
).split()
ENGLISH_FIRST = (
    "Tamika Brenda Colleen Marisol Denise Latoya Heather Kristin Guadalupe Priya Mei Shannon Dwayne Curtis Earl "
    "Terrence Rodney Miguel Hector Brandon Kyle Vincent Anthony Reggie Duc Stanley Floyd Jermaine Scott Todd"
).split()


def day(draw: random.Random, first: int, last: int) -> dt.date:
    start = dt.date(first, 1, 1)
    return start + dt.timedelta(days=draw.randrange((dt.date(last, 12, 31) - start).days))


def digits(draw: random.Random, count: int) -> str:
    return str(draw.randrange(1, 10)) + "".join(draw.choices(string.digits, k=count - 1))


def maybe(draw: random.Random, share: float, value: object, other: object = "") -> object:
    return value if draw.random() < share else other


def comma(number: float, places: int = 2) -> str:
    return f"{number:.{places}f}".replace(".", ",")
