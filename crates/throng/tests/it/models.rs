//! What classes must satisfy: the crate's models, and some that no search may treat like k-anonymity.
//!
//! A [`Model`] is what the oracle goes by; [`Model::requirement`] makes the crate's of it.

use throng::privacy::{
    AlphaK, BetaLikeness, Class, DeltaDisclosure, DeltaPresence, Direction, DistinctL, EntropyL,
    EstimatedKMap, Ground, KAnonymity, KMap, Monotonicity, PSensitive, PopulationUniqueness, PrivacyModel,
    RecursiveCL, Risk, TCloseness, Tree, Whole,
};
use throng::requirement::Requirement;

use crate::case::Case;

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
    /// At least so many different values.
    PSensitive { p: u64, column: usize },
    /// As uncertain as so many equally frequent values.
    EntropyL { l: f64, column: usize },
    /// The most frequent value has less than c times the rows of the l-th and all rarer ones.
    RecursiveCL { c: f64, l: usize, column: usize },
    /// A value, by its place in the order of all, or the most frequent one has at most this share.
    AlphaK { alpha: f64, value: Option<usize>, column: usize },
    /// Values are distributed nearly as in all that is released.
    TCloseness { t: f64, distance: Distance, column: usize },
    /// No value gains more than this in proportion.
    BetaLikeness { beta: f64, enhanced: bool, column: usize },
    /// No value is much more or less frequent than in all that is released.
    DeltaDisclosure { delta: f64, column: usize },
    /// At least so many of the population are in the class.
    KMap(u64),
    /// Of the population in the class such a share is released.
    DeltaPresence { min: f64, max: f64 },
    /// The risk of every row, or the mean of all, is at most this.
    Risk { risk: f64, journalist: bool, mean: bool },
    /// At least so many of the population are in the class, by an estimate at the significance 0.05.
    EstimatedKMap { k: u64, fraction: f64 },
    /// At most this share of the records is unique in the population, as Zayatz estimates it.
    PopulationUniqueness { share: f64, fraction: f64 },
    /// The most frequent value has at most this share of the class.
    Share { most: f64, column: usize },
    /// No value has a share that is more than this above its share of all that is released.
    Gain { most: f64, column: usize },
    /// Two different values, or at most so many more or fewer.
    AboutTwo { off: u64, column: usize },
    /// At least so many of the population are in the class.
    Population(u64),
}

/// How far values are from each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Distance {
    Equal,
    Ordered,
    Hierarchical,
}

impl Model {
    /// The degree that is asked for.
    pub(crate) fn asked(self) -> f64 {
        match self {
            Model::KAnonymity(k)
            | Model::Opaque(k)
            | Model::NoThrees(k)
            | Model::KMap(k)
            | Model::Population(k) => k as f64,
            Model::DistinctL { l, .. } => l as f64,
            Model::PSensitive { p, .. } => p as f64,
            Model::EntropyL { l, .. } => l,
            Model::RecursiveCL { c, .. } => c,
            Model::AlphaK { alpha, .. } => alpha,
            Model::TCloseness { t, .. } => t,
            Model::BetaLikeness { beta, .. } => beta,
            Model::DeltaDisclosure { delta, .. } => delta,
            Model::DeltaPresence { max, .. } => max,
            Model::Risk { risk, .. } => risk,
            Model::EstimatedKMap { k, .. } => k as f64,
            Model::PopulationUniqueness { share, .. } => share,
            Model::Share { most, .. } | Model::Gain { most, .. } => most,
            Model::AboutTwo { off, .. } => off as f64,
        }
    }

    /// Whether smaller degrees are safer.
    pub(crate) fn less_is_safer(self) -> bool {
        match self {
            Model::KAnonymity(_)
            | Model::Opaque(_)
            | Model::NoThrees(_)
            | Model::DistinctL { .. }
            | Model::PSensitive { .. }
            | Model::EntropyL { .. }
            | Model::KMap(_)
            | Model::EstimatedKMap { .. }
            | Model::Population(_) => false,
            Model::PopulationUniqueness { .. }
            | Model::RecursiveCL { .. }
            | Model::AlphaK { .. }
            | Model::TCloseness { .. }
            | Model::BetaLikeness { .. }
            | Model::DeltaDisclosure { .. }
            | Model::DeltaPresence { .. }
            | Model::Risk { .. }
            | Model::Share { .. }
            | Model::Gain { .. }
            | Model::AboutTwo { .. } => true,
        }
    }

    /// Whether a degree is less safe than another.
    pub(crate) fn is_worse(self, degree: f64, than: f64) -> bool {
        if self.less_is_safer() { degree > than } else { degree < than }
    }

