"""Person names: how many of a column's values are names of people, by a small list of frequent ones.

First names and surnames that are among the most frequent in public statistics of births and registers of the United
States, Germany, France, Spain, the Netherlands, Italy, Portugal, Brazil, Poland, Sweden, Norway and Denmark, and fewer
of Finland, the Czech Republic, Slovakia, Hungary, Turkey, Arab countries and India. Few are
needed: a column of names has many frequent ones, whatever else it has, and a column of something else nearly none.
"""

from __future__ import annotations

from collections.abc import Iterator

from nymity.risk.column_facts import ColumnFacts
from nymity.risk.evidence.role_votes import IDENTIFYING, RoleVotes
from nymity.risk.naming import listed

#: Share of the different values that must be listed names, and how many must be.
_SHARE, _FEWEST = 0.25, 6
#: The same where there are few values, and hardly any that is none.
_SHARE_ALONE, _FEWEST_ALONE = 0.6, 3
#: The same where values are two or three words, the first or the last of which is a name.
_SHARE_OF_PAIRS = 0.2


def person_names(facts: ColumnFacts) -> Iterator[RoleVotes]:
    """Find names by listed ones; a name is one to four words without digits."""
    texts = facts.texts
    if not len(texts) or facts.is_number:
        return
    plain = texts.str.to_lowercase().str.replace(r"^(?:dr|mr|mrs|ms|prof|herr|frau|mme|m)\.?\s+", "")
    words = plain.str.replace_all(r"[,.]", " ").str.extract_all(r"[^\s\d]+")
    number = words.list.len()
    if float((number > 4).mean()) > 0.2 or bool(texts.str.contains(r"\d").mean() > 0.2):  # type: ignore[operator, arg-type]
        return
    known = words.list.get(0, null_on_oob=True).is_in(NAMES_LIST) | words.list.get(-1, null_on_oob=True).is_in(
        NAMES_LIST
    )
    hits = int((known | texts.str.contains(_ENDING)).sum())
    share = hits / len(texts)
    needed = _SHARE if float((number == 1).mean()) > 0.5 else _SHARE_OF_PAIRS  # type: ignore[arg-type]
    if (hits >= _FEWEST and share >= needed) or (hits >= _FEWEST_ALONE and share >= _SHARE_ALONE):
        why = f"{share:.0%} of its values are frequent names of people"
        yield RoleVotes(why=why, votes={IDENTIFYING: 10.0}, told_by="values")
    elif facts.words and set(facts.words) & _NAMING and hits >= 2 and share >= 0.1:
        yield RoleVotes(why="its name and its values speak of names of people", votes={IDENTIFYING: 5.0})


