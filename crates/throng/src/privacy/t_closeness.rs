//! t-closeness (Li, Li and Venkatasubramanian, 2007): the sensitive values of a class are distributed
//! nearly as in the whole release.
//!
//! **Degree.** The earth mover's distance between the two distributions; less is safer. What it costs to
//! move a share from one value to another is 1 (*equal*), the number of steps between them in their
//! order, over that between the first and the last (*ordered*), or the height of their lowest common
//! ancestor over that of the tree (*hierarchical*). Sums are of whole numbers, exact below 2⁵³ and divided
//! once: the order of values changes nothing.
//!
//! **Missing** is a value like any other, or no row of the class and of the whole; the worse of the two counts. In
//! an order it is where its code is put.
//!
//! **Unions of safe classes are safe:** the distance is convex, so that of a mixture is at most the
//! greater of two. What is left out changes the whole that classes are compared with.

use super::missing::worse_reading;
use super::parameter::{GivenError, NumberBounds, Parameter, ParameterKind, ParameterValue};
use super::registry::{Given, ModelEntry, SensitiveColumn};
use super::{Class, Direction, Monotonicity, PrivacyModel, Whole};

const DISTANCE: Parameter = Parameter::optional(
    "distance",
    "how the distance between values is measured (default: equal)",
    ParameterKind::Choice(&["equal", "ordered", "hierarchical"]),
);

pub(super) const ENTRY: ModelEntry = ModelEntry {
    name: "t-closeness",
    summary: "in every class, the distribution of sensitive values is within t of that in the whole release",
    citation: "Li, Li and Venkatasubramanian 2007",
    parameters: &[Parameter::number("t", "the largest distance", NumberBounds::UNIT), DISTANCE],
    takes_column: true,
    build,
    measured,
};

fn build(given: &Given<'_>) -> Result<Box<dyn PrivacyModel>, GivenError> {
    let column = given.column();
    let lacks = |what: &str, hint: &str| GivenError::Together((what, hint).into());
    let ground = match given.text("distance") {
        Some("ordered") => Ground::Ordered(column.order.clone().ok_or_else(|| {
            lacks(
                "the column has no order: its values are not all numbers or dates",
                "list them in its `order` in the job",
            )
        })?),
        Some("hierarchical") => {
            let lacks =
                || lacks("the column has no hierarchy", "give it one in the job, as for a quasi-identifier");
            Ground::Hierarchical(Tree::new(column.tree.as_ref().ok_or_else(lacks)?))
        }
        _ => Ground::Equal,
    };
    Ok(Box::new(TCloseness { t: given.number("t"), ground, column: column.place }))
}

fn measured(column: &SensitiveColumn) -> Vec<Box<dyn PrivacyModel>> {
    let ordered = column.order.clone().map(Ground::Ordered);
    let hierarchical = column.tree.as_ref().map(|levels| Ground::Hierarchical(Tree::new(levels)));
    let grounds = [Some(Ground::Equal), ordered, hierarchical].into_iter().flatten();
    let of = |ground| TCloseness { t: 1.0, ground, column: column.place };
    grounds.map(|ground| Box::new(of(ground)) as Box<dyn PrivacyModel>).collect()
}

/// The values of every class are at most `t` from those of the whole release.
#[derive(Clone, Debug, PartialEq)]
pub struct TCloseness {
    /// The greatest distance.
    pub t: f64,
    /// How far values are from each other.
    pub ground: Ground,
    /// The sensitive column, by its place among the carried ones.
    pub column: usize,
}

/// How far values are from each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ground {
    /// All the same.
    Equal,
    /// By their places; the codes in order.
    Ordered(Vec<u32>),
    /// By the tree.
    Hierarchical(Tree),
}

/// A tree over the values: for each level from the leaves to the root, the group of each code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    levels: Vec<TreeLevel>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct TreeLevel {
    /// By code.
    group_of: Vec<u32>,
    /// All groups are below.
    groups: usize,
}

