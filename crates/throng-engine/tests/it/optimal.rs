//! What is called optimal is, of what is released: by trying every node of small random tables.

use std::collections::BTreeMap;

use throng::random::Random;

use crate::sandbox::Sandbox;

const COLUMNS: usize = 3;

/// Searches that prove an optimum, and one that only sometimes can.
const ALGORITHMS: [(&str, bool); 7] = [
    ("flash", true),
    ("ola", true),
    ("box-search", true),
    ("exhaustive", true),
    ("auto", true),
    ("cut-search", true),
    ("heuristic-min", false),
];

struct Case {
    rows: Vec<[u64; COLUMNS]>,
    k: usize,
    limit: usize,
}

impl Case {
    fn random(seed: u64) -> Case {
        let mut random = Random::new(seed);
        let rows = 3 + random.index(8);
        let row = |random: &mut Random| std::array::from_fn(|_| random.below(3));
        let rows: Vec<[u64; COLUMNS]> = (0..rows).map(|_| row(&mut random)).collect();
        let limit = random.index(rows.len() + 1);
        Case { k: 2 + random.index(2), limit, rows }
    }

    fn text(&self) -> String {
        let row = |row: &[u64; COLUMNS]| row.map(|value| format!("v{value}")).join(",") + "\n";
        "a,b,c\n".to_owned() + &self.rows.iter().map(row).collect::<String>()
    }

    /// The loss of a choice of columns that are `*`, if it may be released.
    fn loss(&self, hidden: [bool; COLUMNS]) -> Option<f64> {
        let mut classes: BTreeMap<[u64; COLUMNS], usize> = BTreeMap::new();
        for row in &self.rows {
            let shown = std::array::from_fn(|a| if hidden[a] { u64::MAX } else { row[a] });
            *classes.entry(shown).or_default() += 1;
        }
        let suppressed: usize = classes.values().filter(|&&rows| rows < self.k).sum();
        let of_suppressed = self.varying().count();
        let of_kept = self.varying().filter(|&a| hidden[a]).count();
        let lost = suppressed * of_suppressed + (self.rows.len() - suppressed) * of_kept;
        (suppressed <= self.limit).then(|| lost as f64 / (COLUMNS * self.rows.len()) as f64)
    }

    /// The columns that have something to lose: a single value is never lost.
    fn varying(&self) -> impl Iterator<Item = usize> {
        (0..COLUMNS).filter(|&a| self.rows.iter().any(|row| row[a] != self.rows[0][a]))
    }

    /// The loss of a release that shows nothing.
    fn all_lost(&self) -> f64 {
        self.varying().count() as f64 / COLUMNS as f64
    }

    fn least_loss(&self) -> Option<f64> {
        let hidden = |node: usize| std::array::from_fn(|a| node >> a & 1 == 1);
        (0..1 << COLUMNS).filter_map(|node| self.loss(hidden(node))).min_by(f64::total_cmp)
    }
}

fn job(columns: &[&str], (k, limit): (usize, usize), algorithm: &str, suppressed: &str) -> String {
    let quasi: String = columns.iter().map(|column| format!("{column} = {{ role = 'quasi' }}\n")).collect();
    format!(
        "input = 'in.csv'\noutput = {{ path = 'out.csv', suppressed = '{suppressed}' }}\n[columns]\n{quasi}\
         [privacy]\nk = {k}\nsuppression = '{limit} rows'\n[search]\nalgorithm = '{algorithm}'\n"
    )
}

#[test]
fn no_node_loses_less_than_an_optimal_release_whether_rows_are_masked_or_left_out() {
    for seed in 0..40 {
        let case = Case::random(seed);
        // A release of nothing is a subject of its own.
        let Some(least) = case.least_loss().filter(|&least| least < case.all_lost()) else { continue };
        let sandbox = Sandbox::with(&[("in.csv", &case.text())]);
        for (algorithm, proves) in ALGORITHMS {
            for suppressed in ["drop", "mask"] {
                let summary =
                    sandbox.run(&job(&["a", "b", "c"], (case.k, case.limit), algorithm, suppressed));
                let found = summary.measures["lm"].as_f64().unwrap();
                let context = format!("case {seed}, {algorithm}, {suppressed}: {found} and {least}");
                assert!(summary.optimal || !proves, "{context}");
                assert!(!summary.optimal || (found - least).abs() < 1e-9, "{context}");
            }
        }
    }
}

/// The two rows that are alike stay as they are, and the third is left out.
#[test]
fn no_class_is_given_up_for_a_row_that_is_alone() {
    let sandbox = Sandbox::with(&[("in.csv", "a\nx\nx\ny\n")]);
    for (algorithm, proves) in ALGORITHMS {
        let summary = sandbox.run(&job(&["a"], (2, 3), algorithm, "mask"));
        assert_eq!(sandbox.text("out.csv"), "a\nx\nx\n", "{algorithm}");
        assert_eq!((summary.suppressed_rows, summary.masked_rows), (1, 0), "{algorithm}");
        assert!(summary.optimal || !proves, "{algorithm}");
        assert!((summary.measures["lm"].as_f64().unwrap() - 1.0 / 3.0).abs() < 1e-9, "{algorithm}");
    }
}
