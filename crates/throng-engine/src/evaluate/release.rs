//! What classifiers learn from a release that was not written: its quasi-identifiers and the target.

use throng::random::mix;
use throng::release::Release;
use throng::table::Carried;

use super::examples::{Examples, Feature};
use super::{Accuracy, ClassifierKind, ClassifierTrial, EvaluateOptions, LearningTables, TrainedOn};
use crate::error::Result;
use crate::progress::Progress;

/// Records that are learned from at most; of more, so many are drawn.
const MAX_RECORDS: u64 = 200_000;

/// How well classifiers that learn from a release tell the target of its records, and of original ones, from
/// the quasi-identifiers alone; nothing if there is no target, or too few records of it.
///
/// # Errors
/// If the run was cancelled.
pub(crate) fn accuracies(
    release: &Release,
    classifiers: &[ClassifierKind],
    folds: usize,
    seed: u64,
    progress: &dyn Progress,
) -> Result<Vec<Accuracy>> {
    let Some(target) = release.problem().target() else { return Ok(Vec::new()) };
    let records = Records::from_release(release, target, seed);
    let [original, released] = records.examples(release, target.codes());
    if classifiers.is_empty() || original.refuse_fewer_than(folds, "the table").is_err() {
        return Ok(Vec::new());
    }
    let options = EvaluateOptions {
        target: target.name().to_owned(),
        quasi: Vec::new(),
        folds,
        seed,
        classifiers: classifiers.to_vec(),
    };
    let attributes = release.problem().attributes();
    let evaluation = LearningTables {
        options: &options,
        features: attributes.iter().map(|attribute| attribute.name.clone()).collect(),
        quasi: Vec::new(),
        original,
        released,
        paired: true,
        notes: Vec::new(),
    };
    let trials: Vec<ClassifierTrial> = classifiers
        .iter()
        .flat_map(|&classifier| {
            let trained_on = TrainedOn::Released;
            [false, true].map(|tested_on_original| ClassifierTrial {
                classifier,
                trained_on,
                tested_on_original,
            })
        })
        .collect();
    evaluation.try_all(&trials, progress)
}

/// Parts of a release, record by record, each with its class.
struct Records {
    parts: Vec<u32>,
    classes: Vec<u32>,
}

impl Records {
    /// The records that are released, or some of them that are drawn.
    fn from_release(release: &Release, target: &Carried, seed: u64) -> Records {
        let rows = release.problem().table().rows();
        // The same for each record, whatever comes before it.
        let is_drawn = |record: u64| mix(mix(seed ^ 0x7265_636f_7264) ^ record) % rows.max(1) < MAX_RECORDS;
        let (mut records, mut record) = (Records { parts: Vec::new(), classes: Vec::new() }, 0);
        let released = (0..release.parts()).filter(|&part| !release.is_suppressed(part));
        for part in released {
            each_class(release, part, target, |class, rows| {
                for _ in 0..rows {
                    if is_drawn(record) {
                        records.parts.push(part as u32);
                        records.classes.push(class);
                    }
                    record += 1;
                }
            });
        }
        records
    }

    /// The records as they were, and as they are released.
    fn examples(&self, release: &Release, classes: usize) -> [Examples; 2] {
        let attributes = release.problem().attributes();
        let column = |code: &dyn Fn(usize) -> u32, values: usize| {
            Feature::from_codes(self.parts.iter().map(|&part| code(part as usize)).collect(), values, None)
        };
        let before = attributes
            .iter()
            .enumerate()
            .map(|(a, attribute)| column(&|part| release.leaf(part, a), attribute.taxonomy.leaf_total()));
        let after =
            (0..attributes.len()).map(|a| column(&|part| release.value(part, a), release.values(a).count()));
        let classes_of = |features| Examples::from_features(features, self.classes.clone(), classes);
        [classes_of(before.collect()), classes_of(after.collect())]
    }
}

/// The rows of each class in a part. Which rows a part of a divided tuple has is not known where they differ:
/// they are shared out as the whole tuple has them.
fn each_class(release: &Release, part: usize, target: &Carried, mut visit: impl FnMut(u32, u32)) {
    let tuple = release.tuple(part);
    let (rows, all) = (u64::from(release.rows(part)), target.histogram(tuple).rows());
    let (mut seen, mut given) = (0, 0);
    for (class, of_class) in target.histogram(tuple).iter() {
        seen += u64::from(of_class);
        let due = seen * rows / all.max(1);
        visit(class, (due - given) as u32);
        given = due;
    }
}
