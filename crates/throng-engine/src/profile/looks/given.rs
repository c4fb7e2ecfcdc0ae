//! Names that many people have, in the languages of most tables. They need not be complete: some of a column suffice.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

/// Given names; not those that are as often something else (`April`, `Paris`).
const GIVEN: &str = "\
    adam adele adrian agata agnes agnieszka alan albert alberto aleksandra alessandro alex alexander alexandra alfred \
    alice alicia alina amanda amelia amy ana andrea andreas andres andrew andrzej angela angelika anita anke ann anna \
    anne annette antje anton antonio arthur artur astrid barbara bartosz beata beate beatrice ben benjamin bernard \
    bernd bert birgit bob boris brian brigitte bruno camille carl carla carlo carlos carmen carol caroline carolina \
    catarina catherine cecile charles charlie chiara chris christian christiane christina christine christoph \
    christopher clara clare claudia claudio cristina dagmar daniel daniela daniele dan dave david deborah denis dennis \
    diana diego dieter dirk dominik dominique donald dora doris dorota dorothea duarte eddie edith eduardo edward ela \
    elena elisabeth elisa elizabeth ella elke emil emily emma enrico eric erik erika ernst eva eve ewa fabio fatima \
    federico felix fernando filip florian francesca francesco francois frank franz fred frederic fritz gabriel \
    gabriele george georg gerard gerd gerhard gert giovanni gisela giulia giuseppe gloria gonzalo grace greta gregor \
    grzegorz guido gunter gus gustav hal hanna hannah hannes hans harald harry heike heinrich heinz helen helena helga \
    helmut hendrik henri henry hilde holger horst hugo ian ignaz ilse inga inge ingo ingrid irena irene iris isabel \
    isabelle ivan jack jacob jacques jakob james jan jana jane janet jaroslaw javier jean jeff jennifer jens jerzy \
    jessica jim joan joanna joao joe joel john johan johann johanna johannes jonas jorg jorge jose josef joseph juan \
    judith julia julian julie juliane jurgen kai karen karin karl karolina katarzyna kate katharina kathrin katja kevin \
    klara klaus konrad krzysztof kurt lara larissa lars laura laurent lea lena leo leon leonard lilian lina linda lisa \
    lorenzo louis louise luca lucas lucia lucy luigi luis luisa lukas lydia maarten magda magdalena malgorzata manfred \
    manuel manuela marc marcel marcin marco marek margaret margarete margarita marga maria marianne marie marina mario \
    marion mark markus marlene marta martha martin martina mary mateusz mathias matilde matteo matthew matthias maximilian \
    melanie michael michal michel michele miguel mike mila milan mohamed mohammed monica monika nadine nadja nancy \
    natalia natalie nicholas nick nicolas nicole niklas nina nora norbert oliver olivia oskar otto pablo paola paolo \
    patricia patrick patrizia paul paula pauline pawel pedro petra peter philip philipp philippe pierre pieter piotr \
    rachel rafael rainer ralf ralph raul rebecca regina renate ricardo richard rita robert roberto rodrigo roger roland \
    rolf roman ronald rosa rosemarie ruben rudolf rui ruth sabine sally sam samuel sandra sara sarah sascha sebastian \
    sergio silke silvia simon simone sofia sonja sophia sophie stefan stefanie stefano stephan stephanie stephen steve \
    steven susan susanne sven sylvia tanja tatjana teresa theo theresa thomas tim timo tina tobias tom tomas tomasz \
    tony torsten ulf ulrich ulrike ursula ute uwe valentina valerie vanessa vera verena veronika vincent viktor volker \
    walter wanda werner wilhelm willem william wolfgang xaver yannick yvonne zbigniew zofia zoe";

/// Family names.
const FAMILY: &str = "\
    allen almeida alonso alvarez anderson andrade bailey bakker barbieri bauer baumann beck becker bell bennett berger \
    bergmann bernard bertrand bianchi blanco boer bonnet bos bos brandt braun brouwer brown bruno busch carter carvalho \
    castro clark collins colombo conti cooper costa cox cruz dabrowski davies davis dekker delgado dias dietrich diaz \
    dijkstra dubois dumont dupont durand edwards engel evans fernandes fernandez ferrari ferreira fischer fontana \
    fournier frank franke friedrich fuchs gallo garcia gil girard gomes gomez gonzalez graf gray greco green gross \
    gunther gutierrez haas hahn hansen harris hartmann hendriks hernandez herrmann hill hoffmann hofmann horn huber \
    hughes jackson jager jankowski jansen janssen jones kaiser kaminski keller kelly kowalczyk kowalski kozlowski \
    kramer kraus krause krawczyk kruger kuhn lambert lang lange laurent lefebvre lehmann leroy lewandowski lewis lombardi \
    lopes lopez lorenz ludwig maier marino marques martinez martins maurer mayer mazur mazzini meier meijer mendes meyer \
    miller mitchell moore morales moreau moreno moretti morgan morris mulder muller mueller munoz murphy murray navarro \
    neumann nowak nunes oliveira ortega ortiz otto parker pereira perez petit peters pfeiffer phillips pinto piotrowski \
    pohl price ramirez ramos reed ribeiro ricci richter rizzo robinson rodrigues rodriguez romano romero rossi roth \
    roux ruiz russo sanchez santos sauer schafer schaefer schmid schmidt schmitt schmitz schneider scholz schreiber \
    schroder schroeder schubert schulte schulz schulze schuster schwarz serrano silva simmons simon smit smith soares \
    sommer sousa souza stein stewart suarez szymanski taylor thomas thompson torres turner vasquez vazquez visser \
    vogel vogt voigt vries wagner walker walter ward watson weber weiss werner white williams wilson winkler winter \
    wisniewski wojcik wolf wolff wood wright young ziegler zielinski zimmermann koch peeters maes jacobs willems mertens";

static GIVEN_NAMES: LazyLock<FxHashSet<&'static str>> = LazyLock::new(|| GIVEN.split(' ').collect());
static FAMILY_NAMES: LazyLock<FxHashSet<&'static str>> = LazyLock::new(|| FAMILY.split(' ').collect());

/// Whether many people are called so.
pub(super) fn is_given_name(word: &str) -> bool {
    GIVEN_NAMES.contains(plain(word).as_str())
}

/// Whether many families are called so.
pub(super) fn is_family_name(word: &str) -> bool {
    FAMILY_NAMES.contains(plain(word).as_str())
}

/// A word in small letters without accents.
fn plain(word: &str) -> String {
    crate::profile::words::plain_word(word)
}
