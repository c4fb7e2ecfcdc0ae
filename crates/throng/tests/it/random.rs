//! Random cases, the same for the same seed.

use throng::random::Random;

use crate::case::{Ask, Case, Domain, Hierarchy};
use crate::models::{Distance, Model};

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
        Case { weights, ..Case::from_rows(hierarchies, rows, k, max_suppressed_rows) }
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
        let domains: Vec<Domain> = values.iter().map(|&end| domain(random, end)).collect();
        let asks = random.pick(&[1, 2, 3, 3]);
        let asks = (0..asks).map(|_| ask(random, attributes, &domains)).collect();
        let some = random.index(rows + 1);
        let max_suppressed_rows = random.pick(&[0, rows / 20, some, rows]) as u64;
        Case { sensitive, domains, asks, max_suppressed_rows, ..case }
    }

    /// The same case, in which some sensitive cells are missing.
    pub(crate) fn with_missing(mut self, random: &mut Random) -> Case {
        let one_of = 2 + random.index(4);
        let cells = self.sensitive.iter_mut().flatten();
        cells.filter(|_| random.once_in(one_of)).for_each(String::clear);
        for Domain { order, tree } in &mut self.domains {
            order.push(String::new());
            let mut line = vec![String::new(); tree[0].len()];
            *line.last_mut().expect("a hierarchy has levels") = "*".to_owned();
            tree.push(line);
        }
        self
    }

    /// The same case, in which rows are of persons, some of several.
    pub(crate) fn with_persons(self, random: &mut Random) -> Case {
        let most = 1 + random.index(self.rows.len());
        let persons = (0..self.rows.len()).map(|_| random.index(most)).collect();
        Case { persons: Some(persons), ..self }
    }
}

/// Something to ask of a random case.
fn ask(random: &mut Random, attributes: usize, domains: &[Domain]) -> Ask {
    let some: Vec<usize> = (0..attributes).filter(|_| random.index(2) == 0).collect();
    let shield = match random.index(6) {
        0 => None,
        1 => Some((0..attributes).collect()),
        _ => Some(some).filter(|some| !some.is_empty()),
    };
    let column = random.index(domains.len());
    let few = 1 + random.index(3) as u64;
    let distance = random.pick(&[Distance::Equal, Distance::Ordered, Distance::Hierarchical]);
    let value = Some(random.index(domains[column].order.len())).filter(|_| random.once_in(2));
    // Numbers that no quotient of a few rows is: what the crate and the oracle round may differ.
    let odd = 0.001_234_567 + random.index(30) as f64 / 10.0;
    let model = match random.index(24) {
        0 | 1 => Model::KAnonymity(few + 1),
        2 => Model::Opaque(few + 1),
        3 => Model::NoThrees(few),
        4 => Model::DistinctL { l: few, column },
        5 => Model::PSensitive { p: few, column },
        6 | 7 => Model::EntropyL { l: random.pick(&[1.2, 1.5, 2.0, 2.5]), column },
        8 | 9 => {
            let (c, l) = (random.pick(&[0.6, 1.0, 1.5, 2.0, 4.0]), 2 + random.index(2));
            Model::RecursiveCL { c, l, column }
        }
        10 | 11 => Model::AlphaK { alpha: random.pick(&[0.4, 0.5, 0.6, 0.75]), value, column },
        12..=14 => Model::TCloseness { t: random.pick(&[0.0, 0.1, 0.2, 0.25, 0.4, 0.5]), distance, column },
        15 | 16 => Model::BetaLikeness { beta: odd, enhanced: random.once_in(2), column },
        17 => Model::DeltaDisclosure { delta: odd, column },
        18 => Model::Gain { most: random.pick(&[0.1, 0.25, 0.4]), column },
        19 => Model::AboutTwo { off: few - 1, column },
        22 => Model::EstimatedKMap { k: few + 1, fraction: random.pick(&[0.2, 0.5, 0.9, 1.0]) },
        23 => Model::PopulationUniqueness {
            share: 0.012_345 + random.pick(&[0.0, 0.1, 0.3]),
            fraction: random.pick(&[0.1, 0.5, 0.9]),
        },
        20 => Model::Risk { risk: 1.0 / (few + 1) as f64, journalist: false, mean: false },
        _ => Model::Risk { risk: random.pick(&[0.2, 0.3, 0.5, 0.7]), journalist: false, mean: true },
    };
    Ask { shield, model }
}

/// The values that [`Case::random_asking_of`] takes a sensitive column's from, and more, in any order and in
/// any tree.
fn domain(random: &mut Random, values: usize) -> Domain {
    let mut order: Vec<String> = (0..=values).map(|value| format!("value {value}")).collect();
    random.shuffle(&mut order);
    let mut tree: Hierarchy = order.iter().map(|value| vec![value.clone()]).collect();
    let height = 1 + random.index(3);
    (1..=height).for_each(|level| push_level(random, &mut tree, level == height));
    Domain { order, tree }
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
