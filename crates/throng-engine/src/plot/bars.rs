//! Bars side by side: distributions, histograms of classes, losses.

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

/// Labels with a bar for each series.
#[derive(Clone, Debug, Default)]
pub struct Bars {
    /// What the picture shows, for those who cannot see it.
    pub title: String,
    /// Names of the series; one alone needs none.
    pub series: Vec<String>,
    /// The labels, from the top.
    pub rows: Vec<BarRow>,
    /// Where a bar ends that is as long as can be; the longest one if there is no such place.
    pub full: Option<f64>,
}

/// One label.
#[derive(Clone, Debug, Default)]
pub struct BarRow {
    /// Shown at the left.
    pub label: String,
    /// For each series, how long the bar is, and what is written behind it; no bar for what is not there.
    pub bars: Vec<Option<(f64, String)>>,
}

impl Bars {
    /// The picture as the text of an SVG file.
    pub fn to_svg(&self) -> String {
        self.draw(Ink::FILE)
    }

    /// The picture as a part of a page, in the colours of its style.
    pub fn inline(&self) -> String {
        self.draw(Ink::PAGE)
    }

    fn draw(&self, ink: Ink) -> String {
        let top = if self.series.len() > 1 { LEGEND } else { 4.0 };
        let row_height = self.series.len().max(1) as f64 * BAR + GAP;
        let height = top + self.rows.len() as f64 * row_height + 2.0;
        let widest = self.rows.iter().map(|row| text_width(&row.label, SMALL)).fold(0.0, f64::max);
        let left = widest.min(LABELS) + 10.0;
        let mut svg = Svg::start(WIDTH, height, &self.title, ink);
        self.draw_legend(ink, left, &mut svg);
        for (at, row) in self.rows.iter().enumerate() {
            self.draw_row(ink, row, left, top + at as f64 * row_height, &mut svg);
        }
        svg.finish()
    }

    fn draw_legend(&self, ink: Ink, left: f64, svg: &mut Svg) {
        let mut x = left;
        for (at, name) in self.series.iter().enumerate().filter(|_| self.series.len() > 1) {
            let (colour, name_at) = (ink.colour(at), x + 16.0);
            svg.put(format_args!(
                r#"<rect x="{x:.1}" y="4" width="11" height="11" fill="{colour}"/><text x="{name_at:.1}" y="14">{}</text>"#,
                escape(name)
            ));
            x = name_at + text_width(name, MEDIUM) + 16.0;
        }
    }

    fn draw_row(&self, ink: Ink, row: &BarRow, left: f64, top: f64, svg: &mut Svg) {
        let middle = top + row.bars.len() as f64 * BAR / 2.0 + 4.0;
        let label = escape(&clipped(&row.label, LABELS));
        svg.put(format_args!(
            r#"<text x="{:.1}" y="{middle:.1}" text-anchor="end">{label}</text>"#,
            left - 6.0
        ));
        let bars = row.bars.iter().enumerate().filter_map(|(at, bar)| Some((at, bar.as_ref()?)));
        for (at, (length, number)) in bars.filter(|(_, (length, _))| length.is_finite()) {
            let width =
                (length / self.full_length() * (WIDTH - left - NUMBERS)).clamp(0.0, WIDTH - left - NUMBERS);
            let (y, colour) = (top + at as f64 * BAR, ink.colour(at));
            svg.put(format_args!(
                r#"<rect x="{left:.1}" y="{y:.1}" width="{:.1}" height="{:.1}" fill="{colour}"/><text x="{:.1}" y="{:.1}" font-size="10">{}</text>"#,
                width.max(0.6),
                BAR - 1.5,
                left + width + 5.0,
                y + BAR - 2.3,
                escape(number)
            ));
        }
        svg.put(format_args!(
            r#"<path d="M{left:.1},{:.1}v{:.1}" stroke="{}"/>"#,
            top - 2.0,
            row.bars.len() as f64 * BAR + 3.0,
            ink.frame
        ));
    }

    fn full_length(&self) -> f64 {
        let lengths = self.rows.iter().flat_map(|row| &row.bars).flatten().map(|(length, _)| *length);
        let longest = lengths.filter(|length| length.is_finite()).fold(0.0, f64::max);
        self.full.unwrap_or(longest).max(f64::MIN_POSITIVE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn widths(svg: &str) -> Vec<f64> {
        let bars = svg.split(r#"<rect x=""#).skip(1).filter(|rest| rest.contains(r#"height="9.5""#));
        bars.map(|rest| rest.split(r#"width=""#).nth(1).unwrap().split('"').next().unwrap().parse().unwrap())
            .collect()
    }

    #[test]
    fn bars_are_as_long_as_their_numbers_say() {
        let bar = |length: f64| Some((length, length.to_string()));
        let row = |label: &str, bars| BarRow { label: label.to_owned(), bars };
        let rows = vec![row("a", vec![bar(1.0), bar(4.0)]), row("<b>", vec![bar(2.0), None])];
        let series = vec!["before".to_owned(), "after".to_owned()];
        let svg = Bars { title: "t".to_owned(), series, rows, full: None }.inline();
        let widths = widths(&svg);
        assert_eq!(widths.len(), 3);
        assert!(
            (widths[1] - 4.0 * widths[0]).abs() < 0.3 && (widths[2] - 2.0 * widths[0]).abs() < 0.3,
            "{widths:?}"
        );
        assert!(svg.contains("&lt;b&gt;") && svg.contains("<title>t</title>") && svg.contains(">after<"));
    }

    #[test]
    fn nothing_and_what_is_no_number_is_drawn_without_harm() {
        let svg = Bars::default().to_svg();
        assert!(svg.ends_with("</svg>\n"));
        let row = BarRow { label: "a".to_owned(), bars: vec![Some((f64::NAN, "?".to_owned()))] };
        let svg = Bars { rows: vec![row], ..Bars::default() }.to_svg();
        assert!(!svg.contains("NaN"), "{svg}");
    }
}
