//! What pictures are drawn with: colours for a file of its own, or those of the page around it.

/// Font sizes.
pub(super) const LARGE: f64 = 15.0;
pub(super) const MEDIUM: f64 = 12.5;
pub(super) const SMALL: f64 = 11.5;

/// Okabe and Ito's palette, which colour-blind readers can tell apart, without its yellow,
/// which is too pale for lines on white.
const COLOURS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];

/// The same on a page, which has other ones for a dark screen.
const OF_PAGE: [&str; 7] =
    ["var(--c0)", "var(--c1)", "var(--c2)", "var(--c3)", "var(--c4)", "var(--c5)", "currentColor"];

/// Colours of a picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ink {
    /// Letters.
    pub(super) text: &'static str,
    /// Axes.
    pub(super) frame: &'static str,
    /// Lines across the picture.
    pub(super) grid: &'static str,
    /// Lines that should be seen even less.
    pub(super) faint: &'static str,
    /// What is behind it; nothing on a page.
    pub(super) paper: Option<&'static str>,
    /// What was before, and what is after.
    pub(super) before: &'static str,
    pub(super) after: &'static str,
    /// Limits.
    pub(super) bad: &'static str,
    /// What is hidden.
    pub(super) hatch: &'static str,
    colours: [&'static str; 7],
}

impl Ink {
    /// Of a file.
    pub(super) const FILE: Ink = Ink {
        text: "#222",
        frame: "#444",
        grid: "#ddd",
        faint: "#eee",
        paper: Some("#fff"),
        before: "#b9d6ef",
        after: "#0a4f96",
        bad: "#d9622f",
        hatch: "#b9b5a9",
        colours: COLOURS,
    };

    /// Of a page, whose style has these names.
    pub(super) const PAGE: Ink = Ink {
        text: "currentColor",
        frame: "var(--frame)",
        grid: "var(--grid)",
        faint: "var(--faint)",
        paper: None,
        before: "var(--d2)",
        after: "var(--d0)",
        bad: "var(--bad-line)",
        hatch: "var(--hatch)",
        colours: OF_PAGE,
    };

    /// The colour of a series.
    pub(super) fn colour(&self, index: usize) -> &'static str {
        self.colours[index % self.colours.len()]
    }
}
