//! Figure 3 of *Mondrian Multidimensional K-Anonymity*, strict and relaxed, and what the UTD toolbox makes of it.
//!
//! The text decides neither between dimensions of equal width nor which rows of the median go where in a relaxed cut:
//! as in the algorithm's file it is the first dimension, and the first rows in the order of the table. Nor does it
//! decide between two medians: it is the lower. All else is compared exactly.

use super::open::{Kind, Sheet};
use super::{Rows, count, rows, search};

#[derive(Clone, Copy, PartialEq, Eq)]
struct Mode {
    relaxed: bool,
    toolbox: bool,
}

/// A partition: its rows, and what the cuts leave of each dimension.
type Part = (Vec<usize>, Vec<(usize, usize)>);

struct Anonymize<'s> {
    sheet: &'s Sheet,
    mode: Mode,
}

impl Anonymize<'_> {
    fn places(&self, part: &[usize], dimension: usize) -> Vec<usize> {
        let mut places: Vec<usize> = part.iter().map(|&row| self.sheet.rows[row][dimension]).collect();
        places.sort_unstable();
        places
    }

    /// The normalised range of the values, or of the region.
    fn width(&self, (part, region): &Part, dimension: usize) -> f64 {
        let places = self.places(part, dimension);
        let (least, most) =
            if self.mode.toolbox { region[dimension] } else { (places[0], places[places.len() - 1]) };
        match &self.sheet.kinds[dimension] {
            Kind::Numbers(numbers) => {
                let range = f64::from(numbers[numbers.len() - 1] - numbers[0]);
                f64::from(numbers[most]) / range - f64::from(numbers[least]) / range
            }
            Kind::Tree(lines) if !self.mode.toolbox => {
                let shown = self.sheet.kinds[dimension].shown(&[least, most]);
                let below = lines.iter().filter(|line| line.contains(&shown)).count();
                below as f64 / lines.len() as f64
            }
            kind => {
                let last = (kind.values() - 1) as f64;
                most as f64 / last - least as f64 / last
            }
        }
    }

    /// The sides of the cut at the median; those of a value's children where there is a tree.
    fn cut(&self, part: &Part, dimension: usize) -> Vec<Part> {
        let places = self.places(&part.0, dimension);
        let place = |row: usize| self.sheet.rows[row][dimension];
        let side = |rows: Vec<usize>, within: (usize, usize)| {
            let mut region = part.1.clone();
            region[dimension] = within;
            (rows, region)
        };
        if let (Kind::Tree(lines), false) = (&self.sheet.kinds[dimension], self.mode.toolbox) {
            let shown = self.sheet.kinds[dimension].shown(&places);
            let level = lines[places[0]].iter().position(|label| *label == shown).expect("it covers them");
            let mut children: Vec<&String> = lines.iter().map(|line| &line[level - 1]).collect();
            children.dedup();
            let of = |child: &&String| {
                part.0.iter().copied().filter(|&row| lines[place(row)][level - 1] == **child).collect()
            };
            let sides = children.iter().map(of).filter(|rows: &Vec<usize>| !rows.is_empty());
            return sides.map(|rows| side(rows, part.1[dimension])).collect();
        }
        let median = places[(places.len() - 1) / 2];
        let (from, to) = part.1[dimension];
        if !self.mode.relaxed {
            let (low, high) = part.0.iter().partition(|&&row| place(row) <= median);
            return vec![side(low, (from, median)), side(high, (median + 1, to))];
        }
        let mut sorted = part.0.clone();
        // Rows are in the order of the table.
        sorted.sort_by_key(|&row| (place(row), row));
        let high = sorted.split_off(sorted.len().div_ceil(2));
        let shares = high.first().is_some_and(|&row| place(row) == median);
        vec![side(sorted, (from, median)), side(high, (if shares { median } else { median + 1 }, to))]
    }

    fn anonymize(&self, part: Part, classes: &mut Vec<Part>) {
        let differs = |&dimension: &usize| {
            let places = self.places(&part.0, dimension);
            places[0] < places[places.len() - 1]
        };
        let mut dimensions: Vec<usize> = (0..self.sheet.kinds.len()).filter(differs).collect();
        dimensions.sort_by(|&x, &y| self.width(&part, y).total_cmp(&self.width(&part, x)));
        let allowable = |sides: &Vec<Part>| sides.iter().all(|(rows, _)| rows.len() >= self.sheet.k);
        let cut = dimensions.into_iter().map(|dimension| self.cut(&part, dimension)).find(allowable);
        match cut {
            None => classes.push(part),
            Some(sides) => sides.into_iter().for_each(|side| self.anonymize(side, classes)),
        }
    }

    fn summary(&self, (part, region): &Part) -> Vec<String> {
        let shown = |(dimension, kind): (usize, &Kind)| {
            let (from, to) = region[dimension];
            let mut places =
                if self.mode.toolbox { (from..=to).collect() } else { self.places(part, dimension) };
            places.dedup();
            kind.shown(&places)
        };
        self.sheet.kinds.iter().enumerate().map(shown).collect()
    }

    fn release(&self) -> Option<Rows> {
        let all: Vec<usize> = (0..self.sheet.rows.len()).collect();
        if all.len() < self.sheet.k {
            return None;
        }
        let domain = self.sheet.kinds.iter().map(|kind| (0, kind.values() - 1)).collect();
        let mut classes = Vec::new();
        self.anonymize((all, domain), &mut classes);
        let rows = |class: &Part| -> Vec<(Vec<String>, Vec<String>)> {
            class.0.iter().map(|&row| (self.sheet.text(row), self.summary(class))).collect()
        };
        Some(count(classes.iter().flat_map(rows)))
    }
}

