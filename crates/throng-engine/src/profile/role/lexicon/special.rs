//! Special categories of personal data.

/// Each category, and words of names that speak of it.
pub(in super::super) const SPECIAL: &[(&str, &str)] = &[
    ("disability", DISABILITY),
    ("religion", RELIGION),
    ("trade union membership", UNION),
    ("political opinions", POLITICS),
    ("sex life or sexual orientation", SEXUALITY),
    ("ethnic origin", ORIGIN),
    ("genetic data", GENETIC),
    ("biometric data", BIOMETRIC),
    ("criminal offences", CRIME),
    ("health", HEALTH),
];

const DISABILITY: &str = "\
    disab*, handicap*, behinder*, *behinderung*, schwerbehind*, invalidit*, discapac*, minusval*, disabil*, gehandicapt*, \
    deficien*, incapac*, niepelnospraw*";

const RELIGION: &str = "\
    religio*, denomination*, faith, creed, church*, worship, konfession*, glaube*, kirche*, kirchen*, confession*, culte, \
    croyance*, confesion*, iglesia*, culto, chiesa*, godsdienst*, geloof*, kerk, kerkelijk*, religia*, wyznan*";

const UNION: &str = "\
    trade union*, labor union*, labour union*, =union, union member*, unionized, unionised, union status, \
    gewerkschaft*, syndicat*, syndique*, sindicat*, sindacat*, vakbond*, vakvereniging*, zwiazek zawod*, zwiazki zawod*";

const POLITICS: &str = "\
    politic*, political party, party vote, party preference, party membership, vote, voted, voting, partei*, wahlabsicht*, \
    politisch*, politique*, politik*, politiek*, stemgedrag, polityczn*";

const SEXUALITY: &str = "\
    sexual*, sex life, sexuel*, sexuell*, lgbt*, seksu*, orientacja seks*";

const ORIGIN: &str = "\
    =race, ethnic*, ethnie, ethnisch*, racial*, skin colo*, hautfarbe, herkunft ethnisch*, ethnique*, origine ethnique, \
    etnia*, etnic*, =raza, =razza, =raca, etnisch*, etnicit*, =rasa, pochodzenie etn*";

const GENETIC: &str =
    "dna, genom*, genetic*, genotyp*, genetik*, genetisch*, genetiq*, genet*, snp, snps, mutation*";

const BIOMETRIC: &str = "\
    biometr*, fingerprint*, iris scan, retina*, face id, fingerabdruck*, empreinte*, huella*, impronta*, vingerafdruk*";

const CRIME: &str = "\
    crime*, criminal*, offence*, offense*, conviction*, convicted, prison*, arrest*, straftat*, vorstrafe*, \
    delit, delits, condamnation*, delito*, condena*, reato, reati, condanna*, misdrijf*, strafblad*, crime*, \
    przestepstw*, karalnosc";

const HEALTH: &str = "\
    health, diagnosis, diagnos*, disease*, illness*, icd, icd*, symptom*, therapy, therapies, medication*, drug, drugs, \
    prescription*, hiv, aids, cancer*, tumour*, tumor*, cholesterol, hba, hba1c, allerg*, mental*, psychiatr*, depress*, \
    pregnan*, smok*, alcohol*, surgery, blood pressure, blood type, blood group, contracept*, vaccin*, comorbid*, \
    krankheit*, erkrankung*, *befund*, medikament*, therapie*, schwanger*, raucher*, gesundheit*, krankenstand*, \
    maladie*, sante, traitement medic*, medicament*, grossesse, \
    enfermedad*, salud, medicamento*, embaraz*, malatti*, salute, farmac*, gravidanz*, \
    ziekte*, gezondheid*, medicijn*, zwanger*, doenca*, saude, gravidez*, chorob*, zdrowi*, rozpoznan*, ciaz*";
