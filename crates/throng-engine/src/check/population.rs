//! The risk of a table that is a sample of a population without a register: by its sampling fraction, or by a column of
//! design weights.

use serde::{Deserialize, Serialize};

use throng::sample::{self, OutOfRange, Sample, individual_risk};
use throng::wording::quoted;

use super::CheckedTable;
use super::classes::QuasiClasses;
use crate::error::{EngineError, Result};
use crate::input::source::Source;
use crate::prepare::CarriedColumn;
use crate::wording::Message;

/// How a table was drawn from its population.
#[derive(Clone, Debug, PartialEq)]
pub enum Sampling {
    /// It is so large a share of it.
    Fraction(f64),
    /// A column says how many people of it each row stands for.
    Weights(String),
}

/// What follows from a table's being a sample.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SampleFound {
    /// The share of the population that it is.
    pub sampling_fraction: f64,
    /// About how many people the population has.
    pub population_rows: f64,
    /// The column of design weights, if it is by them.
    pub sampling_weight: Option<String>,
    /// Individual risk: the highest chance that a match with a row is right.
    pub highest_risk: f64,
    /// Global risk: the mean of that chance over all rows.
    pub global_risk: f64,
    /// How many rows are expected to be re-identified by matching every one: the sum of that chance.
    pub expected_reidentifications: f64,
}

/// What the estimators say of how many records are unique in the population.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Population {
    /// Pitman's sampling formula.
    pub pitman: Uniqueness,
    /// Zayatz's estimator.
    pub zayatz: Uniqueness,
    /// The slide negative binomial model.
    pub snb: Uniqueness,
    /// The rule of Dankar et al., which takes one of these.
    pub dankar: Uniqueness,
}

/// What one estimator says.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Uniqueness {
    /// The share of the records that are unique in the population; none where the estimator does not hold.
    pub share: Option<f64>,
    /// The estimator that a rule took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken: Option<String>,
    /// Why it says nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What to use instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead: Option<String>,
}

impl Sampling {
    /// From what a job or the flags say.
    ///
    /// # Errors
    /// If they say both, or the fraction is none.
    pub fn from_flags(fraction: Option<f64>, weight: Option<&str>) -> Result<Option<Sampling>> {
        match (fraction, weight) {
            (Some(_), Some(_)) => Err(EngineError::bad((
                "sampling_fraction and sampling_weight both say how the table was sampled",
                "give only one of them",
            ))),
            (Some(fraction), None) if fraction > 0.0 && fraction <= 1.0 => {
                Ok(Some(Sampling::Fraction(fraction)))
            }
            (Some(fraction), None) => Err(EngineError::bad((
                format!("the sampling fraction is {fraction}"),
                "it must be above 0 and at most 1",
            ))),
            (None, weight) => Ok(weight.map(|weight| Sampling::Weights(weight.to_owned()))),
        }
    }
}

/// Looks at the classes of a sample; `weights` are those of its rows, if a column has them. Nothing of a table without
/// rows.
pub(super) fn find(
    subject: &CheckedTable,
    classes: &QuasiClasses,
    weights: Option<&CarriedColumn>,
) -> Result<Option<(SampleFound, Population)>> {
    let crowds: Vec<u64> = classes.crowds().into_iter().map(|(crowd, _)| crowd).collect();
    if crowds.is_empty() {
        return Ok(None);
    }
    let rows: u64 = crowds.iter().sum();
    let (people, risks) = match weights {
        None => {
            let Some(Sampling::Fraction(fraction)) = subject.sampling() else { return Ok(None) };
            (rows as f64 / fraction, None)
        }
        Some(weights) => {
            let people = people(subject.source(), weights)?;
            let risk = |(&rows, people): (&u64, &f64)| individual_risk(rows, (rows as f64 / people).min(1.0));
            let risks: Vec<f64> = crowds.iter().zip(&people).map(risk).collect();
            (people.iter().sum(), Some(risks))
        }
    };
    let fraction = (rows as f64 / people).min(1.0);
    let sample = Sample::new(crowds.iter().map(|&rows| (rows, 1)), fraction);
    let (highest_risk, expected) = match risks {
        None => {
            let smallest = crowds.iter().copied().min().unwrap_or(1);
            (individual_risk(smallest, fraction), sample.expected_reidentifications())
        }
        Some(risks) => {
            let sum = risks.iter().zip(&crowds).map(|(risk, &rows)| risk * rows as f64).sum();
            (risks.into_iter().fold(0.0, f64::max), sum)
        }
    };
    let found = SampleFound {
        sampling_fraction: fraction,
        population_rows: people,
        sampling_weight: weights.map(|column| column.name().to_owned()),
        highest_risk,
        global_risk: expected / rows as f64,
        expected_reidentifications: expected,
    };
    Ok(Some((found, estimate(&sample))))
}

