"""Words for what others know of a person: demographics, family, places, dates, work, school, what is seen."""

from __future__ import annotations

from nymity.risk.evidence.concept import Concept
from nymity.risk.evidence.role_votes import QUASI, SENSITIVE

PLACE = Concept.of(
    "a place that others know",
    {QUASI: 4},
    "zip zipcode plz postcode postal postleitzahl codepostal codigopostal cpostal postcd pcode pc county cnty "
    "city town region regio province prov provinz district distrito distrikt village place! location loc "
    "residence resid residenc wohnsitz urban rural urbanic metro smsa msa cbsa puma fips country cntry ctry pais "
    "pays land! bundesland bland landkreis kreis lkr ags gkz gkpol gemeinde ort orte wohnort ortsteil stadtteil "
    "bezirk stadt ville commune! insee departement depart deptnais dep canton kanton arrondissement quartier iris "
    "provincia ciudad municipio munic munres localidad comunidad ccaa comarca barrio seccion censal plaats "
    "gemeente woonplaats provincie wijk buurt stadsdeel lsoa msoa state states istate statefip north south east "
    "west northeast midwest northcentral nrthcen ncent neighbo tract nuts lat lon lng lati longi latitude "
    "longitude geo geoid geocode birthplace pob suburb borough area areas domicil wohnung! territory "
    "postkode precinct hometown settlement siedlung urbrur rururb habitat citysize popsize lieu lugar embark "
    "destination! ward! parish island zone zona constituency wahlkreis continent bpl geograph standort vestiging "
    "sede! premise distancefromhome dwellingarea raion oblast pstlz cluster cp boro density neighbourhood "
    "neighborhood",
    numbers=True,
)
KNOWN = (
    Concept.of(
        "what others know of a person",
        {QUASI: 4.5},
        "age alter edad leeftijd ages agea agey ageband agegroup agegrp agegr agecat ageyrs ageyears altersgruppe "
        "altersklasse altgr alterskl altkl trancheage grupoedad leeftijdsklasse leeftijdsgroep lft lftd yearsold sex "
        "gender geschlecht sexe sexo geslacht genero gndr gend sx geschl gesl male female woman women man men boy "
        "girl fem mannl weibl mannlich weiblich homme femme hombre mujer varon vrouw feminin masculin race rasse "
        "ethnic ethnie etnia ethn ethgrp raza etnisch hispanic hispan hisp latino black white asian caucasian "
        "nonwhite blck wht nationalit nation! natio nat nacionalidad staatsangehor staatsang staatsburger natcode "
        "citizenship citizen nativity native foreign foreignborn immigr ctzcntr brncntr facntr mocntr migrant migrat "
        "migr migrhint zuwander inmigr extranj etranger auslander allochtoon birth birthday born dob yob geburt geb "
        "gebj naissance naiss nacimiento nac fecnac fnac geboorte gebjahr gebdat gebmon gebort gebland gebplaats "
        "birthyr bdate byear birthdt brth brthyr brthdat bday dtnaiss annais marital married marr marriage marstat "
        "marst maritl mstat mstatus marit civst familienstand famstand famst etatcivil sitfam estadocivil estciv "
        "ecivil burgerlijk burgstaat zivilstand civilstat divorc widow separated getrennt separe! separado gescheiden "
        "single spouse husband wife ehe ehepartner ehegatt conjoint conyuge echtgen partner partnership cohabit "
        "lebensgem language sprache langue! idioma taal lang mothertongue muttersprach moedertaal veteran military "
        "milit anrede civilite aanhef lefthand handed minority ancestry origin! herkunft afkomst ascend mbirth zodiac "
        "sign generation bornus usborn yearborn yrborn ridageyr gendr rideth yrimmig herkomst asylum aufenthalt zuzug "
        "firstgen martl prefix suffix titel dod deathdate fechadef sterbedat overlijdensd matrimon tribe caste",
    ),
    Concept.of(
        "a family that others know",
        {QUASI: 3.5},
        "household haushalt menage! foyer! hogar huishouden huish family familie famille familia kids kid child "
        "children childs chldrn chld kinder kind! enfant enf hijos hijo hijas kinderen sibs sibling brother sister "
        "broer zus bruder schwester frere soeur hermano parent mother father mom dad eltern mutter vater mere pere "
        "madre padre moeder vader ouder famsize famsiz hhsize hhsiz hhgr hhgroesse famsz fsize dependent relationship "
        "relhead reltohead kinship brthord birthorder birthord parity twins twin hh hhd fam marriages momeduc dadeduc "
        "babies baby teens preteen orphan gezin gezinssamenst relhoofd lebensform haushaltstyp typmen livingarr "
        "alone! alleinerz monoparent nchild nkids nchildren nkid anzkind kinderzahl nbenf numhijos aantkind nbpers "
        "aantpers npers hhmember miembros relate adults hompop sibsp parch kidslt kidsge padeg madeg paeduc maeduc "
        "householder headofh husage wifeage grandpar guardian relcd infant toddler hhmmb rshpsts",
    ),
    PLACE,
    Concept.of(
        "a date or time that others may know",
        {QUASI: 3.5},
        "date datum fecha day month year jahr monat annee mois jour anio ano mes dia maand jaar dag tag wochentag "
        "weekday timestamp datetime dt dte dat fec fech dttm dtm admission admit admis discharge! aufnahme aufn "
        "entlassung entl entlass quarter quartal trimestre qtr week woche semaine semana season saison yr mth mths "
        "since seit desde depuis sinds admitted discharged opened closedon joined mon eintritt austritt entree! "
        "sortie! ingreso! alta! opname ontslag begin! einddatum hired hire hiredate vest zeitpunkt zeitstempel uhrzeit "
        "hour! heure hora uur termin appointment enroll enrol inscription dischtime dischdate admittime",
        heads=True,
    ),
    Concept.of(
        "work that others know",
        {QUASI: 3},
        "occupation occup occ occu beruf profession job jobs employ emp empl emplr empstat employer arbeitgeber "
        "employeur empresa werkgever bedrijf workclass work works working worker wrk wrkstat industry indust indus "
        "branche! sector sektor secteur tenure exper experience expr hours hrs whrs hrswk wkhrs hrsweek selfemp "
        "selfe slfemp self unemp unem unemployed unempl uempla arbeitslos chomage chomeur werkloos parado desempl "
        "labour labor lfs lfstat lfp inlf retire retired rente! rentner retraite jubil gepens prestige isei siops "
        "manager clerical manuf construc bluecoll whitecoll firm company position trabajo laboral ocupacion ocup "
        "metier! emploi fonction! funktion! functie puesto cargo! poste! stelle! beroep werk fulltime parttime "
        "teilzeit vollzeit jornada deeltijd professor tradesman stellung erwerb! erwstat erwerbst workstat workers "
        "activity economic services trade craft prof department dept division abt afdeling kostenstelle costcenter "
        "orgunit yrssrv discipline title jobtitle isco isco08 kldb naics nace cnae noga anzsco csp pcs cno soc "
        "contract contrat contrato vertragsart dienstverband arbeitszeit quotite etp fte pensum anciennete antiguedad "
        "seniority dienstalter dienstjahre betriebszugeh paygrade entgeltgruppe tarifgruppe besoldung echelon schaal "
        "staff officerrank tenured apprent labforce supv yrssvc eeo tempstravail tiempotrab actividad arbeid "
        "arbeidssit costctr kostentraeger sparte turno! agency employm beschaeftig beschaft befrist profesion "
        "profesional sociopro travel traveltime commut pendel serv clerk agric mining retail manag techn gewerbe "
        "arbeitsplatz azubi trainee mnactic pdwrk wkhtot vertrag wirtschaftszw",
    ),
    Concept.of(
        "an education that others know",
        {QUASI: 3},
        "education educ educa edu ed edyrs edyears eduyrs yrsed yrsch isced eisced edulvlb edattain qualification "
        "qualif school schl schooling degree diploma diplome class classe klasse college coll colleg univ university "
        "highschool hsgrad colgrad bildung bild abschluss abschl schul schulabschl berufsabschl ausbild studium "
        "studies estudios estud nivelest opleiding opl oplniv major course kurs cours! curso! faculty fakult fach! "
        "studiengang carrera titulacion etablissement etab colegio coleg instituto lycee nodegree student edlevel "
        "leveleduc schoolyear schuljahr semester hs kindergarten teacher tutor boursier libraries campus freshman "
        "senior! junior! sophomore grad graduate curriculum track enrolled yrgrp yeargroup reggrp jahrgang stufe "
        "leerjaar groep filiere niveau nivetud formation! fatheduc motheduc feduc meduc fathcoll mothcoll sheepskin "
        "phd bachelor house! homeroom hochschule fachricht immatrik studier instroom academie mef grupoclase einschul "
        "unterricht nursery extracurr activities! lv1 vorschule promotion! studienf",
    ),
    Concept.of(
        "what is visible of a person",
        {QUASI: 3.0, SENSITIVE: 1.4},
        "height hght ht groesse grosse! koerpergroesse taille! estatura talla lengte! bmi imc bodyweight eye hair "
        "obese overweight looks beauty physique hgt stature",
    ),
    Concept.of(
        "habits that others see",
        {QUASI: 1.8, SENSITIVE: 1.4},
        "exercise exer sport sports diet hobby leisure! fitness gym physact vegetar vegan",
    ),
    Concept.of(
        "an insurance or a payer that others may know",
        {QUASI: 2.2, SENSITIVE: 0.8},
        "insurance insured insurer krankenkasse kasse krankenvers payer payor versicherung versart versstatus "
        "assurance mutuelle verzekering seguro aseguradora regfin medicare medicaid hmo ppo medigap healthins ins "
        "insur coverage privins plan tarif",
    ),
    Concept.of(
        "where others may have seen a person",
        {QUASI: 2.6},
        "doctor physician arzt hausarzt gp clinic klinik krankenhaus hospital! hospitalname centro! center centre "
        "ward station fachabteilung fachabt fachgebiet abteilung specialty spclty specialit especialidad provider "
        "rndr npi attending surgeon practice! praxis hopital medico arts! huisarts behandler shift branch store shop "
        "filiale office team site venue stationid unit! bed bett zimmer room service! servicio servalt careunit "
        "facility facil instit institution caseworker judge! richter club verein airline flight library einweis "
        "verwijz zorgverzek siteid centrosalud handset medecin hebergement specialisme wardid hospitalid restaurant "
        "hotel",
    ),
    Concept.of(
        "possessions that others see",
        {QUASI: 2.2},
        "house! housing home! homes dwelling rooms bedrooms accommod wohnform tenenc vehmodel vehmake owner ownhome "
        "homeowner ownrent car cars vehicle pkw fahrzeug voiture coche computer radio! electricity bicycle motorbike "
        "fridge internet broadband pets haustier garage condo! condominium apartment wohnflaeche wohneig eigentum "
        "tenant landlord logement vivienda woning koopwoning statlog mieter yacht boat eigendom",
    ),
)
