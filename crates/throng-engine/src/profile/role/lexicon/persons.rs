//! What identifies one person.

/// Names that point to one person by themselves.
pub(in super::super) const IDENTIFIERS: &str = "\
    surname*, forename*, nickname*, login*, ssn, social security, national id*, email*, e mail*, mail, *phone*, mobile, \
    fax, =tel, tel no, passport*, iban, account number, account no, credit card, card number, uuid, guid, mrn, medical \
    record, policy number, serial number, address*, addr, street*, house number, licence plate*, license plate*, \
    number plate, driver licen*, driving licen*, ip, url, website, homepage, device, fingerprint, photo, portrait, \
    signature, twitter, facebook, instagram, screen name, imei, imsi, iccid, vin, mac, cookie, next of kin, \
    contact person, emergency contact, nino, aadhaar, nhs, \
    *strasse*, *anschrift*, *adress*, *telefon*, handy*, mobil, mobilnummer, fingerabdruck, unterschrift, ansprechpartner*, \
    kontaktperson*, steuer id, kvnr, svnr, rentenversicherung*, sozialversicherung*, \
    prenom*, adresse*, =rue, courriel*, telephone*, =portable, =mobile, immatriculation*, matricule*, nir, \
    securite sociale, \
    apellid*, dni, nie, correo, correo electronico, telefono*, movil*, direccion*, =calle, domicilio*, matricula*, \
    pasaporte*, firma electronica, \
    cognome*, codice fiscale, tessera sanitaria, indirizz*, =via, cellulare*, celular*, targa, passaporto*, \
    bsn, burgerservice*, rijksregister*, adres*, straat*, *straat, telefoon*, kenteken*, rijbewijs*, paspoort*, \
    sobrenome*, apelido*, nif, cpf, morada, enderec*, telemovel*, correio, =rua, passaporte*, \
    nazwisk*, imie, imion*, pesel, ulica*, telefon*, dowod*, dowodu, paszport*, komork*";

/// Words for names of whatever kind.
pub(in super::super) const NAMES: &str =
    "*name, *nam, *naam, nom, noms, nome, nomes, nombre, nombres, *namen";

/// Parts of names, which many people have in common.
pub(in super::super) const PARTS_OF_NAMES: &str = "\
    first name, fname, last name, lname, given name, family name, maiden name, middle name, nick name, surname*, \
    forename*, vorname*, nachname*, familienname*, geburtsname*, prenom*, =nom, apellid*, =nombre, cognome*, =nome, \
    voornaam, achternaam, sobrenome*, apelido*, =imie, =nazwisko";

/// Names of things and places: with one of these, a name is not a person's, nor an `id`.
pub(in super::super) const THINGS: &str = "\
    country*, city*, town*, county*, state*, region*, district*, product*, company*, hospital*, clinic*, ward*, site*, \
    file*, class, column*, drug*, disease*, species, school*, department*, event*, group*, brand*, item*, store*, \
    test*, study*, project*, team*, course*, table*, sheet*, road, place*, location*, variable*, category*, model*, \
    orts*, stadt*, land, landes*, produkt*, firma*, firmen*, klinik*, krankenh*, abteilung*, datei*, schul*, medikament*, \
    ville, pays, commune, produit*, entreprise*, hopital*, service, \
    ciudad*, pais, producto*, empresa*, centro, citta, comune, prodotto*, azienda*, ospedale*, \
    stad, gemeente, bedrijf*, ziekenhuis*, cidade*, produto*, concelho, miast*, produkt*, szpital*, lek, leku";

/// What the keys of persons and records are called, at the end of a name.
pub(in super::super) const KEYS: &str = "id, ids, identifier, key, uid, pid, ident";

/// What people are called.
pub(in super::super) const PEOPLE: &str = "\
    patient*, person, persons, people, subject, subj, usubj, participant*, respondent*, proband*, member*, customer*, \
    client*, user*, employee*, worker*, staff, student*, pupil*, citizen*, resident*, insured*, policyholder*, \
    applicant*, borrower*, tenant*, donor*, passenger*, guardian*, spouse, mother, father, \
    kunde*, versichert*, mitarbeiter*, schueler*, schuler*, mitglied*, burger*, buerger*, pers, \
    salarie*, assure*, eleve*, etudiant*, usager*, beneficiaire*, \
    paciente*, client*, usuario*, emplead*, alumn*, socio, asegurad*, \
    pazient*, utente*, dipendent*, assistit*, student*, \
    klant*, medewerker*, leerling*, verzekerd*, clientnummer, \
    utilizador*, funcionari*, alun*, segurad*, \
    pacjent*, klient*, pracowni*, uczen*, uczni*, student*, ubezpieczon*";

