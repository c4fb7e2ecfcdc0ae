use super::*;
use crate::profile::DateFormat;

pub(super) fn facts(name: &str, kind: ColumnKind, distinct: u64, unique_rows: u64) -> Facts<'_> {
    Facts {
        name,
        kind,
        rows: 1_000,
        missing: 0,
        distinct,
        unique_rows,
        dated: false,
        look: None,
        text: TextFacts::default(),
    }
}

fn role(name: &str, kind: ColumnKind, distinct: u64, unique_rows: u64) -> Role {
    suggest(&facts(name, kind, distinct, unique_rows)).role
}

#[test]
fn names_of_persons_are_left_out() {
    for name in
        ["name", "First Name", "surname", "EMAIL", "phone_number", "SSN", "home_address", "patientName"]
    {
        assert_eq!(role(name, ColumnKind::Category, 300, 10), Role::Identifier, "{name}");
    }
    for name in ["country_name", "hospital name", "renamed"] {
        assert_eq!(role(name, ColumnKind::Category, 300, 10), Role::Quasi, "{name}");
    }
}

/// Names that were once taken for quasi-identifiers, because their values repeat.
#[test]
fn identifiers_that_repeat_are_identifiers() {
    for name in [
        "Patientenname",
        "patientname",
        "Hausarzt",
        "gp",
        "USUBJID",
        "SUBJID",
        "RANDNO",
        "INVNAM",
        "fname",
        "lname",
        "Kundenname",
        "Familienname",
        "customer",
        "client",
        "Fallnr",
        "KVNR",
        "SVNR",
        "persnr",
        "Ausweisnr",
        "patno",
        "imei",
        "imsi",
        "vin",
        "mac",
        "numéro_dossier",
        "nr_klienta",
        "landlord_name",
        "class_teacher_name",
        "IPAddress",
    ] {
        for kind in [ColumnKind::Category, ColumnKind::Characters, ColumnKind::Integer] {
            assert_eq!(role(name, kind, 300, 10), Role::Identifier, "{name}");
        }
    }
    for name in [
        "customer_type",
        "doctor_visits",
        "Firmenname",
        "SITEID",
        "employee_count",
        "patient_age",
        "nombre_enfants",
    ] {
        assert_eq!(role(name, ColumnKind::Category, 30, 1), Role::Quasi, "{name}");
    }
    assert_eq!(role("has_phone", ColumnKind::Boolean, 2, 0), Role::Quasi, "whether there is one");
}

#[test]
fn what_others_may_know_is_not_kept_as_it_is() {
    for name in [
        "tax_class",
        "pay_grade",
        "blood_type",
        "smoker",
        "pregnant",
        "procedure",
        "treatment",
        "ARM",
        "Steuerklasse",
        "Blutgruppe",
        "schwanger",
        "fumeur",
    ] {
        assert_eq!(role(name, ColumnKind::Category, 5, 0), Role::Quasi, "{name}");
    }
    assert_eq!(role("Kosten", ColumnKind::DecimalComma, 900, 850), Role::Sensitive);
    assert_eq!(role("StartDate", ColumnKind::Date(DateFormat::DayFirstSlashMinute), 990, 980), Role::Quasi);
}

#[test]
fn answers_on_one_scale_are_not_left_out() {
    let names: Vec<String> = (1..=30).map(|at| format!("Q{at}")).collect();
    let mut columns: Vec<Facts<'_>> =
        names.iter().map(|name| facts(name, ColumnKind::Integer, 5, 0)).collect();
    columns.push(facts("age", ColumnKind::Integer, 70, 2));
    // Another scale: it may be a code of anything.
    columns.push(facts("Q31", ColumnKind::Integer, 2, 0));
    let roles: Vec<Role> = suggest_roles(&columns).into_iter().map(|suggestion| suggestion.role).collect();
    assert_eq!(roles[..30], [Role::Sensitive; 30]);
    assert_eq!(roles[30..], [Role::Quasi; 2]);
    assert_eq!(suggest_roles(&columns[..4])[0].role, Role::Quasi, "four columns are no survey");
}

