//! Words in the names of columns that say what a column is for.
//!
//! Phrases have commas between them. One of several words is found when these stand next to each
//! other, or run together.

/// Names that point to one person.
pub(super) const IDENTIFIERS: &str = "\
    first name, last name, full name, given name, family name, maiden name, middle name, user name, \
    surname, forename, nickname, login, ssn, social security, email, e mail, mail, phone, telephone, \
    mobile, fax, passport, iban, account number, account no, credit card, card number, uuid, guid, mrn, \
    medical record, record number, patient number, nhs number, insurance number, policy number, serial \
    number, tax number, address, street, house number, licence plate, license plate, driver licence, \
    driver license, ip, url, device, fingerprint, photo, vorname, nachname, strasse, telefon";

/// Names of things and places: with one of these, a name is not a person's.
pub(super) const THINGS: &str = "\
    country, city, town, county, state, region, district, product, company, hospital, clinic, ward, \
    file, class, column, drug, disease, species, school, department, event, group";

/// What the keys of persons and records are called, at the end of a name.
pub(super) const KEYS: &str = "id, ids, identifier, key, uid, pid";

/// What people are called whose rows a number tells apart.
pub(super) const PEOPLE: &str = "\
    patient, person, people, subject, participant, respondent, proband, member, customer, client, user, \
    employee, worker, student, pupil, citizen, resident, insured, policyholder, applicant, borrower, \
    tenant, donor, kunde, kunden, patienten, versicherten, mitarbeiter";

/// What their numbers are called, at the end of a name; some are mere counts.
pub(super) const NUMBERS: &str = "\
    number, numbers, no, num, nr, nbr, nummer, card, ref, reference, serial, registry, registration, \
    account, contract, invoice, certificate, barcode, token, kennung, kennzeichen, aktenzeichen";

/// What has a number without being anybody's; also what a `no` answers.
pub(super) const COUNTED: &str = "\
    hour, day, week, month, year, floor, room, bed, ward, grade, class, level, stage, rank, version, yes";

/// What nobody should learn about a person.
pub(super) const SENSITIVE: &str = "\
    diagnosis, diagnoses, diagnose, disease, illness, condition, icd, symptom, symptoms, treatment, \
    therapy, medication, drug, prescription, procedure, surgery, hiv, cancer, blood, allergy, \
    disability, pregnancy, pregnant, contraceptive, mental, psychiatric, genetic, dna, smoker, alcohol, \
    result, salary, income, wage, wages, earnings, balance, debt, loan, credit, wealth, crime, criminal, \
    offence, offense, conviction, religion, religious, political, vote, trade union, sexual orientation, \
    sexuality, grade, gpa, krankheit, gehalt, einkommen";

/// What a model should predict. A `y` alone is not among them: it is as likely a coordinate, and a
/// target is released as it is.
pub(super) const TARGETS: &str = "target, label, class, outcome, response";

/// What others may know about a person.
pub(super) const QUASI: &str = "\
    birth, birthday, born, dob, age, sex, gender, race, ethnicity, ethnic, nationality, citizenship, \
    country, native, zip, zip code, postal, postcode, plz, city, town, village, municipality, county, \
    state, province, region, district, neighbourhood, neighborhood, place, location, residence, \
    latitude, longitude, lat, lon, lng, marital, married, marriage, civil status, relationship, family, \
    children, household, education, educational, degree, school, university, occupation, job, \
    profession, employer, employment, employed, workclass, work, working, industry, language, height, \
    weight, hair, eye, admission, discharge, visit, date, year, month, death, vehicle, car, military, \
    veteran, hours, doctor, physician, surgeon, nurse, teacher, geschlecht, alter, geburtsdatum, beruf, wohnort, familienstand";

/// What others may know that is as fine as a key: hardly two rows need to have the same.
pub(super) const FINE: &str = "\
    zip, zip code, postal, postcode, plz, latitude, longitude, lat, lon, lng, birth, birthday, born, dob, \
    date, age, height, weight, hours, geburtsdatum, alter";
