//! What stands around every page, and what all pages say of work that takes a while.

pub(crate) const BRAND: &str = "throng";
pub(crate) const STAYS: &str = "Your tables stay on the computer that serves this page.";
pub(crate) const STEPS: &str = "Steps";
pub(crate) const STEP_NAMES: [&str; 5] = ["Table", "Columns", "Detail", "Safety", "Result"];
pub(crate) const SKIP: &str = "Skip to the content";
pub(crate) const BACK: &str = "Back";
pub(crate) const SHOW_ORIGINALS: &str = "Show original cells";
pub(crate) const ORIGINALS_SHOWN: &str =
    "Original cells are shown: real people. Make sure nobody else can see your screen.";
pub(crate) const ORIGINALS_HIDDEN: &str =
    "Original cells are covered: this server sends none to the browser until you flip the switch.";
pub(crate) const COVER_ORIGINALS: &str = "Cover them again";

pub(crate) const WORKING: &str = "We are working on it.";
pub(crate) const WORKING_WHY: &str = "This page moves on by itself.";
pub(crate) const TOOK_TOO_LONG: &str = "it took more than ten minutes, so it was stopped";
