//! What others may know about a person.

/// What others may know about a person.
pub(in super::super) const QUASI: &str = "\
    birth*, born, dob, yob, age, ages, sex, gender, race, ethnicity, ethnic*, nationality, nationalit*, citizenship, country*, native, zip*, \
    postal*, postcode*, plz, city, town, village, municipality, county, state, province, region, district, \
    neighbourhood, neighborhood, place, location, residence, latitude, longitude, lat, lon, lng, geo*, marital, married, \
    marriage, civil status, relationship, family, children, household, education*, degree, school, university, \
    occupation*, job, profession*, employer, employment, employed, unemployed, retired, workclass, work, working, \
    industry, department, language, height, weight, hair, eye, admission, discharge, visit, date, year, month, \
    timestamp, datetime, death, vehicle, car, military, veteran, hours, ward, hospital, clinic, site, arm, \
    doctor, physician, surgeon, nurse, teacher, tax class, tax code, pay grade, pay band, pay scale, blood type, \
    blood group, smoker, smok*, pregnant, pregnan*, procedure*, treatment*, surgery, operation, religion, religio*, denomination, disab*, \
    handicap*, insurance, insurer, start, end, \
    *alter, geschlecht*, geb, geburts*, geboren, *beruf*, wohnort*, *ort, ortsteil, stadt*, gemeinde*, bundesland, \
    *kreis, land, familienstand, *kinder*, arbeitgeber*, *schule*, *abschluss, ausbildung*, *angehoerig*, \
    *angehorig*, steuerklasse, lohngruppe, gehaltsstufe, blutgruppe*, raucher*, schwanger*, konfession*, *datum, *jahr, \
    station, krankenkasse*, klinik, *groesse, grosse, gewicht, sprache, aufnahme*, entlassung*, behandlung*, \
    operation*, eingriff*, \
    sexe, naissance*, =ne, lieu*, code postal, ville, commune, departement, pays, situation familiale, etat civil, \
    enfants, metier, employeur, etudes, diplome, groupe sanguin, fum*, enceinte*, taille, poids, nationalite, langue, \
    sortie, entree, traitement*, intervention*, mutuelle, \
    edad, sexo, nacimiento*, fecha*, ciudad*, municipio*, provincia*, pais, estado civil, hij*, profesi*, estudios*, \
    ocupaci*, fumador*, embaraz*, grupo sanguineo, peso, altura, estatura, codigo postal, lugar*, ingreso*, raza, \
    nacionalidad*, idioma, tratamiento*, \
    eta, sesso, nascita*, data, luogo*, cap, comune, citta, regione*, provincia*, cittadinanza*, stato civile, figli*, \
    professione*, titolo studio, istruzione, gruppo sanguigno, fumat*, gravidanz*, incinta, altezza, residenza*, \
    ricovero*, dimission*, trattament*, intervent*, \
    leeftijd*, geslacht*, geboorte*, *plaats, woonplaats, gemeente*, provincie, burgerlijke staat, beroep*, \
    opleiding*, bloedgroep*, roker*, rookt, zwanger*, lengte, opname*, ontslag*, kinderen, nationaliteit*, \
    behandeling*, \
    idade*, nascimento*, naturalidade*, concelho*, freguesia*, cidade*, distrito*, estado civil, profissao*, \
    escolaridade*, raca*, cor, gravid*, fumador*, fumante*, filhos, tratamento*, \
    wiek, plec, urodz*, miejsc*, kod pocztowy, miast*, wojewodztw*, powiat*, gmin*, stan cywilny, zawod*, \
    wykszta*, grupa krwi, palacz*, pali, ciaz*, wzrost*, waga, obywatel*, narodow*, dzieci, przyjec*, wypis*, zabieg*";

/// What others may know that is as fine as a key: hardly two rows need to have the same.
pub(in super::super) const FINE: &str = "\
    zip*, postal*, postcode*, plz, latitude, longitude, lat, lon, lng, geo*, birth*, born, dob, date, timestamp, age, \
    height, weight, hours, geburts*, geb, *datum, alter, code postal, naissance*, codigo postal, nacimiento*, fecha*, \
    nascita*, data, cap, geboorte*, nascimento*, kod pocztowy, urodz*, gewicht, poids, peso, waga";
