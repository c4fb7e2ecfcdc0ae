//! A square of numbers between 0 and 1, the greater the darker.

use super::ink::{Ink, SMALL};
use super::svg::Svg;
use super::text::{clipped, escape, text_width};

const CELL: f64 = 34.0;
const NAMES: f64 = 120.0;

/// How closely things go together, two by two.
#[derive(Clone, Debug, Default)]
pub struct Matrix {
    /// What the picture shows, for those who cannot see it.
    pub title: String,
    /// The things.
    pub names: Vec<String>,
    /// The number of each row and column; nothing where there is none.
    pub cells: Vec<Vec<Option<f64>>>,
}

impl Matrix {
    /// The picture as the text of an SVG file.
    pub fn to_svg(&self) -> String {
        self.draw(Ink::FILE)
    }

    /// The picture as a part of a page, in the colours of its style.
    pub fn inline(&self) -> String {
        self.draw(Ink::PAGE)
    }

    fn draw(&self, ink: Ink) -> String {
        let widest = self.names.iter().map(|name| text_width(name, SMALL)).fold(0.0, f64::max);
        let names = widest.min(NAMES) + 8.0;
        let side = self.names.len().saturating_sub(1) as f64 * CELL;
        let mut svg = Svg::start(names + side + 4.0, side + names + 4.0, &self.title, ink);
        for row in 1..self.names.len() {
            let y = (row - 1) as f64 * CELL;
            // What is compared: the row's thing with each before it.
            let (left, below) = (self.name(row), self.name(row - 1));
            let (end, middle, under) = (names - 6.0, y + CELL / 2.0 + 4.0, side + 8.0);
            svg.put(format_args!(
                r#"<text x="{end:.1}" y="{middle:.1}" text-anchor="end">{left}</text><text text-anchor="end" transform="translate({:.1} {under:.1}) rotate(-90)">{below}</text>"#,
                names + middle
            ));
            for (column, cell) in self.cells[row][..row].iter().enumerate() {
                draw_cell(ink, *cell, (names + column as f64 * CELL, y), &mut svg);
            }
        }
        svg.finish()
    }

    fn name(&self, at: usize) -> String {
        escape(&clipped(&self.names[at], NAMES))
    }
}

/// The number stays readable on any shade because the colour is never full.
fn draw_cell(ink: Ink, cell: Option<f64>, (x, y): (f64, f64), svg: &mut Svg) {
    let shade = 0.75 * cell.unwrap_or(0.0).clamp(0.0, 1.0);
    let number = cell.map_or("–".to_owned(), |cell| format!("{cell:.2}"));
    let (inner, middle, baseline) = (CELL - 1.5, x + CELL / 2.0, y + CELL / 2.0 + 4.0);
    svg.put(format_args!(
        r#"<rect x="{x:.1}" y="{y:.1}" width="{inner}" height="{inner}" fill="{}" fill-opacity="{shade:.3}" stroke="{}"/><text x="{middle:.1}" y="{baseline:.1}" text-anchor="middle" font-size="10">{number}</text>"#,
        ink.colour(0),
        ink.grid
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pair_is_drawn_once() {
        let cells = vec![vec![Some(1.0), Some(0.25)], vec![Some(0.25), Some(1.0)]];
        let names = vec!["a".to_owned(), "b".to_owned()];
        let svg = Matrix { title: "pairs".to_owned(), names, cells }.inline();
        assert_eq!(svg.matches("<rect").count(), 1);
        assert!(svg.contains(">0.25<") && !svg.contains(">1.00<"));
        assert!(Matrix::default().to_svg().ends_with("</svg>\n"));
    }
}
