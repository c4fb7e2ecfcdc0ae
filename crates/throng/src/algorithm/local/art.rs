//! The artificial data of *k-Anonymization Revisited* (section VI), for tests.

mod facts;

use facts::{SUBSETS, shares};

use crate::loss;
use crate::privacy::KAnonymity;
use crate::problem::Problem;
use crate::random::Random;
use crate::requirement::Requirement;
use crate::table::Table;
use crate::taxonomy::{Taxonomy, ranges, sets};

fn taxonomy(values: usize, levels: &[&[(usize, usize)]]) -> Taxonomy {
    let row = |value: usize| {
        let above = levels.iter().map(|subsets| {
            let subset = subsets.iter().find(|&&(first, last)| (first..=last).contains(&value));
            subset.map_or_else(|| value.to_string(), |(first, last)| format!("{first}-{last}"))
        });
        [value.to_string()].into_iter().chain(above).chain(["*".to_owned()]).collect::<Vec<_>>()
    };
    Taxonomy::from_rows(&(1..=values).map(row).collect::<Vec<_>>()).expect("levels refine each other")
}

/// A table of that distribution over the first so many attributes; few of them give heavy tuples.
pub(super) fn problem(rows: usize, attributes: usize, seed: u64, k: u64, measure: &str) -> Problem {
    let shares = &shares()[..attributes];
    let mut random = Random::new(seed);
    let mut draw = |shares: &Vec<u64>| random.index_by_share(shares) as u32;
    let table: Vec<Vec<u32>> = (0..rows).map(|_| shares.iter().map(&mut draw).collect()).collect();
    let columns = shares.iter().zip(SUBSETS).enumerate();
    let columns = columns.map(|(a, (s, levels))| (format!("A{}", a + 1), taxonomy(s.len(), levels), 1.0));
    let requirement = Requirement::new(KAnonymity { k });
    let measure = loss::find(measure).expect("registered");
    Problem::new(Table::from_rows(attributes, &table), columns.collect(), requirement, 0, measure)
        .expect("valid")
}

/// The same rows without taxonomies: every other attribute generalises to ranges, the rest to sets
/// of at most three.
pub(super) fn without_trees(problem: &Problem) -> Problem {
    let attributes = problem.attributes().iter().enumerate().map(|(a, attribute)| {
        let leaves: Vec<&str> = attribute.taxonomy.to_rows().into_iter().map(|row| row[0]).collect();
        let open = if a % 2 == 0 { sets(&leaves, 3) } else { ranges(&leaves, None) };
        (attribute.name.clone(), open.expect("numbers"), attribute.weight)
    });
    let table = problem.table().clone();
    Problem::new(table, attributes.collect(), problem.requirements.clone(), 0, problem.objective)
        .expect("valid")
}
