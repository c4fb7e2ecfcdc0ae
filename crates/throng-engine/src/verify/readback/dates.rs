//! Columns of moved dates in a written table: nothing else may have come through.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef};
use jiff::civil::{Date, DateTime};
use throng::wording::quoted;

use super::look::look_at_columns;
use super::unverified;
use crate::dictionary::{as_text, try_each};
use crate::error::{EngineError, Result};
use crate::format::reopen::Reopened;
use crate::job::DateShift;

/// Looks at every cell of these columns.
///
/// # Errors
/// [`EngineError::Unverified`] if one is neither empty nor a date as it was asked for.
pub(super) async fn check(table: &Arc<Reopened>, columns: &[(String, DateShift)]) -> Result<()> {
    look_at_columns(table, columns, see).await
}

fn see(name: &str, shift: &DateShift, cells: &ArrayRef) -> Result<()> {
    // Typed ones can be nothing else.
    let format = shift.format.as_deref().filter(|_| !cells.data_type().is_temporal());
    let refuse = || unverified(format!("column {} has cells that are not dates", quoted(name)));
    let cells = as_text(cells).ok_or_else(refuse)?;
    try_each(&cells, |cell| {
        let is_date = cell.is_empty() || std::str::from_utf8(cell).is_ok_and(|text| is_date(text, format));
        if is_date { Ok::<(), EngineError>(()) } else { Err(refuse()) }
    })
}

/// Whether all of a text is a day, with or without a time and its offset, or all that a format says.
fn is_date(text: &str, format: Option<&str>) -> bool {
    if let Some(format) = format {
        return Date::strptime(format, text).is_ok();
    }
    let is_day = text.get(..10).is_some_and(|day| Date::strptime("%Y-%m-%d", day).is_ok());
    // Brackets could name a time zone, which is text; a time without a zone is read whatever its offset is.
    let local = text.strip_suffix(['Z', 'z']).unwrap_or(text);
    is_day && !text.contains('[') && local.parse::<DateTime>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_dates_pass() {
        assert!(is_date("2024-03-17", None) && is_date("2024-03-17T09:00", None));
        assert!(is_date("17.03.2024", Some("%d.%m.%Y")));
        assert!(is_date("2024-03-17 09:00:15.25+01:00", None) && is_date("2024-03-17T09:00Z", None));
        let told =
            ["2023-01-05 9 Ann Koch", "2023-01-05 09:30 Ann", "2023-01-05T09:30[Ann]", "2023-01-05 Ann"];
        assert!(told.iter().all(|text| !is_date(text, None)));
        for bad in ["", "17.03.2024", "2024-3-17", "2024-02-30", "Ann"] {
            assert!(!is_date(bad, None), "{bad}");
        }
        assert!(!is_date("2024-03-17", Some("%d.%m.%Y")));
    }
}
