//! Hierarchies that an earlier run built from its data, as far as its release shows them.

use serde::{Deserialize, Serialize};
use throng::taxonomy::{self, MaskSide, Notation, Taxonomy};

use super::hierarchy::{BuildError, HierarchySpec};
use crate::error::EngineError;

/// What is kept of a hierarchy whose levels or labels depend on the values that it was built from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum KeptHierarchy {
    /// A mask or beginnings of codes: how long the longest was.
    Mask {
        /// Its characters.
        length: usize,
    },
    /// An automatic hierarchy: its labels.
    Labels {
        /// Levels above the values.
        height: usize,
        /// The labels that the release shows.
        labels: Vec<KeptLabel>,
    },
    /// Ends of ranges and members of sets that the release shows: they are values of the column, whether or not a
    /// row has them.
    #[serde(skip)]
    Values(Vec<String>),
}

/// A label of an automatic hierarchy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptLabel {
    /// What the release shows.
    pub label: String,
    /// The lowest level at which it stands.
    pub level: usize,
}

impl KeptHierarchy {
    /// The hierarchy of the values of a column.
    pub(super) fn build<S: AsRef<str>>(
        &self,
        spec: Option<&HierarchySpec>,
        column: &str,
        values: &[S],
        said: Option<Notation>,
    ) -> Result<Taxonomy, BuildError> {
        let built = match (self, spec) {
            (KeptHierarchy::Mask { length }, Some(HierarchySpec::Mask(side))) => {
                taxonomy::mask_to(values, *side, *length)
            }
            (KeptHierarchy::Mask { length }, _) => taxonomy::mask_to(values, MaskSide::Right, *length),
            (KeptHierarchy::Labels { height, labels }, _) => {
                let labels: Vec<(String, usize)> =
                    labels.iter().map(|label| (label.label.clone(), label.level)).collect();
                taxonomy::kept(values, &labels, *height, said.unwrap_or_default())
            }
            (KeptHierarchy::Values(more), spec) => return with_more(spec, column, values, more, said),
        };
        built.map_err(|error| BuildError::new(error, column))
    }
}

/// The hierarchy of values and some more.
fn with_more<S: AsRef<str>>(
    spec: Option<&HierarchySpec>,
    column: &str,
    values: &[S],
    more: &[String],
    said: Option<Notation>,
) -> Result<Taxonomy, BuildError> {
    let mut all: Vec<&str> = values.iter().map(AsRef::as_ref).collect();
    let known: std::collections::BTreeSet<&str> = all.iter().copied().collect();
    all.extend(more.iter().map(String::as_str).filter(|value| !known.contains(value)));
    let built = match spec {
        Some(spec) => spec.build_in(column, &all, said),
        None => Taxonomy::flat(&all).map_err(|error| BuildError::new(error, column)),
    };
    built.map_err(|error| match error {
        BuildError::Unfit { index, .. } if index >= values.len() => BuildError::Bad(
            EngineError::bad("the recoding has a range or set that does not fit this column")
                .in_column(column),
        ),
        other => other,
    })
}
