//! Laws that hold for every table.

use proptest::prelude::*;

use throng::algorithm;
use throng::lattice::Node;
use throng::loss;
use throng::random::Random;
use throng::recoding::Recoding;
use throng::run::Unobserved;
use throng::solve::{Outcome, solve};
use throng::table::Table;

use crate::case::Case;
use crate::models::Model;
use crate::oracle::is_close;

/// A case that shrinks towards fewer rows and attributes.
fn any_case() -> impl Strategy<Value = Case> {
    (any::<u64>(), 1usize..6, 1usize..41)
        .prop_map(|(seed, attributes, rows)| Case::random_of(&mut Random::new(seed), attributes, rows))
}

/// A case and a node of its lattice.
fn any_node() -> impl Strategy<Value = (Case, Node)> {
    any_case().prop_flat_map(|case| {
        let levels: Vec<_> = case.heights().iter().map(|&height| 0..=height as u16).collect();
        (Just(case), levels.prop_map(Node::new))
    })
}

/// The objective that an algorithm reaches, if it finds anything.
fn reached(case: &Case, algorithm: &str, measure: &str) -> Option<f64> {
    let problem = case.problem(measure);
    match solve(&problem, algorithm::find(algorithm).expect("registered"), None, &Unobserved).outcome {
        Outcome::Found(recoding) => {
            Some(problem.objective.measure(&problem, &recoding.apply(&problem).tally()))
        }
        _ => None,
    }
}

fn same(a: Option<f64>, b: Option<f64>) -> bool {
    a.zip(b).map_or(a == b, |(a, b)| is_close(a, b))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// What makes tagging sound: a row that is suppressed at a node is suppressed at all nodes below.
    #[test]
    fn suppressed_rows_only_get_fewer_upwards((case, node) in any_node()) {
        let problem = case.problem("lm");
        let here = Recoding::FullDomain(node.clone()).apply(&problem);
        for above in problem.lattice().successors(&node) {
            let above = Recoding::FullDomain(above).apply(&problem);
            prop_assert!(above.suppressed_rows() <= here.suppressed_rows());
            for tuple in 0..problem.table().tuples() {
                prop_assert!(here.is_suppressed(tuple) || !above.is_suppressed(tuple));
            }
        }
    }

    #[test]
    fn measures_stay_in_range((case, node) in any_node()) {
        let problem = case.problem("lm");
        let tally = Recoding::FullDomain(node.clone()).apply(&problem).tally();
        let of = |name: &str| loss::find(name).expect("registered").measure(&problem, &tally);
        let rows = case.rows.len() as f64;
        let cells = rows * case.weights.iter().sum::<f64>();
        for name in ["lm", "ncp", "prec"] {
            prop_assert!((0.0..=1.0).contains(&of(name)), "{} is {}", name, of(name));
        }
        prop_assert!(of("entropy") >= 0.0 && of("entropy") <= rows.log2() + 1e-9);
        prop_assert!(is_close(of("glm"), of("lm") * cells));
        prop_assert!((0.0..=cells).contains(&of("md")));
        prop_assert!((0.0..=cells * 3.0).contains(&of("iloss")));
        prop_assert!((rows..=rows * rows).contains(&of("dm")));
        prop_assert!(of("aecs") >= 1.0);
        prop_assert!(of("smallest_class") <= of("mean_class") && of("mean_class") <= of("largest_class"));
        prop_assert_eq!(of("level"), node.height() as f64);
    }

    /// Where nothing is suppressed, no measure but entropy gets better upwards.
    #[test]
    fn without_suppression_loss_only_grows_upwards((case, node) in any_node()) {
        let problem = case.asking(Model::KAnonymity(1)).problem_with_target("lm");
        let release = Recoding::FullDomain(node.clone()).apply(&problem);
        prop_assert_eq!(release.suppressed_rows(), 0);
        for above in problem.lattice().successors(&node) {
            let above = Recoding::FullDomain(above).apply(&problem).tally();
            for measure in loss::measures().iter().filter(|measure| measure.name() != "entropy") {
                let sign = if measure.more_is_better() { -1.0 } else { 1.0 };
                let (low, high) = (measure.measure(&problem, &release.tally()), measure.measure(&problem, &above));
                prop_assert!(low * sign <= high * sign + 1e-9, "{}: {} above {}", measure.name(), high, low);
            }
        }
    }

    /// Neither the order of tuples nor that of columns decides how good the optimum is.
    #[test]
    fn the_optimum_does_not_depend_on_order(case in any_case(), seed in any::<u64>(), measure in 0usize..64) {
        let measure = loss::measures()[measure % loss::measures().len()].name();
        let mut random = Random::new(seed);
        let mut columns: Vec<usize> = (0..case.hierarchies.len()).collect();
        random.shuffle(&mut columns);
        let turned = Case {
            rows: case.rows.iter().map(|row| columns.iter().map(|&a| row[a].clone()).collect()).collect(),
            hierarchies: columns.iter().map(|&a| case.hierarchies[a].clone()).collect(),
            weights: columns.iter().map(|&a| case.weights[a]).collect(),
            ..case.clone()
        };
        for name in ["flash", "ola", "incognito"] {
            prop_assert!(same(reached(&case, name, measure), reached(&turned, name, measure)), "{}", name);
        }
    }

    /// The whole solution, node and checks, is the same whatever the order of the tuples.
    #[test]
    fn the_solution_does_not_depend_on_the_order_of_tuples(case in any_case(), seed in any::<u64>()) {
        let problem = case.problem("lm");
        let table = problem.table();
        let mut order: Vec<usize> = (0..table.tuples()).collect();
        Random::new(seed).shuffle(&mut order);
        let column = |a: usize| order.iter().map(|&tuple| table.column(a)[tuple]).collect();
        let weights = order.iter().map(|&tuple| table.weights()[tuple]).collect();
        let shuffled = case.problem_over(Table::new((0..table.attributes()).map(column).collect(), weights), "lm");
        for entry in crate::full_domain() {
            let solutions = [&problem, &shuffled].map(|problem| solve(problem, entry, None, &Unobserved));
            prop_assert_eq!(&solutions[0], &solutions[1], "{}", entry.name);
        }
    }

    /// Asking for less never costs more: a smaller k, or more rows that may be suppressed.
    #[test]
    fn a_weaker_requirement_never_costs_more(case in any_case()) {
        let weaker = [
            case.clone().asking(Model::KAnonymity(case.k() - 1)),
            Case { max_suppressed_rows: case.max_suppressed_rows + 2, ..case.clone() },
        ];
        if let Some(loss) = reached(&case, "flash", "lm") {
            for weaker in weaker {
                let less = reached(&weaker, "flash", "lm");
                prop_assert!(less.is_some_and(|less| less <= loss + 1e-9));
            }
        }
    }
}
