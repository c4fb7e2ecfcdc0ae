//! What surveys call their households and weights.

/// What people who live together are called.
pub(in super::super) const HOUSEHOLDS: &str = "\
    hh, hhold, household*, haushalt*, menage*, foyer*, logement*, hogar, hogares, vivienda*, nucleo familiare, \
    nucleo familiar, famiglia, huishoud*, huishouden*, gezin, gezins*, agregado familiar, agregado*, gospodarstw*, \
    family, dwelling*";

/// Names that are those of sampling weights whatever stands beside them.
pub(in super::super) const SAMPLING_WEIGHTS: &str = "\
    sampling weight*, sample weight*, design weight*, survey weight*, weighting*, person weight*, household weight*, \
    final weight*, analysis weight*, population weight*, replicate weight*, frequency weight*, probability weight*, \
    post stratification weight*, poststratification*, expansion factor, inflation factor, grossing*, dweight, pweight, \
    pspwght, pspwt, anweight, fnlwgt, finalwgt, wgt, *wgt, wght, *wght, perwt, hhwt, *wtfinl, wtfinl, \
    *gewichtung*, hochrechnung*, designgewicht*, personengewicht*, haushaltsgewicht*, stichprobengewicht*, \
    design gewicht*, phrf, hhrf, \
    ponderation*, poids de sondage, poids sondage, poids final, poids d echantillon*, coefficient d extrapolation, \
    ponderador*, ponderacion*, factor de expansion, factor expansion, factor de elevacion, factor elevacion, peso muestral, \
    peso de muestreo, \
    ponderazione*, fattore di espansione, fattore espansione, peso campionario, coefficiente di riporto, \
    weegfactor*, weegcoefficient*, wegingsfactor*, weging*, ophoogfactor*, steekproefgewicht*, \
    fator de expansao, fator expansao, fator de ponderacao, peso amostral, ponderacao*, \
    waga analityczna, waga probkowa, waga proby, waga losowania, wspolczynnik wagowy";

/// Names that are those of bodies' weights as often.
pub(in super::super) const BODY_OR_SAMPLING: &str =
    "weight, weights, wt, gewicht, gewichte, gewichten, poids, peso, pesos, pesi, waga, wagi";

/// What says of a weight that it is a body's.
pub(in super::super) const BODIES: &str = "\
    body*, birth*, kg, kilo*, lb, lbs, pound*, gram, grams, baby*, patient*, korper*, koerper*, geburts*, corporel*, \
    naissance*, corporal*, nacer, nacimiento*, corporeo, nascita*, lichaam*, geboorte*, nascimento*, ciala, urodz*";

/// What stands beside the weights of bodies.
pub(in super::super) const BODY_MEASURES: &str = "\
    height, bmi, waist*, blood*, pulse, *groesse, *grosse, taille, tour de taille, talla, altura, estatura, altezza, \
    statura, lengte, wzrost*";

/// What only surveys have.
pub(in super::super) const SURVEYS: &str = "\
    stratum, strata, psu, ssu, primary sampling unit, interview*, respondent*, questionnaire*, survey*, hh, hhid, hhold, \
    household id, household no, household number, *haushalts*, befragte*, befragung*, fragebogen*, strate, strates, \
    enquete*, menage*, encuesta*, hogar, estrato*, entrevista*, intervist*, indagine*, strato, enquete*, huishoud*, \
    inquerito*, inquirid*, agregado*, respondent*, ankiet*, gospodarstw*, warstwa";
