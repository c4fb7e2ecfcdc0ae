//! Numbers between 0 and 1, before and after: a ring, a dot, and a line from one to the other.

use super::ink::{Ink, MEDIUM};
use super::svg::Svg;
use super::text::{clipped, escape};

const WIDTH: f64 = 500.0;
const ROW: f64 = 26.0;
const TOP: f64 = 20.0;
/// Where the scale begins and ends.
const LEFT: f64 = 190.0;
const RIGHT: f64 = 364.0;

/// What changed.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// What the picture shows, for those who cannot see it.
    pub title: String,
    /// What stands at the beginning, the middle and the end of the scale.
    pub ticks: [String; 3],
    /// Where the scale ends.
    pub full: f64,
    /// The rows, from the top.
    pub rows: Vec<ChangedRow>,
}

/// One row.
#[derive(Clone, Debug, Default)]
pub struct ChangedRow {
    /// Shown at the left.
    pub label: String,
    /// The number before; nothing if it is not known.
    pub before: Option<f64>,
    /// The number after; nothing if it is not known.
    pub after: Option<f64>,
    /// What it must not be above.
    pub limit: Option<f64>,
    /// Shown at the right.
    pub text: String,
}

impl Changes {
    /// The picture as a part of a page, in the colours of its style.
    pub fn inline(&self) -> String {
        let ink = Ink::PAGE;
        let bottom = TOP + self.rows.len() as f64 * ROW;
        let mut svg = Svg::start(WIDTH, bottom + 4.0, &self.title, ink);
        for (at, tick) in self.ticks.iter().enumerate() {
            let (x, grid) = (LEFT + (RIGHT - LEFT) * at as f64 / 2.0, ink.grid);
            svg.put(format_args!(
                r#"<path d="M{x:.1},{TOP}V{bottom}" stroke="{grid}"/><text x="{x:.1}" y="13" text-anchor="middle">{}</text>"#,
                escape(tick)
            ));
        }
        let rows = self.rows.iter().enumerate();
        rows.for_each(|(at, row)| self.draw(row, TOP + (at as f64 + 0.5) * ROW, ink, &mut svg));
        svg.finish()
    }

    fn draw(&self, row: &ChangedRow, y: f64, ink: Ink, svg: &mut Svg) {
        let place = |number: f64| LEFT + (RIGHT - LEFT) * (number / self.full).clamp(0.0, 1.0);
        let (label, text) = (escape(&clipped(&row.label, LEFT - 12.0)), escape(&row.text));
        svg.put(format_args!(
            r#"<text x="0" y="{0:.1}" font-size="{MEDIUM}">{label}</text><text x="{1:.1}" y="{0:.1}">{text}</text>"#,
            y + 4.0,
            RIGHT + 10.0
        ));
        if let (Some(before), Some(after)) = (row.before.map(place), row.after.map(place)) {
            svg.put(format_args!(
                r#"<path d="M{before:.1},{y:.1}H{after:.1}" stroke="{}" stroke-width="1.5"/>"#,
                ink.frame
            ));
        }
        if let Some(limit) = row.limit.map(place) {
            let (top, bad) = (y - 11.0, ink.bad);
            svg.put(format_args!(r#"<path d="M{limit:.1},{top:.1}v22" stroke="{bad}" stroke-width="2.5"/>"#));
        }
        if let Some(x) = row.before.map(place) {
            let (fill, line) = (ink.paper.unwrap_or("var(--surface)"), ink.frame);
            svg.put(format_args!(
                r#"<circle cx="{x:.1}" cy="{y:.1}" r="4.5" fill="{fill}" stroke="{line}" stroke-width="2"/>"#
            ));
        }
        if let Some(x) = row.after.map(place) {
            svg.put(format_args!(r#"<circle cx="{x:.1}" cy="{y:.1}" r="5" fill="{}"/>"#, ink.after));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_what_is_known_of_it() {
        let row = |before, after, limit| ChangedRow {
            label: "<a>".to_owned(),
            before,
            after,
            limit,
            text: "t".to_owned(),
        };
        let rows = vec![row(Some(1.0), Some(0.2), Some(0.2)), row(None, Some(0.5), None)];
        let ticks = ["0".to_owned(), "½".to_owned(), "1".to_owned()];
        let svg = Changes { title: "t".to_owned(), ticks, full: 1.0, rows }.inline();
        assert_eq!((svg.matches("<circle").count(), svg.matches("stroke-width=\"2.5\"").count()), (3, 1));
        assert!(svg.contains("&lt;a&gt;") && svg.contains(r#"cx="277.0""#), "{svg}");
    }
}
