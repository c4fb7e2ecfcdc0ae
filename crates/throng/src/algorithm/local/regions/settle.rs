//! The regions of a release, such that they say by themselves where each tuple goes.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::{Placed, Region, place_asking};
use crate::algorithm::local::closure::Closures;
use crate::problem::Problem;
use crate::recoding::Recoding;
use crate::release::Release;
use crate::run::{Observer, Stop};
use crate::stop::GoOn;
use crate::taxonomy::{Closure, Leaves, Scheme, Taxonomy, ValueId};

/// A generalised record, as [`Closures`] have it.
type Record = Vec<ValueId>;

/// The regions of a local release's classes, cheapest first, and the release in which every tuple is where they say.
/// None if they cannot be had, or the observer cancels it.
///
/// Regions of a search may overlap, and rows of one tuple may be in several classes. Tuples that change to a cheaper
/// region may leave too few behind, whom no other region covers: then the region that is cheapest to widen takes
/// them in, and all are placed anew. Regions only grow, so that comes to an end, at the latest where one covers
/// everything. Tuples that the search suppressed stay so unless a region covers them.
///
/// # Panics
/// If the release is not local, or its objective is not a sum over cells.
pub fn settle(release: &Release, observer: &dyn Observer) -> Option<(Vec<Region>, Recoding)> {
    let go_on = || if observer.cancelled() { Err(Stop::Cancelled) } else { Ok(()) };
    settle_asking(release, &go_on).ok().flatten()
}

fn settle_asking(release: &Release, go_on: &GoOn<'_>) -> Result<Option<(Vec<Region>, Recoding)>, Stop> {
    assert!(release.is_local(), "only tuples of a local recoding have regions");
    let problem = release.problem();
    let settling = Settling { problem, closures: crate::algorithm::local::closures(problem), go_on };
    let class_of = first_classes(release);
    let mut records = settling.records(&class_of);
    loop {
        let regions = settling.regions(&mut records)?;
        let placed = place_asking(problem, &regions, go_on)?;
        let lost = |tuple: &usize| placed.regions[*tuple].is_none() && class_of[*tuple].is_some();
        let lost: Vec<usize> = (0..class_of.len()).filter(lost).collect();
        let used = placed.used();
        if lost.is_empty() {
            let kept: Vec<Region> = used.iter().map(|&at| regions[at as usize].clone()).collect();
            let recoding = placed.recoding(problem, &regions);
            return Ok(Some((kept, recoding)));
        }
        let homeless = settling.group(&lost, &class_of);
        let Some(wider) = settling.widen(&records, &used, &placed, homeless) else { return Ok(None) };
        records = wider;
    }
}

/// For each tuple the class of the first of its parts that is released.
fn first_classes(release: &Release) -> Vec<Option<u32>> {
    let all: Vec<usize> = (0..release.problem().attributes().len()).collect();
    let (classes, _) = release.group(&all);
    let mut class_of = vec![None; release.problem().table().tuples()];
    for part in (0..release.parts()).filter(|&part| !release.is_suppressed(part)) {
        class_of[release.tuple(part)].get_or_insert(classes[part]);
    }
    class_of
}

struct Settling<'p> {
    problem: &'p Problem,
    closures: Closures,
    go_on: &'p GoOn<'p>,
}

