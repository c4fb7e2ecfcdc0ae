//! Who the patients are: one row of the table, drawn trait by trait, each given the earlier ones.

use throng::random::Random;

use super::calendar::Calendar;
use super::illness::Illness;
use super::origins::{NATIONALITIES, Origins, draw_name};
use super::places::Places;
use super::work::{OCCUPATIONS, Occupations};

use crate::demo::weighted::Weighted;

/// Admissions per five years of age, from newborns to the over 95.
const AGES: [f64; 20] =
    [6.0, 2.5, 2.2, 3.2, 3.8, 4.8, 5.4, 4.8, 4.2, 4.5, 6.0, 7.2, 7.5, 7.5, 7.3, 7.8, 8.0, 4.8, 2.0, 0.5];
const SEXES: [&str; 2] = ["male", "female"];
/// Five years, in days.
const BAND: u64 = 1_826;

/// One admission.
#[derive(Debug)]
pub(super) struct Patient<'a> {
    pub(super) name: String,
    /// In days since 1970, as the other date.
    pub(super) birth_date: i32,
    pub(super) sex: &'static str,
    pub(super) zip: &'a str,
    pub(super) nationality: &'static str,
    pub(super) occupation: &'static str,
    pub(super) admission_date: i32,
    pub(super) diagnosis: &'static str,
    pub(super) length_of_stay: i32,
}

/// Everything that patients are drawn from.
#[derive(Debug)]
pub(super) struct PatientPopulation {
    calendar: Calendar,
    ages: Weighted,
    places: Places,
    origins: Origins,
    work: Occupations,
    illness: Illness,
}

impl PatientPopulation {
    /// Builds the tables of frequencies.
    pub(super) fn new() -> PatientPopulation {
        PatientPopulation {
            calendar: Calendar::new(),
            ages: Weighted::new(AGES),
            places: Places::new(),
            origins: Origins::new(),
            work: Occupations::new(),
            illness: Illness::new(),
        }
    }

    /// The patient of row `row` under `seed`.
    pub(super) fn draw(&self, seed: u64, row: u64) -> Patient<'_> {
        let mut draws = Random::of_row(seed, row);
        let admission_date = self.calendar.draw(&mut draws);
        let days = self.ages.draw(&mut draws) as u64 * BAND + draws.below(BAND);
        let age = (days * 4 / 1_461) as u32;
        let sex = usize::from(draws.chance(share_of_women(age)));
        let place = self.places.draw(&mut draws);
        let nationality = self.origins.draw(place.region, place.rural, &mut draws);
        let occupation = self.work.draw(age, sex, place.rural, &mut draws);
        let (diagnosis, length_of_stay) = self.illness.draw(age, sex, &mut draws);
        let mut name = String::new();
        draw_name(nationality, sex, &mut draws, &mut name);
        Patient {
            name,
            birth_date: admission_date - days as i32,
            sex: SEXES[sex],
            zip: &place.zip,
            nationality: NATIONALITIES[nationality].name,
            occupation: OCCUPATIONS[occupation].name,
            admission_date,
            diagnosis,
            length_of_stay,
        }
    }
}

/// Boys are ill more often; mothers are admitted; women live longer.
fn share_of_women(age: u32) -> f64 {
    match age {
        0..=14 => 0.46,
        15..=19 => 0.52,
        20..=42 => 0.60,
        43..=69 => 0.47,
        70..=84 => 0.53,
        _ => 0.64,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    const ROWS: u64 = 20_000;

    fn patients(population: &PatientPopulation) -> Vec<Patient<'_>> {
        (0..ROWS).map(|row| population.draw(1, row)).collect()
    }

    fn age(patient: &Patient<'_>) -> i32 {
        (patient.admission_date - patient.birth_date) * 4 / 1_461
    }

    #[test]
    fn the_retired_are_old_and_pupils_are_young() {
        let population = PatientPopulation::new();
        let patients = patients(&population);
        let ages = |occupation: &str| -> Vec<i32> {
            patients.iter().filter(|p| p.occupation == occupation).map(age).collect()
        };
        assert!(ages("retired").len() > 4_000);
        assert!(ages("retired").iter().all(|&age| age >= 57));
        assert!(ages("pupil").iter().all(|&age| (6..=18).contains(&age)));
    }

    #[test]
    fn mothers_are_women_of_childbearing_age() {
        let population = PatientPopulation::new();
        let patients = patients(&population);
        let mothers: Vec<_> = patients.iter().filter(|p| p.diagnosis == "O80 childbirth").collect();
        assert!(mothers.len() > 200);
        assert!(mothers.iter().all(|p| p.sex == "female" && (18..48).contains(&age(p))));
        assert!(patients.iter().all(|p| p.sex == "male" || !p.diagnosis.contains("prostate")));
    }

    #[test]
    fn every_column_is_skewed_but_varied() {
        let population = PatientPopulation::new();
        let patients = patients(&population);
        let counts = |column: fn(&Patient<'_>) -> String| {
            let mut counts = BTreeMap::new();
            patients.iter().for_each(|p| *counts.entry(column(p)).or_insert(0u64) += 1);
            let mut counts: Vec<u64> = counts.into_values().collect();
            counts.sort_unstable_by(|a, b| b.cmp(a));
            counts
        };
        let nationality = counts(|p| p.nationality.to_owned());
        assert_eq!(nationality.len(), NATIONALITIES.len());
        assert!(nationality[0] * 10 > ROWS * 7 && nationality[0] * 10 < ROWS * 9);
        let zip = counts(|p| p.zip.to_owned());
        assert!(zip.len() > 1_000 && zip[0] > 20 * zip[zip.len() / 2], "{} {}", zip[0], zip.len());
        assert_eq!(counts(|p| p.occupation.to_owned()).len(), OCCUPATIONS.len());
        assert!(counts(|p| p.birth_date.to_string()).len() > 12_000);
    }

    #[test]
    fn names_are_many() {
        let population = PatientPopulation::new();
        let names: BTreeSet<String> = patients(&population).into_iter().map(|p| p.name).collect();
        assert!(names.len() as u64 > ROWS / 2, "{}", names.len());
    }
}
