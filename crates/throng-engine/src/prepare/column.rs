//! A quasi-identifier of the table: its values, and the hierarchy over them.

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use throng::taxonomy::{Closure, Notation, Taxonomy};
use throng::wording::quoted;

use crate::auto::{Builder, Crowd, Nature};
use crate::dictionary::Dictionary;
use crate::encode::{Encoded, rows_by_code};
use crate::error::{EngineError, Result};
use crate::input::source::Source;
use crate::job::{HierarchySpec, Numbers, Quasi};
use crate::prepare::hidden::{self, HiddenValues, Numbered};
use crate::prepare::population::Population;
use crate::progress::{Progress, refuse_cancelled};

/// A quasi-identifier of the table.
pub struct EncodedColumn {
    /// Its name.
    pub name: String,
    /// Position in the input.
    pub column: usize,
    pub(crate) dictionary: Dictionary,
    /// The leaf of each code of the dictionary.
    pub leaves: Vec<u32>,
    /// Its hierarchy.
    pub taxonomy: Taxonomy,
    pub(crate) weight: f64,
    /// The lowest and, if it is not the top, the highest level that it may be released at.
    pub(crate) levels: (usize, Option<usize>),
    /// How its numbers were found to be spelled, if nobody said so.
    notation: Notation,
    /// How its numbers are spelled.
    pub(crate) spelled: Notation,
    /// How numbers without a hierarchy are released.
    pub(crate) numbers: Option<Numbers>,
    /// Whether its values look like people.
    pub(crate) is_personal: bool,
    /// What they are shown as then, unless a hierarchy of the job's own says so.
    hidden: Option<HiddenValues>,
}

/// What is known of a quasi-identifier before it has a hierarchy.
pub(super) struct SeenColumn {
    nature: Nature,
    /// Rows of each value: of the population, if there is one.
    rows: Vec<u64>,
    hidden: Option<HiddenValues>,
}

/// Where the values of a column were seen: in the table, or only in its population.
pub(super) struct Origin<'a> {
    pub(super) table: &'a Source,
    /// The file of the population, and the codes of the values that only it has, ascending.
    pub(super) foreign: Option<(&'a Path, &'a [u32])>,
}

impl Origin<'_> {
    /// Where a value was first seen: whether only in the population, and the row.
    fn seen(&self, dictionary: &Dictionary, code: u32) -> (bool, u64) {
        let is_foreign = self.foreign.is_some_and(|(_, known)| known.binary_search(&code).is_ok());
        (is_foreign, dictionary.first_row(code))
    }

    /// The first of some values that was seen; in the table, if one was.
    fn first(&self, dictionary: &Dictionary, codes: &[u32]) -> (PathBuf, u64) {
        let seen = codes.iter().map(|&code| self.seen(dictionary, code));
        match (seen.min().unwrap_or_default(), self.foreign) {
            ((true, row), Some((path, _))) => (path.to_owned(), row),
            ((_, row), _) => self.table.find_row(row),
        }
    }
}

impl EncodedColumn {
    /// The leaf of a value, as the table spells it; none if it does not occur.
    pub fn leaf_of(&self, value: &str) -> Option<u32> {
        Some(self.leaves[self.dictionary.code(value)? as usize])
    }

    pub(super) fn new(
        origin: &Origin<'_>,
        column: usize,
        name: String,
        quasi: &Quasi,
        dictionary: Dictionary,
        seen: SeenColumn,
        built: Option<Taxonomy>,
    ) -> Result<EncodedColumn> {
        let SeenColumn { nature, hidden, .. } = seen;
        let merged = dictionary.merged_code();
        let codes: Vec<u32> = (0..dictionary.len() as u32).filter(|&code| Some(code) != merged).collect();
        let shown: Vec<&str> = match &hidden {
            Some(hidden) => hidden.labels().iter().map(String::as_str).collect(),
            None => dictionary.values().collect(),
        };
        let values: Vec<&str> = codes.iter().map(|&code| shown[code as usize]).collect();
        let row = |index: usize| origin.seen(&dictionary, codes[index]);
        let taxonomy = built.map_or_else(|| quasi.build_by_rows(&name, &values, nature.found(), row), Ok);
        let place = |index: usize| origin.first(&dictionary, &[codes[index]]);
        let mut taxonomy = taxonomy.map_err(|error| error.in_file(&name, place))?;
        if dictionary.missing().is_some() {
            taxonomy = taxonomy.with_missing();
        }
        if merged.is_some() {
            taxonomy = taxonomy.with_top_leaf();
        }
        // A file of values alone says no more than no file, and no less.
        taxonomy = taxonomy.with_top_level();
        let leaves = find_leaves(&shown, &taxonomy)
            .map_err(|uncovered| uncovered.explain(origin, &name, quasi, &dictionary))?;
        let reads_numbers = quasi.reads_numbers() && hidden.is_none();
        let spelled = if reads_numbers { nature.notation } else { quasi.notation.unwrap_or_default() };
        let notation = if quasi.notation.is_none() { spelled } else { Notation::Plain };
        let numbers = quasi.hierarchy.as_ref().and_then(HierarchySpec::numbers).copied();
        let (weight, levels) = (quasi.weight, (quasi.min_level, quasi.max_level));
        Ok(EncodedColumn {
            name,
            column,
            dictionary,
            leaves,
            taxonomy,
            weight,
            levels,
            notation,
            spelled,
            numbers,
            is_personal: nature.is_personal,
            hidden,
        })
    }

