"""Vocabulary: what words of column names mean, in English, German, French, Spanish and Dutch, and for which role.

A concept is a group of words with one meaning. Words of five letters or more are stems: they stand for what begins or
ends with them (``Hauptdiagnose``, ``diagnoses``), those of six or more also for what has them inside. Shorter ones
stand for themselves. A ``!`` at the end of a longer word says so, too.
"""

from __future__ import annotations

from dataclasses import dataclass

from nymity.risk.evidence.role_votes import IDENTIFYING, INSENSITIVE, QUASI, SENSITIVE, WEIGHT
from nymity.risk.naming import listed
from nymity.table.attribute import Role


@dataclass(frozen=True, kw_only=True, eq=False)
class Concept:
    """Words with one meaning, and what they say about the role of a column."""

    meaning: str  #: completes "'word' in its name: ..."
    votes: dict[Role, float]
    words: frozenset[str]
    stems: tuple[str, ...]
    heads: bool = False  #: as the last word it says what the column is, whatever stands before it


def _concept(meaning: str, votes: dict[Role, float], text: str, *, heads: bool = False) -> Concept:
    words = text.split()
    stems = tuple(sorted((word for word in words if len(word) >= 5 and not word.endswith("!")), key=len, reverse=True))
    return Concept(
        meaning=meaning, votes=votes, words=frozenset(word.rstrip("!") for word in words), stems=stems, heads=heads
    )