/// 98 columns of few answers, with codes for no answer in some: none is left out.
#[test]
fn questionnaires_are_no_identifiers_whatever_their_names() {
    let words = ["trust", "watch", "read", "meet", "hope", "vex", "plan"];
    let names: Vec<String> =
        (0..98).map(|at| format!("{}{}", words[at % 7], char::from(b'a' + (at / 7) as u8))).collect();
    let kind = |at: usize| if at.is_multiple_of(3) { ColumnKind::Mixed } else { ColumnKind::Integer };
    let columns: Vec<Facts<'_>> =
        names.iter().enumerate().map(|(at, name)| facts(name, kind(at), [5, 6, 7, 11][at % 4], 0)).collect();
    let all_are = |columns: &[Facts<'_>], role| suggest_roles(columns).iter().all(|one| one.role == role);
    assert!(all_are(&columns, Role::Sensitive));
    assert!(all_are(&columns[..10], Role::Quasi), "ten columns with nothing in common are no survey");
    let battery: Vec<String> = (0..12).map(|at| format!("trust_{}", char::from(b'a' + at))).collect();
    let battery: Vec<Facts<'_>> =
        battery.iter().map(|name| facts(name, ColumnKind::Integer, 11, 0)).collect();
    assert!(all_are(&battery, Role::Sensitive));
    assert!(all_are(&battery[..9], Role::Quasi));
}

#[test]
fn households_are_numbered_apart_from_persons() {
    for name in [
        "hh_id",
        "HHID",
        "household_id",
        "household no",
        "Haushaltsnummer",
        "haushalt_id",
        "id_menage",
        "num_hogar",
        "id_famiglia",
        "huishoudnummer",
        "id_agregado",
        "nr_gospodarstwa",
    ] {
        let suggestion = suggest(&facts(name, ColumnKind::Integer, 400, 100));
        assert_eq!(suggestion.role, Role::Identifier, "{name}");
        assert!(
            suggestion.reason.ends_with("identifies households, not persons"),
            "{name}: {}",
            suggestion.reason
        );
    }
    for name in [
        "household_size",
        "person_id",
        "number of persons in household",
        "hh_income",
        "no_children_hh",
        "code_household_type",
    ] {
        assert!(!numbers_households(name), "{name}");
    }
}

#[test]
fn values_that_look_like_people_are_left_out_whatever_the_name() {
    use crate::profile::ColumnLook;
    for look in [ColumnLook::PersonalName, ColumnLook::Email, ColumnLook::NationalNumber] {
        let found = Facts { look: Some(look), ..facts("x", ColumnKind::Category, 30, 0) };
        assert_eq!(suggest(&found).role, Role::Identifier);
        let sensitive = Facts { look: Some(look), ..facts("diagnosis", ColumnKind::Category, 30, 0) };
        assert_eq!(suggest(&sensitive).role, Role::Identifier, "nor kept as it is");
    }
    let place = Facts { look: Some(ColumnLook::Coordinates), ..facts("result", ColumnKind::Category, 30, 0) };
    assert_eq!(suggest(&place).role, Role::Quasi);
}

#[test]
fn a_number_of_many_rows_is_nobodys() {
    assert_eq!(role("patient_id", ColumnKind::Integer, 400, 100), Role::Identifier);
    assert_eq!(role("ID", ColumnKind::Integer, 1_000, 1_000), Role::Identifier);
    assert_eq!(role("ward_id", ColumnKind::Integer, 12, 0), Role::Quasi);
}

#[test]
fn names_of_what_is_sensitive_known_or_predicted() {
    use ColumnKind::{Category, Characters, Decimal, Integer};
    assert_eq!(role("diagnosis", Characters, 60, 3), Role::Sensitive);
    assert_eq!(role("monthly-income", Decimal, 900, 850), Role::Sensitive);
    assert_eq!(role("salary-class", Category, 2, 0), Role::Target);
    assert_eq!(role("class", Category, 200, 0), Role::Quasi, "too many for a class label");
    assert_eq!(role("workclass", Category, 7, 0), Role::Quasi);
    for name in ["y", "Y", "pos_y", "map Y", "yLabelled", "classroom"] {
        assert_eq!(role(name, Integer, 7, 0), Role::Quasi, "{name}: unclear, so not released as it is");
    }
    assert_eq!(role("age", Integer, 72, 2), Role::Quasi);
    assert_eq!(role("zip", Characters, 990, 985), Role::Quasi, "known to others even if unique");
    let reason = suggest(&facts("birthDate", ColumnKind::Date(DateFormat::IsoDay), 900, 800)).reason;
    assert_eq!(reason, "'birth' in its name: others may know it");
}

/// What would be released as it is, row by row, must not be a key of the row.
#[test]
fn no_key_is_released_for_its_name() {
    use ColumnKind::{Category, Characters, Integer, Mixed};
    for name in
        ["loan_number", "prescription_number", "cancer_registry_no", "blood_donor_card", "loan", "icd"]
    {
        for kind in [Characters, Integer, Category, Mixed] {
            assert_eq!(role(name, kind, 1_000, 1_000), Role::Identifier, "{name} {kind}");
            assert_eq!(role(name, kind, 950, 900), Role::Identifier, "{name} {kind}");
        }
    }
    // Only those who have a loan have a number.
    let rare = Facts { missing: 700, ..facts("cancer_file", Characters, 300, 300) };
    assert_eq!(suggest(&rare).role, Role::Identifier);
    let few = Facts { rows: 20, ..facts("salary", Integer, 20, 20) };
    assert_eq!(suggest(&few).role, Role::Quasi, "generalised: too few rows to tell a key");
}

/// Several rows of each record: the values are no longer unique, and yet those of a key.
#[test]
fn numbers_of_records() {
    use ColumnKind::{Boolean, Category, Characters, Decimal, Integer};
    for name in [
        "loan_number",
        "Loan No.",
        "loannumber",
        "loan_nr2",
        "bank account",
        "drug card",
        "test_ref",
        "Kundennummer",
    ] {
        assert_eq!(role(name, Characters, 300, 0), Role::Identifier, "{name}");
        assert_eq!(role(name, Integer, 300, 0), Role::Identifier, "{name}");
    }
    let few = Facts { rows: 200, ..facts("loan_number", Characters, 15, 0) };
    assert_eq!(suggest(&few).role, Role::Quasi, "not clearly a key, but not released as it is");
    assert_eq!(role("loan_number", Characters, 12, 0), Role::Sensitive, "83 rows share each");
    assert_eq!(role("week_number", Integer, 53, 0), Role::Quasi);
    assert_eq!(role("room_no", Characters, 90, 3), Role::Quasi);
    assert_eq!(role("drug_yes_no", Category, 30, 0), Role::Sensitive);
    assert_eq!(role("alcohol no", Boolean, 2, 0), Role::Sensitive);
    for name in ["number_of_children", "no_of_visits", "card_colour", "piano"] {
        assert_eq!(role(name, Integer, 90, 2), Role::Quasi, "{name}");
    }
    assert_eq!(role("credit_reference", Decimal, 900, 850), Role::Sensitive, "a measurement");
}

#[test]
fn dates_and_times_are_known_to_others() {
    use ColumnKind::{Date, Mixed, Time};
    let day = Date(DateFormat::IsoDay);
    for (name, kind) in [("surgery_date", day), ("drug_test_date", day), ("surgery", day), ("drug", Time)] {
        assert_eq!(role(name, kind, 960, 920), Role::Quasi, "{name}");
        assert_eq!(role(name, kind, 20, 0), Role::Quasi, "{name}");
    }
    let two_formats = Facts { dated: true, ..facts("surgery", Mixed, 960, 930) };
    assert_eq!(suggest(&two_formats).role, Role::Quasi);
}

#[test]
fn what_is_known_counts_more_than_what_is_sensitive() {
    use ColumnKind::{Category, Characters, Decimal, Integer};
    assert_eq!(role("treatment_city", Category, 2, 0), Role::Quasi);
    assert_eq!(role("diagnosis_year", Integer, 31, 0), Role::Quasi);
    assert_eq!(role("grade_teacher", Category, 60, 0), Role::Quasi);
    assert_eq!(role("age_class", Category, 6, 0), Role::Quasi, "no label to predict");
    assert_eq!(role("employer_file", Characters, 960, 950), Role::Identifier, "a key, whatever its name");
    assert_eq!(role("birth_weight", Integer, 960, 950), Role::Quasi);
    for (name, kind) in [("blood_pressure", Integer), ("salary", Decimal), ("income", Decimal)] {
        assert_eq!(role(name, kind, 90, 5), Role::Sensitive, "{name}");
    }
    assert_eq!(role("salary", Decimal, 1_000, 1_000), Role::Sensitive, "a measurement is no key");
}

#[test]
fn values_decide_where_names_do_not() {
    use ColumnKind::{Boolean, Characters, Decimal, Integer, Text};
    assert_eq!(role("x", Characters, 950, 920), Role::Identifier);
    assert_eq!(role("x", Integer, 950, 920), Role::Identifier);
    assert_eq!(role("x", Integer, 800, 700), Role::Quasi);
    assert_eq!(role("x", Decimal, 1_000, 1_000), Role::Quasi);
    assert_eq!(role("x", Boolean, 2, 0), Role::Quasi);
    assert_eq!(role("diagnosis", Text, 900, 850), Role::Identifier);
    assert_eq!(role("x", ColumnKind::Nested, 0, 0), Role::Identifier);
}

#[test]
fn columns_that_tell_nothing() {
    assert_eq!(role("age", ColumnKind::Integer, 1, 0), Role::Other);
    let empty = Facts { missing: 1_000, ..facts("name", ColumnKind::Empty, 0, 0) };
    assert_eq!(suggest(&empty).role, Role::Other);
    let rare = Facts { missing: 900, ..facts("flag", ColumnKind::Boolean, 1, 0) };
    assert_eq!(suggest(&rare).role, Role::Quasi, "missing or not is two values");
}

/// The one row of a table has the same value as every row, and yet is somebody's.
#[test]
fn one_row_is_unique() {
    let one = |name, kind| suggest(&Facts { rows: 1, ..facts(name, kind, 1, 1) }).role;
    assert_eq!(one("x", ColumnKind::Category), Role::Identifier);
    assert_eq!(one("age", ColumnKind::Integer), Role::Quasi);
    assert_eq!(one("name", ColumnKind::Category), Role::Identifier);
}

#[test]
fn too_many_quasi_identifiers_are_cut_by_name_and_values() {
    let names: Vec<String> = (0..40).map(|at| format!("x{at}")).collect();
    let mut columns: Vec<Facts<'_>> = names
        .iter()
        .zip(10..)
        .map(|(name, distinct)| facts(name, ColumnKind::Integer, distinct, 0))
        .collect();
    columns[3].name = "age";
    let suggestions = suggest_roles(&columns);
    let quasi: Vec<usize> = (0..40).filter(|&at| suggestions[at].role == Role::Quasi).collect();
    assert_eq!(quasi, [vec![3], (25..40).collect()].concat());
    assert_eq!(suggestions[0].role, Role::Identifier);
    assert!(suggestions[0].reason.ends_with("left out"));
}
