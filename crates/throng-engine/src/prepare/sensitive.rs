//! A sensitive column as privacy models need to know it: its values, their order, their tree.

use throng::privacy::SensitiveColumn;
use throng::taxonomy::{self, Notation, Taxonomy};
use throng::wording::quoted;

use super::CarriedColumn;
use super::auto::infer_kind;
use crate::error::{EngineError, Result};
use crate::job::{HierarchySpec, Sensitive};
use crate::profile::ColumnKind;

/// What is known of a carried column, by its place.
///
/// # Errors
/// An order or a hierarchy that lacks values of the column.
pub(crate) fn describe(place: usize, column: &CarriedColumn, told: &Sensitive) -> Result<SensitiveColumn> {
    let texts: Vec<String> = column.dictionary.values().map(str::to_owned).collect();
    let order = match &told.order {
        Some(order) => Some(find_order(column, &texts, order)?),
        None => natural_order(column.name(), &texts),
    };
    let tree = told.hierarchy.as_ref().map(|spec| find_tree(column, &texts, spec)).transpose()?;
    Ok(SensitiveColumn { place, texts, order, tree })
}

/// The order of numbers or dates, if all values are: missing ones are last.
fn natural_order(name: &str, texts: &[String]) -> Option<Vec<u32>> {
    let kind = infer_kind(name, texts.iter().map(|text| (text.as_str(), 1)));
    let format = match kind {
        ColumnKind::Date(format) => format.strptime(),
        _ => None,
    };
    let notation = Notation::of(texts).unwrap_or_default();
    let line = taxonomy::ranges_in(texts, format, notation).ok()?;
    let mut codes: Vec<u32> = (0..texts.len() as u32).collect();
    let leaves = leaves(texts, &line)?;
    codes.sort_unstable_by_key(|&code| leaves[code as usize]);
    Some(codes)
}

/// The leaf of each text.
fn leaves(texts: &[String], taxonomy: &Taxonomy) -> Option<Vec<u32>> {
    let leaf_of: rustc_hash::FxHashMap<&str, u32> =
        (0..taxonomy.leaf_total() as u32).map(|leaf| (taxonomy.label(leaf), leaf)).collect();
    texts.iter().map(|text| leaf_of.get(text.as_str()).copied()).collect()
}

fn find_order(column: &CarriedColumn, texts: &[String], order: &[String]) -> Result<Vec<u32>> {
    let lacking: Vec<u32> =
        (0..texts.len() as u32).filter(|&code| !order.contains(&texts[code as usize])).collect();
    refuse_lacking(column, &lacking, "its order")?;
    Ok(order.iter().filter_map(|text| column.dictionary.code(text)).collect())
}

fn find_tree(column: &CarriedColumn, texts: &[String], spec: &HierarchySpec) -> Result<Vec<Vec<u32>>> {
    let name = column.name();
    let row = |index: usize| column.dictionary.first_row(index as u32);
    let taxonomy = spec.build_by_rows(name, texts, None, row).map_err(|error| error.at_row(name, row))?;
    let taxonomy = if column.dictionary.missing().is_some() { taxonomy.with_missing() } else { taxonomy };
    let known = |text: &String| leaves(std::slice::from_ref(text), &taxonomy).is_some();
    let lacking: Vec<u32> = (0..texts.len() as u32).filter(|&code| !known(&texts[code as usize])).collect();
    refuse_lacking(column, &lacking, "its hierarchy")?;
    let leaves = leaves(texts, &taxonomy).unwrap_or_default();
    let level = |level: usize| number(leaves.iter().map(|&leaf| taxonomy.generalise(leaf, level)));
    Ok((0..=taxonomy.height()).map(level).collect())
}

/// Numbers for values, in the order of their first occurrence.
fn number(values: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut numbers = rustc_hash::FxHashMap::default();
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
        1 => format!("the value is not in {what}; add it"),
        n => format!("the value is not in {what}, which lacks {n} values of the column; add them"),
    };
    let name = column.name();
    Err(EngineError::bad(format!("the sensitive column {}: {problem}", quoted(name)))
        .at_row(row)
        .about_column(name))
}
