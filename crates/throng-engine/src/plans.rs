//! Plans that count a table elsewhere than in this process, if somebody brings them.

use std::sync::OnceLock;

use crate::error::{EngineError, Result};
use crate::input::source::Source;
use crate::job::EngineSpec;

/// Gives a table that is counted and written by plans.
pub type PlanTable = fn(Source, &EngineSpec) -> Result<Source>;

static PLAN: OnceLock<PlanTable> = OnceLock::new();

/// Names who has plans; who is named first stays.
pub fn plan_by(plan: PlanTable) {
    PLAN.get_or_init(|| plan);
}

/// The source, counted where the job says.
///
/// # Errors
/// If the cluster cannot be asked, or its plans cannot read such a table.
pub(crate) fn on_engine(source: Source, engine: &EngineSpec) -> Result<Source> {
    match (&engine.cluster, PLAN.get()) {
        (None, _) => Ok(source),
        (Some(_), Some(plan)) => plan(source, engine),
        (Some(cluster), None) => Err(EngineError::bad((
            format!("engine.cluster is '{cluster}', and this throng was built without clusters"),
            "build it with the feature 'cluster'",
        ))),
    }
}
