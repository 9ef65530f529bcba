"""Words for what is a person's own business: health, money, crime, faith, opinions, marks, how things ended."""

from __future__ import annotations

from nymity.risk.evidence.concept import Concept
from nymity.risk.evidence.role_votes import INSENSITIVE, QUASI, SENSITIVE

TREATMENT = Concept.of(
    "a treatment",
    {SENSITIVE: 4},
    "treatment! treatments! therapy therap therapie behandlung behandl traitement tratamiento medication medicament "
    "medikament medicac medicij medicine medecine meds bpmeds drug drugs prescri presc nonpresc rezept ordonnance "
    "receta dosage dose dosis posolog surgery surgical chirurg! eingriff procedure proced prozedur procedimiento "
    "procedim proc intervencion verricht ops cpt hcpcs ndc chemo radiat radiother transfus transplant insulin atc "
    "aspirin steroid sedative antibiot antidepress opioid drg ghm grd mdc beatmung ventil intub dialys rehab counsel "
    "vaccin vax impf vacuna immuniz prophyl propyl tamox hormon! anesth narkose icu uci itu intensiv cathet stent "
    "pflegemassn massnahme contracept pill usemeth exdose cmtrt narcan principioact dosering indicatie medikat "
    "medicat behandel surg ccam dbc vaccinat dosier vasopress",
)
PRIVATE = (
    Concept.of(
        "a state of health",
        {SENSITIVE: 5},
        "diagnos diag diagn dx pdx sdx hauptdiag nebendiag diagsec cie cim icpc snomed disease illness illnes "
        "disorder icd krankheit erkrankung krank maladie malad enfermedad ziekte ziek aandoening morbid condit "
        "conditions chcond symptom syndrome cancer krebs tumor tumour carcin karzin leuk melanoma lymph hiv aids "
        "diabet hypert hyp hta htn bluthochdruck stroke schlaganf heart! heartdisease herzinf cardiac cardio infarct "
        "khk asthma copd epoc bpco depress anxiety mental psych adhd autis epilep health gesundheit gesund geszust "
        "zustand! sante salud gezondheid gezond gdhlth hlth genhlth hlthst inj severity severidad gravite injury "
        "injur injured wound verletz blessure lesion disab handicap behinder behind schwerbeh schwerbehind gdb rqth "
        "invalid discap minusv beperk pflege pflegegrad pflegestufe pregnan schwanger grossesse embaraz zwanger "
        "gravid allerg infect covid corona comorb relapse recurr metasta mets hepat ulcer pain schmerz douleur dolor "
        "pijn sick ill illdays krankheitstage krankmeld krankschr arbeitsunf ausfall! verzuim absmal jabsmal "
        "hospitali hosp chronic chron adl iadl adldiff healthy badhealth goodhlth remission tumorsize tumsize nodes "
        "edema ascites spiders hepato hepatom complication komplik befund! leiden pathology patholog histol histolog "
        "seizure arthrit arthrose osteo fracture anemia anaemia chd cvd cad chf stage dementia alzheim suicid addict "
        "substance overdose cocaine heroin cannabis marij angina thyroid kidney renal liver cirrh gallst burn trauma "
        "gcs sofa apache saps charlson elixhaus cci frail barthel nyha asa mmse moca phq gad bdi madrs hamd cesd ghq "
        "eq5d sf36 qol vas menopaus meno lbw lowbw premature preterm miscarr stillb abort syph sti std hpv inherit "
        "hered specialneed sen sencat sped iep lac careleaver caries dental vision hearing blind deaf primaryneed "
        "dvflag legalstatus unfall aeterm aesev aeser aeout aerel mhterm physhlth menthlth hlthpln havarth addepev "
        "cvdinfr cvdstrk diffrem arbeidsong bajasmed ald ulis pai dependenc impression condition! acuity triage "
        "celltype obstruct perfor adher differ! differentiat extent! thick recur npreg alerg node expire chiefcompl "
        "gesundh mgus accident accid collision crash familyhistory famhist atcd hipert neumon asma inmusup intubad dm "
        "t2dm stds iud hlthhmp fbs thal exang appet suchtm familyhx",
    ),
    TREATMENT,
    Concept.of(
        "a measurement of a body",
        {SENSITIVE: 4},
        "glucose gluc glu glyc glucemia glicemia blutzucker bz cholest cholesterin colest chol hdl ldl trig triglyc "
        "triglic bp sbp dbp sysbp diabp blood blut systolic diastolic systol diastol blutdruck bloeddruk tension! "
        "presion pulse puls pouls heartrate hr bpm hemoglob haemoglob hgb hb hba hba1c a1c hct hematocr haematocr mcv "
        "creatin creat krea kreatin bilirub bili albumin alb platelet plt thromb wbc rbc leuko lympho neutro eosino "
        "sodium! potassium kalium natrium ferritin crp tsh psa cea afp ldh urea urin urine uric serum plasma egfr gfr "
        "ast alt alat asat ggt gpt alk phos alp inr ptt enzyme antibody antikoerp antigen titer titre cd4 cd8 viral "
        "viralload genotype genetic gene allele snp haplotype mutation! brca apoe biopsy ecg ekg qrs mri xray tomogr "
        "saturat spo spo2 sao2 fever fieber respirat rr apgar calcium copper iron magnes phosph chloride bicarb "
        "lactat protime hormone estrogen estrad testost progest cortisol receptor er pgr her2 marker waist hip "
        "abdomen skinfold triceps vo2 lung fev fvc pef lvef ejfrac troponin bnp karno karnofsky ecog kappa lambda bwt "
        "bwght bwtkg birthweight birthwt gestat lwt reflex symptomscore nitrogen bun ekgresult vitamin sleep slp "
        "temperature temp lab! labor! laborwert labval assay specimen culture bmd bsa pcr calor mealcal wtloss "
        "bodyfat lborres lbstresn lbtest vsorres vstest bpxsy lbx bloedsuik bloed koerpertemp blutgr pulseox "
        "tensionsist tensionsys promille measurem messwert resprate glycem o2sat hrtrate restecg oldpeak pcv sod hemo "
        "bgr igs igs2 cytolog citolog ki ki67 waistc whiteblood redblood ejection peakflow bonedensity ca125",
        numbers=True,
    ),
    Concept.of(
        "habits that concern health",
        {SENSITIVE: 3.4, QUASI: 1.8},
        "smoke smoker bebed rookg drnk smq alq bac! smoking smokes smok cigs cig cigarette cigar tobacco tabak tabac "
        "tabaco tabaq raucher rauch fumeur fumad fuma roken roker rookt alcohol alkohol alcool alc drink drinks "
        "drinker drinking packyears packs gun vaping tabagis",
    ),
    Concept.of(
        "money",
        {SENSITIVE: 4},
        "income inc einkommen eink nettoeink bruttoeink hhnetto netto! brutto! brut bruto neto revenu ingresos renta "
        "inkomen ink salary salaire salario sal sueldo nomina gehalt gehaelter bezuege salaris loon wage wages lohn "
        "earning earn earns earnings pay payment paid betrag betr amount amt montant mnt importe! bedrag cost costs "
        "cst kosten coste couts cout price prix precio preis prijs fare expense expend expenditure ausgaben depense "
        "gasto uitgave spending spend debt schulden schuld deuda dette credit creditlim kredit loan loanamt mortgage "
        "hypothek hipoteca balance! bal kontostand saldo solde wealth vermogen vermoegen patrimoin patrimonio asset "
        "assets capital saving savings ersparn epargne ahorro sparen networth tax taxes steuer impot impuesto "
        "belasting benefit benefits welfare sozialhilfe sozialleist grundsicher hartz alg buergergeld wohngeld "
        "kindergeld elterngeld uitkering uitk bijstand toeslag prestacion prestation alloc allocation! rsa ayuda "
        "aide! bourse beca subsidio unterhalt alimony bonus prime primes zulage zuschlag commission revenue umsatz "
        "turnover profit donation donat gift! gifts spende premium praemie beitrag! beitraege cotis cotisation rent "
        "miete kaltm warmm loyer alquiler huur budget finance nettfa allowance rechnung invoice facture factura "
        "billed copay deduct coinsur reimb rembours reembols erstatt zuzahl eigenanteil claim claims claimamt schaden "
        "bankrupt insolv arrears overdue dunning mahnung rueckstand poverty poor hhinc hinc faminc hhninc hincome "
        "pinc pincp wagp inctot py hy hourlywage lwage hrwage salaries fee fees gebuehr charges! subsidy foodstamp "
        "snap tanf ssi ramntall minramnt totmed stipend pension pensioen dividend interest zins nonlabor unearned "
        "ramnt fsm freelunch freemeal pupilprem deprivation equity stocks invest depot portfolio overdraft installm "
        "instalm woz wozwaarde marktwert housevalue homevalue coeff mincome sharepov scholarship scholar tuition usd "
        "eur euro euros dollar dollars remuner retrib vergut entgelt honorar waarde! husinc husby whi hhi remittance "
        "assist assistance creditscore regelsatz bafoeg bonit guthaben erbschaft ressource endettem impago cuota "
        "embargo salarial garnish dues fico arpu indhhin ftotinc incwelfr pell bijdrage maandhuur merit "
        "valueh quotient apl caf verzug mahn hypothee premie eigenrisico risico dti intrate severance realinc rincome "
        "satfin schufa cred epar virement vire prelev prel retrait versement cheque chq decouvert revol util utiliz "
        "inq dlq pastdue cards lines bureau purchase limit damage annuity deposit purpose regeling wmo stkl lstkl zuz "
        "hincfel hincsrca finrela joblose beitragsh",
        numbers=True,
        texts=False,
    ),
    Concept.of(
        "crime and what courts do",
        {SENSITIVE: 4},
        "crime criminal crim offense offence offens arrest arrested arr narr jail prison incarc inmate convict conv "
        "felon felony misdemean misd sentence sentenc priors prior! recid reoff rearrest charge charges chrg violation "
        "violent victim opfer slachtoffer police polizei policia politie probation bewaehr parole court gericht "
        "tribunal juzgado delinq guilty verdict urteil straftat strafe strafr haft jva delit delito condam condena "
        "pena! veroord verdacht fraud theft assault violence gewalt abuse juvenile juv avgsen tserved burglary robber "
        "bail custod gang weapon homicide murder dui dwi penalt sanction bussgeld citation! warrant supervis rules "
        "property! infraction suspect antecedent penal peine delikt delict strafmass disciplinar incident fine! frisk "
        "bewahrung paragraph tagessatz justice amende searched vehiclesearch personsearch summons crmvct strafh",
    ),
    Concept.of(
        "faith, politics or love, which are nobody's business",
        {SENSITIVE: 4},
        "religion relig faith church kirche konfession konf iglesia geloof kerk glaube culte denom attend chattend "
        "catholic cathol cath protestant prot muslim islam moslem jewish jew politic politik politiq polit polviews "
        "partyid party partei parti partido partij vote voted voting votes voto voter wahl wahlabs wahlabsicht "
        "zweitstimme stemmen election ideolog ideol lrscale lrskala leftright linksrechts conserv liberal democrat "
        "republican orientation orient sexual sexorient gay lesbian lgbt homosex sexpartn affair affairs naffairs "
        "abortion partisan bush clinton trump obama referendum union! tradeunion gewerkschaft syndic synd sindic "
        "vakbond statusquo brexit europe! eumember godbel pray prayer wahlentsch rlgatnd rlgdgr rlgblg rlgdnm reliten "
        "prtvt prtvtgb prtvtede prtclgb polintr stemgedr sexornt sexfreq premarsx abany abdefect abnomore cappun "
        "gunlaw natfare grass pres12 pres16 bible wahlbet sexualpartners condom",
    ),
    Concept.of(
        "what a person thinks or feels",
        {SENSITIVE: 3.2, INSENSITIVE: 0.9},
        "happy happi unhap hap gluck gluecklich bonheur heureu felic gelukkig satisf satis zufried zufr tevred "
        "insatisf opinion meinung mening attitude einstellung! actitud trust vertrau vertr! confian vertrouw agree "
        "zustimm feel feeling gefuehl mood stimmung stress burnout lonel einsam life leben! vida! rating ratemarr "
        "approval believe belief prefer confidence worry sorgen preocup bezorgd fear angst anger neurotic neuro "
        "extraver extrav openness conscient agreeabl personality likert knowledge knowmeth interestin wellbeing "
        "wohlbef esteem efficacy optimis motiv! motivat engagement commitment intention willing recommend nps wichtig "
        "important importance concern perceive percep beurt bewert climate! ppltrst valorac lebenszufr pplfair pplhlp "
        "trstprl trstlgl trstplc trstplt trstprt trstep trstun stflife stfeco stfgov stfdem stfedu stfhlth stf "
        "imsmetn imdfetn impcntr imbgeco imueclt imwbcnt gincdif freehms euftf sclmeet aesfdrk confinan conbus "
        "conlegis natheal natenvir satjob immigsent idlnchld ideal attitud valued tolerance racis prejud inprdsc "
        "dscrgrp sclact mbtru",
    ),
    Concept.of(
        "what a person achieved, or was judged to be",
        {SENSITIVE: 3.4},
        "score scores scr mark marks mk mks gpa colgpa hsgpa note! noten nota notas abinote abiturnote cijfer cijf "
        "calif calificac punkte punkt points puntos punten iq sat act test tests exam examen klausur result results "
        "ergebnis resultat resultado resultaat uitslag rank! rang percentile percentil hsperc performance perf "
        "ability aptitude math maths mathe mathem mathscr reading readscr read verbal writing vocab vocabulary "
        "wordsum moyenne moygen durchschnitt gemiddeld promedio decile risk evaluation evaluac eval assessm appraisal "
        "beurteilung zensur kww afqt toefl ielts gre gmat lsat mcat satm satv acteng actmth quiz homework grade "
        "grades final midterm skipped literacy numeracy pisa gcse ects credits! effort behav behavio conduct "
        "verhalten attendance attendpct anwesenh attgood attexc exclus exclud excl suspens expelled detention "
        "predicted targetgr cogn memory recall accuracy correct errors scaled zscore tscore phsrank stotal achieve "
        "leistungsb zielerr rated compet skill skills award expected standardscore retard spijbel sanktion exmatrik "
        "standing versuch beoordel schooladv cito ugpa falta faltas asistenc versetz condotta studytime attempts "
        "oordeel specialed",
    ),
    Concept.of(
        "how it ended for a person",
        {SENSITIVE: 2.6, QUASI: 0.8},
        "outcome event! relapse readmit readmis readmitted readmission attrition attrit churn churned target label "
        "default defaulted deny denied denial reject rejected approved approve passed failed fail failure dropout "
        "abandon graduated completed noshow absence absences absent absente fehltage fehlzeit death dead died deceas "
        "mortal verstorben sterbe todes deces fallecid defunc exitus overleden surviv survived alive vital vitalstat "
        "fate disposition dispos entlassart admissiontype aufnahmeart aufnahmegrund entlassungsgrund dischdisp tipalt "
        "motifsort austrittsgrund kuendig ontslagreden reason rsn grund! motif! motivo! reden! cause causa ursache "
        "oorzaak quit! leaver laidoff layoff dismiss cancel cancelled response! responder success retention tenureend "
        "promoted appeal exited fustat complain beschwerde fehlst",
    ),
    Concept.of(
        "how often a person needed care",
        {SENSITIVE: 2.8, QUASI: 0.6},
        "docvis hospvis visits vis outpatient inpatient ambul emergency emr ervisits mdvis ofp numvisit arztbesuche "
        "doctorvisits doctorco actdays nondocco hospadmi hospdays medexp pharvis npvis consultation consult prenatal "
        "numadm readm urgenc notaufn",
    ),
    Concept.of(
        "how long somebody stayed",
        {QUASI: 2.0, INSENSITIVE: 2.4, SENSITIVE: 0.3},
        "stay los verweildauer verweil liegedauer verblijf ligduur diasest estancia sejour lengthofstay lengthstay "
        "timeinhospital",
    ),
    Concept.of(
        "how long something took or was followed",
        {SENSITIVE: 2.4, INSENSITIVE: 1.4, QUASI: 0.9},
        "days dias jours tage tagen dagen months weeks duration dauer durat duur follow followup futime time! "
        "survtime cens censored censor duree duracion diasuci spell elapsed latency tstop tstart lengthstay minutes "
        "seconds term start! stop! end! mins secs daysto timeto tte rfs dfs pfs ttr dtime rtime meses maanden",
    ),
)
