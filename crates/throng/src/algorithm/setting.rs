//! Settings: what a job may tell an algorithm beyond the problem, by name.

use super::{Distance, Entry, Parameters, registry};

/// One of the [`Parameters`].
///
/// ```
/// use throng::algorithm::{Setting, find};
///
/// let users: Vec<&str> = Setting::Distance.users().map(|entry| entry.name).collect();
/// assert_eq!(users, ["agglomerative", "sequential"]);
/// assert!(!find("forest").unwrap().takes(Setting::Distance));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Setting {
    /// Distance between clusters.
    Distance,
    /// The ε of distance 4.
    Epsilon,
    /// Whether ripe clusters shrink to k.
    Shrink,
    /// Most rows of the blocks that a table is cut into before the search.
    BlockRows,
    /// Whether parts may overlap.
    Relaxed,
}

impl Setting {
    /// Every setting.
    pub const ALL: [Setting; 5] =
        [Setting::Distance, Setting::Epsilon, Setting::Shrink, Setting::BlockRows, Setting::Relaxed];

    /// The name in jobs.
    pub fn name(self) -> &'static str {
        match self {
            Setting::Distance => "distance",
            Setting::Epsilon => "epsilon",
            Setting::Shrink => "shrink",
            Setting::BlockRows => "block_rows",
            Setting::Relaxed => "relaxed",
        }
    }

    /// The setting of a name.
    pub fn find(name: &str) -> Option<Setting> {
        Setting::ALL.into_iter().find(|setting| setting.name() == name)
    }

    /// The algorithms that take it.
    pub fn users(self) -> impl Iterator<Item = &'static Entry> {
        registry().iter().filter(move |entry| entry.takes(self))
    }

    /// Whether the other parameters leave it a part to play: ε belongs to distance 4 alone.
    pub fn matters(self, parameters: &Parameters) -> bool {
        self != Setting::Epsilon || parameters.distance == Distance::D4
    }
}

impl Entry {
    /// Whether the algorithm takes a setting; others change nothing about it.
    pub fn takes(&self, setting: Setting) -> bool {
        self.settings.contains(&setting)
    }
}
