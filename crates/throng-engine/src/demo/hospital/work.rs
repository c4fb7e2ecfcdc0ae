//! What patients do for a living: by age, mildly by sex, and by town or country.

use throng::random::Random;

use crate::demo::weighted::Weighted;

/// One occupation with its place in the hierarchy.
pub(super) struct Occupation {
    /// Its name.
    pub(super) name: &'static str,
    /// The group one level up.
    pub(super) group: &'static str,
    /// The sector two levels up.
    pub(super) sector: &'static str,
    /// How common it is among working men and among working women; 0 for both outside work.
    workers: [f64; 2],
}

const fn job(name: &'static str, group: &'static str, sector: &'static str, workers: [f64; 2]) -> Occupation {
    Occupation { name, group, sector, workers }
}

const OUTSIDE: &str = "outside work";
const CHILD: usize = 0;
const PUPIL: usize = 1;
const STUDENT: usize = 2;
const RETIRED: usize = 3;
const UNEMPLOYED: usize = 4;
const HOMEMAKER: usize = 5;
const APPRENTICE: usize = 6;
const FARMER: usize = 7;

/// Every occupation; the first ones are at the positions named above.
pub(super) const OCCUPATIONS: [Occupation; 32] = [
    job("preschool child", "in education", OUTSIDE, [0.0, 0.0]),
    job("pupil", "in education", OUTSIDE, [0.0, 0.0]),
    job("student", "in education", OUTSIDE, [0.0, 0.0]),
    job("retired", "not employed", OUTSIDE, [0.0, 0.0]),
    job("unemployed", "not employed", OUTSIDE, [0.0, 0.0]),
    job("homemaker", "not employed", OUTSIDE, [0.0, 0.0]),
    job("apprentice", "skilled trades", "production", [0.0, 0.0]),
    job("farmer", "farming", "production", [2.0, 1.0]),
    job("gardener", "farming", "production", [1.2, 0.5]),
    job("electrician", "skilled trades", "production", [5.0, 0.3]),
    job("mechanic", "skilled trades", "production", [6.0, 0.3]),
    job("carpenter", "skilled trades", "production", [3.0, 0.2]),
    job("bricklayer", "skilled trades", "production", [3.5, 0.1]),
    job("factory worker", "manufacturing", "production", [7.0, 3.0]),
    job("machine operator", "manufacturing", "production", [5.0, 1.2]),
    job("nurse", "health", "services", [2.0, 8.0]),
    job("physician", "health", "services", [1.5, 1.6]),
    job("care assistant", "health", "services", [1.5, 5.5]),
    job("teacher", "teaching", "services", [2.5, 5.0]),
    job("childcare worker", "teaching", "services", [0.4, 4.0]),
    job("sales assistant", "commerce", "services", [4.0, 8.5]),
    job("hairdresser", "commerce", "services", [0.4, 2.0]),
    job("cook", "hospitality", "services", [2.5, 2.0]),
    job("waiter", "hospitality", "services", [1.2, 2.2]),
    job("cleaner", "hospitality", "services", [1.2, 4.5]),
    job("driver", "transport", "services", [6.0, 0.7]),
    job("warehouse worker", "transport", "services", [5.0, 1.8]),
    job("office clerk", "administration", "office", [5.0, 12.0]),
    job("civil servant", "administration", "office", [3.0, 3.5]),
    job("accountant", "administration", "office", [1.5, 2.5]),
    job("engineer", "technology", "office", [5.0, 1.2]),
    job("software developer", "technology", "office", [4.0, 0.9]),
];

/// The occupations of working people, by sex and by town or country.
#[derive(Debug)]
pub(super) struct Occupations {
    /// Indexed by sex, then by whether the home is rural.
    workers: [[Weighted; 2]; 2],
}

impl Occupations {
    /// Weighs the occupations.
    pub(super) fn new() -> Occupations {
        let workers = |sex: usize, rural: bool| {
            Weighted::new(OCCUPATIONS.iter().enumerate().map(|(position, occupation)| {
                let factor = if rural && position == FARMER { 5.0 } else { 1.0 };
                factor * occupation.workers[sex]
            }))
        };
        Occupations { workers: [0, 1].map(|sex| [workers(sex, false), workers(sex, true)]) }
    }

    /// The occupation of one patient, as a position in [`OCCUPATIONS`].
    pub(super) fn draw(&self, age: u32, sex: usize, rural: bool, draws: &mut Random) -> usize {
        let chance = draws.unit();
        match age {
            0..=5 => CHILD,
            6..=15 => PUPIL,
            16..=18 if chance < 0.75 => PUPIL,
            16..=21 if chance > 0.7 => APPRENTICE,
            19..=25 if chance < 0.35 => STUDENT,
            26..=30 if chance < 0.08 => STUDENT,
            57..=62 if chance < 0.12 => RETIRED,
            63..=66 if chance < 0.55 => RETIRED,
            67..=74 if chance < 0.95 => RETIRED,
            75.. => RETIRED,
            _ => self.draw_adult(sex, rural, draws),
        }
    }

    fn draw_adult(&self, sex: usize, rural: bool, draws: &mut Random) -> usize {
        if draws.chance(0.06) {
            UNEMPLOYED
        } else if draws.chance([0.01, 0.12][sex]) {
            HOMEMAKER
        } else {
            self.workers[sex][usize::from(rural)].draw(draws)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_lies_in_one_sector() {
        let mut sectors = std::collections::BTreeMap::new();
        for occupation in &OCCUPATIONS {
            let sector = sectors.entry(occupation.group).or_insert(occupation.sector);
            assert_eq!(*sector, occupation.sector, "{}", occupation.group);
        }
    }

    #[test]
    fn children_do_not_work_and_the_old_are_retired() {
        let work = Occupations::new();
        for row in 0..500 {
            let mut draws = Random::of_row(5, row);
            assert_eq!(work.draw(4, 0, false, &mut draws), CHILD);
            assert_eq!(work.draw(12, 1, true, &mut draws), PUPIL);
            assert_eq!(work.draw(80, 1, false, &mut draws), RETIRED);
            assert!(![CHILD, PUPIL, RETIRED].contains(&work.draw(40, 0, true, &mut draws)));
        }
    }
}
