//! What patients have: diagnoses by age and sex, and how long each keeps them.

use throng::random::Random;

use crate::demo::weighted::Weighted;

/// Upper ages (exclusive) of the bands that the frequencies below are given for; the last is open.
const BANDS: [u32; 6] = [5, 18, 35, 48, 65, 80];

struct Diagnosis {
    name: &'static str,
    /// Its frequency in each age band.
    ages: [u16; 7],
    /// How much more often men and women have it.
    sexes: [f64; 2],
    /// Half of the patients stay at most this many days.
    days: f64,
}

const fn diagnosis(name: &'static str, ages: [u16; 7], sexes: [f64; 2], days: f64) -> Diagnosis {
    Diagnosis { name, ages, sexes, days }
}

const BOTH: [f64; 2] = [1.0, 1.0];
const MEN: [f64; 2] = [1.0, 0.0];
const WOMEN: [f64; 2] = [0.0, 1.0];

const DIAGNOSES: [Diagnosis; 42] = [
    diagnosis("I50 heart failure", [1, 0, 1, 5, 30, 90, 140], [1.1, 1.0], 8.0),
    diagnosis("I21 heart attack", [0, 0, 2, 18, 50, 55, 45], [1.7, 0.8], 6.0),
    diagnosis("I48 atrial fibrillation", [0, 0, 3, 12, 45, 75, 55], [1.1, 0.9], 3.0),
    diagnosis("I63 stroke", [0, 0, 3, 10, 35, 75, 85], BOTH, 9.0),
    diagnosis("I10 high blood pressure", [0, 1, 3, 12, 28, 40, 38], [0.7, 1.3], 3.0),
    diagnosis("I20 angina", [0, 0, 1, 12, 40, 42, 20], [1.5, 0.6], 3.0),
    diagnosis("I70 arterial disease of the legs", [0, 0, 0, 4, 30, 45, 25], [1.5, 0.6], 7.0),
    diagnosis("J18 pneumonia", [45, 15, 8, 12, 28, 50, 75], [1.2, 0.9], 8.0),
    diagnosis("J44 chronic lung disease", [0, 0, 1, 8, 45, 55, 30], [1.1, 0.9], 7.0),
    diagnosis("J45 asthma", [30, 28, 10, 9, 9, 6, 3], BOTH, 3.0),
    diagnosis("J20 bronchitis", [70, 12, 4, 4, 8, 10, 14], BOTH, 3.0),
    diagnosis("J35 enlarged tonsils", [40, 55, 25, 3, 1, 0, 0], BOTH, 4.0),
    diagnosis("A09 gastroenteritis", [75, 30, 18, 11, 11, 14, 20], BOTH, 3.0),
    diagnosis("K35 appendicitis", [4, 75, 45, 16, 9, 5, 2], BOTH, 4.0),
    diagnosis("K40 inguinal hernia", [22, 6, 8, 18, 38, 32, 12], [2.6, 0.3], 2.0),
    diagnosis("K80 gallstones", [0, 3, 25, 40, 48, 42, 28], [0.7, 1.4], 5.0),
    diagnosis("K57 diverticular disease", [0, 0, 4, 20, 36, 32, 22], BOTH, 6.0),
    diagnosis("K70 alcoholic liver disease", [0, 0, 4, 18, 32, 10, 2], [2.0, 0.6], 9.0),
    diagnosis("F10 alcohol use disorder", [0, 9, 38, 70, 60, 12, 2], [2.2, 0.6], 4.0),
    diagnosis("F32 depression", [0, 14, 26, 32, 30, 13, 8], [0.7, 1.4], 24.0),
    diagnosis("F20 schizophrenia", [0, 3, 30, 24, 14, 4, 1], [1.3, 0.8], 21.0),
    diagnosis("F50 eating disorder", [0, 16, 11, 2, 1, 0, 0], [0.1, 1.8], 38.0),
    diagnosis("G40 epilepsy", [34, 22, 15, 14, 18, 17, 12], [1.1, 0.9], 4.0),
    diagnosis("G20 Parkinson's disease", [0, 0, 0, 1, 8, 24, 16], [1.3, 0.8], 12.0),
    diagnosis("S06 concussion", [85, 60, 34, 20, 18, 20, 42], [1.2, 0.9], 2.0),
    diagnosis("S72 broken hip", [1, 2, 2, 4, 14, 45, 125], [0.6, 1.4], 14.0),
    diagnosis("S52 broken forearm", [18, 52, 11, 11, 20, 20, 20], [0.9, 1.1], 2.0),
    diagnosis("S82 broken lower leg", [6, 22, 22, 24, 30, 18, 11], BOTH, 5.0),
    diagnosis("M17 arthrosis of the knee", [0, 0, 1, 7, 56, 76, 24], [0.8, 1.2], 8.0),
    diagnosis("M16 arthrosis of the hip", [0, 0, 1, 7, 42, 56, 22], [0.9, 1.1], 8.0),
    diagnosis("M54 back pain", [0, 5, 18, 32, 40, 34, 30], BOTH, 5.0),
    diagnosis("E11 diabetes", [1, 3, 4, 13, 32, 38, 26], [1.2, 0.9], 8.0),
    diagnosis("N20 kidney stones", [0, 2, 20, 30, 33, 18, 6], [1.8, 0.6], 3.0),
    diagnosis("N39 urinary infection", [18, 8, 10, 7, 11, 24, 46], [0.6, 1.5], 5.0),
    diagnosis("C34 lung cancer", [0, 0, 0, 6, 54, 50, 11], [1.3, 0.8], 6.0),
    diagnosis("C18 colon cancer", [0, 0, 1, 5, 24, 34, 22], [1.1, 0.9], 10.0),
    diagnosis("C50 breast cancer", [0, 0, 3, 30, 48, 36, 16], [0.01, 1.0], 4.0),
    diagnosis("C61 prostate cancer", [0, 0, 0, 1, 40, 56, 16], MEN, 6.0),
    diagnosis("N40 enlarged prostate", [0, 0, 0, 1, 24, 46, 24], MEN, 5.0),
    diagnosis("D25 fibroids of the womb", [0, 0, 12, 56, 18, 1, 0], WOMEN, 4.0),
    diagnosis("O80 childbirth", [0, 0, 330, 70, 0, 0, 0], WOMEN, 3.0),
    diagnosis("O60 early labour", [0, 0, 42, 10, 0, 0, 0], WOMEN, 5.0),
];

