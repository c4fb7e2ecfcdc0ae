//! The risk of the households that people are in: that somebody of one is found, who gives the others away.
//!
//! A household with the individual risks r₁, r₂, … of its rows is found with the probability 1 − Π(1 − rᵢ), as if whether one
//! of them is found said nothing of the others. Everybody in it has that risk.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use throng::sample::{individual_risk, individual_risks};

use super::population::read_weight;
use super::{CheckedTable, Sampling};
use crate::encode::{Encoded, encode_any};
use crate::error::Result;
use crate::memory::Budget;
use crate::progress::Progress;

/// Classes up to so many rows have their risk looked up.
const LOOKED_UP: u64 = 1 << 12;

/// What was found of households.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HouseholdFound {
    /// The column that says which household a row belongs to.
    pub column: String,
    /// Households; a row without one is one by itself.
    pub households: u64,
    /// The rows of the largest.
    pub largest: u64,
    /// The highest risk of a household.
    pub highest_risk: f64,
    /// The mean over all rows of the risk of their household.
    pub mean_risk: f64,
    /// How many rows are expected to be of a household that is found: the sum over all rows.
    pub expected_rows: f64,
}

/// Looks at the households, if it is said which column has them.
///
/// # Errors
/// If the table cannot be read.
pub(super) async fn find(subject: &CheckedTable, progress: &dyn Progress) -> Result<Option<HouseholdFound>> {
    let Some((column, name)) = subject.household() else { return Ok(None) };
    let weight = subject.weight_column()?;
    let columns: Vec<usize> = subject.quasi().iter().copied().chain(weight).chain([column]).collect();
    let encoded = encode_any(subject.source(), &columns, Budget::default(), progress).await?;
    if encoded.rows == 0 {
        return Ok(None);
    }
    tokio::task::block_in_place(|| {
        let risks = Risks::measure(subject, &encoded)?;
        Ok(Some(combine(name.to_owned(), &encoded, &risks)))
    })
}

/// The individual risk of each tuple.
struct Risks(Vec<f64>);

impl Risks {
    /// By the classes over the quasi-identifiers, of which tuples in order are neighbours.
    fn measure(subject: &CheckedTable, encoded: &Encoded) -> Result<Risks> {
        let quasi = subject.quasi().len();
        let people = people(subject, encoded)?;
        let is_same =
            |a: usize, b: usize| encoded.columns[..quasi].iter().all(|column| column[a] == column[b]);
        let fraction = match subject.sampling() {
            Some(Sampling::Fraction(fraction)) => *fraction,
            // Without a word about sampling the table is the population.
            _ => 1.0,
        };
        let small = individual_risks(LOOKED_UP, fraction);
        let mut risks = vec![0.0; encoded.weights.len()];
        let mut start = 0;
        while start < risks.len() {
            let end = (start..risks.len()).find(|&at| !is_same(start, at)).unwrap_or(risks.len());
            let rows: u64 = encoded.weights[start..end].iter().map(|&rows| u64::from(rows)).sum();
            let risk = match &people {
                Some(people) => {
                    individual_risk(rows, (rows as f64 / people[start..end].iter().sum::<f64>()).min(1.0))
                }
                None if rows <= LOOKED_UP => small[rows as usize - 1],
                None => individual_risk(rows, fraction),
            };
            risks[start..end].fill(risk);
            start = end;
        }
        Ok(Risks(risks))
    }
}

/// How many people the rows of each tuple stand for, where rows have design weights; these were checked before.
fn people(subject: &CheckedTable, encoded: &Encoded) -> Result<Option<Vec<f64>>> {
    if subject.sampling_weight().is_none() {
        return Ok(None);
    }
    let at = subject.quasi().len();
    let dictionary = &encoded.dictionaries[at];
    let weights: Vec<f64> = dictionary.values().map(|text| read_weight(text).unwrap_or(1.0)).collect();
    let of = |(&code, &rows): (&u32, &u32)| weights[code as usize] * f64::from(rows);
    Ok(Some(encoded.columns[at].iter().zip(&encoded.weights).map(of).collect()))
}

fn combine(column: String, encoded: &Encoded, risks: &Risks) -> HouseholdFound {
    let (dictionary, codes) = (encoded.dictionaries.last(), encoded.columns.last());
    let (dictionary, codes) = (dictionary.expect("a column of households"), codes.expect("as many"));
    let missing = dictionary.missing();
    // The logarithm of the chance that nobody is found, and rows.
    let mut households: FxHashMap<u32, (f64, u64)> = FxHashMap::default();
    let (mut alone, mut highest, mut sum) = (0, 0.0f64, 0.0);
    for ((&code, &rows), &risk) in codes.iter().zip(&encoded.weights).zip(&risks.0) {
        if Some(code) == missing {
            alone += u64::from(rows);
            highest = highest.max(risk);
            sum += f64::from(rows) * risk;
            continue;
        }
        let household = households.entry(code).or_default();
        household.0 += f64::from(rows) * (-risk).ln_1p();
        household.1 += u64::from(rows);
    }
    let mut found: Vec<(u32, (f64, u64))> = households.into_iter().collect();
    found.sort_unstable_by_key(|(code, _)| *code);
    let mut largest = u64::from(alone > 0);
    for (_, (spared, rows)) in &found {
        let risk = -spared.exp_m1();
        highest = highest.max(risk);
        sum += *rows as f64 * risk;
        largest = largest.max(*rows);
    }
    HouseholdFound {
        column,
        households: alone + found.len() as u64,
        largest,
        highest_risk: highest,
        mean_risk: sum / encoded.rows as f64,
        expected_rows: sum,
    }
}
