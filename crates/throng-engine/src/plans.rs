//! Plans that count a table elsewhere than in this process, if somebody brings them.

use crate::error::{EngineError, Result};
use crate::input::source::Source;
use crate::job::EngineSpec;

/// Gives a table that is counted and written by plans, if it was [added](throng_tables::tables::Tables::with).
#[derive(Clone, Copy, Debug)]
pub struct TablePlanner(pub fn(Source, &EngineSpec) -> Result<Source>);

/// The source, counted where the job says.
///
/// # Errors
/// If the cluster cannot be asked, or its plans cannot read such a table.
pub(crate) fn on_engine(source: Source, engine: &EngineSpec) -> Result<Source> {
    match (&engine.cluster, source.tables().added::<TablePlanner>()) {
        (None, _) => Ok(source),
        (Some(_), Some(planner)) => (planner.0)(source, engine),
        (Some(cluster), None) => Err(EngineError::bad((
            format!("engine.cluster is '{cluster}', but this throng was built without clusters"),
            "build it with the feature 'cluster'",
        ))),
    }
}
