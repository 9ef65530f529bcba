"""Words of column names in Italian, Portuguese, Polish, Finnish and the Scandinavian languages, by what they mean.

Fewer than of the languages in which most of the vocabulary is: what registers, surveys, schools, employers and
insurers of any country ask. ``!`` means what it does in a concept's own words.
"""

from __future__ import annotations

FURTHER = {
    "a place that others know": (
        "cap citta comune! regione localita residenza paese! quartiere circoscriz domiciliato "
        "cep freguesia concelho cidade bairro uf distritores naturalidade "
        "miasto miejscowosc miejsce! wojewodztwo powiat gmina dzielnica kodpocztowy "
        "kommun lan lansdel fylke region postnr postnummer hemort bostadsort folkbokf bydel bopael tatort "
        "kunta! kotikunta postinumero postinro maakunta asuinpaikka"
    ),
    "what others know of a person": (
        "eta sesso nascita cittadinanza cittad nazionalita straniero statocivile civile! celibe coniug sposat vedov "
        "idade faixaetaria nascimento datanasc dtnasc genero nacionalidade naturalid estadocivil casado solteiro viuvo "
        "wiek plec urodzenia urodz urodzen obywatelstwo narodowosc stancywilny cywilny malzenski jezyk "
        "alder! aldersgrupp kon kjonn koen fodelse fodels fodt fodd fodar fodland fodeland medborgarskap civilst "
        "sivilstand civilstand sprak modersmal utlandsk invandr "
        "sukupuoli ika! aidinkieli syntyma syntymaaika kansalaisuus siviilisaaty"
    ),
    "a family that others know": (
        "figli figlio figlia famiglia nucleofam coniuge convivente genitore genitori "
        "filhos filho agregado conjuge irmaos encarregado "
        "dzieci dziecko rodzina rodzice matka! ojciec gospodarstwo "
        "barn antbarn hushall husstand hustyp familj familie make! maka! foralder foraeldre forelder sambo syskon "
        "huoltajuus perhekoko perhesuhde lapset lapsia"
    ),
    "a date or time that others may know": (
        "giorno mese anno! settimana dimissione scadenza "
        "internamento dzien miesiac rok godzina "
        "dato! manad maaned maned inskrivn utskrivn indlaeg "
        "pvm paivamaara"
    ),
    "work that others know": (
        "professione mestiere lavoro lavorat impiego mansione reparto! azienda! datorelavoro occupazione settore "
        "profissao emprego trabalho setor reformado desempreg funcao "
        "zawod zatrudni stanowisko pracodawca pracownik praca branza wydzial! "
        "yrke! yrkes sysels sysselsatt ssyk styrk arbete arbejde arbetsgiv arbeidsgiv befattning stilling naringsgren "
        "bransch bransje avdelning avdeling afdeling arbetslos anstalln ansaett "
        "ammatti tyonantaja toimiala"
    ),
    "an education that others know": (
        "istruzione titolostudio scuola laurea ateneo "
        "escolaridade escola habilitac ensino! turma "
        "wyksztalcenie szkola klasa uczelnia "
        "utbildning utbniva utdanning uddannelse skola! skole! klass! arskurs klassetrinn"
    ),
    "what is visible of a person": "altezza! altura! wzrost! langd! hoyde! hojde!",
    "an insurance or a payer that others may know": "assicurazione subsistema ubezpiecz forsakring forsikring",
    "where others may have seen a person": "ospedale medico! asl szpital lekarz przychodnia sjukhus sykehus vardcentr",
    "possessions that others see": (
        "veicolo automobile! abitazione alloggio veiculo habitacao pojazd samochod mieszkanie "
        "fordon kjoretoy boende! bolig bostad"
    ),
    "a state of health": (
        "diagnosi malattia patologia patologie invalidita disabil salute! lesioni! lesione! infortun gravidanza "
        "sintomi doenca saude deficien gravidez sintomas incapacid "
        "rozpoznanie choroba choroby chorob niepelnospr orzeczenie zdrowie zdrowia ciaza objawy uraz! "
        "sjukdom sykdom sygdom sjuk! halsa helse! helbred besvar angest! smarta smerte skada! skade! sjukskriv "
        "sjukfranv funktionshind funksjonsneds "
        "sairaus vamma! terveys raskaus"
    ),
    "a treatment": (
        "terapia farmaco farmaci ricovero tratamento cirurgia leczenie leki zabieg szczepien "
        "lakemedel laegemiddel legemiddel"
    ),
    "habits that concern health": "fumo! fumatore fumador tabagismo pali! palenie papieros rokare royker ryger rygning",
    "money": (
        "reddito stipendio retribuzione importo liquidato riserva! premio! debito! isee contributo "
        "rendimento ordenado vencimento montante divida prestacao "
        "dochod dochody wynagrodzenie pensja zarobki kwota zasilek "
        "inkomst inntekt indkomst indtaegt lonn! loen! belopp belob skuld! formogenhet formue bistand! pensjon "
        "tulot! palkka toimeentulotuki velka!"
    ),
    "crime and what courts do": (
        "reato condanna frode! frodi sinistrosita condenacao crime! przestepstw wyrok oszustwo brott! domd straff "
        "bedrageri kriminal"
    ),
    "faith, politics or love, which are nobody's business": (
        "fede! partito sindacato partido wyznanie partia zwiazekzaw trossamf valg! fackfor fagfor sexuell seksuel"
    ),
    "what a person thinks or feels": (
        "soddisf fiducia opinione confianca opiniao zadowol zaufanie opinia tillit tilfreds nojd! tillfreds fornoyd"
    ),
    "what a person achieved, or was judged to be": (
        "votazione giudizio punteggio esame! profitto! classificacao pontuacao aproveitamento ocena oceny srednia "
        "zachowanie wynik! wyniki betyg karakter! poang poeng franvaro fravaer"
    ),
    "how it ended for a person": "esito! decesso morte! obito zgon dodsfall dodsaars dodsars",
    "free text, which may name people": (
        "annotazioni annotazione osservazioni commento commenti observacoes anotacoes uwagi notatka notatki komentarz "
        "anteckning! anteckningar ovrigt! anmarkning bemaerkning merknad "
        "kirjaus kirjaukset huomautus lisatieto"
    ),
    "it points to one person": (
        "cognome nome! nominativo intestatario contraente codicefiscale codfiscale codfisc tessera! targa! cellulare "
        "indirizzo partitaiva numpolizza numsinistro perito! liquidatore! "
        "apelido sobrenome nomecompleto morada! endereco rua! telemovel contribuinte cpf utente! numutente "
        "imie imiona nazwisko pesel nip regon ulica! nrewid wychowawca numerdowodu "
        "personnr personnummer fornamn efternamn fornavn etternavn efternavn namn! navn! gatuadress gatunamn epost cpr "
        "cprnr fodselsnr fodselsnummer lopnr lopenr lobenr registreringsnr kontaktperson saksbehandler "
        "sagsbehandler handlaggare "
        "sukunimi etunimi hetu henkilotunnus lahiosoite katuosoite puhelin puh asiakasnro tyontekija kasittelija"
    ),
    "something of the procedure, not of a person": (
        "divisa! valuta! rokszkolny svarssatt insamlingssatt intervjuare ankieter intervistatore entrevistador"
    ),
    "a state of something": "stato stan",
    "a sampling weight": "pesi pesocamp fattore! ponderador waga wagi vikt vekt vaegt kalvikt kalibrer",
}
