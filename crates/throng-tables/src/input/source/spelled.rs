//! Batches that are cut by the bytes of their values as they are spelled in each row.
//!
//! Rows of a dictionary, of views, runs and lists can share what they hold: a file of some kilobytes can have values of
//! gigabytes, right or wrong. So that nobody who spells them needs more memory than for other batches, such a batch ends
//! where that of a text file would; and a single row without end is refused.

use std::path::PathBuf;

use arrow::array::{Array, AsArray, GenericListViewArray, OffsetSizeTrait, RecordBatch, RunArray};
use arrow::datatypes::{
    ArrowNativeType, BinaryType, ByteArrayType, DataType, Int16Type, Int32Type, Int64Type, LargeBinaryType,
    LargeUtf8Type, RunEndIndexType, Utf8Type,
};

use crate::error::{EngineError, Result};
use crate::input::limits::{BATCH_BYTES, SPELLED_ROW_BYTES};

/// What an item of a list takes at least, with its place.
const ITEM_BYTES: u64 = 8;

/// Batches, cut.
pub(crate) struct CutBatches<I> {
    batches: I,
    path: PathBuf,
    /// The batch at hand, the bytes of its rows, and the rows that were taken.
    batch: Option<(RecordBatch, Vec<u64>, usize)>,
}

impl<I: Iterator<Item = Result<RecordBatch>>> CutBatches<I> {
    /// The batches of a file.
    pub(crate) fn new(batches: I, path: PathBuf) -> CutBatches<I> {
        CutBatches { batches, path, batch: None }
    }

    fn without_end(&self) -> EngineError {
        let problem =
            "a row holds more than 1 GiB in its dictionaries, views, runs and lists, which is the limit";
        EngineError::bad(problem).in_file(&self.path)
    }
}

impl<I: Iterator<Item = Result<RecordBatch>>> Iterator for CutBatches<I> {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Result<RecordBatch>> {
        loop {
            if let Some((batch, bytes, taken)) = &mut self.batch {
                let rows = rows_within(&bytes[*taken..], BATCH_BYTES as u64);
                if rows > 0 {
                    let slice = batch.slice(*taken, rows);
                    *taken += rows;
                    return Some(Ok(slice));
                }
                self.batch = None;
            }
            let batch = match self.batches.next()? {
                Ok(batch) => batch,
                Err(error) => return Some(Err(error)),
            };
            if !batch.columns().iter().any(|cells| can_share(cells.data_type())) {
                return Some(Ok(batch));
            }
            let bytes = shared_bytes(&batch);
            if bytes.iter().any(|&bytes| bytes > SPELLED_ROW_BYTES) {
                return Some(Err(self.without_end()));
            }
            self.batch = Some((batch, bytes, 0));
        }
    }
}

/// How many of some rows have so many bytes together, but for the first, which may have more.
fn rows_within(bytes: &[u64], most_bytes: u64) -> usize {
    let mut sum: u64 = 0;
    let fits = |&&bytes: &&u64| {
        sum = sum.saturating_add(bytes);
        sum <= most_bytes
    };
    bytes.iter().take_while(fits).count().max(1).min(bytes.len())
}

/// Whether rows of a type can share what they hold.
fn can_share(kind: &DataType) -> bool {
    use DataType as Type;
    match kind {
        Type::Struct(fields) => fields.iter().any(|field| can_share(field.data_type())),
        Type::Dictionary(..) | Type::RunEndEncoded(..) | Type::Utf8View | Type::BinaryView => true,
        kind => kind.is_nested(),
    }
}

/// The bytes of each row in columns whose rows can share them.
fn shared_bytes(batch: &RecordBatch) -> Vec<u64> {
    let mut bytes = vec![0; batch.num_rows()];
    for cells in batch.columns().iter().filter(|cells| can_share(cells.data_type())) {
        add(&mut bytes, &spelled_bytes(cells));
    }
    bytes
}

fn add(sums: &mut [u64], more: &[u64]) {
    sums.iter_mut().zip(more).for_each(|(sum, &more)| *sum = sum.saturating_add(more));
}

/// The bytes of each cell, spelled.
pub(crate) fn spelled_bytes(cells: &dyn Array) -> Vec<u64> {
    use DataType as Type;
    let kind = cells.data_type();
    if let Some(bytes) = fixed_bytes(kind) {
        return vec![bytes; cells.len()];
    }
    match kind {
        Type::Utf8 => of_offsets::<Utf8Type>(cells),
        Type::LargeUtf8 => of_offsets::<LargeUtf8Type>(cells),
        Type::Binary => of_offsets::<BinaryType>(cells),
        Type::LargeBinary => of_offsets::<LargeBinaryType>(cells),
        // The length of a view is in its lowest bytes.
        Type::Utf8View => cells.as_string_view().views().iter().map(|&view| u64::from(view as u32)).collect(),
        Type::BinaryView => {
            cells.as_binary_view().views().iter().map(|&view| u64::from(view as u32)).collect()
        }
        Type::Dictionary(..) => {
            let listed = cells.as_any_dictionary();
            match listed.values().is_empty() {
                true => vec![0; cells.len()],
                false => pick(listed.values(), &listed.normalized_keys()),
            }
        }
        Type::RunEndEncoded(ends, _) => match ends.data_type() {
            Type::Int16 => of_runs::<Int16Type>(cells),
            Type::Int32 => of_runs::<Int32Type>(cells),
            _ => of_runs::<Int64Type>(cells),
        },
        Type::Struct(_) => {
            let mut sums = vec![0; cells.len()];
            cells.as_struct().columns().iter().for_each(|column| add(&mut sums, &spelled_bytes(column)));
            sums
        }
        Type::List(_) => of_lists(cells.as_list::<i32>().values(), cells.as_list::<i32>().offsets()),
        Type::LargeList(_) => of_lists(cells.as_list::<i64>().values(), cells.as_list::<i64>().offsets()),
        Type::ListView(_) => of_list_views(cells.as_list_view::<i32>()),
        Type::LargeListView(_) => of_list_views(cells.as_list_view::<i64>()),
        Type::FixedSizeList(_, length) => {
            let items = Items::new(cells.as_fixed_size_list().values());
            let length = usize::try_from(*length).unwrap_or(0);
            (0..cells.len()).map(|row| items.bytes(row * length, length)).collect()
        }
        Type::Map(..) => {
            let map = cells.as_map();
            of_lists(map.entries(), map.offsets())
        }
        // What has another form is as large as it is stored.
        _ => vec![ITEM_BYTES; cells.len()],
    }
}

