//! A sensitive column as privacy models need to know it: its values, their order, their tree.

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};
use throng::privacy::{SensitiveColumn, folded};
use throng::taxonomy::{self, Notation, Taxonomy};
use throng::wording::quoted;

use super::CarriedColumn;
use crate::auto::infer_kind;
use crate::error::{EngineError, Result};
use crate::job::{HierarchySpec, Sensitive};
use crate::profile::ColumnKind;
use crate::wording::Message;

/// What is known of a carried column, by its place.
///
/// # Errors
/// An order or a hierarchy that lacks values of the column.
pub(crate) fn describe(place: usize, column: &CarriedColumn, told: &Sensitive) -> Result<SensitiveColumn> {
    let texts: Vec<String> = column.dictionary.values().map(str::to_owned).collect();
    let mut described = SensitiveColumn { place, texts, exact: told.exact, order: None, tree: None };
    described.order = match &told.order {
        Some(order) => Some(find_order(column, &described, order)?),
        None => natural_order(column.name(), &described.texts),
    };
    described.tree = told.hierarchy.as_ref().map(|spec| find_tree(column, &described, spec)).transpose()?;
    Ok(described)
}

/// The order of numbers or dates, if all values are: missing ones are last.
fn natural_order(name: &str, texts: &[String]) -> Option<Vec<u32>> {
    let kind = infer_kind(name, texts.iter().map(|text| (text.as_str(), 1)));
    let format = match kind {
        ColumnKind::Date(format) => format.strptime(),
        _ => None,
    };
    let notation = Notation::infer(texts).unwrap_or_default();
    let line = taxonomy::ranges_in(texts, format, notation).ok()?;
    let mut codes: Vec<u32> = (0..texts.len() as u32).collect();
    let leaves = leaves(texts, &line)?;
    codes.sort_unstable_by_key(|&code| leaves[code as usize]);
    Some(codes)
}

/// The leaf of each text.
fn leaves(texts: &[String], taxonomy: &Taxonomy) -> Option<Vec<u32>> {
    let leaf_of: FxHashMap<&str, u32> =
        (0..taxonomy.leaf_total() as u32).map(|leaf| (taxonomy.label(leaf), leaf)).collect();
    texts.iter().map(|text| leaf_of.get(text.as_str()).copied()).collect()
}

/// The codes in an order that a job lists; missing cells are last, unless it lists them, too.
fn find_order(column: &CarriedColumn, told: &SensitiveColumn, order: &[String]) -> Result<Vec<u32>> {
    let mut codes = codes_of(told, order);
    if let Some(missing) = column.dictionary.missing().filter(|missing| !codes.contains(missing)) {
        codes.push(missing);
    }
    let listed: FxHashSet<u32> = codes.iter().copied().collect();
    let lacking: Vec<u32> = (0..told.texts.len() as u32).filter(|code| !listed.contains(code)).collect();
    refuse_lacking(column, &lacking, "its order")?;
    Ok(codes)
}

/// The codes of those texts that are values of a column.
fn codes_of(told: &SensitiveColumn, texts: &[String]) -> Vec<u32> {
    let key = |text: &str| if told.exact { text.to_owned() } else { folded(text).into_owned() };
    let codes: FxHashMap<String, u32> =
        told.texts.iter().zip(0..).map(|(text, code)| (key(text), code)).collect();
    texts.iter().filter_map(|text| codes.get(&key(text)).copied()).collect()
}

fn find_tree(column: &CarriedColumn, told: &SensitiveColumn, spec: &HierarchySpec) -> Result<Vec<Vec<u32>>> {
    let texts = &told.texts;
    let name = column.name();
    let row = |index: usize| column.dictionary.first_row(index as u32);
    let taxonomy = spec.build_by_rows(name, texts, None, row).map_err(|error| error.at_row(name, row))?;
    let taxonomy = if column.dictionary.missing().is_some() { taxonomy.with_missing() } else { taxonomy };
    let leaves = find_leaves(told, &taxonomy);
    let lacking: Vec<u32> = (0..texts.len() as u32).filter(|&code| leaves[code as usize].is_none()).collect();
    refuse_lacking(column, &lacking, "its hierarchy")?;
    let leaves: Vec<u32> = leaves.into_iter().flatten().collect();
    let level = |level: usize| number(leaves.iter().map(|&leaf| taxonomy.generalise(leaf, level)));
    Ok((0..=taxonomy.height()).map(level).collect())
}

/// The leaf of each value: the one that is spelled like it, else the first that is the same value.
fn find_leaves(told: &SensitiveColumn, taxonomy: &Taxonomy) -> Vec<Option<u32>> {
    let labels = || (0..taxonomy.leaf_total() as u32).map(|leaf| (taxonomy.label(leaf), leaf));
    let spelled: FxHashMap<&str, u32> = labels().collect();
    let mut same: FxHashMap<Cow<'_, str>, u32> = FxHashMap::default();
    if !told.exact {
        labels().for_each(|(label, leaf)| _ = same.entry(folded(label)).or_insert(leaf));
    }
    let find = |text: &String| spelled.get(text.as_str()).or_else(|| same.get(&folded(text))).copied();
    told.texts.iter().map(find).collect()
}

/// Numbers for values, in the order of their first occurrence.
fn number(values: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut numbers = FxHashMap::default();
    values
        .map(|value| {
            let next = numbers.len() as u32;
            *numbers.entry(value).or_insert(next)
        })
        .collect()
}

fn refuse_lacking(column: &CarriedColumn, codes: &[u32], what: &str) -> Result<()> {
    let Some(row) = codes.iter().map(|&code| column.dictionary.first_row(code)).min() else { return Ok(()) };
    let problem = match codes.len() {
        1 => (format!("the value is not in {what}"), "add it"),
        n => (format!("the value is not in {what}, which lacks {n} values of the column"), "add them"),
    };
    let name = column.name();
    let problem = Message::from(problem).after(format_args!("the sensitive column {}: ", quoted(name)));
    Err(EngineError::bad(problem).at_row(row).about_column(name))
}
