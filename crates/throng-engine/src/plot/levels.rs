//! A node of the lattice: for each column all its levels, the chosen one filled.

use super::ink::{Ink, SMALL};
use super::svg::Svg;
use super::text::{clipped, escape, text_width};

const WIDTH: f64 = 420.0;
const ROW: f64 = 26.0;
const NAMES: f64 = 150.0;

/// The levels that were chosen.
#[derive(Clone, Debug, Default)]
pub struct Levels {
    /// What the picture shows, for those who cannot see it.
    pub title: String,
    /// The columns, from the top.
    pub rows: Vec<LevelRow>,
}

/// One column.
#[derive(Clone, Debug, Default)]
pub struct LevelRow {
    /// Its name.
    pub name: String,
    /// The chosen level.
    pub level: usize,
    /// How many values each level has, from the original ones to the top.
    pub values: Vec<usize>,
}

impl Levels {
    /// The picture as the text of an SVG file.
    pub fn to_svg(&self) -> String {
        self.draw(Ink::FILE)
    }

    /// The picture as a part of a page, in the colours of its style.
    pub fn inline(&self) -> String {
        self.draw(Ink::PAGE)
    }

    fn draw(&self, ink: Ink) -> String {
        let height = self.rows.len() as f64 * ROW + 4.0;
        let widest = self.rows.iter().map(|row| text_width(&row.name, SMALL)).fold(0.0, f64::max);
        let left = widest.min(NAMES) + 8.0;
        let most = self.rows.iter().map(|row| row.values.len()).max().unwrap_or(1).max(1);
        let cell = ((WIDTH - left) / most as f64).min(54.0);
        let mut svg = Svg::start(WIDTH, height, &self.title, ink);
        for (at, row) in self.rows.iter().enumerate() {
            draw_row(ink, row, left, at as f64 * ROW + 2.0, cell, &mut svg);
        }
        svg.finish()
    }
}

fn draw_row(ink: Ink, row: &LevelRow, left: f64, top: f64, cell: f64, svg: &mut Svg) {
    let (end, baseline) = (left - 6.0, top + ROW / 2.0 + 3.0);
    let name = escape(&clipped(&row.name, NAMES));
    svg.put(format_args!(r#"<text x="{end:.1}" y="{baseline:.1}" text-anchor="end">{name}</text>"#));
    for (level, values) in row.values.iter().enumerate() {
        let x = left + level as f64 * cell;
        let (width, middle) = (cell - 2.0, x + cell / 2.0 - 1.0);
        let opacity = if level == row.level { 0.7 } else { 0.0 };
        svg.put(format_args!(
            r#"<rect x="{x:.1}" y="{top:.1}" width="{width:.1}" height="{:.1}" fill="{}" fill-opacity="{opacity}" stroke="{}"/><text x="{middle:.1}" y="{baseline:.1}" text-anchor="middle" font-size="10">{}</text>"#,
            ROW - 5.0,
            ink.colour(1),
            ink.frame,
            brief(*values, cell)
        ));
    }
}

/// A number of values, if there is room for it.
fn brief(values: usize, width: f64) -> String {
    let text = values.to_string();
    if text_width(&text, 10.0) <= width - 4.0 { text } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_level_of_each_column_is_filled() {
        let row = |name: &str, level| LevelRow { name: name.to_owned(), level, values: vec![9, 3, 1] };
        let svg = Levels { title: "node".to_owned(), rows: vec![row("age", 1), row("sex", 2)] }.inline();
        assert_eq!(svg.matches(r#"fill-opacity="0.7""#).count(), 2);
        assert_eq!(svg.matches(r#"fill-opacity="0""#).count(), 4);
        assert!(svg.contains(">age<") && svg.contains(">9<"));
    }
}
