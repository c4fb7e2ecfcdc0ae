//! Recodes by a mapping, where neither the prepared table nor its release is at hand: on the nodes of a cluster.

use std::sync::{Arc, Mutex};

use arrow::array::ArrayRef;
use arrow::datatypes::{Field, Schema};

use super::local::LocalRows;
use super::suppressed::SuppressedClasses;
use super::{Origin, QuasiColumn, RecodedColumn, Recoder};
use crate::dictionary::{Dictionary, NO_ROW};
use crate::error::Result;
use crate::format::Format;
use crate::job::SuppressedRows;
use crate::mapping::{MappedColumn, Mapping, RowRule};

/// A mapping, and a dictionary of the texts of each of its columns.
pub struct MappingIndex {
    mapping: Mapping,
    dictionaries: Vec<Dictionary>,
}

impl MappingIndex {
    /// The lists of values of a mapping.
    pub fn new(mapping: Mapping) -> MappingIndex {
        let dictionaries = mapping.columns.iter().map(dictionary).collect();
        MappingIndex { mapping, dictionaries }
    }

    /// The mapping that they are of.
    pub fn mapping(&self) -> &Mapping {
        &self.mapping
    }

    /// The codes of cells, for each column.
    ///
    /// # Errors
    /// If a text is not that of the mapping: the table changed.
    pub fn codes(&self, columns: &[ArrayRef]) -> Result<Vec<Vec<u32>>> {
        let all = self.dictionaries.iter().zip(&self.mapping.columns).zip(columns);
        let codes = all.map(|((dictionary, column), cells)| {
            let mut codes = dictionary.encode_array(cells)?;
            codes.iter_mut().for_each(|code| *code = column.originals[*code as usize].code);
            Ok(codes)
        });
        codes.collect()
    }
}

/// The texts of a column; the code of each is its place.
fn dictionary(column: &MappedColumn) -> Dictionary {
    let mut dictionary = Dictionary::default();
    for original in &column.originals {
        dictionary.intern_at(original.text.as_bytes(), NO_ROW);
    }
    dictionary
}

impl<'a> Recoder<'a> {
    /// A recoder for batches of the columns `input`, all of which are released. `seed` decides which rows of a tuple are
    /// in which of its parts.
    pub fn of_mapping(
        index: &'a MappingIndex,
        origin: Origin<'a>,
        input: &Schema,
        format: Format,
        seed: u64,
    ) -> Recoder<'a> {
        let MappingIndex { mapping, dictionaries } = index;
        let (suppressed, local) = decide(mapping, seed);
        let as_text = !format.is_text();
        let mut recoder = Recoder {
            origin,
            scanned: (0..input.fields().len()).collect(),
            columns: Vec::new(),
            quasi: Vec::new(),
            known: Mutex::default(),
            schema: Arc::new(Schema::empty()),
            suppressed_classes: SuppressedClasses::new(suppressed),
            suppressed: if mapping.masks { SuppressedRows::Mask } else { SuppressedRows::Drop },
            local,
            shifts: None,
            as_text,
        };
        let mut fields: Vec<Field> = Vec::new();
        for (at, field) in input.fields().iter().enumerate() {
            let found = mapping.columns.iter().position(|column| column.name == *field.name());
            let (field, column) = match found {
                None => (field.as_ref().clone(), RecodedColumn::Kept),
                Some(a) => {
                    debug_assert_eq!(a, recoder.quasi.len(), "a mapping has the order of the table");
                    recoder.quasi.push(at);
                    let column = of_column(mapping, a, &dictionaries[a], field);
                    (column.field(field, as_text), RecodedColumn::Quasi(column))
                }
            };
            fields.push(field);
            recoder.columns.push((at, column));
        }
        recoder.schema = Arc::new(Schema::new(fields));
        recoder
    }

    /// Passes over rows of divided tuples that others recode: tuples by the codes of the mapping, with their rows.
    pub fn skip<'t>(&mut self, rows: impl Iterator<Item = (&'t [u32], u64)>) {
        if let Some(local) = &mut self.local {
            local.skip(rows);
        }
    }
}

/// The classes that are left out, or what each tuple becomes.
fn decide(mapping: &Mapping, seed: u64) -> (Vec<Vec<u32>>, Option<LocalRows>) {
    match &mapping.way {
        RowRule::Values { suppressed } => (suppressed.clone(), None),
        RowRule::Tuples(parts) => {
            let codes = |column: &MappedColumn| column.originals.iter().map(|one| one.code).collect();
            let leaves = mapping.columns.iter().map(codes).collect();
            (Vec::new(), Some(LocalRows::of_parts(parts, leaves, seed)))
        }
    }
}

fn of_column<'a>(mapping: &Mapping, a: usize, dictionary: &'a Dictionary, field: &Field) -> QuasiColumn<'a> {
    let column = &mapping.columns[a];
    let values: Vec<u32> = match &mapping.way {
        RowRule::Values { .. } => column.originals.iter().map(|original| original.code).collect(),
        RowRule::Tuples(_) => (0..column.labels.len() as u32).collect(),
    };
    let label = |value: u32| column.labels[value as usize].as_deref();
    QuasiColumn::labelled(dictionary, values, label, column.is_untouched, field.is_nullable())
}