/// The diagnoses of each sex and age band.
#[derive(Debug)]
pub(super) struct Illness {
    bands: [[Weighted; 7]; 2],
}

impl Illness {
    /// Weighs the diagnoses.
    pub(super) fn new() -> Illness {
        let weighted = |sex: usize, band: usize| {
            Weighted::new(DIAGNOSES.iter().map(|d| f64::from(d.ages[band]) * d.sexes[sex]))
        };
        Illness { bands: [0, 1].map(|sex| std::array::from_fn(|band| weighted(sex, band))) }
    }

    /// The diagnosis of one patient and the days spent in hospital.
    pub(super) fn draw(&self, age: u32, sex: usize, draws: &mut Random) -> (&'static str, i32) {
        let band = BANDS.partition_point(|&end| end <= age);
        let diagnosis = &DIAGNOSES[self.bands[sex][band].draw(draws)];
        (diagnosis.name, stay(diagnosis.days, age, draws))
    }
}

/// Log-logistic around the median: most leave early, a few stay for months. The old stay longer.
fn stay(median: f64, age: u32, draws: &mut Random) -> i32 {
    let spread = draws.unit();
    let days = median * (0.8 + f64::from(age) / 200.0) * (spread / (1.0 - spread)).sqrt();
    (days as i32).clamp(1, 180)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(age: u32, sex: usize) -> Vec<(&'static str, i32)> {
        let illness = Illness::new();
        (0..4_000).map(|row| illness.draw(age, sex, &mut Random::of_row(9, row))).collect()
    }

    #[test]
    fn some_diagnoses_belong_to_one_sex() {
        let has = |patients: &[(&str, i32)], code: &str| {
            patients.iter().filter(|(name, _)| name.starts_with(code)).count()
        };
        assert!(has(&drawn(30, 1), "O80") > 400);
        assert_eq!(has(&drawn(30, 0), "O"), 0);
        assert!(has(&drawn(70, 0), "C61") > 50);
        assert_eq!(has(&drawn(70, 1), "C61") + has(&drawn(70, 1), "N40"), 0);
        assert_eq!(has(&drawn(48, 1), "O80"), 0, "bands are exclusive of their end");
    }

    #[test]
    fn stays_are_skewed_and_longer_for_the_old() {
        let days = |age| {
            let mut days: Vec<i32> = drawn(age, 0).into_iter().map(|(_, days)| days).collect();
            days.sort_unstable();
            days
        };
        let (young, old) = (days(10), days(85));
        let mean = old.iter().sum::<i32>() as usize / old.len();
        assert!(old[old.len() / 2] > young[young.len() / 2]);
        assert!(mean as i32 > old[old.len() / 2], "the mean lies above the median");
        assert!(young[0] >= 1 && *old.last().unwrap() <= 180);
    }
}
