//! How well a classifier learns from a release: what `throng evaluate` does.
//!
//! The rows are divided into folds, as many of each class in every fold; a classifier is trained on all folds
//! but one and asked about that one, for each fold in turn. What is learned from the release is set beside
//! what is learned from the original, from the original without its quasi-identifiers (what a release that
//! gives up all of them would leave), and the share of the most common class, which needs no learning.
//!
//! A classifier that has learned from the release is asked about released records, and about original ones:
//! a cell of an original record is read as the released value that most training rows with the same cell
//! have. That needs to know which rows belong together, so it is done only if the rows of the release are
//! those of the original, in the same order.

mod classifier;
mod examples;
mod folds;
mod forest;
mod naive_bayes;
mod release;
mod rows;
mod translation;

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use throng::wording::{quoted, quoted_list};

use crate::columns::find_column;
use crate::error::{EngineError, Result};
use crate::input::source::Source;
use crate::prepare::MAX_CLASSES;
use crate::progress::{Progress, refuse_cancelled};
pub use classifier::ClassifierKind;
use examples::{Examples, Readable};
use folds::Folds;
pub(crate) use release::accuracies;
use rows::Rows;
use translation::Translation;

/// Folds, unless others are asked for.
pub const FOLDS: usize = 10;

/// What to evaluate, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvaluateOptions {
    /// The column to predict.
    pub target: String,
    /// The quasi-identifiers; if there are none, the columns that the release changed.
    pub quasi: Vec<String>,
    /// Parts that the rows are divided into.
    pub folds: usize,
    /// What the division and the classifiers start from.
    pub seed: u64,
    /// The classifiers.
    pub classifiers: Vec<ClassifierKind>,
}

/// How well classifiers did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvaluateSummary {
    /// Rows of the original that have a class.
    pub rows: u64,
    /// Rows of the release that have one.
    pub released_rows: u64,
    /// The column that is predicted.
    pub target: String,
    /// Its classes.
    pub classes: usize,
    /// The columns that it is predicted from: those that both tables have.
    pub features: Vec<String>,
    /// The quasi-identifiers among them.
    pub quasi: Vec<String>,
    /// Parts that the rows were divided into.
    pub folds: usize,
    /// What it started from.
    pub seed: u64,
    /// The share of the most common class of the original.
    pub majority: f64,
    /// What each classifier achieved.
    pub results: Vec<Accuracy>,
    /// What the reader should know.
    pub notes: Vec<String>,
}

/// What one classifier achieved with one table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Accuracy {
    /// The classifier.
    pub classifier: ClassifierKind,
    /// What it learned from.
    pub trained_on: TrainedOn,
    /// Whether it was asked about original records; otherwise about ones like those that it learned from.
    pub tested_on_original: bool,
    /// The share of records whose class was told right: the mean of all folds.
    pub accuracy: f64,
    /// The standard deviation from fold to fold.
    pub spread: f64,
}

/// What a classifier learns from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrainedOn {
    /// The original table.
    Original,
    /// The original without its quasi-identifiers.
    WithoutQuasi,
    /// The release.
    Released,
}

/// Evaluates a release beside its original; must be called in a multi-threaded Tokio runtime.
///
/// # Errors
/// A target that is missing, has one class or too many; more folds than rows; a release that has more rows
/// than the original, or classes that the original lacks; tables that cannot be read; a cancelled run.
pub async fn evaluate(
    original: &Source,
    released: &Source,
    options: &EvaluateOptions,
    progress: &dyn Progress,
) -> Result<EvaluateSummary> {
    progress.phase("read");
    let columns = shared_columns(original, released, options)?;
    let before = Rows::read(original, &columns, progress).await?;
    let after = Rows::read(released, &columns, progress).await?;
    progress.phase("evaluate");
    tokio::task::block_in_place(|| {
        LearningTables::new(before, after, &columns, released, options)?.run(progress)
    })
}

