//! Lists of the same length as columns of Arrow.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, RecordBatch, UInt32Array};
use arrow::datatypes::UInt32Type;
use arrow::error::ArrowError;

/// Lists side by side.
pub fn beside(lists: Vec<ArrayRef>) -> Result<RecordBatch, ArrowError> {
    let named = lists.into_iter().enumerate().map(|(at, list)| (at.to_string(), list, true));
    RecordBatch::try_from_iter_with_nullable(named)
}

/// Numbers as a list.
pub fn numbers(list: Vec<u32>) -> ArrayRef {
    Arc::new(UInt32Array::from(list))
}

/// The numbers of a list.
pub fn codes(list: &ArrayRef) -> Vec<u32> {
    list.as_primitive::<UInt32Type>().values().to_vec()
}
