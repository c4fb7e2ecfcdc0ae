//! Where a part of a table is, for what is said of its rows.

use std::path::PathBuf;

use datafusion::common::{DataFusionError, Result, internal_err};
use datafusion::datasource::physical_plan::{CsvSource, FileScanConfig};
use datafusion::datasource::source::DataSourceExec;
use datafusion::physical_plan::ExecutionPlan;

use super::fault::{as_fault, explain};
use super::files::name_of;
use throng_tables::error::EngineError;
use throng_tables::input::source::Translator;
use throng_tables::wording::Message;

/// The place of a part.
pub(super) struct PartAddress {
    /// Its file.
    pub(super) file: PathBuf,
    /// Whether it begins with the first row of the file; else nobody knows the numbers of its rows.
    pub(super) is_first: bool,
    text: Option<Translator>,
    doing: &'static str,
}

impl PartAddress {
    /// The place of a partition of a scan, of which something is done.
    pub(super) fn from_scan(
        scan: &dyn ExecutionPlan,
        partition: usize,
        doing: &'static str,
    ) -> Result<PartAddress> {
        let scan = scan.downcast_ref::<DataSourceExec>();
        let files = scan.and_then(|scan| scan.data_source().downcast_ref::<FileScanConfig>());
        let part = files.and_then(|files| Some((files, files.file_groups.get(partition)?.files().first()?)));
        let Some((files, part)) = part else { return internal_err!("a part is read by a scan of files") };
        let file = name_of(&files.object_store_url, &part.object_meta.location);
        let text = files.file_source().downcast_ref::<CsvSource>().map(|text| {
            let names = files.file_schema().fields().iter().map(|field| field.name().clone());
            Translator::of_text(file.clone(), text.has_header(), names.collect())
        });
        let is_first = part.range.as_ref().is_none_or(|range| range.start == 0);
        Ok(PartAddress { file, is_first, text, doing })
    }

    /// What the reader of the file says, in our words.
    pub(super) fn unreadable(&self, error: &DataFusionError) -> DataFusionError {
        let in_text = match (&self.text, error.find_root()) {
            (Some(text), DataFusionError::ArrowError(error, _)) => text.in_text(error),
            _ => None,
        };
        let in_file = || explain(&error.to_string(), self.doing).in_file(&self.file);
        as_fault(in_text.unwrap_or_else(in_file))
    }

    /// Bad input in a row of the part, from 1, if it is known.
    pub(super) fn bad_at(&self, row: Option<u64>, what: impl Into<Message>) -> EngineError {
        let bad = EngineError::bad(what).in_file(&self.file);
        match row.filter(|_| self.is_first) {
            Some(row) => bad.at_row(row),
            None => bad,
        }
    }

    /// An error of ours that may not say which file it is about.
    pub(super) fn fault(&self, error: EngineError) -> DataFusionError {
        as_fault(if error.file().is_some() { error } else { error.in_file(&self.file) })
    }
}
