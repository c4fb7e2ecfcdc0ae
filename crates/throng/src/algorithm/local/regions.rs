//! A local recoding as its classes' *regions*: what each shows, apart from the rows that it was found for.
//!
//! A search decides tuple by tuple. What it decided can be used for other rows only as far as it can be told from
//! values alone, so regions are an ordered list, and a tuple goes to the first that covers it, as long as all that
//! go there are a class that may be released. A region whose class may not be released is passed over: its tuples
//! go on to later ones. In a list by cost the first is the one that loses least.

mod cover;
mod settle;

pub use settle::settle;

use super::admissible::{Admissibility, Contents};
use crate::problem::Problem;
use crate::recoding::{Local, Parts, Recoding};
use crate::run::Stop;
use crate::stop::GoOn;
use crate::taxonomy::Closure;
use cover::CoverIndex;

/// What a class shows, for each attribute.
pub type Region = Vec<Closure>;

/// Regions that are gone through between two questions whether to go on.
const REGIONS: usize = 1 << 8;

/// Where the tuples of a table go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The region of each tuple; none if it is in no class that may be released.
    regions: Vec<Option<u32>>,
    /// The first region that covers each tuple, whether or not its class may be released.
    first: Vec<Option<u32>>,
}

impl Placed {
    /// Whether no region covers a tuple.
    pub fn is_uncovered(&self, tuple: usize) -> bool {
        self.first[tuple].is_none()
    }

    /// The recoding in which each tuple shows its region, and those that have none are suppressed.
    pub fn recoding(&self, problem: &Problem, regions: &[Region]) -> Recoding {
        recode(problem, regions, &self.regions)
    }

    /// The recoding in which each tuple shows the first region that covers it, allowed or not.
    pub fn first_recoding(&self, problem: &Problem, regions: &[Region]) -> Recoding {
        recode(problem, regions, &self.first)
    }

    /// The regions that classes have, ascending.
    fn used(&self) -> Vec<u32> {
        let mut used: Vec<u32> = self.regions.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        used
    }
}

/// Places the tuples of a problem that asks for classes; see the [module](self).
pub fn place(problem: &Problem, regions: &[Region]) -> Placed {
    place_asking(problem, regions, &|| Ok(())).expect("nothing stops this")
}

fn place_asking(problem: &Problem, regions: &[Region], go_on: &GoOn<'_>) -> Result<Placed, Stop> {
    let (table, admissibility) = (problem.table(), Admissibility::new(problem));
    let index = CoverIndex::new(problem);
    let mut placed = Placed { regions: vec![None; table.tuples()], first: vec![None; table.tuples()] };
    for (number, region) in regions.iter().enumerate() {
        if number % REGIONS == 0 {
            go_on()?;
        }
        let is_free = |tuple: u32| placed.regions[tuple as usize].is_none();
        let covered: Vec<u32> = index.covered(region).filter(|&tuple| is_free(tuple)).collect();
        let mut contents = Contents::default();
        for &tuple in &covered {
            placed.first[tuple as usize].get_or_insert(number as u32);
            contents.add(&admissibility.contents(table, tuple, table.weights()[tuple as usize]));
        }
        if !covered.is_empty() && admissibility.is_ripe(&contents) {
            covered.iter().for_each(|&tuple| placed.regions[tuple as usize] = Some(number as u32));
        }
    }
    Ok(placed)
}

fn recode(problem: &Problem, regions: &[Region], of_tuple: &[Option<u32>]) -> Recoding {
    let whole: Region = problem.attributes().iter().map(|of| Closure::Value(of.taxonomy.root())).collect();
    let nowhere = regions.len() as u32;
    let own: Vec<u32> = of_tuple.iter().map(|region| region.unwrap_or(nowhere)).collect();
    let local = Local::from_closures(problem, |a| {
        let closures = regions.iter().chain([&whole]).map(|region| region[a].clone()).collect();
        Ok((closures, own.clone()))
    });
    let local = local.expect("nothing stops this");
    if of_tuple.iter().all(Option::is_some) {
        return Recoding::Local(local);
    }
    let mut parts = Parts::default();
    for (tuple, region) in (0..).zip(of_tuple) {
        parts.push(tuple, problem.table().weights()[tuple as usize], region.is_none());
    }
    Recoding::Local(local.in_parts(parts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss;
    use crate::privacy::KAnonymity;
    use crate::requirement::Requirement;
    use crate::table::Table;
    use crate::taxonomy::{Leaves, ranges};

    /// Ages 1 to 6, so many rows of each, k = 2.
    fn problem(rows: [u32; 6]) -> Problem {
        let ages = ranges(&["1", "2", "3", "4", "5", "6"], None).unwrap();
        let table = Table::new(vec![vec![0, 1, 2, 3, 4, 5]], rows.to_vec());
        let k = Requirement::new(KAnonymity { k: 2 });
        Problem::new(table, vec![("age".into(), ages, 1.0)], k, 2, loss::find("lm").unwrap()).unwrap()
    }

    fn range(first: u32, last: u32) -> Region {
        vec![Closure::Made(Leaves::Range { first, last })]
    }

    #[test]
    fn a_tuple_goes_to_the_first_region_that_covers_it_and_holds() {
        let regions = [range(0, 1), range(1, 3), range(0, 3)];
        let placed = place(&problem([1, 1, 1, 1, 1, 1]), &regions);
        assert_eq!(placed.regions, [Some(0), Some(0), Some(1), Some(1), None, None]);
        assert!(placed.is_uncovered(4) && !placed.is_uncovered(3));
        assert_eq!(placed.used(), [0, 1]);
    }

    #[test]
    fn what_is_no_class_any_more_goes_on_to_a_later_region() {
        // Of 2 to 4 only a single row is left after the first region.
        let regions = [range(0, 1), range(1, 2), range(2, 5)];
        let problem = problem([1, 1, 1, 1, 1, 1]);
        let placed = place(&problem, &regions);
        assert_eq!(placed.regions, [Some(0), Some(0), Some(2), Some(2), Some(2), Some(2)]);
        assert_eq!(placed.first, [Some(0), Some(0), Some(1), Some(2), Some(2), Some(2)]);
        let release = placed.recoding(&problem, &regions).apply(&problem);
        assert_eq!(release.label(0, release.value(2, 0)), "3~6");
    }

    #[test]
    fn what_has_no_region_is_suppressed() {
        let problem = problem([1, 1, 1, 1, 1, 1]);
        let regions = [range(0, 3)];
        let release = place(&problem, &regions).recoding(&problem, &regions).apply(&problem);
        assert_eq!(release.suppressed_rows(), 2);
        assert!(release.is_suppressed(4) && !release.is_suppressed(0));
    }
}