impl Tree {
    /// A tree from the number of each code's group, level by level; any numbers will do.
    pub fn new(levels: &[Vec<u32>]) -> Tree {
        let level = |numbers: &Vec<u32>| {
            let mut known: Vec<u32> = numbers.clone();
            known.sort_unstable();
            known.dedup();
            let group = |number: &u32| known.partition_point(|other| other < number) as u32;
            TreeLevel { group_of: numbers.iter().map(group).collect(), groups: known.len() }
        };
        Tree { levels: levels.iter().map(level).collect() }
    }
}

impl Tree {
    /// The greatest distance of a value, all by itself, from a whole of so many rows: for each level but the
    /// root, the share that is not in its group, times the height of a level.
    fn farthest(&self, codes: impl Iterator<Item = u32>, of_whole: &[u64], rows: f64) -> f64 {
        let Some((_, below_root)) = self.levels.split_last() else { return 1.0 };
        let sums: Vec<Vec<u64>> = below_root.iter().map(|level| level.add_up(of_whole)).collect();
        let near = |code: u32| -> u64 {
            let of_level =
                |(level, sums): (&TreeLevel, &Vec<u64>)| sums[level.group_of[code as usize] as usize];
            below_root.iter().zip(&sums).map(of_level).sum()
        };
        1.0 - codes.map(near).min().unwrap_or(0) as f64 / (rows * below_root.len().max(1) as f64)
    }
}

impl TreeLevel {
    /// Rows of each group.
    fn add_up(&self, of_code: &[u64]) -> Vec<u64> {
        let mut sums = vec![0; self.groups];
        self.group_of.iter().zip(of_code).for_each(|(&group, rows)| sums[group as usize] += rows);
        sums
    }
}

impl PrivacyModel for TCloseness {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn degree(&self, class: &Class<'_>, whole: &Whole) -> f64 {
        worse_reading(self, class, whole, |class, whole| self.distance(class, whole))
    }

    fn asked(&self) -> f64 {
        self.t
    }

    fn direction(&self) -> Direction {
        Direction::LessIsSafer
    }

    fn monotonicity(&self) -> Monotonicity {
        Monotonicity::SafeUnions
    }

    fn parameters(&self) -> Vec<(&'static str, ParameterValue)> {
        let distance = match self.ground {
            Ground::Equal => "equal",
            Ground::Ordered(_) => "ordered",
            Ground::Hierarchical(_) => "hierarchical",
        };
        vec![("t", self.t.into()), ("distance", distance.into())]
    }

    fn column(&self) -> Option<usize> {
        Some(self.column)
    }

    fn compares_with_whole(&self) -> bool {
        true
    }

    /// The distance is convex: that of a class of which a share λ goes is at most λ times that of what goes,
    /// and 1 − λ times that of the rest. What the whole loses moves its own share. In an order, a value that
    /// goes from the whole brings others nearer, too.
    fn least_left_out(&self, class: &Class<'_>, degree: f64, whole: &Whole, left_out: u64) -> u64 {
        // The distance where missing is a value: it must be small enough, whatever the other reading says.
        let degree = match whole.shown.get(self.column) {
            Some(Some(_)) => self.distance(class, whole),
            _ => degree,
        };
        let rarest = whole.values[self.column].iter().copied().filter(|&rows| rows > 0).min();
        let may_lose_a_value = rarest.is_none_or(|rows| rows <= left_out);
        if matches!(self.ground, Ground::Ordered(_)) && may_lose_a_value {
            return 0;
        }
        let rest = self.t + left_out as f64 / whole.rows as f64;
        // What is left of so near a difference is rounding.
        if degree <= rest + ROUNDING {
            return 0;
        }
        // A class of its farthest values alone is as far as they are: rounding must not make it farther.
        let farthest = self.farthest(class, whole).max(degree);
        let share = (degree - rest - ROUNDING) / (farthest - rest);
        ((share * class.rows as f64).ceil() as u64).min(class.rows)
    }
}

