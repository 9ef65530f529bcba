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
    "jessica charles karen christopher nancy daniel lisa matthew betty anthony margaret mark sandra donald ashley "
    "steven kimberly paul emily andrew donna joshua michelle kenneth carol kevin amanda brian dorothy george melissa "
    "edward deborah ronald stephanie timothy rebecca jason sharon jeffrey laura ryan cynthia jacob kathleen gary amy "
    "nicholas angela eric shirley jonathan anna stephen brenda larry pamela justin emma scott nicole brandon helen "
    "benjamin samantha samuel katherine gregory christine frank debra alexander rachel raymond carolyn patrick janet "
    "jack catherine dennis maria jerry heather tyler diane aaron olivia jose julie adam joyce nathan victoria henry "
    "ruth douglas virginia zachary lauren peter kelly kyle christina walter joan harold evelyn jeremy judith ethan "
    "megan carl alice keith jean roger sophia marcus tina luis juan carlos oliver harry noah liam mason lucas logan "
    "elijah ava isabella mia charlotte amelia harper ella grace chloe lily daisy sophie freya poppy alfie archie "
    "oscar leo arthur theodore jane "
    # German
    "hans klaus jürgen juergen wolfgang günter guenter helmut gerhard manfred uwe bernd horst dieter werner heinz "
    "rainer ralf rolf andreas stefan thomas matthias markus torsten thorsten sven dirk frank holger jens lars florian "
    "tobias sebastian felix jonas lukas leon luca finn elias max maximilian moritz philipp jan tim niklas fabian "
    "ursula monika renate helga karin ingrid brigitte petra sabine gisela susanne claudia birgit heike martina andrea "
    "gabriele angelika anja kerstin silke nicole katrin stefanie melanie christian lena lea hannah hanna leonie marie "
    "johanna luisa clara klara lina ida frieda heidi erika gertrud elfriede hildegard waltraud eva katharina julia "
    "sarah vanessa "
    # French
    "jean pierre michel andré andre philippe rené louis alain jacques bernard marcel daniel françois francois guy "
    "claude nathalie isabelle sylvie catherine martine françoise francoise monique chantal valérie valerie sandrine "
    "véronique aurélie camille léa manon chloé inès ines jade louise zoé zoe hugo enzo théo theo gabriel jules "
    "raphaël raphael arthur nathan mathis clément antoine nicolas julien laurent olivier pascal thierry éric stéphane "
    "sébastien guillaume maxime alexandre romain céline celine élodie elodie amélie émilie pauline marion mathilde "
    "juliette "
    # Spanish
    "antonio manuel francisco javier josé miguel ángel angel jesús pedro alejandro sergio pablo jorge alberto "
    "fernando diego álvaro alvaro rafael carmen josefa isabel dolores pilar teresa ana cristina marta lucía lucia "
    "elena sara paula rosa raquel silvia beatriz rocío mercedes ramón ramon enrique vicente ignacio andrés andres "
    "rubén ruben "
    # Dutch
    "johannes cornelis hendrik willem pieter gerrit jacobus adrianus petrus antonius maria johanna cornelia hendrika "
    "wilhelmina geertruida daan sem bram thijs lotte sanne femke anouk fleur jeroen maarten marieke jolanda ingrid "
    "bart kees joost ruud wim henk sjoerd noor tess saar evi "
    # Italian
    "giuseppe giovanni mario luigi marco andrea francesco luca roberto salvatore alessandro matteo lorenzo davide "
    "simone riccardo stefano paolo giulia chiara francesca federica giovanna rosa angela teresa lucia valentina "
    "alessia elisa giorgia ginevra aurora leonardo tommaso edoardo "
    # Portuguese
    "joão joao antónio antônio francisco josé pedro tiago miguel rui nuno paulo luís duarte afonso rodrigo santiago "
    "matilde beatriz inês mariana leonor carolina joana filipa márcia fernanda juliana aline adriana vitória "
    # Polish
    "piotr krzysztof andrzej tomasz paweł jan michał marcin jakub adam marek łukasz grzegorz mateusz wojciech mariusz "
    "szymon filip mikołaj kacper antoni franciszek anna katarzyna małgorzata agnieszka barbara ewa krystyna elżbieta "
    "magdalena joanna zofia zuzanna julia hanna maja lena alicja oliwia wiktoria natalia aleksandra "
    # Swedish, Norwegian, Danish
    "lars anders mikael johan erik karl per nils sven olof björn bjørn ole morten søren jørgen rasmus kristian mads "
    "kristina elisabet birgitta eva margareta karin marie annika ingrid astrid solveig kirsten mette hanne inger elsa "
    "alva wilma ebba vilma saga axel nils elias noah "
    # Finnish, Czech and Slovak, Hungarian, Turkish, Arabic
    "juhani johannes tapani antero mikael matti juha timo kari jukka helena johanna annika kaarina päivi tuula "
    "jiří josef pavel petr tomáš jaroslav miroslav zdeněk václav lucie kateřina jana eva hana lenka alena věra "
    "lászló istván józsef jános zoltán sándor ferenc gábor mária erzsébet katalin ilona éva judit "
    "mehmet mustafa ahmet hüseyin hasan ayşe fatma emine hatice zeynep mohamed mohammed muhammad ahmed omar hassan "
    "hussein khaled youssef ibrahim fatima aisha mariam zainab khadija "
)
_SURNAMES = listed(
    "smith johnson williams brown jones garcia miller davis rodriguez martinez hernandez lopez gonzalez wilson "
    "anderson thomas taylor moore jackson martin lee perez thompson harris sanchez clark ramirez lewis robinson "
    "walker allen wright scott torres nguyen hill flores adams nelson baker hall rivera campbell mitchell carter "
    "roberts gomez phillips evans turner diaz parker cruz edwards collins reyes stewart morris morales murphy cook "
    "rogers gutierrez ortiz morgan cooper peterson bailey reed kelly howard ramos cox ward richardson watson brooks "
    "chavez bennett gray mendoza ruiz hughes alvarez castillo sanders patel myers long ross foster jimenez powell "
    "jenkins perry russell sullivan bell coleman butler henderson barnes fisher simmons graham hamilton green müller "
    "mueller schmidt schneider fischer weber meyer wagner becker schulz hoffmann koch bauer richter klein wolf "
    "schröder schroeder neumann schwarz zimmermann braun krüger krueger hofmann hartmann lange schmitt werner krause "
    "lehmann schmid schulze maier köhler koehler herrmann könig koenig walter mayer huber kaiser fuchs peters lang "
    "scholz möller moeller weiß weiss jung hahn schubert vogel friedrich keller günther berger winkler roth beck "
    "lorenz baumann franke albrecht schuster simon ludwig böhm winter kraus martin schumacher krämer vogt stein jäger "
    "otto sommer groß seidel heinrich brandt haas schreiber graf dietrich ziegler kuhn kühn pohl engel horn busch "
    "bergmann bernard dubois robert richard petit durand leroy moreau laurent lefebvre michel david bertrand roux "
    "vincent fournier morel girard andré lefèvre mercier dupont lambert bonnet françois martinez legrand garnier "
    "faure rousseau blanc guerin muller henry roussel nicolas perrin morin mathieu clement gauthier dumont fernández "
    "fernandez lópez martínez sánchez pérez gómez martín jiménez hernández díaz moreno muñoz munoz álvarez romero "
    "alonso gutiérrez navarro domínguez dominguez vázquez vazquez serrano blanco molina suárez suarez delgado castro "
    "ortega rubio marín sanz iglesias núñez nunez medina garrido de jong jansen vries berg bakker dijk visser smit "
    "meijer boer mulder groot bos vos peters hendriks leeuwen dekker brouwer wit dijkstra smits graaf meer kok jacobs "
    "haan vermeulen heuvel veen broek bruijn schouten beek willems hoekstra koster prins huisman peeters kuipers "
    "kuiper veenstra postma wang li zhang chen liu kim singh kumar khan ali ahmed yilmaz kaya demir ivanov kowalski "
    "nowak novak rossi ferrari russo silva santos oliveira souza costa pereira nguyen tran bianchi esposito colombo "
    "ricci marino greco bruno gallo conti mancini giordano rizzo lombardi moretti barbieri fontana santoro mariani "
    "rinaldi caruso ferrara galli martini leone longo gentile martinelli vitale ferreira rodrigues martins sousa "
    "fernandes gonçalves lopes marques almeida ribeiro pinto carvalho teixeira moreira correia mendes nunes soares "
    "vieira monteiro cardoso rocha lima araújo barbosa wiśniewski wójcik kowalczyk kamiński lewandowski zieliński "
    "szymański woźniak dąbrowski kozłowski jankowski mazur wojciechowski kwiatkowski krawczyk kaczmarek piotrowski "
    "grabowski zając pawłowski michalski król wieczorek jabłoński wróbel nowakowski majewski andersson johansson "
    "karlsson nilsson eriksson larsson olsson persson svensson gustafsson pettersson jonsson jansson hansson hansen "
    "johansen olsen larsen andersen pedersen nilsen kristiansen jensen karlsen jørgensen christensen nielsen sørensen "
    "rasmussen "
    "korhonen virtanen mäkinen nieminen mäkelä hämäläinen laine heikkinen koskinen järvinen lehtonen saarinen "
    "novák nováková svoboda svobodová novotný novotná dvořák dvořáková černý černá procházka kučera veselý horák "
    "horáková němec pokorný marek pospíšil hájek jelínek kováč horváth nagy kovács tóth szabó varga kiss molnár németh "
    "farkas balogh papp takács juhász yılmaz çelik şahin yıldız öztürk aydın arslan doğan kılıç hussain mahmoud "
    "rahman begum haddad mansour sharma gupta le pham "
)
#: Also ordinary words, places and months, which say nothing by themselves.
_ORDINARY = frozenset(
    listed(
        "de may april june august long brown white black green gray hall hill young king lee martin jackson grace "
        "mason paris florence madison austin charlotte lincoln washington victoria virginia georgia carolina dakota "
        "savannah ward bell cook baker taylor fisher butler carter parker turner cooper foster walker wolf koch klein "
        "stein long mark frank jack max grant rose wit bos groot meer berg boer haan prins otto weiss weiß blanc "
        "petit green kaiser winter sommer bauer richter schneider horn beck lang jung groß graf vogel engel sanz "
        "blanco kok vos li le ali fontana ferrara aurora santiago vitória rocha lima pinto leone saga "
    )
)
NAMES_LIST = sorted((set(_FIRST) | set(_SURNAMES)) - _ORDINARY)
