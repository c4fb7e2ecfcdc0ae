//! The variant of an algorithm: the paper's pseudocode and nothing else, or ours.

use super::{Entry, Serves, Setting, SettingKind, SettingValue, Settings};
use crate::notion::Notion;

/// Whether an algorithm of a paper runs as printed there, or with what we improved.
///
/// An algorithm that takes it says in [`Entry::deviations`](super::Entry::deviations) what differs.
pub const VARIANT: Setting = Setting {
    name: "variant",
    help: "Our improved version, or the paper's pseudocode and nothing else",
    kind: SettingKind::Choice(&["improved", "printed"]),
    default: Some(SettingValue::Choice("improved")),
    only_with: None,
};

/// Whose description the printed variant follows, of algorithms that a later paper describes in its own way.
pub const FOLLOWS: Setting = Setting {
    name: "follows",
    help: "Whose description the printed variant follows: the algorithm's own paper, or Arca and Hewett 2023",
    kind: SettingKind::Choice(&["original", "arca-hewett"]),
    default: Some(SettingValue::Choice("original")),
    only_with: Some((&VARIANT, SettingValue::Choice("printed"))),
};

/// The value of [`VARIANT`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::algorithm) enum Variant {
    /// With what we improved.
    Improved,
    /// The paper's pseudocode and nothing else.
    Printed,
}

impl Variant {
    /// The variant that settings ask for.
    pub(in crate::algorithm) fn from_settings(settings: &Settings) -> Variant {
        if settings.choice(&VARIANT) == "printed" { Variant::Printed } else { Variant::Improved }
    }
}

impl Entry {
    /// Whether it can go on from a release that was made before ([`solve_from`](crate::solve::solve_from)).
    pub fn begins_with_release(&self) -> bool {
        self.serves == Serves::Crowd && self.notions.contains(&Notion::OneK)
    }

    /// Whether settings ask for the algorithm as printed, without any step of ours before or after it.
    pub(crate) fn is_printed(&self, settings: &Settings) -> bool {
        self.takes(&VARIANT) && Variant::from_settings(settings) == Variant::Printed
    }
}

/// The values of [`VARIANT`] and [`FOLLOWS`] together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::algorithm) enum Description {
    /// With what we improved.
    Improved,
    /// As printed in the algorithm's own paper.
    Original,
    /// As section 5 of *Data privacy with heuristic anonymisation* describes it.
    ArcaHewett,
}

impl Description {
    /// The description that settings ask for.
    pub(in crate::algorithm) fn from_settings(settings: &Settings) -> Description {
        match (Variant::from_settings(settings), settings.choice(&FOLLOWS)) {
            (Variant::Improved, _) => Description::Improved,
            (Variant::Printed, "original") => Description::Original,
            (Variant::Printed, _) => Description::ArcaHewett,
        }
    }
}