/// Differences of distances that may be nothing but rounding.
const ROUNDING: f64 = 1e-9;

/// Groups whose shares stay on the stack.
const FEW: usize = 64;

impl TCloseness {
    fn distance(&self, class: &Class<'_>, whole: &Whole) -> f64 {
        match &self.ground {
            Ground::Equal => self.equal(class, whole),
            Ground::Ordered(order) => self.ordered(class, whole, order),
            Ground::Hierarchical(tree) => self.hierarchical(class, whole, tree),
        }
    }

    /// Rows of the class and of the whole; shares are multiplied by both.
    fn rows(&self, class: &Class<'_>, whole: &Whole) -> (f64, f64) {
        (class.rows_of(self.column) as f64, whole.rows_of(self.column) as f64)
    }

    /// The greatest distance from the whole that rows of the class alone can have: that of one of its values.
    fn farthest(&self, class: &Class<'_>, whole: &Whole) -> f64 {
        let (values, of_whole) = (class.values[self.column], &whole.values[self.column]);
        let all = whole.rows_of(self.column) as f64;
        match &self.ground {
            Ground::Ordered(_) => 1.0,
            Ground::Equal => {
                let rarest = values.iter().map(|(code, _)| of_whole[code as usize]).min();
                1.0 - rarest.unwrap_or(0) as f64 / all
            }
            Ground::Hierarchical(tree) => tree.farthest(values.iter().map(|(code, _)| code), of_whole, all),
        }
    }

    /// Σ|q − p| / 2. Values that the class lacks add up to what the others leave of the whole.
    fn equal(&self, class: &Class<'_>, whole: &Whole) -> f64 {
        let (rows, all) = self.rows(class, whole);
        let mut sum = rows * all;
        for (code, count) in class.values[self.column].iter() {
            let p = whole.values[self.column][code as usize] as f64 * rows;
            sum += (f64::from(count) * all - p).abs() - p;
        }
        sum / (2.0 * rows * all)
    }

    /// Σ|Q − P| / (m − 1), Q and P being the shares of all values up to one.
    fn ordered(&self, class: &Class<'_>, whole: &Whole, order: &[u32]) -> f64 {
        let (rows, all) = self.rows(class, whole);
        let (values, of_whole) = (class.values[self.column], &whole.values[self.column]);
        let (mut sum, mut ahead, mut occurring) = (0.0f64, 0.0f64, 0u32);
        for &code in order.iter().filter(|&&code| of_whole[code as usize] > 0) {
            ahead += f64::from(values.count(code)) * all - of_whole[code as usize] as f64 * rows;
            sum += ahead.abs();
            occurring += 1;
        }
        if occurring < 2 { 0.0 } else { sum / (f64::from(occurring - 1) * rows * all) }
    }

    /// What groups of a level have too much goes up from them, what others lack comes down: Σ|q − p| / 2
    /// for each level but the root, times the height of a level.
    fn hierarchical(&self, class: &Class<'_>, whole: &Whole, tree: &Tree) -> f64 {
        let (rows, all) = self.rows(class, whole);
        let Some((_, below_root)) = tree.levels.split_last() else { return 0.0 };
        let sum: f64 = below_root.iter().map(|level| self.apart(class, whole, level)).sum();
        if below_root.is_empty() { 0.0 } else { sum / (2.0 * below_root.len() as f64 * rows * all) }
    }

