//! Bars side by side: distributions before and after, sizes of classes.

use super::ink::{Ink, MEDIUM, SMALL};
use super::svg::Svg;
use super::text::{clipped, escape, text_width};

const WIDTH: f64 = 420.0;
/// Height of a bar, and what is free between two labels.
const BAR: f64 = 11.0;
const GAP: f64 = 9.0;
/// Room for labels at most, and for the number behind a bar.
const LABELS: f64 = 150.0;
const NUMBERS: f64 = 62.0;
const LEGEND: f64 = 26.0;
/// What is free between two strokes of a hatched bar.
const STROKES: f64 = 5.0;

/// Labels with a bar before and one after.
#[derive(Clone, Debug, Default)]
pub struct Bars {
    /// What the picture shows, for those who cannot see it.
    pub title: String,
    /// The labels, from the top.
    pub rows: Vec<BarRow>,
}

/// One label.
#[derive(Clone, Debug, Default)]
pub struct BarRow {
    /// Shown at the left.
    pub label: String,
    /// How long the bar before is, and what is written behind it; no bar for what is not there.
    pub before: Option<(f64, String)>,
    /// The bar after.
    pub after: Option<(f64, String)>,
    /// Whether the bar after stands for what is hidden.
    pub hatched: bool,
}

impl Bars {
    /// The picture as a part of a page, in the colours of its style.
    pub fn inline(&self) -> String {
        let ink = Ink::PAGE;
        let row_height = 2.0 * BAR + GAP;
        let height = LEGEND + self.rows.len() as f64 * row_height + 2.0;
        let widest = self.rows.iter().map(|row| text_width(&row.label, SMALL)).fold(0.0, f64::max);
        let left = widest.min(LABELS) + 10.0;
        let mut svg = Svg::start(WIDTH, height, &self.title, ink);
        draw_legend(ink, left, &mut svg);
        for (at, row) in self.rows.iter().enumerate() {
            self.draw_row(ink, row, left, LEGEND + at as f64 * row_height, &mut svg);
        }
        svg.finish()
    }

    fn draw_row(&self, ink: Ink, row: &BarRow, left: f64, top: f64, svg: &mut Svg) {
        let label = escape(&clipped(&row.label, LABELS));
        svg.put(format_args!(
            r#"<text x="{:.1}" y="{:.1}" text-anchor="end">{label}</text>"#,
            left - 6.0,
            top + BAR + 4.0
        ));
        for (bar, y, colour, hatched) in
            [(&row.before, top, ink.before, false), (&row.after, top + BAR, ink.after, row.hatched)]
        {
            let Some((length, number)) = bar.as_ref().filter(|(length, _)| length.is_finite()) else {
                continue;
            };
            let room = WIDTH - left - NUMBERS;
            let width = (length / self.longest() * room).clamp(0.6, room);
            let (height, end) = (BAR - 1.5, left + width + 5.0);
            if hatched {
                svg.put(format_args!(
                    r#"<path d="{}" stroke="{}" stroke-width="1.5" fill="none"/>"#,
                    strokes(left, y, width, height),
                    ink.hatch
                ));
            } else {
                svg.put(format_args!(
                    r#"<rect x="{left:.1}" y="{y:.1}" width="{width:.1}" height="{height}" fill="{colour}"/>"#
                ));
            }
            svg.put(format_args!(
                r#"<text x="{end:.1}" y="{:.1}" font-size="10">{}</text>"#,
                y + BAR - 2.3,
                escape(number)
            ));
        }
        svg.put(format_args!(
            r#"<path d="M{left:.1},{:.1}v{:.1}" stroke="{}"/>"#,
            top - 2.0,
            2.0 * BAR + 3.0,
            ink.frame
        ));
    }

    fn longest(&self) -> f64 {
        let bars = self.rows.iter().flat_map(|row| row.before.iter().chain(&row.after));
        let lengths = bars.map(|(length, _)| *length).filter(|length| length.is_finite());
        lengths.fold(f64::MIN_POSITIVE, f64::max)
    }
}

fn draw_legend(ink: Ink, left: f64, svg: &mut Svg) {
    let mut x = left;
    for (name, colour) in [("before", ink.before), ("after", ink.after)] {
        let name_at = x + 16.0;
        svg.put(format_args!(
            r#"<rect x="{x:.1}" y="4" width="11" height="11" fill="{colour}"/><text x="{name_at:.1}" y="14">{name}</text>"#
        ));
        x = name_at + text_width(name, MEDIUM) + 16.0;
    }
}

/// A frame with slanting strokes, of which the last is cut where the bar ends.
fn strokes(left: f64, top: f64, width: f64, height: f64) -> String {
    let frame = format!("M{left:.1},{top:.1}h{width:.1}v{height:.1}h{:.1}z", -width);
    let starts = (0..).map(|at| f64::from(at) * STROKES).take_while(|&x| x < width);
    let stroke = |x: f64| {
        let rise = height.min(width - x);
        format!("M{:.1},{:.1}l{rise:.1},{:.1}", left + x, top + height, -rise)
    };
    starts.map(stroke).fold(frame, |path, stroke| path + &stroke)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(length: f64) -> Option<(f64, String)> {
        Some((length, length.to_string()))
    }

    fn row(label: &str, before: Option<(f64, String)>, after: Option<(f64, String)>) -> BarRow {
        BarRow { label: label.to_owned(), before, after, hatched: false }
    }

    fn widths(svg: &str) -> Vec<f64> {
        let bars = svg.split(r#"<rect x=""#).skip(1).filter(|rest| rest.contains(r#"height="9.5""#));
        bars.map(|rest| rest.split(r#"width=""#).nth(1).unwrap().split('"').next().unwrap().parse().unwrap())
            .collect()
    }

    #[test]
    fn bars_are_as_long_as_their_numbers_say() {
        let rows = vec![row("a", bar(1.0), bar(4.0)), row("<b>", bar(2.0), None)];
        let svg = Bars { title: "t".to_owned(), rows }.inline();
        let widths = widths(&svg);
        assert_eq!(widths.len(), 3);
        assert!(
            (widths[1] - 4.0 * widths[0]).abs() < 0.3 && (widths[2] - 2.0 * widths[0]).abs() < 0.3,
            "{widths:?}"
        );
        assert!(svg.contains("&lt;b&gt;") && svg.contains("<title>t</title>") && svg.contains(">after<"));
    }

    #[test]
    fn what_is_hidden_is_hatched() {
        let rows = vec![BarRow { hatched: true, ..row("hidden", None, bar(1.0)) }];
        let svg = Bars { title: "t".to_owned(), rows }.inline();
        assert!(widths(&svg).is_empty() && svg.contains("var(--hatch)"));
        assert_eq!(strokes(0.0, 0.0, 11.0, 10.0).matches('l').count(), 3);
    }

    #[test]
    fn nothing_and_what_is_no_number_is_drawn_without_harm() {
        assert!(Bars::default().inline().ends_with("</svg>\n"));
        let svg =
            Bars { rows: vec![row("a", None, Some((f64::NAN, "?".to_owned())))], ..Bars::default() }.inline();
        assert!(!svg.contains("NaN"), "{svg}");
    }
}