/// The bytes of every cell of a type, where all have as many.
fn fixed_bytes(kind: &DataType) -> Option<u64> {
    use DataType as Type;
    match kind {
        Type::Null | Type::Boolean => Some(1),
        Type::FixedSizeBinary(bytes) => u64::try_from(*bytes).ok(),
        Type::FixedSizeList(item, length) => {
            let item = fixed_bytes(item.data_type())?.max(ITEM_BYTES);
            Some(item.saturating_mul(u64::try_from(*length).ok()?))
        }
        Type::Struct(fields) => fields
            .iter()
            .map(|field| fixed_bytes(field.data_type()))
            .try_fold(0_u64, |sum, bytes| Some(sum.saturating_add(bytes?))),
        kind => kind.primitive_width().map(|bytes| bytes as u64),
    }
}

fn of_offsets<T: ByteArrayType>(cells: &dyn Array) -> Vec<u64> {
    let offsets = cells.as_bytes::<T>().value_offsets().windows(2);
    offsets.map(|ends| (ends[1].as_usize() - ends[0].as_usize()) as u64).collect()
}

fn of_runs<R: RunEndIndexType>(cells: &dyn Array) -> Vec<u64> {
    let Some(runs) = cells.as_any().downcast_ref::<RunArray<R>>() else { return vec![0; cells.len()] };
    let places: Vec<usize> = (0..runs.len()).map(|row| runs.get_physical_index(row)).collect();
    pick(runs.values(), &places)
}

/// The bytes of the values at some places. A slice of a batch has all values of the batch, of which few may be its own.
fn pick(values: &dyn Array, places: &[usize]) -> Vec<u64> {
    let last = values.len().saturating_sub(1);
    if values.is_empty() || values.len() > places.len() {
        let own = |&place: &usize| {
            (!values.is_empty()).then(|| spelled_bytes(&values.slice(place.min(last), 1))[0])
        };
        return places.iter().map(|place| own(place).unwrap_or(0)).collect();
    }
    let bytes = spelled_bytes(values);
    places.iter().map(|&place| bytes[place.min(last)]).collect()
}

/// The items of lists.
enum Items {
    /// All of the same size.
    Alike(u64),
    /// The bytes of all before each, and of all.
    Sums(Vec<u64>),
}

impl Items {
    fn new(items: &dyn Array) -> Items {
        if let Some(bytes) = fixed_bytes(items.data_type()) {
            return Items::Alike(bytes.max(ITEM_BYTES));
        }
        let bytes = spelled_bytes(items);
        let mut sums = Vec::with_capacity(bytes.len() + 1);
        sums.push(0_u64);
        for bytes in bytes {
            let last = sums[sums.len() - 1];
            sums.push(last.saturating_add(bytes.saturating_add(ITEM_BYTES)));
        }
        Items::Sums(sums)
    }

    fn bytes(&self, start: usize, count: usize) -> u64 {
        match self {
            Items::Alike(bytes) => bytes.saturating_mul(count as u64),
            Items::Sums(sums) => {
                let at = |place: usize| sums[place.min(sums.len() - 1)];
                at(start.saturating_add(count)) - at(start)
            }
        }
    }
}

fn of_lists<O: OffsetSizeTrait>(items: &dyn Array, offsets: &[O]) -> Vec<u64> {
    let (Some(first), Some(last)) = (offsets.first(), offsets.last()) else { return Vec::new() };
    let start = first.as_usize();
    let items = Items::new(&items.slice(start, last.as_usize() - start));
    let of_row =
        |ends: &[O]| items.bytes(ends[0].as_usize() - start, ends[1].as_usize() - ends[0].as_usize());
    offsets.windows(2).map(of_row).collect()
}

fn of_list_views<O: OffsetSizeTrait>(lists: &GenericListViewArray<O>) -> Vec<u64> {
    let places = lists.offsets().iter().zip(lists.sizes().iter());
    let places = places.map(|(start, size)| (start.as_usize(), size.as_usize()));
    let start = places.clone().map(|(start, _)| start).min().unwrap_or(0);
    let end = places.clone().map(|(start, size)| start + size).max().unwrap_or(0);
    let items = Items::new(&lists.values().slice(start, end - start));
    places.map(|(place, size)| items.bytes(place - start, size)).collect()
}
