use proptest::prelude::*;

use super::*;
use crate::loss;
use crate::privacy::KAnonymity;
use crate::requirement::Requirement;
use crate::table::Table;
use crate::taxonomy::{Closure, ranges, sets};

/// Numbers with gaps, perhaps a missing one; sets of few leaves, and of more than a word has bits.
fn problem(rows: &[u32], kind: usize, missing: bool, objective: &str) -> Problem {
    let leaves = if kind == 2 { 70 } else { 9 };
    let mut labels: Vec<String> = (0..leaves).map(|i| format!("{}", 100 + i * i)).collect();
    if missing {
        labels.push(String::new());
    }
    let taxonomy = match kind {
        0 => ranges(&labels, None).unwrap(),
        _ => sets(&labels, 4).unwrap(),
    };
    let total = taxonomy.leaf_total() as u32;
    let rows: Vec<[u32; 1]> =
        rows.iter().map(|row| [row % total]).chain((0..total).map(|leaf| [leaf])).collect();
    let k = Requirement::new(KAnonymity { k: 2 });
    let objective = loss::find(objective).unwrap();
    Problem::new(Table::from_rows(1, &rows), vec![("x".into(), taxonomy, 1.0)], k, 0, objective).unwrap()
}

proptest! {
    #[test]
    fn joins_are_the_closures_of_the_leaves_in_whatever_order(
        rows in prop::collection::vec(0u32..80, 0..40),
        groups in prop::collection::vec(prop::collection::vec(0u32..80, 1..5), 3),
        kind in 0usize..3,
        missing in any::<bool>(),
        objective in prop::sample::select(vec!["lm", "entropy", "ncp", "prec", "iloss", "md"]),
    ) {
        let problem = problem(&rows, kind, missing, objective);
        let taxonomy = &problem.attributes()[0].taxonomy;
        let closures = Closures::new(&problem).unwrap();
        let open = closures.open(0).expect("no tree");
        let total = taxonomy.leaf_total() as u32;
        let groups: Vec<Vec<u32>> =
            groups.iter().map(|group| group.iter().map(|leaf| leaf % total).collect()).collect();
        let join = |a, b| closures.join(0, a, b);
        let of = |leaves: &[u32]| leaves.iter().copied().reduce(join).expect("not empty");
        let ids: Vec<ValueId> = groups.iter().map(|group| of(group)).collect();
        for (group, &id) in groups.iter().zip(&ids) {
            prop_assert_eq!(open.closure(id), taxonomy.close(group.iter().copied()));
            prop_assert!(group.iter().all(|&leaf| closures.covers(&[id], &[leaf])));
            prop_assert_eq!(join(id, id), id);
        }
        let (a, b, c) = (ids[0], ids[1], ids[2]);
        prop_assert_eq!(join(a, b), join(b, a));
        prop_assert_eq!(join(join(a, b), c), join(a, join(b, c)));
        let all: Vec<u32> = groups.concat();
        prop_assert_eq!(open.closure(join(join(a, b), c)), taxonomy.close(all.iter().copied()));
        prop_assert_eq!(closures.pair_cost(0, a, b), closures.cell_cost(0, join(a, b)));
        prop_assert_eq!(closures.covers(&[a], &[b]), join(a, b) == a);
        // Whatever is below the top of b and c: b, c, and their leaves.
        let top = join(b, c);
        for below in [b, c, top].into_iter().chain(groups[1].iter().copied()) {
            prop_assert!(open.floor(a, top) <= closures.pair_cost(0, a, below));
        }
        for above in [a, join(a, b), join(a, c), taxonomy.root()] {
            prop_assert!(open.least_above(a) <= closures.cell_cost(0, above));
        }
        for value in [a, b, c, taxonomy.root()] {
            let most = match problem.objective.kind() {
                Kind::Cells(loss) => loss.most(&problem.attributes()[0]),
                _ => unreachable!("a sum over cells"),
            };
            prop_assert!(closures.cell_cost(0, value) <= most + 1e-9);
        }
    }

    #[test]
    fn a_release_numbers_values_by_what_they_hold(
        leaves in prop::collection::vec((0u32..9, 0u32..9), 1..20),
        kind in 0usize..2,
        turned in any::<bool>(),
    ) {
        let problem = problem(&[], kind, false, "lm");
        let of = |pairs: &[(u32, u32)]| {
            let closures = Closures::new(&problem).unwrap();
            let mut column: Vec<ValueId> = pairs.iter().map(|&(a, b)| closures.join(0, a, b)).collect();
            if turned {
                column.reverse();
            }
            closures.local([column].into_iter(), &[0], &|| Ok(())).unwrap()
        };
        let mut backwards = leaves.clone();
        backwards.reverse();
        let (one, other) = (of(&leaves), of(&backwards));
        prop_assert!(one.made(0).is_sorted());
        prop_assert_eq!(one.made(0), other.made(0));
        prop_assert!(one.column(0).iter().rev().eq(other.column(0)));
        let taxonomy = &problem.attributes()[0].taxonomy;
        for (&(a, b), &id) in leaves.iter().zip(of(&leaves).column(0)).filter(|_| !turned) {
            let closure = match (id as usize).checked_sub(taxonomy.values().len()) {
                None => Closure::Value(id),
                Some(made) => Closure::Made(one.made(0)[made].clone()),
            };
            prop_assert_eq!(closure, taxonomy.close([a, b].into_iter()));
        }
    }
}
