//! What a written file holds and no cell of it shows: entries of dictionaries, bytes under nulls or beside lists.
//!
//! Readers pass over all of that, but it is in the file, and may be of rows that are not. Text has no place for it.
//! Parquet stores no nulls, but lists of values; Arrow stores arrays as they are, so all of them are looked at.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, OffsetSizeTrait, RecordBatch};
use arrow::buffer::NullBuffer;
use arrow::datatypes::{
    BinaryType, ByteArrayType, DataType, Int32Type, LargeBinaryType, LargeUtf8Type, Utf8Type,
};
use rustc_hash::FxHashSet;
use throng::wording::quoted;

use super::look::{Look, look_at};
use super::unverified;
use crate::error::{EngineError, Result};
use crate::format::HiddenContent;
use crate::format::reopen::Reopened;

/// Looks at all of a file that could hold more than its cells.
///
/// # Errors
/// [`EngineError::Unverified`] if something is there that no cell shows.
pub(super) async fn refuse(table: &Arc<Reopened>) -> Result<()> {
    let fields = table.schema().fields();
    let hidden = |place: usize| table.format().hidden_content(fields[place].data_type());
    let places: Vec<usize> =
        (0..fields.len()).filter(|&place| hidden(place) != HiddenContent::None).collect();
    if places.is_empty() {
        return Ok(());
    }
    let names: Arc<[String]> = places.iter().map(|&place| fields[place].name().clone()).collect();
    let is_arrow = places.iter().any(|&place| hidden(place) == HiddenContent::Arrays);
    let start = {
        let names = Arc::clone(&names);
        move || Ok(Unseen { names: Arc::clone(&names), lists: Vec::new(), is_arrow })
    };
    let looked = look_at(Arc::clone(table), places, start).await?;
    refuse_unused(&names, looked)
}

/// What one thread has seen of the columns.
struct Unseen {
    names: Arc<[String]>,
    /// For each column, if it is Parquet's.
    lists: Vec<ListedValues>,
    is_arrow: bool,
}

impl Look for Unseen {
    fn see(&mut self, batch: &RecordBatch) -> Result<()> {
        if self.is_arrow {
            let mut all = self.names.iter().zip(batch.columns());
            return match all.find(|(_, cells)| !is_bare(cells, None)) {
                Some((name, _)) => Err(holds_more(name)),
                None => Ok(()),
            };
        }
        self.lists.resize_with(batch.num_columns(), ListedValues::default);
        let columns = self.lists.iter_mut().zip(batch.columns()).zip(self.names.iter());
        columns.into_iter().try_for_each(|((listed, cells), name)| match listed.see(cells) {
            true => Ok(()),
            false => Err(unverified(format!("column {} lists a value twice", quoted(name)))),
        })
    }
}

fn holds_more(column: &str) -> EngineError {
    unverified(format!("column {} holds more than its cells show", quoted(column)))
}

fn refuse_unused(names: &[String], looked: Vec<Unseen>) -> Result<()> {
    let mut all: Vec<ListedValues> = names.iter().map(|_| ListedValues::default()).collect();
    for one in looked {
        all.iter_mut().zip(one.lists).for_each(|(all, mut listed)| {
            listed.settle();
            all.listed.extend(listed.listed);
            all.used.extend(listed.used);
        });
    }
    match all.iter().zip(names).find(|(column, _)| !column.listed.is_subset(&column.used)) {
        Some((_, name)) => Err(unverified(format!("column {} lists a value that no row has", quoted(name)))),
        None => Ok(()),
    }
}

/// The values that a column of a Parquet file lists, and those that its rows have.
#[derive(Default)]
struct ListedValues {
    /// The list at hand, and which of its entries a row has. It is held, so that no other can be at its address.
    list: Option<(ArrayRef, Vec<bool>)>,
    listed: FxHashSet<Box<str>>,
    used: FxHashSet<Box<str>>,
}

impl ListedValues {
    /// Looks at cells; whether their list has no value twice.
    fn see(&mut self, cells: &ArrayRef) -> bool {
        let cells = cells.as_dictionary::<Int32Type>();
        if !self.list.as_ref().is_some_and(|(list, _)| list.to_data().ptr_eq(&cells.values().to_data())) {
            self.settle();
            let values = cells.values().as_string::<i32>();
            let distinct: FxHashSet<Option<&str>> = values.iter().collect();
            if distinct.len() < values.len() {
                return false;
            }
            self.list = Some((Arc::clone(cells.values()), vec![false; values.len()]));
        }
        let (_, used) = self.list.as_mut().expect("it was just made");
        cells.keys().iter().flatten().for_each(|entry| used[entry as usize] = true);
        true
    }

    /// Notes what is known of the list at hand.
    fn settle(&mut self) {
        let Some((list, used)) = self.list.take() else { return };
        for (value, is_used) in list.as_string::<i32>().iter().zip(used) {
            let value: Box<str> = value.unwrap_or_default().into();
            if is_used {
                self.used.insert(value.clone());
            }
            self.listed.insert(value);
        }
    }
}