    /// Σ|q − p| over the groups of a level.
    fn apart(&self, class: &Class<'_>, whole: &Whole, level: &TreeLevel) -> f64 {
        let TreeLevel { group_of, groups } = level;
        let groups = *groups;
        let (mut few, mut many) = ([0.0; FEW], Vec::new());
        let ahead = if groups <= FEW {
            &mut few[..groups]
        } else {
            many.resize(groups, 0.0);
            &mut many[..]
        };
        let (rows, all) = self.rows(class, whole);
        for (&group, &count) in group_of.iter().zip(&whole.values[self.column]) {
            ahead[group as usize] -= count as f64 * rows;
        }
        for (code, count) in class.values[self.column].iter() {
            ahead[group_of[code as usize] as usize] += f64::from(count) * all;
        }
        ahead.iter().map(|ahead: &f64| ahead.abs()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::tests::{class, whole};

    fn degree(ground: Ground, of_class: &[u32], of_whole: &[u64]) -> f64 {
        let model = TCloseness { t: 0.2, ground, column: 0 };
        class(of_class, |class| model.degree(class, &whole(of_whole)))
    }

    /// The salaries 3k to 11k of section 4 of the paper: {3k, 4k, 5k} is 0.375 away, {6k, 8k, 11k} 0.167.
    #[test]
    fn the_papers_salaries() {
        let order = || Ground::Ordered((0..9).collect());
        assert_eq!(degree(order(), &[1, 1, 1, 0, 0, 0, 0, 0, 0], &[1; 9]), 0.375);
        let near = degree(order(), &[0, 0, 0, 1, 0, 1, 0, 0, 1], &[1; 9]);
        assert!((near - 1.0 / 6.0).abs() < 1e-12, "{near}");
        assert_eq!(degree(Ground::Equal, &[1, 1, 1, 0, 0, 0, 0, 0, 0], &[1; 9]), 6.0 / 9.0);
    }

    #[test]
    fn values_that_do_not_occur_have_no_place_in_the_order() {
        let with = degree(Ground::Ordered(vec![3, 0, 2, 1]), &[0, 0, 1, 1], &[0, 5, 1, 4]);
        assert_eq!(with, degree(Ground::Ordered(vec![2, 1, 0]), &[0, 1, 1], &[5, 1, 4]));
    }

    #[test]
    fn siblings_are_nearer_than_cousins() {
        // Four leaves in two groups under a root.
        let tree = || Ground::Hierarchical(Tree::new(&[vec![0, 1, 2, 3], vec![7, 7, 9, 9], vec![3; 4]]));
        assert_eq!(degree(tree(), &[2, 0, 0, 0], &[1, 1, 0, 0]), 0.5 * 0.5);
        assert_eq!(degree(tree(), &[2, 0, 0, 0], &[1, 0, 1, 0]), 0.5 * 1.0);
        assert_eq!(degree(tree(), &[4, 0, 0, 0], &[1, 1, 1, 1]), 0.25 * 0.5 + 0.5 * 1.0);
        assert_eq!(degree(tree(), &[1, 1, 1, 1], &[5, 5, 5, 5]), 0.0);
    }

    /// A class as far from the whole as its rarest value, and a limit that just reaches it: rounding must not
    /// make the bound infinite.
    #[test]
    fn a_bound_is_never_more_than_the_class() {
        let whole = whole(&[5, 7]);
        for hundredth in 0..100 {
            let model = TCloseness { t: f64::from(hundredth) / 100.0, ground: Ground::Equal, column: 0 };
            for left_out in 0..12 {
                let least = class(&[3, 0], |class| {
                    model.least_left_out(class, model.degree(class, &whole), &whole, left_out)
                });
                assert!(least <= 3, "t = {}, {left_out} rows: {least}", model.t);
            }
        }
        let model = TCloseness { t: 0.25, ground: Ground::Equal, column: 0 };
        let least =
            |left_out| class(&[3, 0], |class| model.least_left_out(class, 7.0 / 12.0, &whole, left_out));
        assert_eq!((least(4), least(0)), (0, 3));
    }

    #[test]
    fn shares_are_compared_exactly() {
        let model = TCloseness { t: 0.2, ground: Ground::Equal, column: 0 };
        assert!(model.holds(degree(Ground::Equal, &[7, 3], &[5, 5])));
        assert!(!model.holds(degree(Ground::Equal, &[8, 3], &[5, 5])));
    }
}
