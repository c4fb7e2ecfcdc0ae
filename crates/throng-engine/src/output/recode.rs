//! Recodes batches of the input as the release shows them.

mod coded;
mod local;
mod mapped;
mod parts;
mod pseudonyms;
mod shifted;
mod suppressed;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, DictionaryArray, RecordBatch, StringArray, UInt32Array,
};
use arrow::compute::{cast, filter_record_batch, nullif};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef, UInt32Type};
use arrow::error::ArrowError;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use throng::release::Release;
use throng::taxonomy::ANY;

use crate::dictionary::{CellCodes, Dictionary, as_text, try_each};
use crate::error::{EngineError, Result};
use crate::format::Format;
use crate::input::source::{CELL_NOT_UTF_8, Source};
use crate::job::{CodedNumbers, DateShift, SuppressedRows};
use crate::mapping::is_untouched;
use crate::prepare::{EncodedColumn, EncodedTable};
use crate::pseudonym::ColumnKey;
use crate::wording::Message;
use local::LocalRows;
pub use mapped::MappingIndex;
use shifted::PersonShifts;
use suppressed::SuppressedClasses;
use throng_tables::output::in_order;

/// Where rows are from, for what is said of them.
#[derive(Clone, Copy)]
pub struct Origin<'a> {
    /// The table.
    pub path: &'a Path,
    /// Its columns.
    pub columns: &'a [String],
    /// Whether cells were cut out of a text, so that one may have half a character.
    pub is_text: bool,
    /// Which rows they are.
    pub rows: RecodedRows<'a>,
}

/// Who knows where a row is.
#[derive(Clone, Copy)]
pub enum RecodedRows<'a> {
    /// The source, all of which is read here.
    OfSource(&'a Source),
    /// Everybody: they are counted from the first of the file.
    OfFile,
    /// Nobody: they are somewhere in the file.
    Within,
}

impl<'a> Origin<'a> {
    fn from_source(source: &'a Source) -> Origin<'a> {
        let (path, columns, is_text) = (source.path(), source.columns(), source.dialect().is_some());
        Origin { path, columns, is_text, rows: RecodedRows::OfSource(source) }
    }

    fn bad_at(&self, row: u64, what: impl Into<Message>) -> EngineError {
        match self.rows {
            RecodedRows::OfSource(source) => source.bad_at(row, what),
            RecodedRows::OfFile => self.bad(what).at_row(row),
            RecodedRows::Within => self.bad(what),
        }
    }

    fn bad(&self, what: impl Into<Message>) -> EngineError {
        EngineError::bad(what).in_file(self.path)
    }
}

/// Turns input batches into released ones.
pub struct Recoder<'a> {
    origin: Origin<'a>,
    /// The columns of scanned batches, by their positions in the input.
    scanned: Vec<usize>,
    /// For each released column: its position in the scanned batch, and how it is recoded.
    columns: Vec<(usize, RecodedColumn<'a>)>,
    /// Positions in `columns` of the quasi-identifiers.
    quasi: Vec<usize>,
    /// What was found of the cells of each quasi-identifier so far, by each of those that looked.
    known: Mutex<Vec<Vec<CellCodes>>>,
    schema: SchemaRef,
    suppressed_classes: SuppressedClasses,
    suppressed: SuppressedRows,
    /// What each tuple becomes, if not every value of a column becomes the same.
    local: Option<LocalRows>,
    /// By how much dates are moved, if some are.
    shifts: Option<PersonShifts>,
    as_text: bool,
}

enum RecodedColumn<'a> {
    Kept,
    Quasi(QuasiColumn<'a>),
    /// Of an identifier, made of it by this key.
    Pseudonyms(ColumnKey),
    /// Numbers that are kept, but bounded or rounded.
    Coded(CodedNumbers),
    /// Dates that are kept, but moved.
    Shifted(DateShift),
}

struct QuasiColumn<'a> {
    dictionary: &'a Dictionary,
    /// The generalised value of each code of the dictionary; of a local recoding, every value.
    values: Vec<u32>,
    /// The position in `labels` of each code of the dictionary.
    positions: Vec<u32>,
    /// The labels of the generalised values, and one more for masked cells.
    labels: ArrayRef,
    /// Whether cells are released as they were read.
    untouched: bool,
    /// Whether the column of the input may have nulls.
    nullable: bool,
}

