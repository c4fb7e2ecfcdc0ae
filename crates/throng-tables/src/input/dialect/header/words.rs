//! Words that columns are called by, in the languages that people use.
//!
//! Only words that hardly ever are a whole cell of data: `city`, but not `school` or `married`.

/// Whether a name is made of such words alone: `city`, `Zip-Code`, `birthDate`, `adres2`.
pub(super) fn name_a_column(name: &str) -> bool {
    let words = split(name);
    let known = |word: &String| word.chars().all(char::is_numeric) || is_known(word);
    words.iter().any(|word| is_known(word)) && words.iter().all(known)
}

fn is_known(word: &str) -> bool {
    WORDS.split_whitespace().any(|known| known == word)
}

/// The words of a name, in lower case, apart at case changes, digits and signs.
fn split(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for c in name.chars() {
        let begins = c.is_uppercase() && before.is_lowercase() || c.is_numeric() != before.is_numeric();
        if begins || !c.is_alphanumeric() {
            words.push(String::new());
        }
        if let (true, Some(word)) = (c.is_alphanumeric(), words.last_mut()) {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

const WORDS: &str = "
    id ids identifier key uid pid uuid guid code codes number no num nr name names firstname lastname
    surname forename fname lname first last full given middle user username login email mail phone
    telephone mobile fax address street house ssn mrn passport iban account patient person subject
    participant respondent customer client employee student member record row case column col field var variable
    age sex gender birth birthdate birthday dob born date datetime time timestamp year month day week
    race ethnicity nationality citizenship country native zip zipcode postal postcode city town village
    municipality county state province region district place location residence latitude longitude lat
    lon lng marital civil status relationship household size children education educational level
    degree occupation job profession employer employment workclass industry language height weight
    admission discharge visit start end type kind category class group grade score rate ratio count
    total amount price cost costs value values quantity unit units description comment comments note
    notes text title label target outcome response result results diagnosis diagnoses disease illness
    condition icd symptom symptoms treatment therapy medication drug dose prescription procedure
    allergy blood pressure salary income wage wages earnings balance debt loan religion hours department
    ward clinic doctor physician site arm product item company question answer of the per and in by
    kennung nummer vorname nachname familienname kundenname patientenname geburtsname geschlecht alter
    geburtsdatum geburtstag geburtsjahr geburtsort datum uhrzeit jahr monat tag wohnort ort stadt plz
    postleitzahl strasse straße hausnummer land bundesland kreis gemeinde staatsangehörigkeit beruf
    familienstand bildung abschluss einkommen gehalt diagnose krankheit befund behandlung aufnahme
    entlassung hausarzt station abteilung telefon adresse anrede bezeichnung kosten betrag menge wert
    nom prenom prénom naissance sexe âge adresse rue ville commune departement département pays région
    profession métier diagnostic maladie téléphone courriel date_naissance codepostal situation salaire
    revenu nationalité année mois jour
    nombre apellido apellidos nacimiento fecha sexo edad género genero dirección direccion calle ciudad
    municipio provincia país pais código codigo profesión profesion ocupación ocupacion diagnóstico
    diagnostico enfermedad teléfono telefono correo estado salario ingresos nacionalidad año mes
    nome cognome nascita sesso età eta indirizzo città citta comune regione paese cap professione
    occupazione diagnosi malattia telefono stipendio reddito cittadinanza anno mese giorno data
    naam voornaam achternaam geboortedatum geslacht leeftijd adres straat woonplaats gemeente provincie
    land postcode beroep diagnose ziekte telefoon salaris inkomen nationaliteit jaar maand dag
    sobrenome apelido nascimento idade endereço endereco morada rua cidade concelho distrito profissão
    profissao ocupação ocupacao doença doenca telefone salário salario renda nacionalidade ano mês dia
    imie imię nazwisko urodzenia płeć plec wiek adres ulica miasto gmina powiat województwo wojewodztwo
    kraj kod pocztowy zawód zawod rozpoznanie diagnoza choroba telefon wynagrodzenie dochód dochod
    obywatelstwo rok miesiąc miesiac dzień dzien pesel";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_columns_are_known_whole() {
        for name in ["city", "Zip-Code", "birthDate", "MARITAL_STATUS", "adres 2", "Vorname", "płeć"] {
            assert!(name_a_column(name), "{name}");
        }
        for cell in ["Kings County Hospital", "Smith", "2", "", "State-gov", "Anna", "m", "First Avenue"] {
            assert!(!name_a_column(cell), "{cell}");
        }
    }
}
