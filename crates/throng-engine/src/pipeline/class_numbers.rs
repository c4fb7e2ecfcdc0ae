//! Columns whose classes show one number: a mean or a median in the place of a range.

use throng::release::{ClassLeaves, Release};
use throng::taxonomy::Coding;
use throng::verify::{Verdict, verify};
use throng::wording::quoted;

use crate::error::{EngineError, Result};
use crate::job::Shown;
use crate::prepare::{EncodedColumn, EncodedTable};

/// Digits after the point that a mean has more than the numbers that it is of.
const MORE_DIGITS: usize = 2;

/// A release in which columns show numbers of their classes.
pub(super) struct Summarised {
    pub(super) written: Release,
    /// What a reader of the report should know of it.
    pub(super) notes: Vec<String>,
}

/// Puts means and medians in the place of ranges, where the job wants them. None if it wants none.
///
/// # Errors
/// If the judge refuses the result, which is a bug of ours.
pub(super) fn summarise(prepared: &EncodedTable, release: &Release) -> Result<Option<Summarised>> {
    let columns: Vec<ClassNumbers<'_>> =
        prepared.attributes.iter().enumerate().filter_map(ClassNumbers::from_column).collect();
    if columns.is_empty() {
        return Ok(None);
    }
    for column in &columns {
        column.refuse_infinite(prepared)?;
    }
    let attributes: Vec<usize> = columns.iter().map(|column| column.attribute).collect();
    let of = |a: usize| columns.iter().find(|column| column.attribute == a).expect("one that was asked for");
    let written = release.with_class_labels(&attributes, &|a, leaves| of(a).label(leaves));
    if let Verdict::Unsafe(reason) = verify(&written) {
        return Err(EngineError::Unverified(reason.into()));
    }
    let notes = columns.iter().map(|column| column.note(&written)).collect();
    Ok(Some(Summarised { written, notes }))
}

/// A column whose classes show one number.
struct ClassNumbers<'p> {
    attribute: usize,
    column: &'p EncodedColumn,
    shown: Shown,
    /// The number of each leaf; none for a missing one.
    numbers: Vec<Option<f64>>,
    /// Digits after the point.
    digits: usize,
    /// How the numbers are spelled.
    coding: Coding,
}