/// The codes of the quasi-identifiers of a batch, and, where the recoding is local, the tuple of each row, or its part.
struct BatchCodes {
    codes: Vec<Vec<u32>>,
    tuples: Vec<u32>,
}

/// A recoded batch.
pub struct Recoded {
    /// The rows as they are released.
    pub batch: RecordBatch,
    /// How many of those that were read are suppressed.
    pub suppressed_rows: u64,
}

impl<'a> Recoder<'a> {
    /// A recoder for batches that have the columns `scanned` of the input, in this order. `seed` decides
    /// which rows of a tuple are in which of its parts.
    pub fn new(
        prepared: &'a EncodedTable,
        release: &Release,
        scanned: &[usize],
        suppressed: SuppressedRows,
        format: Format,
        seed: u64,
    ) -> Recoder<'a> {
        // A local recoding says of each part of a tuple whether it is suppressed, not of classes.
        let classes = if release.is_local() { Vec::new() } else { release.suppressed_classes() };
        let suppressed_classes = SuppressedClasses::new(classes);
        let masks = suppressed == SuppressedRows::Mask && release.suppressed_rows() > 0;
        let input = prepared.source.schema();
        let mut recoder = Recoder {
            origin: Origin::from_source(&prepared.source),
            scanned: scanned.to_vec(),
            columns: Vec::new(),
            quasi: Vec::new(),
            known: Mutex::default(),
            schema: Arc::new(Schema::empty()),
            suppressed_classes,
            suppressed,
            local: release.is_local().then(|| LocalRows::new(prepared, release, seed)),
            shifts: None,
            // A dictionary is an in-memory type; Parquet and Arrow files should have plain text.
            as_text: !format.is_text(),
        };
        let mut fields: Vec<Field> = Vec::new();
        for (column, _) in prepared.roles.released() {
            let at = scanned.iter().position(|&c| c == column).expect("released columns are scanned");
            let field = input.field(column);
            match prepared.attributes.iter().position(|attribute| attribute.column == column) {
                None => {
                    fields.push(field.clone());
                    recoder.columns.push((at, RecodedColumn::Kept));
                }
                Some(a) => {
                    let quasi =
                        QuasiColumn::new(&prepared.attributes[a], release, a, masks, field.is_nullable());
                    fields.push(quasi.field(field, recoder.as_text));
                    recoder.quasi.push(recoder.columns.len());
                    recoder.columns.push((at, RecodedColumn::Quasi(quasi)));
                }
            }
        }
        recoder.schema = Arc::new(Schema::new(fields));
        recoder
    }

    /// Columns of the release.
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// The labels of each column that is a dictionary of them in every batch.
    pub fn labels(&self) -> Vec<Option<ArrayRef>> {
        let labels = |column: &RecodedColumn<'_>| match column {
            RecodedColumn::Quasi(quasi) if !quasi.untouched && !self.as_text => {
                Some(Arc::clone(&quasi.labels))
            }
            _ => None,
        };
        self.columns.iter().map(|(_, column)| labels(column)).collect()
    }

    /// Recodes batches that follow `before` rows, side by side. All rows of the table must come in their order.
    pub fn recode(&mut self, batches: &[RecordBatch], before: u64) -> Result<Vec<Recoded>> {
        let mut found: Vec<BatchCodes> = in_order(batches.par_iter().map(|batch| self.find(batch)))?;
        if let Some(local) = &mut self.local {
            found.iter_mut().try_for_each(|found| local.draw(&mut found.tuples))?;
        }
        let mut starts = Vec::with_capacity(batches.len());
        batches.iter().fold(before, |start, batch| {
            starts.push(start);
            start + batch.num_rows() as u64
        });
        let all = batches.par_iter().zip(found).zip(starts);
        in_order(all.map(|((batch, found), start)| self.show(batch, found, start)))
    }

    /// What the release is made of.
    fn find(&self, batch: &RecordBatch) -> Result<BatchCodes> {
        let codes = self.codes(batch)?;
        let tuples = self.local.as_ref().map_or(Ok(Vec::new()), |local| local.tuples(&codes))?;
        Ok(BatchCodes { codes, tuples })
    }

    /// The rows of a batch that follows `before` others, as they are released.
    fn show(&self, batch: &RecordBatch, found: BatchCodes, before: u64) -> Result<Recoded> {
        let BatchCodes { mut codes, tuples } = found;
        let suppressed = match &self.local {
            Some(local) => local.recode(&tuples, &mut codes),
            None => self.suppressed_rows(&codes, batch.num_rows()),
        };
        let mut codes = codes.into_iter();
        let columns: Vec<(usize, &RecodedColumn<'_>, Option<Vec<u32>>)> = self
            .columns
            .iter()
            .map(|(at, column)| match column {
                RecodedColumn::Kept
                | RecodedColumn::Pseudonyms(_)
                | RecodedColumn::Coded(_)
                | RecodedColumn::Shifted(_) => (*at, column, None),
                RecodedColumn::Quasi(_) => (*at, column, codes.next()),
            })
            .collect();
        let arrays: Vec<ArrayRef> = columns
            .into_par_iter()
            .map(|(at, column, codes)| match (column, codes) {
                (RecodedColumn::Quasi(quasi), Some(codes)) if quasi.untouched => {
                    quasi.keep(batch.column(at), &codes).map_err(failed)
                }
                (RecodedColumn::Quasi(quasi), Some(codes)) => {
                    self.relabel(quasi, codes, suppressed.as_deref())
                }
                (RecodedColumn::Pseudonyms(key), _) => self.replace(batch.column(at), key, at, before),
                (RecodedColumn::Coded(coded), _) => self.code(batch.column(at), coded, at, before),
                (RecodedColumn::Shifted(shift), _) => self.shift(batch, shift, at, before),
                _ => self.keep(batch.column(at), at, before),
            })
            .collect::<Result<_>>()?;
        let recoded = RecordBatch::try_new(self.schema(), arrays).map_err(failed)?;
        let count = suppressed.as_ref().map_or(0, |rows| rows.iter().filter(|&&s| s).count() as u64);
        let batch = match suppressed {
            Some(rows) if count > 0 && self.suppressed == SuppressedRows::Drop => {
                let keep: BooleanArray = rows.iter().map(|&suppressed| Some(!suppressed)).collect();
                filter_record_batch(&recoded, &keep).map_err(failed)?
            }
            _ => recoded,
        };
        Ok(Recoded { batch, suppressed_rows: count })
    }

    /// The dictionary codes of each quasi-identifier.
    fn codes(&self, batch: &RecordBatch) -> Result<Vec<Vec<u32>>> {
        let all_known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known = all_known().pop().unwrap_or_default();
        known.resize_with(self.quasi.len(), CellCodes::default);
        let encode = |(&position, cells): (&usize, &mut CellCodes)| match &self.columns[position] {
            (at, RecodedColumn::Quasi(quasi)) => {
                let mut codes = Vec::with_capacity(batch.num_rows());
                quasi.dictionary.encode_with(cells, batch.column(*at), &mut codes)?;
                Ok(codes)
            }
            (
                _,
                RecodedColumn::Kept
                | RecodedColumn::Pseudonyms(_)
                | RecodedColumn::Coded(_)
                | RecodedColumn::Shifted(_),
            ) => {
                unreachable!("a position of a quasi-identifier")
            }
        };
        let codes = self.quasi.par_iter().zip(&mut known).map(encode).collect();
        all_known().push(known);
        codes
    }

    /// The columns of the input whose cells are not released as they were read: only their codes are looked at.
    pub fn recoded_columns(&self) -> Vec<usize> {
        let recoded = |(at, column): &(usize, RecodedColumn<'_>)| match column {
            RecodedColumn::Quasi(quasi) if !quasi.untouched => Some(self.scanned[*at]),
            _ => None,
        };
        self.columns.iter().filter_map(recoded).collect()
    }

    /// For each released column the column of the input whose cells are released as they were read, or are numbers of
    /// the same kind.
    pub fn kept_columns(&self) -> impl Iterator<Item = Option<usize>> {
        self.columns.iter().map(|(at, column)| match column {
            RecodedColumn::Kept | RecodedColumn::Coded(_) | RecodedColumn::Shifted(_) => {
                Some(self.scanned[*at])
            }
            RecodedColumn::Quasi(quasi) => quasi.untouched.then_some(self.scanned[*at]),
            RecodedColumn::Pseudonyms(_) => None,
        })
    }

    /// Which rows are in a suppressed class; none if no class is.
    fn suppressed_rows(&self, codes: &[Vec<u32>], rows: usize) -> Option<Vec<bool>> {
        let values = self.quasi.iter().filter_map(|&position| match &self.columns[position].1 {
            RecodedColumn::Quasi(quasi) => Some(quasi.values.as_slice()),
            RecodedColumn::Kept
            | RecodedColumn::Pseudonyms(_)
            | RecodedColumn::Coded(_)
            | RecodedColumn::Shifted(_) => None,
        });
        let columns: Vec<(&[u32], &[u32])> = codes.iter().map(Vec::as_slice).zip(values).collect();
        self.suppressed_classes.rows(&columns, rows)
    }

    /// The cells of a column that is no quasi-identifier, as they were read.
    ///
    /// The reader of text checks a batch as a whole, so a character whose bytes two cells share
    /// comes through; it must not be released as text.
    fn keep(&self, cells: &ArrayRef, at: usize, before: u64) -> Result<ArrayRef> {
        if let Some(cells) = cells.as_string_opt::<i32>().filter(|_| self.origin.is_text)
            && let Some(row) = find_broken_text(cells)
        {
            return Err(self.bad_cell(row, at, before, CELL_NOT_UTF_8));
        }
        Ok(Arc::clone(cells))
    }

    /// Why a cell of a batch cannot be released, with its row and column.
    fn bad_cell(&self, place: usize, at: usize, before: u64, why: impl Into<Message>) -> EngineError {
        let name = &self.origin.columns[self.scanned[at]];
        self.origin.bad_at(before + place as u64 + 1, why).in_column(name)
    }

    fn relabel(
        &self,
        quasi: &QuasiColumn<'_>,
        mut codes: Vec<u32>,
        suppressed: Option<&[bool]>,
    ) -> Result<ArrayRef> {
        codes.iter_mut().for_each(|code| *code = quasi.positions[*code as usize]);
        if self.suppressed == SuppressedRows::Mask
            && let Some(suppressed) = suppressed
        {
            let masked = quasi.labels.len() as u32 - 1;
            codes.iter_mut().zip(suppressed).filter(|(_, s)| **s).for_each(|(code, _)| *code = masked);
        }
        let array: DictionaryArray<UInt32Type> =
            DictionaryArray::try_new(UInt32Array::from(codes), Arc::clone(&quasi.labels)).map_err(failed)?;
        if self.as_text { cast(&array, &DataType::Utf8).map_err(failed) } else { Ok(Arc::new(array)) }
    }
}

