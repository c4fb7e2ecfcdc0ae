//! When patients come: three years of days, more of them in winter and fewer at weekends.

use throng::random::Random;

use crate::demo::weighted::Weighted;

/// 1 January 2022, in days since 1970.
pub(super) const FIRST_DAY: i32 = 18_993;
const YEARS: [[u8; 12]; 3] = [COMMON, COMMON, LEAP];
const COMMON: [u8; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const LEAP: [u8; 12] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/// How busy the hospital is, Monday to Sunday and January to December.
const WEEK: [f64; 7] = [1.3, 1.2, 1.15, 1.1, 1.0, 0.65, 0.6];
const SEASONS: [f64; 12] = [1.2, 1.2, 1.1, 1.0, 0.95, 0.9, 0.88, 0.85, 0.95, 1.0, 1.05, 1.1];

/// The days on which patients are admitted.
#[derive(Debug)]
pub(super) struct Calendar {
    days: Weighted,
}

impl Calendar {
    /// Weighs the days.
    pub(super) fn new() -> Calendar {
        let months = YEARS.iter().flat_map(|year| year.iter().zip(SEASONS));
        let seasons = months.flat_map(|(&days, season)| (0..days).map(move |_| season));
        Calendar {
            days: Weighted::new(
                seasons.enumerate().map(|(day, season)| season * WEEK[weekday(FIRST_DAY + day as i32)]),
            ),
        }
    }

    /// The day of one admission, since 1970.
    pub(super) fn draw(&self, draws: &mut Random) -> i32 {
        FIRST_DAY + self.days.draw(draws) as i32
    }
}

/// The day of the week, Monday being 0; 1 January 1970 was a Thursday.
fn weekday(day: i32) -> usize {
    (day + 3).rem_euclid(7) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_years_are_whole_and_weekends_are_quiet() {
        let days: usize = YEARS.iter().flatten().map(|&days| usize::from(days)).sum();
        assert_eq!(days, 1_096);
        assert_eq!(weekday(FIRST_DAY), 5, "1 January 2022 was a Saturday");

        let calendar = Calendar::new();
        let (mut weekend, mut january, mut july) = (0, 0, 0);
        for row in 0..60_000 {
            let day = calendar.draw(&mut Random::of_row(2, row)) - FIRST_DAY;
            assert!((0..1_096).contains(&day));
            weekend += u32::from(weekday(FIRST_DAY + day) >= 5);
            january += u32::from(day % 365 < 31);
            july += u32::from((181..212).contains(&(day % 365)));
        }
        assert!((9_000..12_500).contains(&weekend), "{weekend}");
        assert!(january * 10 > july * 12, "{january} {july}");
    }
}
