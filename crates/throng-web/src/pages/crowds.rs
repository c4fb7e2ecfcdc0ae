//! The crowds of a release as a picture: a square for each, larger where more people are in it, paler where less is left.

use maud::{Markup, html};
use throng::taxonomy::ANY;

use crate::run::{Crowd, Crowds};
use crate::words as w;

/// The width of the picture, and the space between its squares.
const WIDTH: f64 = 640.0;
const GAP: f64 = 3.0;

/// How high the picture may be, unless so many of its squares are of the smallest size.
const HEIGHT: f64 = 260.0;

/// The sides of the largest square, where there is room for it, and of the smallest.
const LARGEST: f64 = 56.0;
const SMALLEST: f64 = 6.0;

/// By how much squares are made smaller until all of them have room.
const STEP: f64 = 0.95;

/// A square, and the crowd that it is of.
struct Square<'c> {
    x: f64,
    y: f64,
    side: f64,
    crowd: &'c Crowd,
}

pub(super) fn picture(crowds: &Crowds) -> Markup {
    let (squares, height) = place(&crowds.crowds);
    html! {
        section aria-labelledby="h-crowds" {
            h2 id="h-crowds" { (w::CROWDS_PICTURE) }
            p.small.dim { (w::crowds_why(crowds.total, crowds.crowds.len() as u64)) }
            figure.crowds data-points {
                svg viewBox=(format!("0 0 {WIDTH} {height:.0}")) role="img" aria-labelledby="h-crowds" {
                    @for square in &squares {
                        rect class={ "point " (shade(square.crowd)) } x=(format!("{:.1}", square.x)) y=(format!("{:.1}", square.y))
                            width=(format!("{:.1}", square.side)) height=(format!("{:.1}", square.side)) rx="1" {
                            title { (w::crowd(square.crowd.rows, &told(crowds, square.crowd))) }
                        }
                    }
                }
                p.small.pointed data-pointed { (w::POINT) }
            }
            p.key {
                @for (class, text) in &w::CROWDS_KEY { span { svg.dot viewBox="0 0 12 12" aria-hidden="true" { rect class=(class) width="12" height="12" {} } (text) } }
            }
        }
    }
}

/// Rows of squares from the largest to the smallest, as text runs, and how high all of it is.
fn place(crowds: &[Crowd]) -> (Vec<Square<'_>>, f64) {
    let mut largest = LARGEST;
    loop {
        let (squares, height) = place_at(crowds, largest);
        if height <= HEIGHT || largest <= SMALLEST {
            return (squares, height);
        }
        largest *= STEP;
    }
}

fn place_at(crowds: &[Crowd], largest: f64) -> (Vec<Square<'_>>, f64) {
    let most = crowds.iter().map(|crowd| crowd.rows).max().unwrap_or(1).max(1) as f64;
    let side = |crowd: &Crowd| (largest * (crowd.rows as f64 / most).sqrt()).max(SMALLEST);
    let (mut x, mut y, mut line) = (0.0, 0.0, 0.0);
    let mut squares = Vec::new();
    for crowd in crowds {
        let side = side(crowd);
        if x + side > WIDTH {
            (x, y, line) = (0.0, y + line + GAP, 0.0);
        }
        squares.push(Square { x, y, side, crowd });
        x += side + GAP;
        line = f64::max(line, side);
    }
    (squares, y + line)
}

/// How much of the columns is left of a crowd.
fn shade(crowd: &Crowd) -> &'static str {
    let hidden =
        crowd.shows.iter().filter(|cell| *cell == ANY).count() as f64 / crowd.shows.len().max(1) as f64;
    match hidden {
        0.0 => "d0",
        share if share < 0.5 => "d1",
        share if share < 1.0 => "d2",
        _ => "gone",
    }
}

fn told(crowds: &Crowds, crowd: &Crowd) -> String {
    let cells = crowds.columns.iter().zip(&crowd.shows).map(|(name, cell)| format!("{name} {cell}"));
    cells.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crowd(rows: u64, shows: &[&str]) -> Crowd {
        Crowd { rows, shows: shows.iter().map(|cell| (*cell).to_owned()).collect() }
    }

    #[test]
    fn squares_are_as_large_as_crowds_and_do_not_touch() {
        let crowds: Vec<Crowd> = (100..400).rev().map(|rows| crowd(rows, &["a"])).collect();
        let (squares, height) = place(&crowds);
        assert!(height <= HEIGHT, "{height}");
        let area = |square: &Square<'_>| square.side * square.side;
        assert!((area(&squares[0]) / area(&squares[150]) - 399.0 / 249.0).abs() < 1e-9);
        for (at, one) in squares.iter().enumerate() {
            assert!(one.x + one.side <= WIDTH && one.y + one.side <= height + 1e-9);
            let apart = |other: &Square<'_>| {
                one.x + one.side <= other.x
                    || other.x + other.side <= one.x
                    || one.y + one.side <= other.y
                    || other.y + other.side <= one.y
            };
            assert!(squares[at + 1..].iter().all(apart));
        }
    }

    #[test]
    fn no_crowds_make_a_picture_too_high() {
        for total in [1, 20, 400] {
            for rows in [1, 5] {
                let crowds: Vec<Crowd> = (0..total).map(|at| crowd(rows + at % 2, &["a"])).collect();
                let (squares, height) = place(&crowds);
                assert_eq!(squares.len() as u64, total);
                assert!(height <= HEIGHT, "{total} of {rows}: {height}");
            }
        }
    }

    #[test]
    fn the_shade_says_how_much_is_hidden() {
        let shades = [["a", "b"], ["a", "*"], ["*", "*"]].map(|shows| shade(&crowd(1, &shows)));
        assert_eq!(shades, ["d0", "d2", "gone"]);
        assert_eq!(shade(&crowd(1, &["a", "b", "*"])), "d1");
    }
}
