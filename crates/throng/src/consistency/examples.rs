//! Small releases for tests.

use crate::lattice::Node;
use crate::loss;
use crate::notion::Notion;
use crate::problem::Problem;
use crate::recoding::{Local, Recoding};
use crate::release::Release;
use crate::requirement::Requirement;
use crate::table::Table;
use crate::taxonomy::Taxonomy;

/// A problem and a recoding of it.
pub(crate) struct Example {
    pub(crate) problem: Problem,
    recoding: Recoding,
}

impl Example {
    /// Two columns of two leaves each, `0` and `1`, and the whole domain `*` above: one tuple a
    /// line, with its weight and what is released for it.
    pub(crate) fn new(lines: &[(u32, &str, &str)], notion: Notion) -> Example {
        let value = |text: &str, a: usize| match &text[a..=a] {
            "0" => 0,
            "1" => 1,
            _ => 2,
        };
        let columns = |pick: fn(&(u32, &str, &str)) -> String| {
            (0..2).map(|a| lines.iter().map(|line| value(&pick(line), a)).collect()).collect()
        };
        let table = Table::new(columns(|line| line.1.to_owned()), lines.iter().map(|line| line.0).collect());
        let flat = || Taxonomy::flat(&["0", "1"]).unwrap();
        let attributes = vec![("a".to_owned(), flat(), 1.0), ("b".to_owned(), flat(), 1.0)];
        let requirement = Requirement::crowd(notion, 2);
        let problem = Problem::new(table, attributes, requirement, 1, loss::find("lm").unwrap()).unwrap();
        let recoding = Recoding::Local(Local::new(columns(|line| line.2.to_owned())));
        Example { problem, recoding }
    }

    pub(crate) fn release(&self) -> Release {
        self.recoding.apply(&self.problem)
    }
}

/// Four tuples a, b, c and d; a has two rows. It is (2,2)-anonymous, but b and c need the two
/// records that cover a 0 in the second column, which leaves d with his own.
pub(crate) fn five_rows(notion: Notion) -> Example {
    Example::new(&[(2, "11", "11"), (1, "10", "*0"), (1, "00", "**"), (1, "01", "*1")], notion)
}

/// Full-domain recoding in which the second of two tuples is alone in its class.
pub(crate) fn with_suppressed_row() -> Example {
    let example = Example::new(&[(2, "00", "00"), (1, "11", "11")], Notion::K);
    Example { recoding: Recoding::FullDomain(Node::new(vec![0, 0])), ..example }
}
