//! Improved Greedy.
//!
//! **Citation.** K. S. Babu, N. Reddy, N. Kumar, M. Elliot, S. K. Jena, *Achieving k-anonymity
//! Using Improved Greedy Heuristics for Very Large Relational Databases*, Algorithm 1.
//!
//! **Idea.** Start from the raw table. At each step generalise every attribute in turn by one
//! level, and move to the node of the highest anonymity, which is the largest k that it has
//! within the suppression limit. Ties go to the attribute with the most distinct values.
//!
//! **Guarantee.** An admissible node, if the top node is one.
//!
//! **Complexity.** At most r·Σhᵢ + 1 checks for r quasi-identifiers: second order in r.
//!
//! **Deviations.** None where nothing but a k is asked: that is Algorithm 1. The paper has no other
//! requirement. The improved variant works towards whatever is required, the printed one towards k alone,
//! until the table may be released. Section 4 reads differently: there the first successor that may be
//! released ends the search, where Algorithm 1 compares anonymities even then; that is the reading `prose` of
//! the printed variant. 'Most distinct values' are counted in the table as generalised so far, as in Datafly;
//! a tie in that goes to the first column. An attribute at its top level has no successor.

use crate::algorithm::variant::Variant;
use crate::algorithm::{
    Algorithm, Entry, Family, Guarantee, Serves, Setting, SettingKind, SettingValue, VARIANT,
};
use crate::evaluation::Evaluation;
use crate::lattice::Node;
use crate::notion::Notion;
use crate::problem::Problem;
use crate::requirement::Requirements;
use crate::run::{Run, Stop};

pub(in crate::algorithm) const ENTRY: Entry = Entry {
    name: "improved-greedy",
    summary: "generalises, one level at a time, whichever attribute brings the table closest to k",
    citation: "Babu, Reddy, Kumar, Elliot and Jena 2013",
    deviations: &["Works towards everything that the job requires; the paper considers k alone."],
    family: Family::FullDomain,
    serves: Serves::All,
    guarantee: Guarantee::Admissible,
    // k-anonymity has all the other notions.
    notions: &Notion::ALL,
    settings: &[VARIANT, READING],
    build: |settings| {
        Box::new(ImprovedGreedy {
            variant: Variant::from_settings(settings),
            ends_at_first: settings.choice(&READING) == "prose",
        })
    },
};

/// Which of its two descriptions the paper is taken at.
const READING: Setting = Setting {
    name: "reading",
    help: "Which description to follow: Algorithm 1, or section 4, where the first successor that satisfies \
        k ends the search",
    kind: SettingKind::Choice(&["pseudocode", "prose"]),
    default: Some(SettingValue::Choice("pseudocode")),
    only_with: Some((&VARIANT, SettingValue::Choice("printed"))),
};

struct ImprovedGreedy {
    variant: Variant,
    /// The reading of section 4.
    ends_at_first: bool,
}

impl Algorithm for ImprovedGreedy {
    fn search(&self, problem: &Problem, run: &mut Run<'_>) -> Result<(), Stop> {
        let mut node = problem.lattice().bottom();
        let mut check = run.probe(&node)?;
        while !check.admissible {
            let Some(next) = self.step(problem, &node, run)? else { return Ok(()) };
            (node, check) = next;
        }
        run.choose(&node, &check);
        Ok(())
    }
}

impl ImprovedGreedy {
    /// The successor to go on with; none at the top.
    fn step(
        &self,
        problem: &Problem,
        node: &Node,
        run: &mut Run<'_>,
    ) -> Result<Option<(Node, Evaluation)>, Stop> {
        let heights = problem.lattice().heights();
        let open: Vec<usize> = (0..heights.len()).filter(|&a| node.levels()[a] < heights[a]).collect();
        let mut successors: Vec<Node> = open.iter().map(|&a| node.with(a, node.level(a) + 1)).collect();
        let mut found = self.anonymities(&successors, run)?;
        if let Some(first) = found.iter().position(|(_, check)| check.admissible && self.is_prose()) {
            return Ok(Some((successors.swap_remove(first), found.swap_remove(first).1)));
        }
        let highest = found.iter().map(|(anonymity, _)| *anonymity).fold(f64::NEG_INFINITY, f64::max);
        let tied = (0..open.len()).filter(|&i| found[i].0 == highest).map(|i| open[i]);
        let chosen = super::most_distinct(problem, node, tied).and_then(|a| open.binary_search(&a).ok());
        Ok(chosen.map(|at| (successors.swap_remove(at), found.swap_remove(at).1)))
    }

    /// The anonymities of successors; by the prose no more than to the first that may be released.
    fn anonymities(&self, successors: &[Node], run: &mut Run<'_>) -> Result<Vec<(f64, Evaluation)>, Stop> {
        let of = self.judged_by(&run.problem().requirements);
        if !self.is_prose() {
            return run.anonymities(successors, of);
        }
        let mut found = Vec::with_capacity(successors.len());
        for successor in successors {
            found.extend(run.anonymities(std::slice::from_ref(successor), of)?);
            if found.last().is_some_and(|(_, check)| check.admissible) {
                break;
            }
        }
        Ok(found)
    }

    fn is_prose(&self) -> bool {
        self.variant == Variant::Printed && self.ends_at_first
    }

    /// The requirement whose degree is the anonymity: the only one, or in print the first k.
    fn judged_by(&self, requirements: &Requirements) -> Option<usize> {
        let only = (requirements.iter().len() == 1).then_some(0);
        let k = || requirements.iter().position(|one| one.class_model().least_rows().is_some());
        if self.variant == Variant::Printed { k().or(only) } else { only }
    }
}