/// The target, then all other columns that both tables have, in the order of the release.
fn shared_columns(original: &Source, released: &Source, options: &EvaluateOptions) -> Result<Vec<String>> {
    for source in [original, released] {
        find_column(source, source.columns(), &options.target)?;
    }
    let target = &options.target;
    if options.quasi.contains(target) {
        let problem =
            (format!("column {} is the target", quoted(target)), "it cannot also be a quasi-identifier");
        return Err(EngineError::bad(problem).about_column(target));
    }
    let is_feature = |name: &&String| *name != target && original.columns().contains(name);
    let features: Vec<String> = released.columns().iter().filter(is_feature).cloned().collect();
    if features.is_empty() {
        return Err(released.bad("apart from the target, it has none of the original's columns"));
    }
    if let Some(name) = options.quasi.iter().find(|name| !features.contains(name)) {
        find_column(original, original.columns(), name)?;
        return Err(released.bad(format!("it has no column {}", quoted(name))).about_column(name));
    }
    Ok(std::iter::once(target.clone()).chain(features).collect())
}

/// Two tables that are ready to be learned from.
struct LearningTables<'o> {
    options: &'o EvaluateOptions,
    features: Vec<String>,
    /// Places of the quasi-identifiers among the features.
    quasi: Vec<usize>,
    original: Examples,
    released: Examples,
    /// Whether the rows of both are the same, in the same order.
    paired: bool,
    notes: Vec<String>,
}

impl<'o> LearningTables<'o> {
    fn new(
        before: Rows,
        after: Rows,
        columns: &[String],
        released: &Source,
        options: &'o EvaluateOptions,
    ) -> Result<LearningTables<'o>> {
        let mut notes = Vec::new();
        if after.len() > before.len() {
            let (more, rows) = (after.len(), before.len());
            return Err(released.bad(format!(
                "{more} rows, but the original has {rows}: this is not a \
                 release of it"
            )));
        }
        let paired = pair(&before, &after, &mut notes);
        let changed: Vec<usize> = (1..columns.len()).filter(|&c| !before.is_same(&after, c)).collect();
        let quasi = if options.quasi.is_empty() {
            changed.iter().map(|c| c - 1).collect()
        } else {
            let place = |name: &String| columns.iter().position(|known| known == name).map(|c| c - 1);
            options.quasi.iter().filter_map(place).collect()
        };
        let classes = before.classes(&options.target, MAX_CLASSES)?;
        let original = Examples::new(before, &classes)?;
        let released = Examples::new(after, &classes)?;
        refuse_another(&original, &released, paired)?;
        for (examples, what) in [(&original, "the original"), (&released, "the release")] {
            note_missing(examples, what, &mut notes);
            examples.refuse_fewer_than(options.folds, what)?;
        }
        let features = columns[1..].to_vec();
        Ok(LearningTables { options, features, quasi, original, released, paired, notes })
    }

    fn run(self, progress: &dyn Progress) -> Result<EvaluateSummary> {
        let results = self.try_all(&self.trials(), progress)?;
        Ok(EvaluateSummary {
            rows: self.original.len() as u64,
            released_rows: self.released.len() as u64,
            target: self.options.target.clone(),
            classes: self.original.classes(),
            quasi: self.quasi.iter().map(|&f| self.features[f].clone()).collect(),
            features: self.features,
            folds: self.options.folds,
            seed: self.options.seed,
            majority: self.original.majority_share(),
            results,
            notes: self.notes,
        })
    }

    /// Every trial on every fold, on all cores.
    fn try_all(&self, trials: &[ClassifierTrial], progress: &dyn Progress) -> Result<Vec<Accuracy>> {
        let divide = |examples: &Examples| Folds::new(examples, self.options.folds, self.options.seed);
        // The rows of paired tables are the same.
        let folds =
            [divide(&self.original), divide(if self.paired { &self.original } else { &self.released })];
        let steps = trials.len() * self.options.folds;
        let done = AtomicU64::new(0);
        let run = |at: usize| -> Result<f64> {
            refuse_cancelled(progress)?;
            let right = self.try_fold(&trials[at / self.options.folds], &folds, at % self.options.folds)?;
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            progress.search_advanced(done, steps as u64);
            Ok(right)
        };
        let shares: Vec<f64> = (0..steps).into_par_iter().map(run).collect::<Result<_>>()?;
        let results = trials.iter().zip(shares.chunks(self.options.folds));
        Ok(results.map(|(trial, shares)| trial.sum_up(shares)).collect())
    }

    fn trials(&self) -> Vec<ClassifierTrial> {
        let of = |&classifier: &ClassifierKind| {
            let trial = |trained_on, tested_on_original| ClassifierTrial {
                classifier,
                trained_on,
                tested_on_original,
            };
            let mut trials = vec![trial(TrainedOn::Original, true), trial(TrainedOn::Released, false)];
            if self.paired {
                trials.push(trial(TrainedOn::Released, true));
            }
            trials.push(trial(TrainedOn::WithoutQuasi, true));
            trials
        };
        self.options.classifiers.iter().flat_map(of).collect()
    }

    /// The share of the records of a fold whose class is told right; the folds are those of the original and of the
    /// release.
    fn try_fold(&self, trial: &ClassifierTrial, folds: &[Folds; 2], fold: usize) -> Result<f64> {
        let all: Vec<usize> = (0..self.features.len()).collect();
        let others: Vec<usize> = all.iter().copied().filter(|f| !self.quasi.contains(f)).collect();
        let (table, features) = match trial.trained_on {
            TrainedOn::Original => (&self.original, &all),
            TrainedOn::WithoutQuasi => (&self.original, &others),
            TrainedOn::Released => (&self.released, &all),
        };
        let [original, released] = folds;
        let folds = if trial.trained_on == TrainedOn::Released { released } else { original };
        let (train, test) = folds.split(fold);
        let model = trial.classifier.train(table, features, &train, self.options.seed ^ fold as u64)?;
        let translation;
        let asked = if trial.trained_on == TrainedOn::Released && trial.tested_on_original {
            translation = Translation::learn(&self.original, &self.released, &train);
            Readable::Translated(&self.original, &translation)
        } else {
            Readable::AsItIs(table)
        };
        let told = model.tell(&asked, &test)?;
        let right = test.iter().zip(&told).filter(|&(&row, &class)| asked.class(row) == class).count();
        Ok(right as f64 / test.len().max(1) as f64)
    }
}