#: How surnames end in the north and in the east, with a capital at their beginning: there are too many to list them.
_ENDING = (
    r"(?:^|\s)\p{Lu}\p{L}+(?:[bdfgklmnprtv]sen|sson|dóttir|ski|ska|cki|cka|wicz|czyk|ović|ová|enko|escu|opoulos|shvili)"
    r"(?:,|$)"
)
_NAMING = frozenset(listed("first last name nom given family middle full contact guardian mother father"))
_FIRST = listed(
    # English
    "james mary john patricia robert jennifer michael linda william elizabeth david barbara richard susan joseph "
    "jessica charles karen christopher nancy daniel lisa matthew betty anthony margaret sandra donald ashley steven "
    "kimberly paul emily andrew donna joshua michelle kenneth carol kevin amanda brian dorothy george melissa edward "
    "deborah ronald stephanie timothy rebecca jason sharon jeffrey laura ryan cynthia jacob kathleen gary amy "
    "nicholas angela eric shirley jonathan anna stephen brenda larry pamela justin emma scott nicole brandon helen "
    "benjamin samantha samuel katherine gregory christine debra alexander rachel raymond carolyn patrick janet "
    "catherine dennis maria jerry heather tyler diane aaron olivia jose julie adam joyce nathan henry ruth douglas "
    "zachary lauren peter kelly kyle christina walter joan harold evelyn jeremy judith ethan megan carl alice keith "
    "jean roger sophia marcus tina luis juan carlos oliver harry noah liam lucas logan elijah ava isabella mia amelia "
    "harper ella chloe lily daisy sophie freya poppy alfie archie oscar leo arthur theodore jane "
    # German
    "hans klaus jürgen juergen wolfgang günter guenter helmut gerhard manfred uwe bernd horst dieter werner heinz "
    "rainer ralf rolf andreas stefan thomas matthias markus torsten thorsten sven dirk holger jens lars florian "
    "tobias sebastian felix jonas lukas leon luca finn elias maximilian moritz philipp jan tim niklas fabian ursula "
    "monika renate helga karin ingrid brigitte petra sabine gisela susanne claudia birgit heike martina andrea "
    "gabriele angelika anja kerstin silke katrin stefanie melanie christian lena lea hannah hanna leonie marie "
    "johanna luisa clara klara lina ida frieda heidi erika gertrud elfriede hildegard waltraud eva katharina julia "
    "sarah vanessa "
    # French
    "pierre michel andré andre philippe rené louis alain jacques bernard marcel françois francois guy claude nathalie "
    "isabelle sylvie martine françoise francoise monique chantal valérie valerie sandrine véronique aurélie camille "
    "léa manon chloé inès ines jade louise zoé zoe hugo enzo théo theo gabriel jules raphaël raphael mathis clément "
    "antoine nicolas julien laurent olivier pascal thierry éric stéphane sébastien guillaume maxime alexandre romain "
    "céline celine élodie elodie amélie émilie pauline marion mathilde juliette "
    # Spanish
    "antonio manuel francisco javier josé miguel ángel angel jesús pedro alejandro sergio pablo jorge alberto "
    "fernando diego álvaro alvaro rafael carmen josefa isabel dolores pilar teresa ana cristina marta lucía lucia "
    "elena sara paula rosa raquel silvia beatriz rocío mercedes ramón ramon enrique vicente ignacio andrés andres "
    "rubén ruben "
    # Dutch
    "johannes cornelis hendrik willem pieter gerrit jacobus adrianus petrus antonius cornelia hendrika wilhelmina "
    "geertruida daan sem bram thijs lotte sanne femke anouk fleur jeroen maarten marieke jolanda bart kees joost ruud "
    "wim henk sjoerd noor tess saar evi "
    # Italian
    "giuseppe giovanni mario luigi marco francesco roberto salvatore alessandro matteo lorenzo davide simone riccardo "
    "stefano paolo giulia chiara francesca federica giovanna valentina alessia elisa giorgia ginevra leonardo tommaso "
    "edoardo "
    # Portuguese
    "joão joao antónio antônio tiago rui nuno paulo luís duarte afonso rodrigo matilde inês mariana leonor joana "
    "filipa márcia fernanda juliana aline adriana "
    # Polish
    "piotr krzysztof andrzej tomasz paweł michał marcin jakub marek łukasz grzegorz mateusz wojciech mariusz szymon "
    "filip mikołaj kacper antoni franciszek katarzyna małgorzata agnieszka ewa krystyna elżbieta magdalena joanna "
    "zofia zuzanna maja alicja oliwia wiktoria natalia aleksandra "
    # Swedish, Norwegian, Danish
    "anders mikael johan erik karl per nils olof björn bjørn ole morten søren jørgen rasmus kristian mads kristina "
    "elisabet birgitta margareta annika astrid solveig kirsten mette hanne inger elsa alva wilma ebba vilma axel "
    # Finnish, Czech and Slovak, Hungarian, Turkish, Arabic
    "juhani tapani antero matti juha timo kari jukka helena kaarina päivi tuula jiří josef pavel petr tomáš jaroslav "
    "miroslav zdeněk václav lucie kateřina jana hana lenka alena věra lászló istván józsef jános zoltán sándor ferenc "
    "gábor mária erzsébet katalin ilona éva judit mehmet mustafa ahmet hüseyin hasan ayşe fatma emine hatice zeynep "
    "mohamed mohammed muhammad ahmed omar hassan hussein khaled youssef ibrahim fatima aisha mariam zainab khadija "
)
_SURNAMES = listed(
    "smith johnson williams jones garcia miller davis rodriguez martinez hernandez lopez gonzalez wilson anderson "
    "moore perez thompson harris sanchez clark ramirez lewis robinson allen wright torres nguyen flores adams nelson "
    "rivera campbell mitchell roberts gomez phillips evans diaz cruz edwards collins reyes stewart morris morales "
    "murphy rogers gutierrez ortiz morgan peterson bailey reed howard ramos cox richardson watson brooks chavez "
    "bennett mendoza ruiz hughes alvarez castillo sanders patel myers ross jimenez powell jenkins perry russell "
    "sullivan coleman henderson barnes simmons graham hamilton müller mueller schmidt fischer weber meyer wagner "
    "becker schulz hoffmann schröder schroeder neumann schwarz zimmermann braun krüger krueger hofmann hartmann lange "
    "schmitt krause lehmann schmid schulze maier köhler koehler herrmann könig koenig mayer huber fuchs peters scholz "
    "möller moeller hahn schubert friedrich keller günther berger winkler roth lorenz baumann franke albrecht "
    "schuster simon ludwig böhm kraus schumacher krämer vogt jäger seidel heinrich brandt haas schreiber dietrich "
    "ziegler kuhn kühn pohl busch bergmann dubois durand leroy moreau lefebvre bertrand roux vincent fournier morel "
    "girard lefèvre mercier dupont lambert bonnet legrand garnier faure rousseau guerin muller roussel perrin morin "
    "mathieu clement gauthier dumont fernández fernandez lópez martínez sánchez pérez gómez martín jiménez hernández "
    "díaz moreno muñoz munoz álvarez romero alonso gutiérrez navarro domínguez dominguez vázquez vazquez serrano "
    "molina suárez suarez delgado castro ortega rubio marín iglesias núñez nunez medina garrido jong jansen vries "
    "bakker dijk visser smit meijer mulder hendriks leeuwen dekker brouwer dijkstra smits graaf jacobs vermeulen "
    "heuvel veen broek bruijn schouten beek willems hoekstra koster huisman peeters kuipers kuiper veenstra postma "
    "wang zhang chen liu kim singh kumar khan yilmaz kaya demir ivanov kowalski nowak novak rossi ferrari russo silva "
    "santos oliveira souza costa pereira tran bianchi esposito colombo ricci marino greco bruno gallo conti mancini "
    "giordano rizzo lombardi moretti barbieri santoro mariani rinaldi caruso galli martini longo gentile martinelli "
    "vitale ferreira rodrigues martins sousa fernandes gonçalves lopes marques almeida ribeiro carvalho teixeira "
    "moreira correia mendes nunes soares vieira monteiro cardoso araújo barbosa wiśniewski wójcik kowalczyk kamiński "
    "lewandowski zieliński szymański woźniak dąbrowski kozłowski jankowski mazur wojciechowski kwiatkowski krawczyk "
    "kaczmarek piotrowski grabowski zając pawłowski michalski król wieczorek jabłoński wróbel nowakowski majewski "
    "andersson johansson karlsson nilsson eriksson larsson olsson persson svensson gustafsson pettersson jonsson "
    "jansson hansson hansen johansen olsen larsen andersen pedersen nilsen kristiansen jensen karlsen jørgensen "
    "christensen nielsen sørensen rasmussen korhonen virtanen mäkinen nieminen mäkelä hämäläinen laine heikkinen "
    "koskinen järvinen lehtonen saarinen novák nováková svoboda svobodová novotný novotná dvořák dvořáková černý "
    "černá procházka kučera veselý horák horáková němec pokorný pospíšil hájek jelínek kováč horváth nagy kovács tóth "
    "szabó varga kiss molnár németh farkas balogh papp takács juhász yılmaz çelik şahin yıldız öztürk aydın arslan "
    "doğan kılıç hussain mahmoud rahman begum haddad mansour sharma gupta pham "
)
#: Left out are those that are also ordinary words, places and months, which say nothing by themselves.
NAMES_LIST = sorted({*_FIRST, *_SURNAMES})
