//! Arrays with others in them.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, FixedSizeListArray, GenericListArray, MapArray, OffsetSizeTrait, StructArray,
    UInt64Array,
};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::compute::take;
use arrow::datatypes::{DataType, FieldRef, Fields, RunEndIndexType};
use arrow::error::ArrowError;

use super::rebuild_cells;

/// The cells as those of the plain type `kind`, seen only where they are `known`.
pub(super) fn rebuild(
    cells: &ArrayRef,
    kind: &DataType,
    known: Option<&NullBuffer>,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef, ArrowError> {
    Ok(match kind {
        DataType::List(item) => list::<i32>(cells, item, known, nulls)?,
        DataType::LargeList(item) => list::<i64>(cells, item, known, nulls)?,
        DataType::FixedSizeList(item, size) => fixed_list(cells, (item, *size), known, nulls)?,
        DataType::Map(entries, sorted) => {
            let map = cells.as_map();
            let all: ArrayRef = Arc::new(map.entries().clone());
            let (offsets, shown) = gather(map.value_offsets(), &all, known)?;
            let shown = rebuild_cells(&shown, entries, None)?.as_struct().clone();
            Arc::new(MapArray::try_new(Arc::clone(entries), offsets, shown, nulls, *sorted)?)
        }
        DataType::Struct(fields) => record(cells.as_struct(), fields, known, nulls)?,
        other => return Err(ArrowError::NotYetImplemented(format!("cells of {other}"))),
    })
}

fn record(
    cells: &StructArray,
    fields: &Fields,
    known: Option<&NullBuffer>,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef, ArrowError> {
    let columns = cells.columns().iter().zip(fields).map(|(cells, field)| rebuild_cells(cells, field, known));
    let columns: Vec<ArrayRef> = columns.collect::<Result<_, _>>()?;
    Ok(Arc::new(StructArray::try_new_with_length(fields.clone(), columns, nulls, cells.len())?))
}

fn list<O: OffsetSizeTrait>(
    cells: &ArrayRef,
    item: &FieldRef,
    known: Option<&NullBuffer>,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef, ArrowError> {
    let cells = cells.as_list::<O>();
    let (offsets, items) = gather(cells.value_offsets(), cells.values(), known)?;
    let items = rebuild_cells(&items, item, None)?;
    Ok(Arc::new(GenericListArray::try_new(Arc::clone(item), offsets, items, nulls)?))
}

fn fixed_list(
    cells: &ArrayRef,
    (item, size): (&FieldRef, i32),
    known: Option<&NullBuffer>,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef, ArrowError> {
    let cells = cells.as_fixed_size_list();
    let each = usize::try_from(size).unwrap_or(0);
    let known = known.map(|known| known.expand(each));
    let items = rebuild_cells(cells.values(), item, known.as_ref())?;
    let (item, len) = (Arc::clone(item), cells.len());
    Ok(Arc::new(FixedSizeListArray::try_new_with_length(item, size, items, nulls, len)?))
}

/// The items of lists that are known, end to end, and where each list ends among them.
fn gather<O: OffsetSizeTrait>(
    offsets: &[O],
    items: &ArrayRef,
    known: Option<&NullBuffer>,
) -> Result<(OffsetBuffer<O>, ArrayRef), ArrowError> {
    let ends = offsets.windows(2).map(|ends| (ends[0].as_usize(), ends[1].as_usize())).enumerate();
    let is_known = |at: usize| known.is_none_or(|known| known.is_valid(at));
    let ends: Vec<(usize, usize)> =
        ends.map(|(at, (start, end))| if is_known(at) { (start, end) } else { (start, start) }).collect();
    let offsets = OffsetBuffer::from_lengths(ends.iter().map(|(start, end)| end - start));
    Ok((offsets, pick(&ends, items)?))
}

/// The items between some starts and ends.
fn pick(ends: &[(usize, usize)], items: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    let some = || ends.iter().filter(|(start, end)| start < end);
    let (first, last) = (some().next().map_or(0, |ends| ends.0), some().next_back().map_or(0, |ends| ends.1));
    if some().map(|(start, end)| end - start).sum::<usize>() + first == last
        && some().is_sorted_by(|one, next| one.1 == next.0)
    {
        return Ok(items.slice(first, last - first));
    }
    let places: UInt64Array =
        some().flat_map(|&(start, end)| start..end).map(|place| Some(place as u64)).collect();
    take(items, &places, None)
}

/// Lists whose items stand anywhere, as lists whose items stand end to end.
pub(super) fn in_order<O: OffsetSizeTrait>(
    cells: &ArrayRef,
    item: &FieldRef,
) -> Result<ArrayRef, ArrowError> {
    let cells = cells.as_list_view::<O>();
    let both = cells.offsets().iter().zip(cells.sizes().iter()).enumerate();
    let ends: Vec<(usize, usize)> = both
        .map(|(at, (start, size))| {
            let (start, size) = (start.as_usize(), size.as_usize());
            (start, if cells.is_valid(at) { start + size } else { start })
        })
        .collect();
    let items = pick(&ends, cells.values())?;
    // Lists may share their items, each of which is there several times then.
    O::from_usize(items.len()).ok_or(ArrowError::OffsetOverflowError(items.len()))?;
    let offsets = OffsetBuffer::from_lengths(ends.iter().map(|(start, end)| end - start));
    let nulls = cells.nulls().cloned();
    Ok(Arc::new(GenericListArray::<O>::try_new(Arc::clone(item), offsets, items, nulls)?))
}

/// Runs of equal cells, each cell by itself.
pub(super) fn unrolled<E: RunEndIndexType>(cells: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    let runs = cells.as_run::<E>();
    let rows: Vec<u64> = (0..runs.len() as u64).collect();
    let places = runs.get_physical_indices(&rows)?;
    let places: UInt64Array = places.into_iter().map(|place| Some(place as u64)).collect();
    take(runs.values(), &places, None)
}