impl<'a> QuasiColumn<'a> {
    fn new(
        attribute: &'a EncodedColumn,
        release: &Release,
        index: usize,
        masks: bool,
        nullable: bool,
    ) -> QuasiColumn<'a> {
        // Rows of a local recoding come as generalised values, not as codes of the dictionary.
        let values: Vec<u32> = match release.leaf_values(index) {
            Some(of_leaf) => attribute.leaves.iter().map(|&leaf| of_leaf[leaf as usize]).collect(),
            None => (0..release.values(index).count() as u32).collect(),
        };
        let label = |value: u32| Some(release.label(index, value)).filter(|label| !label.is_empty());
        let untouched = is_untouched(attribute, release, index, masks);
        QuasiColumn::labelled(&attribute.dictionary, values, label, untouched, nullable)
    }

    /// A column whose codes become `values`, which are shown by their labels.
    fn labelled<'l>(
        dictionary: &'a Dictionary,
        values: Vec<u32>,
        label: impl Fn(u32) -> Option<&'l str>,
        untouched: bool,
        nullable: bool,
    ) -> QuasiColumn<'a> {
        let (positions, distinct) = number(&values);
        let labels: StringArray = distinct.into_iter().map(label).chain([Some(ANY)]).collect();
        QuasiColumn { dictionary, values, positions, labels: Arc::new(labels), untouched, nullable }
    }

    /// The cells as they were read, but for empty text, which becomes null where there may be
    /// nulls: classes were counted with both as one value, so nobody may tell them apart.
    fn keep(&self, cells: &ArrayRef, codes: &[u32]) -> std::result::Result<ArrayRef, ArrowError> {
        match self.dictionary.missing() {
            Some(missing) if self.nullable => {
                let is_missing: BooleanArray = codes.iter().map(|&code| Some(code == missing)).collect();
                nullif(cells, &is_missing)
            }
            _ => Ok(Arc::clone(cells)),
        }
    }

    fn field(&self, input: &Field, as_text: bool) -> Field {
        if self.untouched {
            return input.clone();
        }
        let text = DataType::Utf8;
        let dictionary = || DataType::Dictionary(Box::new(DataType::UInt32), Box::new(DataType::Utf8));
        Field::new(input.name(), if as_text { text } else { dictionary() }, true)
    }
}

