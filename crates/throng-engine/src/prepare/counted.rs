//! A table whose tuples were counted, before anything is made of them.

use throng::taxonomy::Coding;

use super::population::PopulationFile;
use super::{EncodedTable, LookedAt, carry, requirements, target, unknown};
use crate::dictionary::Dictionary;
use crate::encode::{Encoded, Observer, encode_observed, observe, observe_by_nodes};
use crate::error::{EngineError, Result};
use crate::input::source::Source;
use crate::job::{Privacy, find_algorithm};
use crate::memory::{self, Budget};
use crate::nodes::nodes_of;
use crate::plan::OpenJob;
use crate::plans::on_engine;
use crate::progress::Progress;

/// What one scan found.
pub(crate) struct Counted<'o> {
    opened: &'o OpenJob,
    /// What is asked of the table, which may be less than what its job asks.
    privacy: Privacy,
    source: Source,
    population: Option<PopulationFile>,
    /// The columns that were counted: quasi-identifiers, what is looked at beside them, and persons.
    columns: Vec<usize>,
    looked_at: Vec<LookedAt>,
    encoded: Encoded,
}

impl<'o> Counted<'o> {
    /// Counts the table of a job of which `privacy` is asked, with some sensitive columns more.
    pub(super) async fn read(
        opened: &'o OpenJob,
        privacy: Privacy,
        sensitive: &[String],
        mut observers: Vec<Observer>,
        progress: &dyn Progress,
    ) -> Result<Counted<'o>> {
        let OpenJob { job, roles, .. } = opened;
        let source = on_engine(opened.source.clone(), &job.engine)?;
        let mut columns: Vec<usize> = roles.quasi().map(|(column, ..)| column).collect();
        let quasi = columns.len();
        let names: Vec<&str> = roles.quasi().map(|(_, name, _)| name).collect();
        let population = PopulationFile::open(&privacy.require, &names, source.tables())?;
        let mut looked_at = requirements::columns(&privacy.require, sensitive, roles)?;
        looked_at.extend(target::column(roles, job.person()));
        columns.extend(looked_at.iter().map(|(column, _)| *column));
        columns.extend(requirements::person(job.person(), roles)?);
        // Values beside the tuples, persons and a population are counted in 32 bits.
        let counts_values = columns.len() > quasi || population.is_some();
        let most_rows = if counts_values { u32::MAX.into() } else { u64::MAX };
        let budget = Budget::new(job.search.memory_limit, most_rows);
        if let Some(nodes) = nodes_of(&source) {
            observe_by_nodes(&*nodes, std::mem::take(&mut observers), progress).await?;
        } else if source.remote().is_some() {
            // Rows are not read where they are counted.
            observe(&opened.source, std::mem::take(&mut observers), progress).await?;
        }
        let encoded = encode_observed(&source, &columns, budget, observers, progress).await?;
        let schema = opened.source.schema();
        let look = |(column, name)| LookedAt::new(name, schema.field(column).data_type(), roles);
        let looked_at = looked_at.into_iter().map(look).collect();
        Ok(Counted { opened, privacy, source, population, columns, looked_at, encoded })
    }

    /// The table, as it was counted.
    pub(crate) fn source(&self) -> &Source {
        &self.source
    }

    /// Makes of it what problems can be posed on.
    pub(crate) async fn prepare(self, progress: &dyn Progress) -> Result<EncodedTable> {
        let Counted { opened, privacy, source, population, columns, looked_at, encoded } = self;
        let (job, roles) = (&opened.job, opened.roles.clone());
        let quasi = roles.quasi().count();
        let (encoded, lacking) = unknown::merge(encoded, &roles)?;
        if population.is_some() && !lacking.is_empty() {
            return Err(EngineError::bad(
                "unknown = \"top\" cannot be used with a population, where values are looked up unchanged",
            ));
        }
        let quasis = roles.quasi().zip(&encoded.dictionaries);
        let codings: Vec<Option<Coding>> = quasis.map(|((.., quasi), values)| quasi.coding(values)).collect();
        let encoded = tokio::task::block_in_place(|| encoded.with_codings(&codings));
        let (encoded, mut beside) =
            tokio::task::block_in_place(|| carry(encoded, quasi, &looked_at, job.person()));
        let values = encoded.dictionaries.iter().map(Dictionary::len).sum();
        memory::refuse_search(&source, encoded.weights.len(), values)?;
        let (limit, family) = (job.search.memory_limit, find_algorithm(&job.search.algorithm)?.family);
        memory::refuse_above(limit, family, &source, encoded.weights.len(), &encoded.dictionaries)?;
        let no_target = target::leave_useless(&mut beside, &roles);
        let (encoded, beside) = match population {
            Some(file) => file.join(&source, &columns[..quasi], &codings, encoded, beside, progress).await?,
            None => (encoded, beside),
        };
        let mut prepared = EncodedTable::new(source, roles, encoded, beside, (job, &privacy), progress)?;
        prepared.notes.extend(prepared.source.encoding_note());
        prepared.notes.extend(prepared.source.totals_note());
        prepared.notes.extend(lacking);
        prepared.notes.extend(no_target.clone().or_else(|| target::note(&prepared.beside, &prepared.roles)));
        prepared.no_target = no_target;
        Ok(prepared)
    }
}
