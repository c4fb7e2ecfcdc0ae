//! The table that is compared on, once for each way in which contenders generalise it.

use serde_json::{Map, Value, json};

use throng::loss::Loss;
use throng::problem::Problem;

use super::{ComparisonPlan, Generalise};
use crate::error::{EngineError, Result};
use crate::job::{HierarchySpec, Job};
use crate::pipeline::read;
use crate::plan::OpenJob;
use crate::prepare::EncodedTable;
use crate::progress::Progress;

/// The same rows, read once, under the hierarchies of the job and, where contenders want it, without.
pub(super) struct ComparedTables {
    /// The first is as the job says.
    ways: Vec<(Generalise, EncodedTable)>,
    /// What each quasi-identifier becomes without its hierarchy; empty if no contender wants that.
    pub(super) without_hierarchies: Map<String, Value>,
}

impl ComparedTables {
    pub(super) async fn read(
        job: &Job,
        plan: &ComparisonPlan,
        progress: &dyn Progress,
    ) -> Result<ComparedTables> {
        let opened = OpenJob::of_tables(job)?;
        let prepared = read(&opened, None, progress).await?;
        let mut tables =
            ComparedTables { ways: vec![(Generalise::AsJob, prepared)], without_hierarchies: Map::new() };
        for contender in &plan.contenders {
            tables.add(contender.generalise, job)?;
        }
        if let Some(sample) = plan.sample {
            if tables.first().beside.persons.is_some() {
                return Err(EngineError::bad((
                    "a sample of the rows cannot be used when persons are counted, because it would contain only some of their rows",
                    "compare on the whole table",
                )));
            }
            for (_, prepared) in &mut tables.ways {
                prepared.replace_table(|table| sample.take_from(table));
            }
        }
        Ok(tables)
    }

    fn add(&mut self, way: Generalise, job: &Job) -> Result<()> {
        if self.ways.iter().any(|(known, _)| *known == way) {
            return Ok(());
        }
        let varied = way.vary(job, self.first());
        let named = |name: &str| varied.columns.get(name).and_then(|column| column.hierarchy.as_ref());
        let quasi = self.first().quasi();
        self.without_hierarchies =
            quasi.map(|name| (name.to_owned(), json!(named(name).map(word)))).collect();
        let prepared = self.first().again(&varied)?;
        self.ways.push((way, prepared));
        Ok(())
    }

    /// The table as the job has it.
    pub(super) fn first(&self) -> &EncodedTable {
        &self.ways[0].1
    }

    /// The problem over the first `count` quasi-identifiers for each contender in turn.
    pub(super) fn pose(
        &self,
        plan: &ComparisonPlan,
        measure: &'static dyn Loss,
        count: usize,
        k: u64,
    ) -> Result<Vec<Problem>> {
        let posed = |(way, prepared): &(Generalise, EncodedTable)| {
            let max_suppressed_rows = plan.suppression.max_rows(prepared.rows());
            let k = (k > 1).then_some(k);
            let problem = match count {
                all if all == prepared.attributes.len() => prepared.problem(k, max_suppressed_rows, measure),
                count => prepared.problem_over_first(count, k, max_suppressed_rows, measure),
            };
            Ok((*way, problem?))
        };
        let posed: Vec<(Generalise, Problem)> = self.ways.iter().map(posed).collect::<Result<_>>()?;
        let of = |way: Generalise| {
            let found = posed.iter().find(|(known, _)| *known == way);
            &found.expect("every contender's way was added").1
        };
        Ok(plan.contenders.iter().map(|contender| contender.pose(of(contender.generalise))).collect())
    }
}

/// What becomes of a column's values, as a job says it.
fn word(hierarchy: &HierarchySpec) -> &'static str {
    match hierarchy {
        HierarchySpec::Range { .. } => "range",
        HierarchySpec::Set { .. } => "set",
        HierarchySpec::Numbers(numbers) => numbers.shown.name(),
        _ => "prefix",
    }
}