/// A classifier, what it learns from and what it is asked about.
struct ClassifierTrial {
    classifier: ClassifierKind,
    trained_on: TrainedOn,
    tested_on_original: bool,
}

impl ClassifierTrial {
    fn sum_up(&self, shares: &[f64]) -> Accuracy {
        let mean = shares.iter().sum::<f64>() / shares.len() as f64;
        let square = |share: &f64| (share - mean) * (share - mean);
        let variance = shares.iter().map(square).sum::<f64>() / (shares.len() - 1).max(1) as f64;
        let ClassifierTrial { classifier, trained_on, tested_on_original } = *self;
        Accuracy { classifier, trained_on, tested_on_original, accuracy: mean, spread: variance.sqrt() }
    }
}

/// Whether each row of the release is that of the original; if not, why not.
fn pair(before: &Rows, after: &Rows, notes: &mut Vec<String>) -> bool {
    let why = if before.len() != after.len() {
        format!("{} rows of the original are missing from the release", before.len() - after.len())
    } else if (0..before.columns.len()).any(|c| before.is_same(after, c) && !before.is_same_by_row(after, c))
    {
        "the rows of the release are in a different order".to_owned()
    } else if !before.is_same_by_row(after, 0) {
        "the target was changed in the release".to_owned()
    } else {
        return true;
    };
    notes.push(format!(
        "{why}: nobody knows which rows belong together, so classifiers trained on the release are not \
            tested on original records"
    ));
    false
}

/// Refuses a table that cannot be a release of the original: the target is kept, so no class has more rows.
fn refuse_another(original: &Examples, released: &Examples, paired: bool) -> Result<()> {
    let counts = |examples: &Examples| examples.count_classes(examples.rows());
    let more = counts(original).iter().zip(counts(released)).any(|(&before, after)| after > before);
    if more && !paired {
        return Err(EngineError::bad(
            "the release has more rows of some class than the original: it is not a release of it",
        ));
    }
    Ok(())
}

fn note_missing(examples: &Examples, what: &str, notes: &mut Vec<String>) {
    let rows = examples.without_class();
    if rows > 0 {
        notes.push(format!("{rows} rows of {what} have no class and are left out"));
    }
}

/// The classifiers of these names.
///
/// # Errors
/// A name that none has.
pub fn find_classifiers(names: &[String]) -> Result<Vec<ClassifierKind>> {
    let find = |name: &String| {
        ClassifierKind::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| {
            let allowed = ClassifierKind::ALL.map(ClassifierKind::name);
            let guess = crate::wording::guess(name, allowed);
            EngineError::bad((
                format!("unknown classifier {}{guess}", quoted(name)),
                format!("allowed are {}", quoted_list(&allowed)),
            ))
        })
    };
    names.iter().map(find).collect()
}

#[cfg(test)]
mod tests;