#[test]
fn partitions_are_those_of_the_paper_and_of_the_toolbox() {
    let (mut released, mut differ) = (0, [0; 2]);
    for seed in 0..400 {
        let sheet = Sheet::random(seed, true);
        let mut problem = sheet.problem();
        let mut of_modes = Vec::new();
        for mode in [(false, false), (true, false), (false, true), (true, true)] {
            let mode = Mode { relaxed: mode.0, toolbox: mode.1 };
            let settings = [format!("relaxed={}", mode.relaxed), format!("toolbox={}", mode.toolbox)];
            let solution = search(&mut problem, "mondrian", &["variant=printed", &settings[0], &settings[1]]);
            let expected = Anonymize { sheet: &sheet, mode }.release();
            assert_eq!(rows(&problem, &solution), expected, "case {seed}, {settings:?}: {sheet:?}");
            released += usize::from(expected.is_some());
            of_modes.push(expected);
        }
        differ[0] += usize::from(of_modes[0] != of_modes[1]);
        differ[1] += usize::from(of_modes[0] != of_modes[2]);
    }
    assert!(released > 1_000 && differ.iter().all(|&cases| cases > 50), "{released}, {differ:?}");
}

/// The six patients of figure 1 of the paper and k = 2: their ZIP codes, ages and sexes become the regions of its
/// multidimensional anonymisation where, of dimensions that are as wide as each other, ZIP codes come first.
#[test]
fn the_patients_of_figure_1() {
    let kinds = vec![
        Kind::Numbers(vec![53_710, 53_711, 53_712]),
        Kind::Numbers(vec![25, 26, 27, 28]),
        Kind::Categories(2),
    ];
    // Women are a, men b.
    let patients = [[1, 0, 1], [2, 0, 0], [1, 1, 1], [0, 2, 1], [2, 2, 0], [1, 3, 1]];
    let sheet = Sheet::new(kinds, patients.map(Vec::from).to_vec(), 2);
    let mut problem = sheet.problem();
    let solution = search(&mut problem, "mondrian", &["variant=printed"]);
    let shown = rows(&problem, &solution).expect("feasible").into_keys().map(|(_, shown)| shown.join(" "));
    let mut shown: Vec<String> = shown.collect();
    shown.sort();
    let expected = ["53710~53711 27~28 b", "53711 25~26 b", "53712 25~27 a"];
    assert_eq!(shown, expected.map(|region| [region; 2]).concat());
}
