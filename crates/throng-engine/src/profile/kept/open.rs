//! The cells that a column holds: its own, and those of lists, maps and structures in it.

use arrow::array::{ArrayRef, AsArray, new_empty_array};
use arrow::datatypes::{DataType, Field};

use crate::dictionary::is_textual;
use throng_tables::output::plain::{plain_field, rebuild_cells};

/// Cells of a column, or of something in it.
pub(super) struct Cells {
    /// What they are called: by the name of the column, and of the field in it (`contact.phone`).
    pub(super) name: String,
    pub(super) cells: ArrayRef,
    /// Whether there is one in each row.
    pub(super) is_by_row: bool,
}

/// Names of the cells of a column, each with whether there is one in each row.
pub(super) fn names(field: &Field) -> Vec<(String, bool)> {
    let none = new_empty_array(field.data_type());
    open(field, &none).into_iter().map(|cells| (cells.name, cells.is_by_row)).collect()
}

/// All cells of a column that can be written as text, in the order of its type. What is in no row, such as items of lists
/// that are null, is not among them.
pub(super) fn open(field: &Field, cells: &ArrayRef) -> Vec<Cells> {
    let mut all = Vec::new();
    match is_textual(field.data_type()) {
        true => all.push(Cells { name: field.name().clone(), cells: cells.clone(), is_by_row: true }),
        false => {
            let plain = rebuild_cells(cells, &plain_field(&field.clone().with_nullable(true)), None);
            plain.into_iter().for_each(|cells| gather(field.name(), &cells, true, &mut all));
        }
    }
    all
}

fn gather(name: &str, cells: &ArrayRef, is_by_row: bool, all: &mut Vec<Cells>) {
    match cells.data_type() {
        DataType::Struct(fields) => {
            let columns = fields.iter().zip(cells.as_struct().columns());
            columns.for_each(|(field, cells)| {
                gather(&format!("{name}.{}", field.name()), cells, is_by_row, all);
            });
        }
        DataType::List(_) => gather(name, cells.as_list::<i32>().values(), false, all),
        DataType::LargeList(_) => gather(name, cells.as_list::<i64>().values(), false, all),
        DataType::FixedSizeList(..) => gather(name, cells.as_fixed_size_list().values(), false, all),
        DataType::Map(..) => {
            let map = cells.as_map();
            [map.keys(), map.values()].into_iter().for_each(|cells| gather(name, cells, false, all));
        }
        kind if is_textual(kind) => {
            all.push(Cells { name: name.to_owned(), cells: cells.clone(), is_by_row });
        }
        _ => {}
    }
}
