//! Search algorithms and their registry.
//!
//! A new algorithm is one file and one line in [`registry`].

mod cut;
mod declared;
mod full_domain;
pub(crate) mod local;
mod open_boxes;
mod variant;

pub use local::blocks::BLOCK_ROWS;
pub use local::sequential::IMPROVE_SECONDS;
pub use variant::{FOLLOWS, VARIANT};

use crate::loss::{Aggregate, Kind, Loss, Mean};
use crate::notion::Notion;
use crate::problem::Problem;
use crate::requirement::Requirements;
use crate::run::{Run, Stop};
pub use crate::setting::{Least, Setting, SettingKind, SettingValue, Settings};

/// A search for a recoding that satisfies the problem's requirement at little loss.
pub trait Algorithm: Send + Sync {
    /// Whether its result is several recodings that are as good as each other in its own sense.
    fn finds_several(&self) -> bool {
        false
    }

    /// What its result is with its settings, where that is less than what its [entry](Entry::guarantee) promises.
    fn guarantee(&self) -> Option<Guarantee> {
        None
    }

    /// Searches; the result is the best node that `run` was shown.
    fn search(&self, problem: &Problem, run: &mut Run<'_>) -> Result<(), Stop>;

    /// Goes on improving what a finished search proposed, if its settings say for how long. That the time limit of the
    /// run is over by then is no reason to call the search stopped.
    fn improve(&self, _problem: &Problem, _run: &mut Run<'_>) -> Result<(), Stop> {
        Ok(())
    }
}

/// How the algorithm recodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// All values of an attribute go to the same level.
    FullDomain,
    /// All values of an attribute go to those of a cut through its tree.
    Cut,
    /// Each tuple has generalised values of its own.
    Local,
}

impl Family {
    /// The name for people.
    pub fn name(self) -> &'static str {
        match self {
            Family::FullDomain => "full-domain",
            Family::Cut => "cut",
            Family::Local => "local",
        }
    }
}

/// What an algorithm promises of its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guarantee {
    /// The least objective of all admissible nodes; for an algorithm that searches cuts, of all
    /// admissible cuts.
    LeastLoss,
    /// The least height of all admissible nodes; within it, the least objective.
    LeastHeight,
    /// The most distinct rows of all admissible cuts, whatever they lose.
    MostRows,
    /// The fewest generalisations of cells of all releases in which equal rows stay together and every class over
    /// all quasi-identifiers is admissible; of those, the best Prec.
    FewestSteps,
    /// The best Prec of these releases.
    BestPrec,
    /// An admissible release.
    Admissible,
}

impl Guarantee {
    /// The promise, for people.
    pub fn text(self) -> &'static str {
        match self {
            Guarantee::LeastLoss => "optimal: no admissible release of its kind loses less",
            Guarantee::LeastHeight => "lowest level of generalisation, then least loss at that level",
            Guarantee::MostRows => "optimal in its own sense: no admissible cut has more distinct rows",
            Guarantee::FewestSteps => {
                "optimal in its own sense: no release in which equal rows stay together raises cells by fewer levels"
            }
            Guarantee::BestPrec => {
                "optimal in its own sense: no release in which equal rows stay together has a better Prec"
            }
            Guarantee::Admissible => "heuristic: an admissible release, not necessarily the best",
        }
    }

    /// Whether a finished search has it: of partitions of the rows, only where none may be left out.
    pub fn is_kept(self, problem: &Problem) -> bool {
        match self {
            Guarantee::Admissible => false,
            Guarantee::FewestSteps | Guarantee::BestPrec => problem.max_suppressed_rows == 0,
            Guarantee::LeastLoss | Guarantee::LeastHeight | Guarantee::MostRows => true,
        }
    }

    /// Whether a finished search proves that no recoding that it searches among has a lower objective.
    pub fn proves(self, objective: &dyn Loss) -> bool {
        match self {
            Guarantee::LeastLoss => true,
            Guarantee::LeastHeight => matches!(objective.kind(), Kind::Level),
            // The measure that counts the same.
            Guarantee::MostRows => objective.name() == "classes",
            // They search partitions of the distinct rows, which are fewer than the releases of their kind.
            Guarantee::FewestSteps | Guarantee::BestPrec | Guarantee::Admissible => false,
        }
    }
}