    /// Whether a class of this degree may be released.
    pub(crate) fn allows(self, degree: f64) -> bool {
        match self {
            // Strictly less, as published.
            Model::RecursiveCL { c: most, .. } | Model::DeltaDisclosure { delta: most, .. } => degree < most,
            _ => !self.is_worse(degree, self.asked()),
        }
    }

    /// The sensitive column that is looked at.
    pub(crate) fn column(self) -> Option<usize> {
        match self {
            Model::DistinctL { column, .. }
            | Model::PSensitive { column, .. }
            | Model::EntropyL { column, .. }
            | Model::RecursiveCL { column, .. }
            | Model::AlphaK { column, .. }
            | Model::TCloseness { column, .. }
            | Model::BetaLikeness { column, .. }
            | Model::DeltaDisclosure { column, .. }
            | Model::Share { column, .. }
            | Model::Gain { column, .. }
            | Model::AboutTwo { column, .. } => Some(column),
            _ => None,
        }
    }

    /// Whether all rows are judged together, by their mean.
    pub(crate) fn is_mean(self) -> bool {
        matches!(self, Model::Risk { mean: true, .. } | Model::PopulationUniqueness { .. })
    }

    /// What docs/models.md says of merging, where rows are counted.
    pub(crate) fn monotonicity(self) -> Monotonicity {
        match self {
            Model::NoThrees(_) | Model::AboutTwo { .. } | Model::PopulationUniqueness { .. } => {
                Monotonicity::None
            }
            Model::EntropyL { .. }
            | Model::RecursiveCL { .. }
            | Model::AlphaK { .. }
            | Model::TCloseness { .. }
            | Model::BetaLikeness { .. }
            | Model::DeltaDisclosure { .. }
            | Model::DeltaPresence { .. }
            | Model::Risk { journalist: true, mean: true, .. }
            | Model::Share { .. }
            | Model::Gain { .. } => Monotonicity::SafeUnions,
            Model::KAnonymity(_)
            | Model::Opaque(_)
            | Model::DistinctL { .. }
            | Model::PSensitive { .. }
            | Model::KMap(_)
            | Model::EstimatedKMap { .. }
            | Model::Risk { .. }
            | Model::Population(_) => Monotonicity::Monotone,
        }
    }

    /// The size of a class that is asked for, if nothing else is; else 0.
    pub(crate) fn least_rows(self) -> usize {
        if let Model::KAnonymity(k) = self { k as usize } else { 0 }
    }

    /// The same where persons may be counted.
    pub(crate) fn monotonicity_in(self, case: &Case) -> Monotonicity {
        match self.monotonicity() {
            by_rows if case.persons.is_none() => by_rows,
            Monotonicity::Monotone if !self.is_mean() => Monotonicity::Monotone,
            _ => Monotonicity::None,
        }
    }

    /// The same as a requirement of the crate for a case.
    pub(crate) fn requirement(self, case: &Case) -> Requirement {
        match self {
            Model::KAnonymity(k) => Requirement::new(KAnonymity { k }),
            Model::DistinctL { l, column } => Requirement::new(DistinctL { l, column }),
            Model::PSensitive { p, column } => Requirement::new(PSensitive { p, column }),
            Model::EntropyL { l, column } => Requirement::new(EntropyL { l, column }),
            Model::RecursiveCL { c, l, column } => Requirement::new(RecursiveCL { c, l, column }),
            Model::AlphaK { alpha, value, column } => {
                let text = value.map(|place| case.domains[column].order[place].clone());
                // A value of nobody has a code of nobody.
                let value = text.map(|text| (case.code(column, &text).unwrap_or(0), text));
                Requirement::new(AlphaK { alpha, value, column })
            }
            Model::TCloseness { t, distance, column } => {
                let ground = match distance {
                    Distance::Equal => Ground::Equal,
                    Distance::Ordered => Ground::Ordered(case.order(column)),
                    Distance::Hierarchical => Ground::Hierarchical(Tree::new(&case.tree(column))),
                };
                Requirement::new(TCloseness { t, ground, column })
            }
            Model::BetaLikeness { beta, enhanced, column } => {
                Requirement::new(BetaLikeness { beta, enhanced, column })
            }
            Model::DeltaDisclosure { delta, column } => Requirement::new(DeltaDisclosure { delta, column }),
            Model::KMap(k) => Requirement::new(KMap { k }),
            Model::DeltaPresence { min, max } => Requirement::new(DeltaPresence { min, max }),
            Model::Risk { risk, journalist, mean } => Requirement::new(Risk { risk, journalist, mean }),
            Model::EstimatedKMap { k, fraction } => Requirement::new(EstimatedKMap::new(k, fraction, 0.05)),
            Model::PopulationUniqueness { share, fraction } => {
                Requirement::new(PopulationUniqueness::new(share, fraction, "zayatz"))
            }
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
