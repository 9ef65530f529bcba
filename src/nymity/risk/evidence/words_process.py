"""Words for what says little of a person: the procedure, trials, dealings; for sampling weights; and for nothing."""

from __future__ import annotations

from nymity.risk.evidence.concept import Concept
from nymity.risk.evidence.role_votes import IDENTIFYING, INSENSITIVE, QUASI, SENSITIVE, WEIGHT
from nymity.risk.naming import listed

NOTES = Concept.of(
    "free text, which may name people",
    {IDENTIFYING: 3.5},
    "anotaciones anotacion bijzonderheden besonderheit particularite summary detail! details! comment comments "
    "remark remarks memo note! notes freetext freitext bemerkung bemerk bem kommentar anmerkung notiz hinweis! "
    "freitexte commentaire remarque observation! observations! observaciones observac observ obs comentario notas "
    "opmerking opm toelichting narrative anamnese verbatim appreciation feedback message nachricht freeform openend "
    "otherinfo otherspec verlauf! epikrise arztbrief vermerk gesprach verslag motivationtext reviewtext "
    "complainttext anliegen reklamation vorschlag verbesserung",
)
POINTING = Concept.of(
    "it points to one person",
    {IDENTIFYING: 6.0},
    "surname lastname firstname forename fullname middlename maidenname givenname familyname lastnm firstnm fname "
    "lname mname sname nm nme nachname nachnam nachn vorname vornam vorn rufname zuname familienname geburtsname "
    "spitzname prenom prenoms nomusage nomnaiss nomfamille nom nombre! nombres apellido apellidos apenom ape1 ape2 "
    "primerapell naam voornaam voornamen achternaam geslachtsnaam familienaam roepnaam voorletters tussenvoegsel "
    "voorvoegsel initials initialen nickname alias username benutzername login email mail courriel correo telefon "
    "telefono telefoon telephone phone tel telnr telmob mobil! mobile! handy! gsm fax movil portable! iban bic konto "
    "kontonr rekening rekeningnr accountno accountnum ssn nino nhsno nhi upn uln nir nss nuss dni nie nif cif rfc "
    "curp cip nhc bsn anummer insz niss ahv avs svnr sozialvers steuerid steuernr tin kvnr vsnr rvnr egk versnr "
    "ausweis personalausw passport reisepass pasaporte paspoort fuehrerschein driverlic licenseplate kennzeichen! "
    "matricula! immatric nummernschild adres adresse! address! addr addrline adr strasse street straat straatnaam "
    "adrvoie voie calle direccion domicilio! hausnr huisnr hausnummer huisnummer houseno mrn empi csn hadmid hadm "
    "icustayid subjectid personid patid patnr patientid fallnr fallnummer fallid aufnahmenr caseid caseno docket "
    "aktenz aktennr aktenzeichen dossiernr numdossier expediente numexp policyno policenr vertragsnr contractno "
    "kundennr custno clientid memberno memberid mbrid mitgliedsnr matrikel matrikelnr personalnr persnr pnr empno "
    "empid badge staffno staffid studentid studentno schuelernr leerlingnr matricule ipaddr ipaddress imei cookie "
    "facebook twitter photo fingerprint claimno claimid clmnbr episodio numepisodio numhist historiaclinica "
    "specimenid sampleid barcode ticketno bookingref kontakt! contacto personacontacto contactperson ansprechpartner "
    "notfallkontakt ipp uprn kenteken kennz kfzkennz immat plaque imsi msisdn nass catastral bankacct acct sortcode "
    "bankcode bankleitzahl blz routingno mel serial! seqn numcaf idnational tenancyref nda ine rib secu numsecu "
    "maiden drivers emergencycontact sachbearbeiter sachb",
)
UPDATES = Concept.of(
    "when or by whom data were processed",
    {INSENSITIVE: 7.5},
    "maj utilmaj majle update updated lastupd upd modified modif lastmod changed! aenderung geaendert aend wijzig "
    "gewijzigd mutatie mutdat mutdt mut actualiz actualiza fecact export exported exportdate extract extrac extr "
    "abzug! liefer invoer erstellt erstell bearbeit sachbearb gebruiker stapel carga flux lotnr numlot "
    "storetime datenstand datstand lieferung dump loaded loaddate loaddt etl import imported insertdt inserted "
    "created! creatby createdby erfasst! erfassung erfasser saisie grabacion ingevoerd verarbeitung processed "
    "procdate batch batchid runid snapshot modby moddt modts recsrc loadts laadmoment laad bronsyst invuller idlot "
    "idlote lote lot! lastsync sync rowversion audit aktualis ajour eksport eingabe",
)
PROCESS = (
    NOTES,
    POINTING,
    UPDATES,
    Concept.of(
        "something of the procedure, not of a person",
        {INSENSITIVE: 3},
        "imputed imputation imput quality version edition software mode modus modo interviewer intv interv "
        "intervw enqueteur entrevist wave welle erhwelle vague ola golf! source! src srcsys srcsystem file filename "
        "row index sequence! seqnr lnnbr linenum valid validity plausib pruefz quelle bron fuente satzart mandant "
        "system instrument device! protocol missingness checksum languageversion round runde ronda panel "
        "questionnaire fragebogen vragenlijst cuestion fbsplit fbversion layout recordtype rectype datasource "
        "currency waehrung wahrung! devise moneda valuta unitof uom einheit recstat psu primarysamp samplingunit enum "
        "ordinal counter tat turnaround consent einwilligung proxy orderset formtype doctype template originsys "
        "testid kitid kit reagent lotno analyzer laborsystem completedflag langver erhebungsart visitnum aeseq filenm "
        "domain! actarm versie valueuom pruefkenn ballot intlng proddate interviewd intdur observed siren siret "
        "dataprov dispcode thiswv quota bookid saffl ittfl efffl fasfl pprotfl randfl enrlfl trtemfl lbblfl "
        "lbcat lbseq lbornr refrange oleada ronde gegevensbron visitnumber visitname visitno visitnr editflag geraet "
        "interviewdur completiontime dureeentretien unitofmeasure unidadmedida masseinheit",
    ),
    Concept.of(
        "to which part of a trial or study somebody was assigned",
        {INSENSITIVE: 3},
        "trt arm armcd cohort control! placebo randomi randomis randomiz experiment assigned assignm session trial "
        "split sample treat! rx train treated intervention stratum strata fold studyid "
        "studyarm allocated blinded phase! ransam treatmentarm treatmentgroup trtgroup controlgroup testgroup abgroup "
        "behandlungsarm kontrollgrup brastraitement brazotratamiento groupecontrole grupocontrol",
    ),
    Concept.of(
        "a group: of a study, or of people who know each other",
        {INSENSITIVE: 1.5, QUASI: 1.3},
        "groupe! grupo! gruppe! group! groep!",
    ),
    Concept.of(
        "dealings of little consequence",
        {INSENSITIVE: 1.8, SENSITIVE: 1.3, QUASI: 0.1},
        "newsletter segment channel kanal canal orders! order! quantity qty menge clicks logins sessions product "
        "produkt produit producto brand choice item category! tvhours tv rankorder units purchases bestell tips tip "
        "scoreband likes subscription campaign contact! coupon basket cart browser app visitweb pageviews marketing "
        "optin reminder streaming online cmp cashback login paperless usage calls roaming voicemail sms",
    ),
    Concept.of(
        "a state of something",
        {SENSITIVE: 0.6, QUASI: 0.2},
        "status",
    ),
)
#: Words for sampling weights; whether one is meant or the weight of a body is told by the numbers.
WEIGHTS = Concept.of(
    "a sampling weight",
    {WEIGHT: 2},
    "weight weights wgt wght wt wts wtd pond ponder pondera ponderation gewicht gewichtung gew poids peso wtfinl coeff "
    "fnlwgt pweight factoradulto fweight aweight dweight pspwght anweight pwt hwt iwt hochrechnung "
    "hochrechnungsfaktor hochrech expansion expans facexp factorexp fexp factorel factor! facteur faktor! weging weeg "
    "weegfactor wegingsfactor ophoogfactor ophoog surveywt svywt sampwt samplewt perwt hhwt pwgtp wgtp personwt "
    "finalwgt finalwt wgts popwt indwt asecwt wtsupp earnwt wtssall wtmec wtsaf llcpwt wtsaf2yr wtint extri ipondi "
    "calib calage calweight rake raking rakew hrf phrf grossing grossw elevac elevacion inflation!",
)
#: Words that say a column was computed, or how; they mean nothing by themselves.
AFFIXES = frozenset(
    listed(
        "l ln log sq squared sqr n nr num no nb number numb anz anzahl aantal count cnt tot total avg mean med min "
        "max std pct perc percent share prop rate ratio cat kat grp grouped level lev lvl code cd cod typ type tip "
        "tipo kind art soort genre yrs years new old ind indic lag diff cur curr current prev previous last first nth "
        "is has ever any own your my the of in at per and or by on to for with i p h f m t s c d r k b q x y z v w u "
        "e g j a o ss st nd rd th pre post all other oth var val value elig need lt ge gt hus demo visit primary case "
        "bank model temps turno sist epoch main given legal resp stat ppal sec princ pers lib tx nivel high low survey "
        "prob flag flags patient policy initial subject account member range ratio data info"
    )
)
