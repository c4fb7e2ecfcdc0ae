//! The two tables that an adversary has, as the core attacks them.

use std::path::Path;

use throng::attack::{Attack, attack};
use throng::consistency::{Reading, Released};
use throng::taxonomy::Scheme;

use super::foreign::Foreign;
use crate::error::{EngineError, Result};
use crate::input::source::Source;
use crate::job::Job;
use crate::prepare::dictionary::Dictionary;
use crate::prepare::encode::encode;
use crate::prepare::{EncodedColumn, Prepared};
use crate::progress::Progress;
use crate::verify::linkage::{find_columns, open_release};

/// An original and a released table, each counted by itself.
pub(super) struct TwoTables {
    pub(super) original: Prepared,
    pub(super) released_rows: u64,
    release: Source,
    released: Released,
    /// The labels of each quasi-identifier of the release.
    labels: Vec<Dictionary>,
}

impl TwoTables {
    pub(super) async fn read(
        job: &Job,
        released: &Path,
        sensitive: &[String],
        progress: &dyn Progress,
    ) -> Result<TwoTables> {
        progress.phase("read");
        let original = Prepared::read_unrequired(job, &[], progress).await?;
        let release = open_release(job, released)?;
        let names = original.quasi().chain(sensitive.iter().map(String::as_str));
        let columns = find_columns(&original, &release, names)?;
        let encoded = encode(&release, &columns, progress).await?;
        let quasi = original.quasi().len();
        let (mut columns, mut labels) = (encoded.columns, encoded.dictionaries);
        let sensitive = columns.split_off(quasi);
        labels.truncate(quasi);
        Ok(TwoTables {
            original,
            released_rows: encoded.rows,
            release,
            released: Released { columns, weights: encoded.weights, sensitive },
            labels,
        })
    }

    /// What both adversaries learn.
    ///
    /// # Errors
    /// A label that stands for nothing.
    pub(super) fn attack(&self) -> Result<Attack> {
        let hierarchies = self.original.roles.quasi().map(|(_, _, quasi)| quasi.hierarchy.is_some());
        let columns = self.original.attributes.iter().zip(&self.labels).zip(hierarchies);
        let readings = columns.map(|((attribute, labels), has)| self.understand(attribute, labels, has));
        let readings = readings.collect::<Result<Vec<Reading>>>()?;
        Ok(attack(self.original.table(), readings, &self.released))
    }

    fn understand(
        &self,
        attribute: &EncodedColumn,
        labels: &Dictionary,
        has_hierarchy: bool,
    ) -> Result<Reading> {
        let leaf_with = |text: &str| attribute.leaf_with(text);
        let foreign = Foreign::new(attribute);
        let read =
            |label: &str| foreign.read(label).or_else(|| attribute.taxonomy.read_set(label, leaf_with));
        let reading = Reading::new(&attribute.taxonomy, labels.values(), leaf_with, read);
        reading.map_err(|code| self.explain(attribute, labels.first_row(code as u32), has_hierarchy))
    }

    fn explain(&self, attribute: &EncodedColumn, row: u64, has_hierarchy: bool) -> EngineError {
        let why = if attribute.taxonomy.scheme() != Scheme::Tree {
            "the released value is no range or set of the original's values"
        } else if has_hierarchy {
            "the released value is not in the hierarchy, so it covers nothing; is the hierarchy that of the \
             release?"
        } else {
            "the released value is no value of the original, no range of numbers, no set and not '*', and the \
             column has no hierarchy; name that of the release (--qi COLUMN=HIERARCHY, or in a job file)"
        };
        self.release.bad_at(row, why).in_column(&attribute.name)
    }
}