/// How the same are shortened where a word for a number follows without a gap (`patno`, `subjid`).
pub(in super::super) const ABBREVIATED_PEOPLE: &str = "\
    pat, pt, ptn, pers, subj, usubj, sub, resp, cust, cli, clt, kd, emp, empl, usr, user, stud, mem, mbr, cit, \
    vers, rand, case, rec, record, acct";

/// Whom a record names beside the one it is about.
pub(in super::super) const PROFESSIONALS: &str = "\
    =gp, doctor, physician, surgeon, nurse, therapist, dentist, midwife, teacher, lecturer, tutor, lawyer, supervisor, \
    manager, investigator, interviewer, caseworker, clinician, consultant, \
    *arzt, *arztin, *aerztin, einweiser*, zuweiser*, behandler*, betreuer*, sachbearbeiter*, *therapeut, lehrer*, \
    *leiter, medecin*, docteur, infirmier*, enseignant*, \
    medico*, doctor, enfermer*, profesor*, \
    medici, infermier*, insegnant*, huisarts*, tandarts*, =arts, verpleegkundig*, docent*, \
    enfermeir*, professor*, lekarz*, lekarza, pielegniar*, nauczyciel*";

/// What is said of people with a word for them in the name: their number, kind or state, but not who they are.
pub(in super::super) const PROPERTIES: &str = "\
    type*, typ, kind, status, state, class, category, group, segment, count, *visits, visit, contacts, specialty, \
    speciality, satisfaction, rating, age, sex, gender, since, year*, date*, time*, duration, days, weight, height, \
    level, grade, score, ratio, share, share*, income, occupation, yes, has, is, n, \
    anzahl, art, gruppe, klasse, alter, geschlecht, seit, dauer, fach*, zahl, \
    nb, nombre de, statut, categorie, groupe, duree, tipo, grupo, categoria, gruppo, numero di, numero de, soort, aantal, \
    groep, estado, rodzaj, liczba, grupa";

/// What numbers of records are called, at the end of a name; some are mere counts.
pub(in super::super) const NUMBERS: &str = "\
    *number, numbers, no, num, *nr, nbr, *nummer, numero, numer, card, ref, reference, serial, registry, registration, \
    account, contract, invoice, certificate, barcode, token, *kennung, *kennzeichen, aktenzeichen, *zeichen, \
    ausweis, dossier, expediente, cartella, akte";

/// Words for a number that come first where a language puts them so.
pub(in super::super) const FIRST_NUMBERS: &str =
    "num, numero, numer, nr, no, id, codigo, codice, kod, code, numer*";

/// What has a number of its own and belongs to somebody.
pub(in super::super) const RECORDS: &str = "\
    case*, record*, file, claim*, policy, policies, account*, contract*, card*, member*, loan*, \
    fall*, akte*, konto*, vertrag*, \
    dossier*, contrat*, compte*, carte*, facture*, police*, securite*, adherent*, \
    historia*, expediente*, cuenta*, tarjeta*, poliza*, factura*, afiliad*, \
    cartella*, conto, contratt*, polizza*, tessera*, pratica*, \
    polis*, rekening*, process*, conta, cartao, apolice*, utente*, \
    umow*, kont*, dowod*, legitymac*, polis*, kart*, spraw*";

/// What has a number without being anybody's; also what a `no` answers.
pub(in super::super) const COUNTED: &str = "\
    hour, day, week, month, year, floor, room, bed, ward, grade, class, level, stage, rank, version, yes, \
    tag, woche, monat, jahr, zimmer, bett, stufe, klasse, semaine, chambre, semana, settimana";

/// What may follow a shortened word for people without a gap.
pub(in super::super) const JOINED_KEYS: &str = "id, no, nr, num, nbr, key, code";