/// Whether an array has nothing but what its cells show, of which only those in `shown` are seen, if that says something.
fn is_bare(cells: &ArrayRef, shown: Option<&NullBuffer>) -> bool {
    use DataType as Type;
    let known = NullBuffer::union(cells.nulls(), shown).filter(|known| known.null_count() > 0);
    let known = known.as_ref();
    match cells.data_type() {
        Type::Null => true,
        Type::Boolean => unknown(known).all(|at| !cells.as_boolean().value(at)),
        Type::Utf8 => are_bare_bytes::<Utf8Type>(cells, known),
        Type::LargeUtf8 => are_bare_bytes::<LargeUtf8Type>(cells, known),
        Type::Binary => are_bare_bytes::<BinaryType>(cells, known),
        Type::LargeBinary => are_bare_bytes::<LargeBinaryType>(cells, known),
        Type::List(_) => {
            are_bare_items(cells.as_list::<i32>().value_offsets(), cells.as_list::<i32>().values(), known)
        }
        Type::LargeList(_) => {
            are_bare_items(cells.as_list::<i64>().value_offsets(), cells.as_list::<i64>().values(), known)
        }
        Type::Map(..) => {
            let entries: ArrayRef = Arc::new(cells.as_map().entries().clone());
            are_bare_items(cells.as_map().value_offsets(), &entries, known)
        }
        Type::FixedSizeList(_, size) => {
            let known = known.map(|known| known.expand(usize::try_from(*size).unwrap_or(0)));
            is_bare(cells.as_fixed_size_list().values(), known.as_ref())
        }
        Type::Struct(_) => cells.as_struct().columns().iter().all(|child| is_bare(child, known)),
        _ => are_bare_numbers(cells, known),
    }
}

/// The places where nothing is known.
fn unknown(known: Option<&NullBuffer>) -> impl Iterator<Item = usize> {
    let places = known.map_or(0..0, |known| 0..known.len());
    places.filter(move |&at| known.is_some_and(|known| known.is_null(at)))
}

fn are_bare_bytes<T: ByteArrayType>(cells: &ArrayRef, known: Option<&NullBuffer>) -> bool {
    let cells = cells.as_bytes::<T>();
    are_bare_ends(cells.value_offsets(), cells.value_data().len(), known)
}

fn are_bare_items<O: OffsetSizeTrait>(ends: &[O], items: &ArrayRef, known: Option<&NullBuffer>) -> bool {
    are_bare_ends(ends, items.len(), known) && is_bare(items, None)
}

fn are_bare_ends<O: OffsetSizeTrait>(ends: &[O], len: usize, known: Option<&NullBuffer>) -> bool {
    let first = ends.first().map_or(0, |end| end.as_usize());
    let last = ends.last().map_or(0, |end| end.as_usize());
    first == 0 && last == len && unknown(known).all(|at| ends[at] == ends[at + 1])
}

fn are_bare_numbers(cells: &ArrayRef, known: Option<&NullBuffer>) -> bool {
    let width = match cells.data_type() {
        DataType::FixedSizeBinary(width) => usize::try_from(*width).ok(),
        other => other.primitive_width(),
    };
    // What has no width is a dictionary, a view, a run or a union: a release has none of these.
    let Some(width) = width else { return false };
    if known.is_none() {
        return true;
    }
    let data = cells.to_data();
    let bytes = &data.buffers()[0].as_slice()[data.offset() * width..];
    unknown(known).all(|at| bytes[at * width..(at + 1) * width].iter().all(|&byte| byte == 0))
}

#[cfg(test)]
mod tests {
    use arrow::array::{DictionaryArray, Int32Array, StringArray};

    use super::*;

    fn listed(places: Vec<i32>, values: Vec<&str>) -> ArrayRef {
        Arc::new(DictionaryArray::<Int32Type>::new(
            Int32Array::from(places),
            Arc::new(StringArray::from(values)),
        ))
    }

    fn judge(batches: &[&[ArrayRef]]) -> Result<()> {
        let names: Arc<[String]> = ["c".to_owned()].into();
        let looked = batches.iter().map(|batches| {
            let mut one = Unseen { names: Arc::clone(&names), lists: Vec::new(), is_arrow: false };
            let all =
                batches.iter().map(|cells| RecordBatch::try_from_iter([("c", Arc::clone(cells))]).unwrap());
            all.map(|batch| one.see(&batch)).collect::<Result<Vec<()>>>().map(|_| one)
        });
        refuse_unused(&names, looked.collect::<Result<_>>()?)
    }

    #[test]
    fn lists_of_parquet_have_what_rows_have() {
        let whole = listed(vec![0, 1, 0, 2], vec!["a", "b", "c"]);
        // Each batch has a part of the rows, and all of the list.
        judge(&[&[whole.slice(0, 2), whole.slice(2, 2)]]).unwrap();
        // What a row of another row group has is no secret.
        judge(&[&[listed(vec![0], vec!["a", "b"])], &[listed(vec![0], vec!["b"])]]).unwrap();
        let unused = judge(&[&[whole.slice(0, 2)], &[listed(vec![0], vec!["b"])]]).unwrap_err();
        assert!(unused.to_string().contains("column 'c' lists a value that no row has"), "{unused}");
        let twice = judge(&[&[listed(vec![0, 1], vec!["a", "a"])]]).unwrap_err();
        assert!(twice.to_string().contains("column 'c' lists a value twice"), "{twice}");
    }
}