/// The requirements that an algorithm can satisfy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Serves {
    /// Every model over every shield.
    All,
    /// Every model that does not look at a population, whose other members have no place in a local
    /// recoding.
    OfTable,
    /// One crowd over all quasi-identifiers, which may be asked to have different sensitive values.
    Crowd,
}

impl Serves {
    /// Whether all these requirements can be satisfied.
    pub fn all_of(self, requirements: &Requirements) -> bool {
        match self {
            Serves::All => true,
            Serves::OfTable => !requirements.iter().any(|one| one.class_model().looks_at_population()),
            Serves::Crowd => requirements.are_of_crowds(),
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
    /// How it differs from what is printed there, a sentence each; with the setting
    /// [`VARIANT`], where it is among the settings, only the improved variant does.
    pub deviations: &'static [&'static str],
    /// How it recodes.
    pub family: Family,
    /// The requirements that it can satisfy.
    pub serves: Serves,
    /// What it promises.
    pub guarantee: Guarantee,
    /// The notions that its releases have.
    pub notions: &'static [Notion],
    /// The settings that it takes, in the order in which they are listed to people; all others change
    /// nothing about its releases.
    pub settings: &'static [Setting],
    /// Makes one.
    pub build: fn(&Settings) -> Box<dyn Algorithm>,
}

impl Entry {
    /// What it promises with some settings.
    pub fn guarantee_with(&self, settings: &Settings) -> Guarantee {
        (self.build)(settings).guarantee().unwrap_or(self.guarantee)
    }
}

impl Family {
    /// Whether such algorithms can minimise a measure: a set of rows must have a cost for a local one, and
    /// only a node has levels.
    pub fn minimises(self, objective: Kind<'_>) -> bool {
        match self {
            Family::FullDomain => true,
            Family::Cut => !matches!(objective, Kind::Level),
            Family::Local => matches!(objective, Kind::Cells(_)),
        }
    }

    /// Whether such algorithms can minimise a measure whose losses of columns become one in this way: cuts are
    /// bounded by sums over columns, and local algorithms also take it for granted that a suppressed cell costs what
    /// one of which nothing is left does.
    pub fn aggregates(self, aggregate: Aggregate) -> bool {
        match self {
            Family::FullDomain => true,
            Family::Cut => aggregate.mean == Mean::Arithmetic,
            Family::Local => aggregate.is_plain(),
        }
    }
}

/// Every algorithm.
pub fn registry() -> &'static [Entry] {
    use full_domain::{
        all_min, auto, box_search, datafly, exhaustive, flash, improved_greedy, incognito, ola, samarati,
    };
    &[
        auto::ENTRY,
        flash::ENTRY,
        box_search::ENTRY,
        ola::ENTRY,
        incognito::ENTRY,
        samarati::ENTRY,
        all_min::ENTRY,
        improved_greedy::ENTRY,
        datafly::ENTRY,
        exhaustive::ENTRY,
        cut::ascent::ENTRY,
        cut::top_down_specialization::ENTRY,
        cut::bottom_up_generalization::ENTRY,
        cut::heuristic_min::ENTRY,
        cut::cut_search::ENTRY,
        local::agglomerative::ENTRY,
        local::k_k::nearest::ENTRY,
        local::k_k::expansion::ENTRY,
        local::k_k::optimal::ENTRY,
        local::forest::ENTRY,
        local::sequential::ENTRY,
        local::mondrian::ENTRY,
        local::spatial_distance::ENTRY,
        local::min_gen::ENTRY,
    ]
}

/// The algorithm of a name.
pub fn find(name: &str) -> Option<&'static Entry> {
    registry().iter().find(|entry| entry.name == name)
}