impl<'p> ClassNumbers<'p> {
    fn from_column((attribute, column): (usize, &'p EncodedColumn)) -> Option<ClassNumbers<'p>> {
        let of_job = column.numbers.filter(|numbers| numbers.shown != Shown::Range)?;
        let coding = of_job.coding().unwrap_or_default().with_notation(column.spelled);
        let leaves = 0..column.taxonomy.leaf_total() as u32;
        let texts: Vec<&str> = leaves.map(|leaf| column.taxonomy.label(leaf)).collect();
        let plain: Vec<Option<String>> = texts.iter().map(|text| coding.number(text)).collect();
        let digits = plain.iter().flatten().map(|text| decimals(text)).max().unwrap_or(0);
        Some(ClassNumbers {
            attribute,
            column,
            shown: of_job.shown,
            numbers: plain.iter().map(|text| text.as_deref()?.trim().parse().ok()).collect(),
            coding,
            digits: digits + MORE_DIGITS,
        })
    }

    fn label(&self, leaves: &ClassLeaves) -> String {
        let number = match self.shown {
            Shown::Median => self.median(leaves),
            Shown::Mean | Shown::Range => self.mean(leaves),
        };
        let text = format!("{number:.*}", self.digits);
        let text = text.trim_end_matches('0').trim_end_matches('.');
        let text = if text == "-0" { "0" } else { text };
        self.column.spelled.write(text.to_owned())
    }

    fn number(&self, leaf: u32) -> f64 {
        self.numbers[leaf as usize].expect("a class with a missing number shows none")
    }

    /// Refuses a number that has no mean with others, because it is greater than any that is counted with.
    fn refuse_infinite(&self, prepared: &EncodedTable) -> Result<()> {
        let is_infinite = |number: &Option<f64>| number.is_some_and(|number| !number.is_finite());
        if !self.numbers.iter().any(is_infinite) {
            return Ok(());
        }
        let problem = format!("a number is too large to show the {} of its class", self.shown.name());
        Err(prepared.source.bad(problem).in_column(&self.column.name))
    }

    fn mean(&self, leaves: &ClassLeaves) -> f64 {
        mean_of(leaves.iter().map(|&(leaf, rows)| (self.number(leaf), rows)))
    }

    fn median(&self, leaves: &ClassLeaves) -> f64 {
        let rows: u64 = leaves.iter().map(|&(_, rows)| rows).sum();
        let at = |place: u64| {
            let mut before = 0;
            let leaf = leaves.iter().find(|&&(_, rows)| {
                before += rows;
                place < before
            });
            self.number(leaf.expect("a place among the rows").0)
        };
        let (low, high) = (at((rows - 1) / 2), at(rows / 2));
        middle(low, high)
    }

    /// What the numbers mean, and how far they are off.
    fn note(&self, written: &Release) -> String {
        let (a, mut off) = (self.attribute, Vec::new());
        for part in (0..written.parts()).filter(|&part| !written.is_suppressed(part)) {
            let shown = self.coding.number(written.label(a, written.value(part, a)));
            let shown = shown.and_then(|text| text.parse::<f64>().ok());
            if let Some((shown, own)) = shown.zip(self.numbers[written.leaf(part, a) as usize]) {
                off.push((shown, own, written.rows(part)));
            }
        }
        format!(
            "{} shows the {} of each class; its losses are those of the classes' ranges, and its numbers \
                differ from the original by {} (root mean square)",
            quoted(&self.column.name),
            self.shown.name(),
            rounded(root_mean_square(&off))
        )
    }
}

/// The mean of numbers, of each so many rows; it lies between the least and the greatest.
fn mean_of(numbers: impl Iterator<Item = (f64, u64)> + Clone) -> f64 {
    let rows = numbers.clone().map(|(_, rows)| rows).sum::<u64>() as f64;
    let least = numbers.clone().map(|(number, _)| number).fold(f64::INFINITY, f64::min);
    let greatest = numbers.clone().map(|(number, _)| number).fold(f64::NEG_INFINITY, f64::max);
    // From the first one on, so that large numbers keep their last digits.
    let first = numbers.clone().next().map_or(0.0, |(number, _)| number);
    let mean = first + numbers.clone().map(|(number, of)| (number - first) * of as f64).sum::<f64>() / rows;
    // Where that is more than there are numbers for, no share of the mean is.
    let mean =
        if mean.is_finite() { mean } else { numbers.map(|(number, of)| number * (of as f64 / rows)).sum() };
    mean.clamp(least, greatest)
}

/// The number in the middle between two.
fn middle(low: f64, high: f64) -> f64 {
    let middle = low + (high - low) / 2.0;
    if middle.is_finite() { middle } else { low / 2.0 + high / 2.0 }
}

/// How far numbers are off others, as the root of the mean square over so many rows of each pair.
fn root_mean_square(pairs: &[(f64, f64, u32)]) -> f64 {
    // Halves of differences, over the greatest of them: their squares are at most 1.
    let half = |&(shown, own, _): &(f64, f64, u32)| (shown / 2.0 - own / 2.0).abs();
    let greatest = pairs.iter().map(half).fold(0.0, f64::max);
    if greatest == 0.0 {
        return 0.0;
    }
    let rows: f64 = pairs.iter().map(|&(_, _, rows)| f64::from(rows)).sum();
    let squares: f64 = pairs.iter().map(|pair| (half(pair) / greatest).powi(2) * f64::from(pair.2)).sum();
    (2.0 * ((squares / rows).sqrt() * greatest)).min(f64::MAX)
}

/// Digits after the point of a number as it is spelled.
fn decimals(text: &str) -> usize {
    let mantissa = text.split(['e', 'E']).next().unwrap_or(text);
    mantissa.split_once('.').map_or(0, |(_, fraction)| fraction.trim().len())
}

/// Three digits that count.
fn rounded(number: f64) -> f64 {
    format!("{number:.2e}").parse().unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_a_class_are_finite_however_large_they_are() {
        let most = f64::MAX;
        assert_eq!(mean_of([(-1e308, 1), (1e308, 1)].into_iter()), 0.0);
        assert_eq!(mean_of([(1e308, 2), (1.5e308, 2)].into_iter()), 1.25e308);
        for numbers in [[(-most, 1), (most, 3)], [(most, 1), (most / 2.0, 5)], [(-most, 7), (-most / 3.0, 2)]]
        {
            let mean = mean_of(numbers.into_iter());
            assert!(
                mean.is_finite() && numbers.iter().any(|(number, _)| *number <= mean),
                "{numbers:?}: {mean}"
            );
        }
        assert_eq!((middle(-most, most), middle(1e308, 1.5e308), middle(2.0, 5.0)), (0.0, 1.25e308, 3.5));
        assert_eq!(
            mean_of([(1e15 + 1.0, 1), (1e15 + 2.0, 1)].into_iter()),
            1e15 + 1.5,
            "the last digits stay"
        );
        assert_eq!(root_mean_square(&[(3.0, 0.0, 1), (4.0, 0.0, 1)]), 12.5_f64.sqrt());
        assert!(root_mean_square(&[(most, -most, 1)]).is_finite());
    }
}