NOTES = _concept(
    "free text, which may name people",
    {IDENTIFYING: 3.5},
    "comment comments remark remarks memo notes freetext freitext bemerkung kommentar anmerkung notiz hinweis! "
    "freitexte commentaire remarque observation! observations! observaciones comentario notas opmerking toelichting "
    "narrative anamnese verbatim beschreibung description! appreciation feedback message nachricht",
)
CONCEPTS = (
    NOTES,
    _concept(
        "what others know of a person",
        {QUASI: 4.5},
        "age alter edad leeftijd sex gender geschlecht sexe sexo geslacht genero male female woman women man men boy "
        "girl race rasse ethnic ethnie etnia hispanic hispan hisp latino black white asian caucasian nationalit "
        "staatsangehor citizenship citizen nativity foreign immigr migrant migrat birth birthday born dob yob geburt "
        "naissance nacimiento geboorte gebjahr gebdat marital married marr marriage marstat familienstand etatcivil "
        "estadocivil burgerlijk divorc widow single spouse husband wife language sprache langue! idioma veteran "
        "military salutation anrede civilite lefthand handed ageband agegroup agecat altersgruppe zivilstand minority "
        "ancestry origin! herkunft mbirth agey years_old",
    ),
    _concept(
        "a family that others know",
        {QUASI: 3.5},
        "household haushalt menage! foyer! hogar huishouden family familie famille familia kids kid child children "
        "kinder enfant hijos kinderen sibs sibling brother sister parent mother father mom dad famsize hhsize famsz "
        "fsize dependent relationship kinship brthord birthorder twins hh fam marriages momeduc dadeduc babies baby "
        "teens preteen orphan",
    ),
    _concept(
        "a place that others know",
        {QUASI: 4},
        "zip zipcode plz postcode postal postleitzahl codepostal codigopostal county city town region province "
        "district village place! location residence resid urban rural metro smsa msa country pais pays bundesland "
        "landkreis kreis gemeinde ort wohnort stadt ville commune! departement canton kanton provincia ciudad "
        "municipio comunidad plaats gemeente woonplaats provincie state states istate north south east west northeast "
        "midwest neighbo tract nuts lat lon lng latitude longitude birthplace suburb borough area areas domicil "
        "wohnung! address! addr ncent nrthcen territory postkode precinct address_city hometown",
    ),
    _concept(
        "a date or time that others may know",
        {QUASI: 3.5},
        "date datum fecha day month year jahr monat annee mois jour anio ano mes dia maand jaar dag timestamp "
        "datetime admission discharge! aufnahme entlassung quarter week season yr since seit desde depuis sinds "
        "admitted discharged opened closed_on joined mon",
        heads=True,
    ),
    _concept(
        "work that others know",
        {QUASI: 3},
        "occupation occup occ beruf profession job jobs employ emp employer workclass work works working worker "
        "industry indust ind branche! sector sektor secteur tenure exper experience hours hrs union selfemp self "
        "unemp unem unemployed arbeitslos labour labor inlf retire retired prestige manager clerical manuf construc "
        "firm company position trabajo ocupacion metier! emploi beroep werk fulltime parttime professor tradesman "
        "stellung erwerb! workstat workers activity economic services trade craft prof department yrssrv discipline",
    ),
    _concept(
        "an education that others know",
        {QUASI: 3},
        "education educ edu ed school schooling degree diploma class classe klasse college univ university highschool "
        "bildung abschluss schul studies estudios opleiding major course faculty etablissement colegio lycee nodegree "
        "student edlevel leveleduc schoolyear hs kindergarten teacher boursier libraries campus freshman senior! "
        "junior! sophomore grad curriculum track enrolled",
    ),
    _concept(
        "what is visible of a person",
        {QUASI: 3.0, SENSITIVE: 1.4},
        "height groesse grosse! koerpergroesse taille! estatura lengte! bmi bodyweight eye hair obese overweight "
        "looks beauty physique hgt",
    ),
    _concept(
        "habits that some know",
        {QUASI: 1.8, SENSITIVE: 2},
        "smoke smoker smoking smokes cigs cigarette cigar tobacco tabak tabac raucher rauch fumeur fumador roken "
        "roker alcohol alkohol alcool drink drinks drinker drinking exercise exer sport sports diet gun",
    ),
    _concept(
        "an insurance or a payer that others may know",
        {QUASI: 2.2},
        "insurance insured krankenkasse kasse payer versicherung assurance mutuelle verzekering medicare medicaid hmo "
        "medigap healthins ins insur coverage",
    ),
    _concept(
        "where others may have seen a person",
        {QUASI: 2.6},
        "doctor physician arzt hausarzt gp clinic klinik krankenhaus ward station fachabteilung abteilung specialty "
        "provider surgeon practice! hopital shift branch store shop filiale office team site center centre venue "
        "station_id",
    ),
    _concept(
        "possessions that others see",
        {QUASI: 2.2},
        "house housing home! dwelling rooms bedrooms owner ownhome homeowner car cars vehicle computer pets garage "
        "condo condominium apartment wohnflaeche tenant landlord",
    ),
    _concept(
        "a state of health",
        {SENSITIVE: 5},
        "diagnos diag diagn disease illness illnes disorder icd krankheit erkrankung maladie enfermedad ziekte "
        "aandoening symptom syndrome cancer tumor tumour carcin leuk melanoma hiv aids diabet hypert hyp stroke "
        "heart! heartdisease cardiac cardio infarct asthma copd depress anxiety mental psych health gesundheit sante "
        "salud gezondheid gdhlth hlth injury injur injured wound disab handicap behinder invalid pregnan allerg "
        "infect covid vaccin immuniz comorb relapse recurr metasta lesion hepat ulcer pain sick ill illdays hospitali "
        "hosp chronic chron adl adldiff healthy badhealth goodhlth remission tumorsize nodes edema ascites "
        "complication befund leiden pathology seizure arthrit anemia anaemia chd cvd stage dementia suicid addict "
        "angina",
    ),
    _concept(
        "a treatment",
        {SENSITIVE: 4},
        "treatment! treatments! therapy therap therapie behandlung traitement tratamiento medication medicament "
        "medikament meds bpmeds drug drugs prescri rezept ordonnance dosage dose surgery surgical chirurg! eingriff "
        "procedure proced prozedur ops chemo radiat transfus transplant insulin atc medicine aspirin steroid sedative "
        "antibiot drg beatmung intub dialys rehab counsel",
    ),
    _concept(
        "a measurement of a body",
        {SENSITIVE: 4},
        "glucose gluc glu cholest chol hdl ldl trig triglyc bp sysbp diabp blood systolic diastolic systol diastol "
        "pulse heartrate bpm hemoglob haemoglob hgb hba hba1c creatin creat bilirub bili albumin platelet plt wbc rbc "
        "leuko lympho sodium! potassium ferritin crp tsh psa urea urin urine serum plasma egfr ast alt alk phos "
        "enzyme antibody antigen titer cd4 cd8 viral genotype genetic gene allele snp haplotype biopsy ecg ekg mri "
        "xray tomogr saturat spo spo2 fever fieber respirat apgar calcium copper iron protime hormone estrogen "
        "testost marker waist hip vo2 lung fev karno karnofsky ecog kappa lambda bwt bwght birthweight birthwt gestat "
        "lwt skinfold reflex symptomscore nitrogen bun ekgresult cortisol vitamin sleep temperature",
    ),
    _concept(
        "money",
        {SENSITIVE: 4},
        "income inc einkommen revenu ingreso inkomen salary salaire salario gehalt salaris wage wages lohn earning "
        "earn earns pay payment paid betrag amount amt montant importe! bedrag cost costs kosten coste couts price "
        "prix precio preis prijs expense expend expenditure spending debt schulden deuda credit kredit loan loanamt "
        "mortgage hypothek balance! kontostand saldo wealth vermogen asset assets capital saving savings networth tax "
        "steuer impot benefit benefits welfare bonus revenue umsatz turnover profit donation donat premium rent miete "
        "loyer alquiler huur budget finance nettfa allowance rechnung invoice facture factura claim bankrupt poverty "
        "poor hhinc faminc hhninc pincp py hy hourlywage lwage hrwage salaries fee fees subsidy foodstamp ramntall "
        "minramnt totmed stipend pension dividend interest nonlabor unearned ramnt",
    ),
    _concept(
        "crime and what courts do",
        {SENSITIVE: 4},
        "crime criminal offense offence arrest narr jail prison convict felon felony misdemean misd sentence sentenc "
        "priors prior recid charge charges violation violent victim police probation parole court delinq guilty "
        "straftat haft delit delito fraud theft assault violence abuse juvenile juv avgsen tserved burglary bail",
    ),
    _concept(
        "faith, politics or love, which are nobody's business",
        {SENSITIVE: 4},
        "religion relig faith church konfession kirche iglesia geloof attend catholic cathol protestant prot muslim "
        "jewish politic party partei parti partido vote voted voting votes election ideolog leftright conserv liberal "
        "democrat republican orientation sexual gay lesbian affair affairs naffairs contracep abortion partisan bush "
        "clinton trump referendum gewerkschaft",
    ),
    _concept(
        "what a person thinks or feels",
        {SENSITIVE: 2.8, INSENSITIVE: 1.4},
        "happy happi unhap hap satisf zufried opinion attitude trust agree feel feeling mood stress lonel life rating "
        "ratemarr approval believe prefer confidence worry fear anger neurotic extraver personality likert knowledge "
        "interestin",
    ),
    _concept(
        "what a person achieved, or was judged to be",
        {SENSITIVE: 3.4},
        "score scores mark marks gpa colgpa hsgpa nota cijfer punkte punkt points iq sat act test tests exam result "
        "ergebnis resultat resultado rank percentile hsperc performance ability aptitude math maths mathe reading "
        "verbal writing moyenne durchschnitt gemiddeld promedio decile risk evaluation beurteilung zensur kww afqt "
        "toefl ielts gre satm satv quiz homework grade grades final midterm skipped literacy",
    ),
    _concept(
        "how it ended for a person",
        {SENSITIVE: 2.6, QUASI: 0.8},
        "outcome event! relapse readmit readmis readmitted readmission attrition churn target label default deny "
        "denied denial reject rejected approved approve passed failed fail failure dropout absence absences absent "
        "fehltage fehlzeit death dead died deceas mortal verstorben deces fallecid overleden surviv survived alive "
        "status absente",
    ),
    _concept(
        "how often a person needed care",
        {SENSITIVE: 2.8, QUASI: 0.6},
        "docvis hospvis visits vis outpatient inpatient emergency er mdvis ofp numvisit arztbesuche doctorvisits "
        "actdays nondocco hospadmi hospdays medexp pharvis npvis consultation prenatal",
    ),
    _concept(
        "something of the procedure, not of a person",
        {INSENSITIVE: 3},
        "flag flags imputed imputation quality version software mode interviewer wave batch source! file row index "
        "sequence import! export! processed valid plausib quelle satzart mandant system instrument device! protocol "
        "missingness checksum language_version round panel questionnaire",
    ),
    _concept(
        "to which part of a trial or study somebody was assigned",
        {INSENSITIVE: 3},
        "trt arm cohort control placebo randomi randomis experiment assigned session trial split sample treat tx rx "
        "train groupe grupo gruppe group treated intervention condition stratum strata fold",
    ),
    _concept(
        "how long something took or was followed",
        {INSENSITIVE: 2, SENSITIVE: 1, QUASI: 0.9},
        "stay duration dauer durat follow followup futime time! survtime cens censored censor los verweildauer "
        "verblijf duree duracion spell elapsed latency tstop tstart minutes seconds start stop end",
    ),
    _concept(
        "dealings of little consequence",
        {INSENSITIVE: 1.8, SENSITIVE: 1, QUASI: 0.8},
        "newsletter segment channel orders order quantity qty menge clicks logins sessions product brand choice item "
        "category! tvhours tv leisure rank_order units purchases bestell anzahl tips tip score_band likes "
        "subscription campaign contact! coupon basket cart",
    ),
)
#: Words for sampling weights; whether one is meant or the weight of a body is told by the numbers.
WEIGHTS = _concept(
    "a sampling weight",
    {WEIGHT: 2},
    "weight weights wgt wght wt pond ponder pondera gewicht gewichtung poids peso wtfinl fnlwgt pweight fweight pwt "
    "hwt hochrechnung hochrechnungsfaktor expansion factor! weging surveywt perwt hhwt pwgtp personwt finalwgt wgts "
    "gew hrf",
)
#: Words that say a column was computed, or how; they mean nothing by themselves.
AFFIXES = frozenset(
    listed(
        "l ln log sq squared sqr n nr num no nb number numb anz anzahl count cnt tot total avg mean med min max std "
        "pct perc percent share prop rate ratio cat grp grouped level lev lvl code cd typ type kind yrs years new old "
        "lag diff cur curr current prev previous last first nth is has ever any own your my the of in at per and or "
        "by on to for with i p h f m t s c d r k b q x y z v w u e g j a o ss st nd rd th pre post all other oth var "
        "val value"
    )
)
