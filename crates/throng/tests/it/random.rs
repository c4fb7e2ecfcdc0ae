//! Random cases, the same for the same seed.

use throng::random::Random;

use crate::case::{Ask, Case, Hierarchy};
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
        let k = 2 + random.index(4) as u64;
        Case { weights, ..Case::of(hierarchies, rows, k, max_suppressed_rows) }
    }

    /// A case of 1 to 4 attributes, 1 to 40 rows and 1 or 2 sensitive columns, of which several things
    /// are asked.
    pub(crate) fn random_asking(seed: u64) -> Case {
        let mut random = Random::new(seed);
        let attributes = 1 + random.index(4);
        let rows = 1 + random.index(40);
        Case::random_asking_of(&mut random, attributes, rows)
    }

    /// The same of a given size.
    pub(crate) fn random_asking_of(random: &mut Random, attributes: usize, rows: usize) -> Case {
        let case = Case::random_of(random, attributes, rows);
        let values: Vec<usize> = (0..1 + random.index(2)).map(|_| 1 + random.index(5)).collect();
        let mut row = || values.iter().map(|&end| format!("value {}", random.skewed_index(end))).collect();
        let sensitive = (0..rows).map(|_| row()).collect();
        let asks = random.pick(&[1, 2, 3, 3]);
        let asks = (0..asks).map(|_| ask(random, attributes, values.len())).collect();
        let some = random.index(rows + 1);
        let max_suppressed_rows = random.pick(&[0, rows / 20, some, rows]) as u64;
        Case { sensitive, asks, max_suppressed_rows, ..case }
    }
}

/// Something to ask of a random case.
fn ask(random: &mut Random, attributes: usize, columns: usize) -> Ask {
    let some: Vec<usize> = (0..attributes).filter(|_| random.index(2) == 0).collect();
    let shield = match random.index(6) {
        0 => None,
        1 => Some((0..attributes).collect()),
        _ => Some(some).filter(|some| !some.is_empty()),
    };
    let column = random.index(columns);
    let few = 1 + random.index(3) as u64;
    let model = match random.index(12) {
        0..=2 => Model::KAnonymity(few + 1),
        3 => Model::Opaque(few + 1),
        4 => Model::NoThrees(few),
        5..=7 => Model::DistinctL { l: few, column },
        8 | 9 => Model::Share { most: random.pick(&[0.5, 0.6, 0.75, 0.9]), column },
        10 => Model::Gain { most: random.pick(&[0.1, 0.25, 0.4]), column },
        _ => Model::AboutTwo { off: few - 1, column },
    };
    Ask { shield, model }
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