    /// Says what becomes of values that look like people.
    pub(super) fn people_note(&self) -> Option<String> {
        self.is_personal.then(|| hidden::note(&self.name, self.is_hidden()))
    }

    /// Whether its values are shown as numbers.
    pub fn is_hidden(&self) -> bool {
        self.hidden.is_some()
    }

    /// Forgets which number is whose, if values are shown as numbers: a release that is read has others.
    pub(super) fn forget_numbers(&mut self) {
        self.hidden.iter_mut().for_each(HiddenValues::forget);
    }

    /// What a label of a release shows in the place of values, if it is not known which number is whose.
    pub fn numbered(&self, label: &str) -> Option<Numbered> {
        let hidden = self.hidden.as_ref()?;
        hidden.is_forgotten().then(|| Numbered::read(label)).flatten()
    }

    /// The text of each leaf in the table, whatever it is shown as; groups are shown as they are.
    pub(crate) fn leaf_texts(&self) -> Vec<&str> {
        let mut texts: Vec<&str> =
            (0..self.taxonomy.leaf_total() as u32).map(|leaf| self.taxonomy.label(leaf)).collect();
        if self.is_hidden() {
            let own = self.leaves.iter().zip(self.dictionary.values());
            own.for_each(|(&leaf, text)| texts[leaf as usize] = text);
        }
        texts
    }

    /// The leaves that are shown as numbers.
    pub fn numbered_leaves(&self) -> impl Iterator<Item = u32> {
        let is_numbered = |leaf: &u32| Numbered::read(self.taxonomy.label(*leaf)).is_some();
        (0..self.taxonomy.leaf_total() as u32).filter(is_numbered)
    }

    /// The leaf of a value by its text, as a release shows it or as the table has it.
    pub fn leaf_with(&self, text: &str) -> Option<u32> {
        let numbered = self.hidden.as_ref().and_then(|hidden| hidden.code(text));
        let code = numbered.or_else(|| self.dictionary.code(text));
        code.map(|code| self.leaves[code as usize])
    }

    /// The value that covers a leaf and is shown as `label`. Releases that others made may show what ours hide.
    pub(crate) fn read(&self, label: &str, leaf: u32) -> Option<Closure> {
        let own = || self.leaf_with(label).filter(|&own| self.is_hidden() && own == leaf);
        let read = self.taxonomy.read(label, leaf, |text| self.leaf_with(text));
        read.or_else(|| own().map(Closure::Value))
    }

    /// Says which marks the numbers of the column were found to have.
    pub(super) fn notation_note(&self) -> Option<String> {
        let (mark, other) = match self.notation {
            Notation::Plain => return None,
            Notation::Point => ("a decimal point and marks between thousands", ","),
            Notation::Comma => ("a decimal comma", "."),
        };
        let name = quoted(&self.name);
        Some(format!(
            "column {name}: its numbers are read with {mark}; if that is wrong, set decimal = \"{other}\""
        ))
    }
}

