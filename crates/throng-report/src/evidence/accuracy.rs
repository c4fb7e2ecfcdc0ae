//! How well a classifier learns from a release whose job has a target.

use super::TablePair;
use throng_engine::error::{EngineError, Result};
use throng_engine::evaluate::{ClassifierKind, EvaluateOptions, EvaluateSummary, FOLDS, evaluate};
use throng_engine::job::{Job, Role};
use throng_engine::progress::Progress;

/// Naive Bayes, which takes as long as a person waits; `throng evaluate` has stronger ones.
pub(super) async fn find(
    job: &Job,
    pair: &TablePair,
    progress: &dyn Progress,
) -> Result<Option<std::result::Result<EvaluateSummary, String>>> {
    let Some((_, target)) = pair.prepared.roles.with_role(Role::Target).next() else { return Ok(None) };
    let options = EvaluateOptions {
        target: target.to_owned(),
        quasi: pair.prepared.quasi().map(str::to_owned).collect(),
        folds: FOLDS,
        seed: job.search.seed,
        classifiers: vec![ClassifierKind::NaiveBayes],
    };
    match evaluate(&pair.original, &pair.released, &options, progress).await {
        Ok(found) => Ok(Some(Ok(found))),
        Err(EngineError::Interrupted) => Err(EngineError::Interrupted),
        // Too few rows, or one class: the release is what it is, and the report says why nothing was learned.
        Err(error) => Ok(Some(Err(error.to_string()))),
    }
}
