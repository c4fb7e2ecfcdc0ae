//! Numbers for the cells of a column: the same for equal cells, in whatever part of a file a thread meets them.
//!
//! Where a file lists the values of a column and its cells are places in the list, only the list is looked at.

use std::sync::{Arc, Mutex};

use arrow::array::{Array, ArrayRef, AsArray, StringArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Float64Type, Int32Type};
use arrow::row::{RowConverter, SortField};
use rustc_hash::FxHashMap;
use throng::privacy::folded;

use crate::error::{EngineError, Result};

/// A missing text. It is not the same as an empty one.
const MISSING: u32 = 0;

/// The numbers of the cells of one column, which all threads share.
pub(super) struct CellNumbers {
    kind: DataType,
    /// Makes bytes of cells that are no text.
    converter: Option<RowConverter>,
    given: Mutex<GivenNumbers>,
}

#[derive(Default)]
struct GivenNumbers {
    numbers: FxHashMap<Arc<[u8]>, u32>,
    /// The bytes of each number, from the one after [`MISSING`] on.
    cells: Vec<Arc<[u8]>>,
}

impl GivenNumbers {
    fn number(&mut self, cell: &[u8]) -> (Arc<[u8]>, u32) {
        if let Some((cell, &number)) = self.numbers.get_key_value(cell) {
            return (Arc::clone(cell), number);
        }
        let cell: Arc<[u8]> = cell.into();
        self.cells.push(Arc::clone(&cell));
        let number = self.cells.len() as u32;
        self.numbers.insert(Arc::clone(&cell), number);
        (cell, number)
    }
}

impl CellNumbers {
    pub(super) fn new(kind: &DataType) -> Result<CellNumbers> {
        let converter = match is_text(kind) {
            true => None,
            false => Some(RowConverter::new(vec![SortField::new(kind.clone())]).map_err(|_| uncountable())?),
        };
        Ok(CellNumbers { kind: kind.clone(), converter, given: Mutex::default() })
    }

    /// The number of a text, if a cell has it.
    pub(super) fn of_text(&self, text: &str) -> Option<u32> {
        let is_text = self.converter.is_none();
        is_text.then(|| self.lock().numbers.get(text.as_bytes()).copied()).flatten()
    }

    /// The cells with some numbers.
    pub(super) fn cells(&self, numbers: impl Iterator<Item = u32>) -> Result<ArrayRef> {
        let given = self.lock();
        let bytes = |number: u32| &*given.cells[number as usize - 1];
        let Some(converter) = &self.converter else {
            let text = |number: u32| (number != MISSING).then(|| std::str::from_utf8(bytes(number)));
            let texts = numbers.map(|number| text(number).transpose());
            let texts: StringArray =
                texts.collect::<std::result::Result<_, _>>().map_err(|_| uncountable())?;
            return Ok(Arc::new(texts));
        };
        let parser = converter.parser();
        let rows = converter.convert_rows(numbers.map(|number| parser.parse(bytes(number))));
        Ok(Arc::clone(&rows.map_err(|_| uncountable())?[0]))
    }