/// Looks at the values of all quasi-identifiers: at all of a population, if there is one.
///
/// # Errors
/// Values that look like people and that the job would have shown.
pub(super) fn look(
    quasi: &[(usize, String, Quasi)],
    encoded: &Encoded,
    population: Option<&Population>,
) -> Result<Vec<SeenColumn>> {
    let weights = population.map_or(&encoded.weights, |population| &population.counts);
    let look = |(at, (_, name, quasi)): (usize, &(usize, String, Quasi))| {
        let (dictionary, codes) = (&encoded.dictionaries[at], &encoded.columns[at]);
        let rows = rows_by_code(dictionary.len(), codes, weights);
        // Values that became one are none of the column any more.
        let merged = dictionary.merged_code();
        let own = (0..dictionary.len() as u32).filter(|&code| Some(code) != merged);
        let (values, of_values): (Vec<&str>, Vec<u64>) =
            own.map(|code| (dictionary.value(code), rows[code as usize])).unzip();
        let nature = Nature::infer(name, &values, &of_values, quasi.notation);
        if nature.is_personal {
            hidden::refuse_shown(name, quasi.hierarchy.as_ref())?;
        }
        let hidden = (nature.is_personal && hidden::hides(quasi.hierarchy.as_ref()))
            .then(|| HiddenValues::new(dictionary, &rows_by_code(dictionary.len(), codes, &encoded.weights)))
            .transpose()?;
        Ok(SeenColumn { nature, rows, hidden })
    };
    tokio::task::block_in_place(|| quasi.par_iter().enumerate().map(look).collect())
}

/// The hierarchies that the job wants built from the data, which has been counted now: from the population,
/// if there is one, because it has all values, and hierarchies should say no more of who is in the table.
pub(super) fn build_from_data(
    quasi: &[(usize, String, Quasi)],
    seen: &[SeenColumn],
    encoded: &Encoded,
    population: Option<&Population>,
    crowd: &Crowd<'_>,
    progress: &dyn Progress,
) -> Result<Vec<Option<Taxonomy>>> {
    let levels = |quasi: &Quasi| match quasi.hierarchy {
        Some(HierarchySpec::Auto { levels }) if quasi.kept.is_none() => Some(levels),
        _ => None,
    };
    if quasi.iter().all(|(.., quasi)| levels(quasi).is_none()) {
        return Ok(vec![None; quasi.len()]);
    }
    let weights = population.map_or(&encoded.weights, |population| &population.counts);
    let (natures, rows) = seen.iter().map(|seen| (seen.nature, seen.rows.clone())).unzip();
    let builder = Builder::of_natures(encoded, weights, natures, rows, crowd);
    let build = |(at, (_, name, quasi)): (usize, &(usize, String, Quasi))| {
        let Some(levels) = levels(quasi) else { return Ok(None) };
        refuse_cancelled(progress)?;
        let built = match &seen[at].hidden {
            Some(hidden) => builder.build_over(at, hidden.labels(), levels),
            None => builder.build(at, levels),
        };
        built.map(Some).map_err(|error| EngineError::from(error).in_column(name))
    };
    tokio::task::block_in_place(|| quasi.iter().enumerate().map(build).collect())
}

/// Values of the data that a hierarchy does not have.
struct Uncovered {
    codes: Vec<u32>,
}

fn find_leaves(shown: &[&str], taxonomy: &Taxonomy) -> std::result::Result<Vec<u32>, Uncovered> {
    let leaf_of: rustc_hash::FxHashMap<&str, u32> =
        (0..taxonomy.leaf_total() as u32).map(|leaf| (taxonomy.label(leaf), leaf)).collect();
    let found: Vec<Option<u32>> = shown.iter().map(|value| leaf_of.get(value).copied()).collect();
    let codes: Vec<u32> = (0..found.len() as u32).filter(|&code| found[code as usize].is_none()).collect();
    if codes.is_empty() { Ok(found.into_iter().flatten().collect()) } else { Err(Uncovered { codes }) }
}

impl Uncovered {
    fn explain(
        &self,
        origin: &Origin<'_>,
        column: &str,
        quasi: &Quasi,
        dictionary: &Dictionary,
    ) -> EngineError {
        let (file, row) = origin.first(dictionary, &self.codes);
        let hierarchy = match &quasi.hierarchy {
            Some(HierarchySpec::File(path)) => format!("the hierarchy {}", path.display()),
            _ => "its hierarchy".to_owned(),
        };
        let values = match self.codes.len() {
            1 => "1 value of the column is".to_owned(),
            n => format!("{n} values of the column are"),
        };
        let remedy = match quasi.kept {
            // Another hierarchy would be another recoding.
            Some(_) => format!("give --unknown '{column}=top' to release it as *, or search again"),
            None => "add a line for each value".to_owned(),
        };
        let problem = (format!("the value is not in {hierarchy} ({values} missing there)"), remedy);
        EngineError::bad(problem).in_file(file).at_row(row).in_column(column)
    }
}