/// A position for each of `values`, the same for equal ones, and the value at each position.
fn number(values: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut known: FxHashMap<u32, u32> = FxHashMap::default();
    let mut distinct = Vec::new();
    let mut position = |&value: &u32| {
        *known.entry(value).or_insert_with(|| {
            distinct.push(value);
            distinct.len() as u32 - 1
        })
    };
    let positions = values.iter().map(&mut position).collect();
    (positions, distinct)
}

/// The first cell whose bytes are no text by themselves.
fn find_broken_text(cells: &StringArray) -> Option<usize> {
    if cells.values().is_ascii() {
        return None;
    }
    let is_text =
        |ends: &[i32]| std::str::from_utf8(&cells.values()[ends[0] as usize..ends[1] as usize]).is_ok();
    cells.offsets().windows(2).position(|ends| !is_text(ends))
}

/// Spells each text of a column anew; missing ones stay missing. `bad` is of what is no text.
fn spell_anew(
    cells: &ArrayRef,
    bad: impl Fn(usize) -> EngineError,
    spelled: impl Fn(usize, &str) -> Result<String>,
) -> Result<ArrayRef> {
    let texts = as_text(cells).ok_or_else(|| bad(0))?;
    let mut released = Vec::with_capacity(texts.len());
    try_each(&texts, |cell| {
        let place = released.len();
        let text = std::str::from_utf8(cell).map_err(|_| bad(place))?;
        released.push(match text.trim() {
            "" => None,
            text => Some(spelled(place, text)?),
        });
        Ok::<(), EngineError>(())
    })?;
    cast(&StringArray::from(released), cells.data_type()).map_err(failed)
}

fn failed(error: ArrowError) -> EngineError {
    // Arrow's wording may hold a cell.
    let kind = match error {
        ArrowError::MemoryError(_) => "out of memory",
        _ => "a batch could not be recoded",
    };
    EngineError::Data(kind.into())
}
