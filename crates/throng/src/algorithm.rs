//! Search algorithms and their registry.
//!
//! A new algorithm is one file and one line in [`registry`].

mod full_domain;
pub(crate) mod local;
mod setting;

pub use setting::Setting;

use crate::loss::Kind;
use crate::notion::Notion;
use crate::problem::Problem;
use crate::run::{Run, Stop};

/// A search for a recoding that satisfies the problem's requirement at little loss.
pub trait Algorithm: Send + Sync {
    /// Searches; the result is the best node that `run` was shown.
    fn search(&self, problem: &Problem, run: &mut Run<'_>) -> Result<(), Stop>;
}

/// How the algorithm recodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// All values of an attribute go to the same level.
    FullDomain,
    /// Each tuple has generalised values of its own.
    Local,
}

impl Family {
    /// The name for people.
    pub fn name(self) -> &'static str {
        match self {
            Family::FullDomain => "full-domain",
            Family::Local => "local",
        }
    }
}

/// What an algorithm promises of its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guarantee {
    /// The least objective of all admissible nodes.
    LeastLoss,
    /// The least height of all admissible nodes; within it, the least objective.
    LeastHeight,
    /// An admissible release.
    Admissible,
}

impl Guarantee {
    /// The promise, for people.
    pub fn text(self) -> &'static str {
        match self {
            Guarantee::LeastLoss => "optimal: no admissible node loses less",
            Guarantee::LeastHeight => "least level of generalisation, then least loss within it",
            Guarantee::Admissible => "heuristic: an admissible release, not necessarily the best",
        }
    }

    /// Whether a finished search proves that no node has a lower objective.
    pub fn proves(self, objective: Kind<'_>) -> bool {
        match self {
            Guarantee::LeastLoss => true,
            Guarantee::LeastHeight => matches!(objective, Kind::Level),
            Guarantee::Admissible => false,
        }
    }
}

/// A line of the registry.
pub struct Entry {
    /// Name in jobs and flags.
    pub name: &'static str,
    /// One line for people.
    pub summary: &'static str,
    /// Where it was published.
    pub citation: &'static str,
    /// How it recodes.
    pub family: Family,
    /// What it promises.
    pub guarantee: Guarantee,
    /// The notions that its releases have.
    pub notions: &'static [Notion],
    /// The settings that it takes; what others say changes nothing about its releases.
    pub settings: &'static [Setting],
    /// Makes one.
    pub build: fn(&Parameters) -> Box<dyn Algorithm>,
}

/// What a job may set of an algorithm; each uses the [settings](Entry::settings) that it takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// Distance between clusters.
    pub distance: Distance,
    /// The ε of distance 4.
    pub epsilon: f64,
    /// Whether ripe clusters shrink to k (Algorithm 2 of *k-Anonymization Revisited*).
    pub shrink: bool,
    /// Most rows of the blocks that a table is cut into before a local search; none for no cut.
    pub block_rows: Option<u64>,
    /// Whether parts of Mondrian may overlap.
    pub relaxed: bool,
}

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters { distance: Distance::D3, epsilon: 0.1, shrink: false, block_rows: None, relaxed: false }
    }
}

/// Distances between clusters A and B, by d, the cost of a cluster's closure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Distance {
    /// |A∪B|·d(A∪B) − |A|·d(A) − |B|·d(B) (eq. 8).
    D1,
    /// d(A∪B) − d(A) − d(B) (eq. 9).
    D2,
    /// (d(A∪B) − d(A) − d(B)) / log |A∪B| (eq. 10).
    #[default]
    D3,
    /// d(A∪B) / (d(A) + d(B) + ε) (eq. 11).
    D4,
    /// d(A∪B) − d(B), by Nergiz and Clifton.
    NergizClifton,
}

/// Every algorithm.
pub fn registry() -> &'static [Entry] {
    use full_domain::{datafly, exhaustive, flash, improved_greedy, incognito, ola, samarati};
    &[
        flash::ENTRY,
        ola::ENTRY,
        incognito::ENTRY,
        samarati::ENTRY,
        improved_greedy::ENTRY,
        datafly::ENTRY,
        exhaustive::ENTRY,
        local::agglomerative::ENTRY,
        local::k_k::nearest::ENTRY,
        local::k_k::expansion::ENTRY,
        local::forest::ENTRY,
        local::sequential::ENTRY,
        local::mondrian::ENTRY,
        local::spatial_distance::ENTRY,
    ]
}

/// The algorithm of a name.
pub fn find(name: &str) -> Option<&'static Entry> {
    registry().iter().find(|entry| entry.name == name)
}