fn estimate(sample: &Sample) -> Population {
    let rule = sample::rule(sample);
    let taken = rule.ok().map(|(name, _)| name.to_owned());
    Population {
        pitman: sample::pitman(sample).into(),
        zayatz: sample::zayatz(sample).into(),
        snb: sample::snb(sample).into(),
        dankar: Uniqueness { taken, ..rule.map(|(_, share)| share).into() },
    }
}

impl From<std::result::Result<f64, OutOfRange>> for Uniqueness {
    fn from(share: std::result::Result<f64, OutOfRange>) -> Uniqueness {
        match share {
            Ok(share) => Uniqueness { share: Some(share), ..Uniqueness::default() },
            Err(OutOfRange { reason, instead }) => Uniqueness {
                reason: Some(reason.to_owned()),
                instead: Some(instead.to_owned()),
                ..Uniqueness::default()
            },
        }
    }
}

/// How many people the rows of each class stand for.
///
/// # Errors
/// A weight that is missing, no number, or below one; the first by its row.
fn people(source: &Source, column: &CarriedColumn) -> Result<Vec<f64>> {
    let dictionary = &column.dictionary;
    let read = |code: u32| {
        read_weight(dictionary.value(code)).map_err(|problem| (dictionary.first_row(code), problem))
    };
    let codes: Vec<std::result::Result<f64, (u64, WeightProblem)>> =
        (0..dictionary.len() as u32).map(read).collect();
    if let Some((row, (problem, hint))) = codes.iter().filter_map(|read| read.as_ref().err()).min() {
        let problem = format!("the design weight in column {} {problem}", quoted(column.name()));
        let problem = Message::new(problem, hint.map(str::to_owned));
        return Err(source.bad_at(*row, problem).about_column(column.name()));
    }
    let weights: Vec<f64> = codes.into_iter().flatten().collect();
    let of_class = |class: usize| {
        column
            .counts
            .histogram(class)
            .iter()
            .map(|(code, rows)| weights[code as usize] * f64::from(rows))
            .sum()
    };
    Ok((0..column.counts.tuples()).map(of_class).collect())
}

/// What is wrong with a weight, and what would help.
type WeightProblem = (&'static str, Option<&'static str>);

/// Reads a weight; the problem does not repeat it, as it is a cell.
pub(super) fn read_weight(text: &str) -> std::result::Result<f64, WeightProblem> {
    const PERSON: Option<&str> = Some("every row stands for at least one person");
    match text.trim().parse::<f64>() {
        _ if text.trim().is_empty() => Err(("is missing", PERSON)),
        Ok(weight) if !weight.is_finite() => Err(("is not a finite number", None)),
        Ok(weight) if weight < 0.0 => Err(("is negative", PERSON)),
        Ok(weight) if weight < 1.0 => Err(("is below one", PERSON)),
        Ok(weight) => Ok(weight),
        Err(_) => Err(("is not a number (such as 12.5)", None)),
    }
}