    /// The value of each number: the least number of a cell that is the same value, none where it is missing. As texts
    /// are compared, unless they must be spelled alike.
    pub(super) fn values(&self, exact: bool) -> Result<Vec<Option<u32>>> {
        let given = self.lock().cells.len() as u32;
        let numbers = 1..=given;
        let shown: Vec<Option<u32>> = match &self.converter {
            Some(_) => {
                let cells = self.cells(numbers.clone())?;
                let is_shown = shown_numbers(&cells, exact)?;
                numbers.map(|number| is_shown(number as usize - 1).then_some(number)).collect()
            }
            None => {
                let given = self.lock();
                let mut least: FxHashMap<String, u32> = FxHashMap::default();
                let mut value = |(number, cell): (u32, &'_ Arc<[u8]>)| -> Result<Option<u32>> {
                    let text = std::str::from_utf8(cell).map_err(|_| uncountable())?;
                    let text = if exact { text.to_owned() } else { folded(text).into_owned() };
                    let is_shown = !text.is_empty();
                    Ok(is_shown.then(|| *least.entry(text).or_insert(number)))
                };
                numbers.zip(&given.cells).map(&mut value).collect::<Result<_>>()?
            }
        };
        // The number of a missing text comes before all others.
        Ok(std::iter::once(None).chain(shown).collect())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, GivenNumbers> {
        self.given.lock().expect("no thread dies while it numbers a cell")
    }
}

/// Which cells that are no text show a value: a number that is none (NaN) stands for one that is missing, unless values
/// must be spelled alike.
fn shown_numbers(cells: &ArrayRef, exact: bool) -> Result<impl Fn(usize) -> bool> {
    let floating = match cells.data_type().is_floating() && !exact {
        true => Some(cast(cells, &DataType::Float64).map_err(|_| uncountable())?),
        false => None,
    };
    let is_nan = move |at: usize| {
        floating.as_ref().is_some_and(|numbers| numbers.as_primitive::<Float64Type>().value(at).is_nan())
    };
    let cells = Arc::clone(cells);
    Ok(move |at: usize| cells.is_valid(at) && !is_nan(at))
}

/// What one thread knows of the numbers of a column.
pub(super) struct Reader {
    numbers: Arc<CellNumbers>,
    known: FxHashMap<Arc<[u8]>, u32>,
    /// The list of values at hand, and the number of each. It is held, so that no other can be at its address.
    list: Option<(ArrayRef, Vec<u32>)>,
}

impl Reader {
    pub(super) fn new(numbers: &Arc<CellNumbers>) -> Reader {
        Reader { numbers: Arc::clone(numbers), known: FxHashMap::default(), list: None }
    }

    /// The numbers of some cells, in their order.
    pub(super) fn read(&mut self, cells: &ArrayRef) -> Result<Vec<u32>> {
        if let Some(converter) = &self.numbers.converter {
            let rows = converter.convert_columns(&[Arc::clone(cells)]).map_err(|_| uncountable())?;
            let Reader { numbers, known, .. } = self;
            return Ok(rows.iter().map(|row| number(numbers, known, row.data())).collect());
        }
        match &self.numbers.kind {
            DataType::Dictionary(place, value)
                if (&**place, &**value) == (&DataType::Int32, &DataType::Utf8) =>
            {
                Ok(self.read_listed(cells))
            }
            DataType::Utf8View => Ok(self.read_texts(cells.as_string_view().iter())),
            DataType::Utf8 => Ok(self.read_texts(cells.as_string::<i32>().iter())),
            _ => {
                let texts = cast(cells, &DataType::Utf8).map_err(|_| uncountable())?;
                Ok(self.read_texts(texts.as_string::<i32>().iter()))
            }
        }
    }

    fn read_texts<'t>(&mut self, texts: impl Iterator<Item = Option<&'t str>>) -> Vec<u32> {
        let Reader { numbers, known, .. } = self;
        let mut of = |text: &str| number(numbers, known, text.as_bytes());
        texts.map(|text| text.map_or(MISSING, &mut of)).collect()
    }

    fn read_listed(&mut self, cells: &ArrayRef) -> Vec<u32> {
        let cells = cells.as_dictionary::<Int32Type>();
        let values: &StringArray = cells.values().as_string();
        if !self.list.as_ref().is_some_and(|(known, _)| is_same(known.as_string(), values)) {
            self.list = Some((Arc::clone(cells.values()), self.read_texts(values.iter())));
        }
        let (_, of_value) = self.list.as_ref().expect("it was just made");
        let of = |place: i32| of_value[place as usize];
        if cells.keys().null_count() == 0 {
            return cells.keys().values().iter().map(|&place| of(place)).collect();
        }
        cells.keys().iter().map(|place| place.map_or(MISSING, of)).collect()
    }
}

/// The number of a cell that is not missing.
fn number(numbers: &CellNumbers, known: &mut FxHashMap<Arc<[u8]>, u32>, cell: &[u8]) -> u32 {
    if let Some(&number) = known.get(cell) {
        return number;
    }
    let (cell, number) = numbers.lock().number(cell);
    known.insert(cell, number);
    number
}

/// Whether two lists are the same one.
fn is_same(one: &StringArray, other: &StringArray) -> bool {
    let at = |list: &StringArray| (list.values().as_ptr(), list.offsets().as_ptr(), list.len());
    at(one) == at(other)
}

fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => is_text(values),
        _ => false,
    }
}

pub(super) fn uncountable() -> EngineError {
    EngineError::Data("its classes cannot be counted".into())
}
