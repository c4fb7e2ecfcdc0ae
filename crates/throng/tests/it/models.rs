//! What classes must satisfy: the crate's models, and some that no search may treat like k-anonymity.
//!
//! A [`Model`] is what the oracle goes by; [`Model::requirement`] makes the crate's of it.

use throng::privacy::{Class, Direction, DistinctL, KAnonymity, Monotonicity, PrivacyModel, Whole};
use throng::requirement::Requirement;

/// What a class must satisfy. Columns are sensitive ones, by their place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Model {
    /// At least so many rows.
    KAnonymity(u64),
    /// The same, but it does not give away that size alone decides.
    Opaque(u64),
    /// The same, but a multiple of three rows counts as none: merging may make classes unsafe.
    NoThrees(u64),
    /// At least so many different values.
    DistinctL { l: u64, column: usize },
    /// The most frequent value has at most this share of the class.
    Share { most: f64, column: usize },
    /// No value has a share that is more than this above its share of all that is released.
    Gain { most: f64, column: usize },
    /// Two different values, or at most so many more or fewer.
    AboutTwo { off: u64, column: usize },
    /// At least so many of the population are in the class.
    Population(u64),
}

impl Model {
    /// The degree that is asked for.
    pub(crate) fn asked(self) -> f64 {
        match self {
            Model::KAnonymity(k) | Model::Opaque(k) | Model::NoThrees(k) | Model::Population(k) => k as f64,
            Model::DistinctL { l, .. } => l as f64,
            Model::Share { most, .. } | Model::Gain { most, .. } => most,
            Model::AboutTwo { off, .. } => off as f64,
        }
    }

    /// Whether smaller degrees are safer.
    pub(crate) fn less_is_safer(self) -> bool {
        matches!(self, Model::Share { .. } | Model::Gain { .. } | Model::AboutTwo { .. })
    }

    /// Whether a degree is less safe than another.
    pub(crate) fn is_worse(self, degree: f64, than: f64) -> bool {
        if self.less_is_safer() { degree > than } else { degree < than }
    }

    /// Whether a class of this degree may be released.
    pub(crate) fn allows(self, degree: f64) -> bool {
        !self.is_worse(degree, self.asked())
    }

    pub(crate) fn monotonicity(self) -> Monotonicity {
        match self {
            Model::NoThrees(_) | Model::AboutTwo { .. } => Monotonicity::None,
            Model::Share { .. } | Model::Gain { .. } => Monotonicity::SafeUnions,
            _ => Monotonicity::Monotone,
        }
    }

    /// The same as a requirement of the crate.
    pub(crate) fn requirement(self) -> Requirement {
        match self {
            Model::KAnonymity(k) => Requirement::new(KAnonymity { k }),
            Model::DistinctL { l, column } => Requirement::new(DistinctL { l, column }),
            own => Requirement::new(Own(own)),
        }
    }
}

/// A model that the crate does not have.
#[derive(Debug)]
struct Own(Model);

impl PrivacyModel for Own {
    fn name(&self) -> &'static str {
        "own"
    }

    fn degree(&self, class: &Class<'_>, whole: &Whole) -> f64 {
        let shares = |column: usize| {
            let share = |(code, rows): (u32, u32)| (code, f64::from(rows) / class.rows as f64);
            class.values[column].iter().map(share)
        };
        match self.0 {
            Model::NoThrees(_) if class.rows.is_multiple_of(3) => 0.0,
            Model::Share { column, .. } => shares(column).map(|(_, share)| share).fold(0.0, f64::max),
            Model::Gain { column, .. } => {
                let before = |code: u32| whole.values[column][code as usize] as f64 / whole.rows as f64;
                shares(column).map(|(code, share)| share - before(code)).fold(0.0, f64::max)
            }
            Model::AboutTwo { column, .. } => class.values[column].distinct().abs_diff(2) as f64,
            Model::Population(_) => class.population.expect("the table is a sample") as f64,
            _ => class.rows as f64,
        }
    }

    fn asked(&self) -> f64 {
        self.0.asked()
    }

    fn direction(&self) -> Direction {
        if self.0.less_is_safer() { Direction::LessIsSafer } else { Direction::MoreIsSafer }
    }

    fn monotonicity(&self) -> Monotonicity {
        self.0.monotonicity()
    }

    fn compares_with_whole(&self) -> bool {
        matches!(self.0, Model::Gain { .. })
    }

    fn column(&self) -> Option<usize> {
        match self.0 {
            Model::Share { column, .. } | Model::Gain { column, .. } | Model::AboutTwo { column, .. } => {
                Some(column)
            }
            _ => None,
        }
    }
}
