//! How the losses of columns become one number: the mean over columns, and what suppressed cells count.
//!
//! A column loses the mean over its cells, by its weight: with N rows, m columns and weights w, column a has
//! x_a = m · S_a / (N · Σw), where S_a is the sum of the costs of its cells, weight included. The measure is made of
//! one mean of these:
//!
//! * arithmetic, Σ x_a / m: what every measure is unless somebody says otherwise;
//! * geometric, (Π (1 + x_a))^(1/m) − 1: of two releases with the same sum, the one with the less even losses is better;
//! * largest, max x_a: only the column that loses most counts.
//!
//! A preference p between suppressing and generalising makes a cell of a suppressed row count min(1, 2p) times its
//! cost, and any other cell min(1, 2 − 2p) times: at 0 suppressing is free, at 1 generalising is, at ½ both cost what
//! they lose. ARX has both, as a measure's aggregate function and as its gs-factor.
//!
//! A measure that does not start at zero has neither: its costs are not losses.

use crate::wording::Message;

/// How the losses of columns become one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Aggregate {
    /// The mean over columns.
    pub mean: Mean,
    /// Whether rows should rather be suppressed, or values generalised.
    pub preference: Preference,
}

/// A mean over columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mean {
    /// The sum, divided by the number of columns.
    #[default]
    Arithmetic,
    /// One less than the geometric mean of the losses plus one.
    Geometric,
    /// The largest loss.
    Largest,
}

/// A number from 0 (suppress) to 1 (generalise), in thousandths: whole numbers keep costs exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preference(u16);

/// Thousandths of 1.
const WHOLE: u16 = 1000;

impl Mean {
    /// Every mean.
    pub const ALL: [Mean; 3] = [Mean::Arithmetic, Mean::Geometric, Mean::Largest];

    /// The name in jobs, flags and summaries.
    pub fn name(self) -> &'static str {
        match self {
            Mean::Arithmetic => "arithmetic",
            Mean::Geometric => "geometric",
            Mean::Largest => "largest",
        }
    }

    /// The mean of a name.
    pub fn find(name: &str) -> Option<Mean> {
        Mean::ALL.into_iter().find(|mean| mean.name() == name)
    }

    /// The mean of some losses.
    pub fn mean(self, losses: &[f64]) -> f64 {
        let columns = losses.len().max(1) as f64;
        match self {
            Mean::Arithmetic => losses.iter().sum::<f64>() / columns,
            Mean::Geometric => (losses.iter().map(|loss| loss.ln_1p()).sum::<f64>() / columns).exp_m1(),
            Mean::Largest => losses.iter().copied().fold(0.0, f64::max),
        }
    }
}

impl Default for Preference {
    fn default() -> Preference {
        Preference(WHOLE / 2)
    }
}

impl Preference {
    /// The preference of a number.
    ///
    /// # Errors
    /// If it is not from 0 to 1, or has more than three digits behind the point.
    pub fn new(number: f64) -> Result<Preference, Message> {
        let thousandths = number * f64::from(WHOLE);
        let is_whole = (thousandths - thousandths.round()).abs() < 1e-6;
        if !(0.0..=1.0).contains(&number) || !is_whole {
            let allowed = "it must be a number from 0 to 1, with at most three digits behind the point";
            return Err((format!("suppress_or_generalise is {number}"), allowed).into());
        }
        Ok(Preference(thousandths.round() as u16))
    }

    /// The number, from 0 to 1.
    pub fn number(self) -> f64 {
        f64::from(self.0) / f64::from(WHOLE)
    }

    /// How often a cell that is not suppressed counts, and how often one that is: whole numbers in lowest terms.
    pub(crate) fn factors(self) -> (i64, i64) {
        let thousandths = i64::from(self.0);
        let whole = i64::from(WHOLE);
        let (cells, suppressed) = (whole.min(2 * (whole - thousandths)), whole.min(2 * thousandths));
        let divisor = gcd(cells, suppressed);
        (cells / divisor, suppressed / divisor)
    }

    /// How much a cell that is not suppressed counts, and one that is; the larger is 1.
    pub fn shares(self) -> (f64, f64) {
        let (cells, suppressed) = self.factors();
        let most = cells.max(suppressed) as f64;
        (cells as f64 / most, suppressed as f64 / most)
    }
}

impl Aggregate {
    /// Whether it is what measures are defined by: a sum over columns in which all cells count what they lose.
    pub fn is_plain(self) -> bool {
        self == Aggregate::default()
    }

    /// The losses of all cells together, given those of each column (S_a) and what divides them, N · Σw.
    pub(crate) fn of_columns(self, sums: &[f64], cells: f64) -> f64 {
        if self.mean == Mean::Arithmetic {
            return sums.iter().sum();
        }
        let losses: Vec<f64> = sums.iter().map(|sum| sums.len() as f64 * sum / cells).collect();
        cells * self.mean.mean(&losses)
    }

    /// What people must know to read a measure; nothing if it is plain.
    pub fn text(self) -> Option<String> {
        let mean = (self.mean != Mean::Arithmetic).then(|| match self.mean {
            Mean::Largest => "largest loss of a column".to_owned(),
            mean => format!("{} mean", mean.name()),
        });
        let (cells, suppressed) = self.preference.shares();
        let preference = (cells != suppressed).then(|| match cells < suppressed {
            true => format!("generalised cells count {cells} times"),
            false => format!("suppressed cells count {suppressed} times"),
        });
        let parts: Vec<String> = mean.into_iter().chain(preference).collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_of_three_columns() {
        let losses = [0.0, 0.25, 1.0];
        assert_eq!(Mean::Arithmetic.mean(&losses), 1.25 / 3.0);
        // 1 · 1.25 · 2 = 2.5.
        assert!((Mean::Geometric.mean(&losses) - (2.5f64.cbrt() - 1.0)).abs() < 1e-15);
        assert_eq!(Mean::Largest.mean(&losses), 1.0);
        for mean in Mean::ALL {
            assert!((mean.mean(&[0.3; 4]) - 0.3).abs() < 1e-15, "{}", mean.name());
        }
    }

    #[test]
    fn a_preference_makes_one_of_the_two_cheaper() {
        let of = |number| Preference::new(number).unwrap();
        assert_eq!([0.0, 0.2, 0.5].map(|p| of(p).factors()), [(1, 0), (5, 2), (1, 1)]);
        assert_eq!([0.75, 0.999, 1.0].map(|p| of(p).factors()), [(1, 2), (1, 500), (0, 1)]);
        assert_eq!((of(0.2).shares(), of(0.75).shares()), ((1.0, 0.4), (0.5, 1.0)));
        for wrong in [-0.1, 1.1, 0.0005, f64::NAN, f64::INFINITY] {
            assert!(Preference::new(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn only_what_is_not_plain_is_said() {
        let of = |mean, preference| Aggregate { mean, preference: Preference::new(preference).unwrap() };
        assert_eq!(of(Mean::Arithmetic, 0.5).text(), None);
        assert_eq!(
            of(Mean::Geometric, 0.2).text().unwrap(),
            "geometric mean, suppressed cells count 0.4 times"
        );
        assert_eq!(
            of(Mean::Largest, 0.75).text().unwrap(),
            "largest loss of a column, generalised cells count 0.5 times"
        );
        assert_eq!((Mean::find("largest"), Mean::find("harmonic")), (Some(Mean::Largest), None));
    }
}