impl Settling<'_> {
    fn record(&self, tuple: usize) -> Record {
        (0..self.closures.attributes()).map(|a| self.problem.table().column(a)[tuple]).collect()
    }

    /// The closure of each class.
    fn records(&self, class_of: &[Option<u32>]) -> Vec<Record> {
        let tuples: Vec<usize> = (0..class_of.len()).filter(|&tuple| class_of[tuple].is_some()).collect();
        self.group(&tuples, class_of).into_iter().map(|(record, _)| record).collect()
    }

    /// Some tuples by their classes: the closure of those of each, and their rows.
    fn group(&self, tuples: &[usize], class_of: &[Option<u32>]) -> Vec<(Record, u64)> {
        let mut groups: BTreeMap<u32, (Record, u64)> = BTreeMap::new();
        for &tuple in tuples {
            let record = self.record(tuple);
            let class = class_of[tuple].expect("a tuple that is released");
            let (closure, rows) = groups.entry(class).or_insert_with(|| (record.clone(), 0));
            self.closures.extend(closure, &record);
            *rows += u64::from(self.problem.table().weights()[tuple]);
        }
        groups.into_values().collect()
    }

    /// The regions of records, both cheapest first and each once.
    fn regions(&self, records: &mut Vec<Record>) -> Result<Vec<Region>, Stop> {
        let count = self.closures.attributes();
        let columns = (0..count).map(|a| records.iter().map(|record| record[a]).collect());
        let places: Vec<usize> = (0..count).collect();
        let local = self.closures.local(columns, &places, self.go_on)?;
        let region = |at: usize| -> Region {
            let closure = |a: usize| {
                let taxonomy = &self.problem.attributes()[a].taxonomy;
                let value = local.column(a)[at];
                match (value as usize).checked_sub(taxonomy.values().len()) {
                    Some(made) => Closure::Made(local.made(a)[made].clone()),
                    None => with_equals(taxonomy, value),
                }
            };
            (0..count).map(closure).collect()
        };
        let cost = |at: usize| self.closures.cost(&records[at]);
        let mut all: Vec<(f64, Region, Record)> =
            (0..records.len()).map(|at| (cost(at), region(at), records[at].clone())).collect();
        all.sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap_or(Ordering::Equal).then_with(|| a.1.cmp(&b.1)));
        all.dedup_by(|a, b| a.1 == b.1);
        *records = all.iter().map(|(.., record)| record.clone()).collect();
        Ok(all.into_iter().map(|(_, region, _)| region).collect())
    }

    /// The records that have a class, widened so that all without one are covered. None if there is nothing to
    /// widen.
    fn widen(
        &self,
        records: &[Record],
        used: &[u32],
        placed: &Placed,
        homeless: Vec<(Record, u64)>,
    ) -> Option<Vec<Record>> {
        let mut rows = vec![0u64; records.len()];
        let weights = self.problem.table().weights();
        let placed = placed.regions.iter().zip(weights);
        placed.for_each(|(at, &weight)| at.iter().for_each(|&at| rows[at as usize] += u64::from(weight)));
        let mut wide: Vec<(Record, u64)> =
            used.iter().map(|&at| (records[at as usize].clone(), rows[at as usize])).collect();
        for (record, count) in homeless {
            let added = |(of, rows): &(Record, u64)| {
                let joined = self.closures.join_cost(of, &record);
                (joined - self.closures.cost(of)) * *rows as f64 + joined * count as f64
            };
            let cheapest = |a: &usize, b: &usize| added(&wide[*a]).total_cmp(&added(&wide[*b]));
            match (0..wide.len()).min_by(cheapest) {
                Some(at) => {
                    self.closures.extend(&mut wide[at].0, &record);
                    wide[at].1 += count;
                }
                None => wide.push((record, count)),
            }
        }
        let wide: Vec<Record> = wide.into_iter().map(|(record, _)| record).collect();
        // One region that still is no class cannot be widened.
        (wide != records).then_some(wide)
    }
}

/// A value as a reader of its label takes it: a number stands for all its spellings.
fn with_equals(taxonomy: &Taxonomy, value: ValueId) -> Closure {
    let is_leaf = (value as usize) < taxonomy.leaf_total();
    if taxonomy.scheme() != Scheme::Ranges || !is_leaf || taxonomy.missing() == Some(value) {
        return Closure::Value(value);
    }
    let mut range = Leaves::Range { first: value, last: value };
    taxonomy.places().widen(&mut range);
    if range.count() > 1 { Closure::Made(range) } else { Closure::Value(value) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm;
    use crate::algorithm::local::regions::place;
    use crate::loss;
    use crate::privacy::KAnonymity;
    use crate::random::Random;
    use crate::requirement::Requirement;
    use crate::run::Unobserved;
    use crate::solve::solve;
    use crate::table::Table;
    use crate::taxonomy::{ranges, sets};
    use crate::verify::{Verdict, verify};

    fn problem(seed: u64, suppressed: u64) -> Problem {
        let mut random = Random::new(seed);
        let numbers: Vec<String> = (0..20).map(|number| number.to_string()).collect();
        let letters = ["a", "b", "c", "d", "e"];
        let tree: Vec<[&str; 3]> =
            letters.iter().map(|&one| [one, if one < "c" { "ab" } else { "ce" }, "*"]).collect();
        let rows: Vec<[u32; 3]> = (0..60)
            .map(|_| [random.below(20) as u32, random.below(5) as u32, random.below(5) as u32])
            .collect();
        let attributes = vec![
            ("age".to_owned(), ranges(&numbers, None).unwrap(), 1.0),
            ("set".to_owned(), sets(&letters, 3).unwrap(), 1.0),
            ("tree".to_owned(), Taxonomy::from_rows(&tree).unwrap(), 1.0),
        ];
        let k = Requirement::new(KAnonymity { k: 4 });
        Problem::new(Table::from_rows(3, &rows), attributes, k, suppressed, loss::find("lm").unwrap())
            .unwrap()
    }

    /// The regions alone say where every tuple goes, and what they say may be released.
    #[test]
    fn regions_give_their_own_release_again() {
        for (seed, name) in
            [(1, "mondrian"), (2, "agglomerative"), (3, "sequential"), (4, "forest"), (5, "nearest")]
        {
            for suppressed in [0, 6] {
                let problem = problem(seed, suppressed);
                let entry = algorithm::find(name).unwrap();
                if !entry.notions.contains(&crate::notion::Notion::K) {
                    continue;
                }
                let found = solve(&problem, entry, None, &Unobserved).outcome;
                let release = found.recoding().unwrap().apply(&problem);
                let (regions, settled) = settle(&release, &Unobserved).unwrap();
                let settled = settled.apply(&problem);
                assert!(matches!(verify(&settled), Verdict::Safe(_)), "{name}");
                let again = place(&problem, &regions).recoding(&problem, &regions).apply(&problem);
                assert_eq!(again.recoding(), settled.recoding(), "{name}");
            }
        }
    }
}
