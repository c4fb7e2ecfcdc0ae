//! Random cases, the same for the same seed.

use throng::random::Random;

use crate::case::{Case, Hierarchy};
use crate::models::Model;

impl Case {
    /// A case of 1 to 5 attributes and 1 to 40 rows.
    pub(crate) fn random(seed: u64) -> Case {
        let mut random = Random::new(seed);
        let attributes = 1 + random.index(5);
        let rows = 1 + random.index(40);
        Case::random_of(&mut random, attributes, rows)
    }

    /// A case of a given size.
    pub(crate) fn random_of(random: &mut Random, attributes: usize, rows: usize) -> Case {
        let hierarchies: Vec<Hierarchy> = (0..attributes).map(|_| hierarchy(random)).collect();
        let mut row =
            || hierarchies.iter().map(|lines| lines[random.skewed_index(lines.len())][0].clone()).collect();
        let rows: Vec<Vec<String>> = (0..rows).map(|_| row()).collect();
        let weights = (0..attributes).map(|_| random.pick(&[1.0, 1.0, 0.25, 3.0])).collect();
        let n = rows.len();
        let some = random.index(n + 1);
        let max_suppressed_rows = random.pick(&[0, 0, 1, n / 10, n / 4, some, n - 1, n, n + 3]) as u64;
        let model = Model::KAnonymity;
        Case { rows, hierarchies, weights, model, k: 2 + random.index(4) as u64, max_suppressed_rows }
    }
}

/// A hierarchy of up to eight leaves (numbers, text, perhaps a missing one) and height 0 to 3.
fn hierarchy(random: &mut Random) -> Hierarchy {
    let numbers = random.once_in(3);
    let leaf = |i: usize| if numbers { (i * i).to_string() } else { format!("leaf {i}") };
    let mut lines: Hierarchy = (0..1 + random.index(8)).map(|i| vec![leaf(i)]).collect();
    if random.once_in(6) {
        lines.push(vec![String::new()]);
    }
    random.shuffle(&mut lines);
    let height = random.index(4);
    for level in 1..=height {
        let closed = level == height && !random.once_in(3);
        push_level(random, &mut lines, closed);
    }
    lines
}

/// Adds a coarser level: some values are repeated, the others go to one of a few groups. The
/// label `*` may stand for some leaves at one level and for more of them at the next.
fn push_level(random: &mut Random, lines: &mut Hierarchy, closed: bool) {
    let level = lines[0].len();
    let mut below: Vec<String> = lines.iter().map(|line| line[level - 1].clone()).collect();
    below.sort();
    below.dedup();
    let groups = 1 + random.index(3);
    let above: Vec<String> = below
        .iter()
        .map(|label| match random.index(groups + 1) {
            _ if closed => "*".to_owned(),
            0 => label.clone(),
            1 => "*".to_owned(),
            group => format!("group {group} of level {level}"),
        })
        .collect();
    for line in lines {
        let at = below.binary_search(&line[level - 1]).expect("listed");
        line.push(above[at].clone());
    }
}
