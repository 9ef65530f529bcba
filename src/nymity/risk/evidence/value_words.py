"""Words that answers are made of, and the role of the columns they stand in: stems, with ``|`` between them."""

from __future__ import annotations

from nymity.risk.evidence.role_votes import INSENSITIVE, QUASI, SENSITIVE
from nymity.table.attribute import Role

#: What values speak of: the words, and the votes.
GROUPS: dict[str, tuple[str, dict[Role, float]]] = {
    "sex": (
        "male|female|men|women|man|woman|männlich|mannlich|weiblich|divers|homme|femme|hombre|mujer|masculin|feminin|"
        "boy|girl|vrouw|mann|frau|maschio|femmina|uomo|donna|mulher|homem|feminino|kobieta|mężczyzna|kvinna|kvinne|kvinde",
        {QUASI: 4.0},
    ),
    "family": (
        "married|never_married|never-married|divorced|widow|separated|single|cohabit|verheiratet|ledig|geschieden|"
        "verwitwet|marié|marie|celibataire|célibataire|divorcé|veuf|casado|soltero|viudo|gehuwd|ongehuwd|husband|wife|"
        "own-child|spouse|civil_union|coniugat|nubile|celibe|vedov|divorziat|solteir|viúv|divorciad|żonat|zamężna|"
        "rozwied|wdow|kawaler|ogift|skild|änk|ugift|skilt",
        {QUASI: 3.5},
    ),
    "origin": (
        "white|black|asian|hispanic|latino|caucasian|african|indian|native|european|german|french|spanish|dutch|turk|"
        "polish|italian|american|foreign|immigrant|other_race|straniera|estrangeir|polskie|ukrain|svensk|norsk|dansk",
        {QUASI: 3.0},
    ),
    "education": (
        "school|bachelor|master|doctorate|phd|degree|college|university|hs-grad|primary|secondary|tertiary|vocational|"
        "abitur|hauptschule|realschule|gymnasium|hochschule|lehre|bac|licence|brevet|bachillerato|primaria|secundaria|"
        "graduate|diploma|kindergarten|freshman|sophomore|laurea|licenza|elementare|licenciatura|mestrado|podstawowe|"
        "średnie|wyższe|zawodowe|gymnasial|grundskola|grunnskole|högskola|eftergymnas",
        {QUASI: 3.0},
    ),
    "work": (
        "employed|unemployed|self-emp|self_emp|private|retired|student|manager|clerk|craft|farm|service|sales|"
        "angestellt|arbeiter|beamt|rentner|selbst|ouvrier|employé|cadre|retraité|artisan|enseignant|obrero|jubilad|"
        "werkloos|gepensioneerd|full-time|fulltime|part-time|white-collar|blue|worker|federal|government|state-gov|"
        "impiegat|operaio|pensionat|disoccupat|casaling|empregad|desempreg|reformad|pracownik|bezrobot|emeryt|rolnik|"
        "arbetslös|pensionär|tjänsteman|arbeider|ledig|housewi|keeping_house|technician|engineer|nurse|teacher|driver|professional|industry|manufact|construct",
        {QUASI: 3.0},
    ),
    "places": (
        "north|south|east|west|nord|süd|sued|ost|sud|norte|sur|este|oeste|urban|rural|city|town|suburb|metro|village|"
        "county|region|inland|coastal|central|bay|ocean|island|alabama|alaska|arizona|arkansas|california|colorado|"
        "connecticut|delaware|florida|georgia|hawaii|idaho|illinois|indiana|iowa|kansas|kentucky|louisiana|maine|"
        "maryland|massachusetts|michigan|minnesota|mississippi|missouri|montana|nebraska|nevada|new_hampshire|"
        "new_jersey|new_mexico|new_york|ohio|oklahoma|oregon|pennsylvania|rhode|tennessee|texas|utah|vermont|virginia|"
        "washington|wisconsin|wyoming|baden|bayern|bavaria|berlin|brandenburg|bremen|hamburg|hessen|mecklenburg|"
        "niedersachsen|nordrhein|rheinland|saarland|sachsen|schleswig|thüringen|burgenland|kärnten|carinthia|"
        "niederösterreich|oberösterreich|upper_austria|lower_austria|salzburg|steiermark|styria|tirol|tyrol|"
        "vorarlberg|wien|vienna|île-de-france|bretagne|normandie|occitanie|provence|aquitaine|auvergne|bourgogne|"
        "grand_est|hauts-de|corse|paris|lyon|marseille|andaluc|aragón|asturias|canarias|cantabria|castilla|cataluña|"
        "catalunya|extremadura|galicia|madrid|murcia|navarra|rioja|valencia|groningen|friesland|drenthe|overijssel|"
        "gelderland|utrecht|noord|zuid|zeeland|limburg|flevoland|amsterdam|rotterdam|london|scotland|wales|england|"
        "ireland|germany|deutschland|france|frankreich|spain|españa|spanien|netherlands|nederland|austria|österreich|"
        "switzerland|schweiz|belgium|belgien|italy|italien|poland|polen|portugal|greece|turkey|türkei|russia|ukraine|"
        "romania|hungary|czech|sweden|norway|denmark|finland|united|u.s|usa|canada|mexico|brazil|argentina|chile|"
        "colombia|peru|cuba|jamaica|haiti|guatemala|el-salvador|puerto-rico|china|india|japan|korea|vietnam|"
        "philippines|thailand|iran|iraq|israel|egypt|morocco|algeria|tunisia|nigeria|kenya|ghana|australia|zealand|"
        "pakistan|bangladesh|syria|afghanistan|africa|asia|europe|america",
        {QUASI: 3.0},
    ),
    "days and months": (
        "january|february|march|april|june|july|august|september|october|november|december|monday|tuesday|wednesday|"
        "thursday|friday|saturday|sunday|januar|februar|märz|juni|juli|oktober|dezember|montag|dienstag|mittwoch|"
        "donnerstag|freitag|samstag|sonntag|janvier|février|avril|juin|juillet|août|lundi|mardi|jan|feb|mar|apr|jun|"
        "jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun",
        {QUASI: 3.0},
    ),
    "illness": (
        r"\w+itis\b|\w+emia\b|\w+oma\b|\w+osis\b|\w+pathy\b|cancer|tumor|tumour|diabet|asthma|hyperten|infarct|stroke|"
        "heart|depress|anxiety|schizo|allerg|infect|flu|influenza|pneumon|fracture|pain|ulcer|hepat|injur|disease|"
        "disorder|syndrome|krebs|schmerz|grippe|herz|maladie|douleur|enfermedad|dolor|ziekte|pijn|virus|hiv|cough|"
        "rash|fever|neoplasm|circulatory|respirat|digest|nervous|mental|endocrine|genitourinary|symptom|covid|"
        "migraine|arthritis|anemia|obes|acne|burn|wound|sprain|angina|frattura|malattia|dolore|fratura|doença|złamanie|"
        "cukrzyca|choroba|nadciśnienie|sjukdom|sykdom|smärta|fraktur|autyzm|autism|adhd|dyslex|dyslek|niedosłuch",
        {SENSITIVE: 4.0},
    ),
    "treatment": (
        "surgery|chemo|radio|transplant|insulin|aspirin|ibuprofen|paracetamol|penicillin|antibio|vaccin|therapy|"
        r"medication|drug|mg\b|tablet|\w+cillin\b|\w+mycin\b|\w+statin\b|\w+pril\b|\w+olol\b|penicillamine|steroid",
        {SENSITIVE: 3.0},
    ),
    "what a person thinks": (
        "agree|disagree|strongly|satisf|dissatisf|happy|unhappy|very|somewhat|rather|likely|unlikely|always|never|"
        "often|rarely|seldom|sometimes|zufrieden|unzufrieden|stimme|d'accord|satisfait|muy|helemaal|good|excellent|"
        "poor|fair|bad|favor|oppose|approve|disapprove|important|trust|d'accordo|soddisfatt|spesso|concordo|satisfeit|"
        "często|zadowol|zgadzam|raczej|mycket|ganska|instämmer|nöjd|enig|tilfreds|sällan|ofta",
        {SENSITIVE: 2.0, INSENSITIVE: 0.8},
    ),
    "faith or politics": (
        "catholic|protestant|muslim|jewish|christian|buddh|hindu|islam|orthodox|evangel|katholisch|konfession|atheis|"
        "no_religion|democrat|republican|conservative|liberal|labour|green|spd|cdu|csu|fdp|afd|socialist|clinton|bush|"
        "trump|obama|biden|macron|perot",
        {SENSITIVE: 2.6},
    ),
    "crime": (
        "battery|assault|theft|burglary|robbery|possession|cocaine|cannabis|fraud|murder|homicide|driving_under|dui|"
        "felony|misdemeanor|arrest|conviction|prison|jail|parole|probation|violence|weapon|diebstahl|betrug",
        {SENSITIVE: 3.5},
    ),
    "marks and outcomes": (
        "passed|pass|fail|failed|low|medium|high|excellent|sufficient|bestanden|gut|befriedigend|ausreichend|admis|"
        "bocciat|promoss|reprovad|aprovad|wzorow|naganne|godkänd|underkänd|bestått|ajourné|aprobado|suspenso|geslaagd|default|paid|rejected|approved|denied|alive|dead|died|deceased|improved|"
        "readmit|cured|relapse|recurr|positive|negative|normal|abnormal|benign|malignant|fatal|incapacit|severe|mild",
        {SENSITIVE: 1.8},
    ),
    "units of measurement": (
        r"^[mn]?g/d?l|^[mun]?eq/l|^[mnuµ]mol/l|^k/ul|^i?u/l|^[npµ]g/ml|^mm ?hg|^years$|^lbs$|^kg$|^cm$",
        {INSENSITIVE: 7.0},
    ),
    "parts of a trial": (
        r"placebo|[\w ]*\bdose|control|treatment|treated|untreated|intervention|arm_a|arm_b|test_group|small.class|"
        "regular",
        {INSENSITIVE: 2.5},
    ),
}
