//! Columns whose classes show one number: a mean or a median in the place of a range.

use throng::masked;
use throng::release::{ClassLeaves, Release};
use throng::taxonomy::Coding;
use throng::verify::{Verdict, verify};
use throng::wording::quoted;

use crate::error::{EngineError, Result};
use crate::job::Shown;
use crate::prepare::{EncodedColumn, Prepared};

/// Digits after the point that a mean has more than the numbers that it is of.
const MORE_DIGITS: usize = 2;

/// A release in which columns show numbers of their classes: as it is written, and as a reader sees it if suppressed
/// rows are shown.
pub(super) struct Summarised {
    pub(super) written: Release,
    pub(super) seen: Option<Release>,
    /// What a reader of the report should know of it.
    pub(super) notes: Vec<String>,
}

/// Puts means and medians in the place of ranges, where the job wants them; `is_shown` says whether suppressed rows
/// are. None if it wants none.
///
/// # Errors
/// If the judge refuses the result, which is a bug of ours.
pub(super) fn summarise(
    prepared: &Prepared,
    release: &Release,
    is_shown: bool,
) -> Result<Option<Summarised>> {
    let columns: Vec<ClassNumbers<'_>> =
        prepared.attributes.iter().enumerate().filter_map(ClassNumbers::of).collect();
    if columns.is_empty() {
        return Ok(None);
    }
    let attributes: Vec<usize> = columns.iter().map(|column| column.attribute).collect();
    let of = |a: usize| columns.iter().find(|column| column.attribute == a).expect("one that was asked for");
    let written = release.with_class_labels(&attributes, &|a, leaves| of(a).label(leaves));
    let seen = is_shown.then(|| masked::show(&written));
    if let Verdict::Unsafe(reason) = verify(seen.as_ref().unwrap_or(&written)) {
        return Err(EngineError::Unverified(reason.into()));
    }
    let notes = columns.iter().map(|column| column.note(&written)).collect();
    Ok(Some(Summarised { written, seen, notes }))
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
    fn of((attribute, column): (usize, &'p EncodedColumn)) -> Option<ClassNumbers<'p>> {
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

    fn mean(&self, leaves: &ClassLeaves) -> f64 {
        let rows: u64 = leaves.iter().map(|&(_, rows)| rows).sum();
        // From the first one on, so that large numbers keep their last digits.
        let first = self.number(leaves[0].0);
        let sum: f64 = leaves.iter().map(|&(leaf, rows)| (self.number(leaf) - first) * rows as f64).sum();
        first + sum / rows as f64
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
        low + (high - low) / 2.0
    }

    /// What the numbers mean, and how far they are off.
    fn note(&self, written: &Release) -> String {
        let (a, mut squares, mut rows) = (self.attribute, 0.0, 0u64);
        for part in (0..written.parts()).filter(|&part| !written.is_suppressed(part)) {
            let shown = self.coding.number(written.label(a, written.value(part, a)));
            let shown = shown.and_then(|text| text.parse::<f64>().ok());
            if let Some((shown, own)) = shown.zip(self.numbers[written.leaf(part, a) as usize]) {
                squares += (shown - own).powi(2) * f64::from(written.rows(part));
                rows += u64::from(written.rows(part));
            }
        }
        let error = if rows == 0 { 0.0 } else { (squares / rows as f64).sqrt() };
        format!(
            "{} shows the {} of each class; its losses are those of the ranges of the classes, and its numbers are off by \
             {} (root mean square)",
            quoted(&self.column.name),
            self.shown.name(),
            rounded(error)
        )
    }
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
