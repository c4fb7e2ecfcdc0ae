//! Properties: what each record of a release has, and how two releases compare by it.
//!
//! **Citation.** R. Dewri, I. Ray, I. Ray, D. Whitley, *On the Identification of Property Based Generalizations in
//! Microdata Anonymization*, DBSec 2010, section 4.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::privacy::Whole;
use crate::release::Release;

/// Something that every record has (Definition 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// The size of its class.
    ClassSize,
    /// How many of its class have its value of a carried column, by the column's place.
    SameValue(usize),
}

/// The property vector of a release: a number for each record, the larger the better.
///
/// A record that is suppressed is in no class, and has 0. Records stand in the order of the table's tuples, those of one
/// tuple in that of their values of the property's column; of those that nobody can tell apart the largest number comes first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyVector {
    /// Records one after the other that have the same: how many, and what.
    runs: Vec<(u64, u64)>,
}

impl PropertyVector {
    /// A vector of so many numbers.
    pub fn new(values: impl IntoIterator<Item = u64>) -> PropertyVector {
        PropertyVector { runs: values.into_iter().map(|value| (1, value)).collect() }
    }

    /// The vector of a release.
    ///
    /// # Panics
    /// If the property looks at a column of which it is not known which values the parts of a divided tuple have.
    pub fn from_release(release: &Release, property: Property) -> PropertyVector {
        let (class_of, _) = release.group(&(0..release.problem().attributes().len()).collect::<Vec<_>>());
        let alike = Alike::new(release, &class_of, property);
        let mut of_tuple: Vec<Vec<(u32, Reverse<u64>, u64)>> =
            vec![Vec::new(); release.problem().table().tuples()];
        for part in 0..release.parts() {
            for_each_value(release, part, property, &mut |code, rows| {
                let value = if release.is_suppressed(part) { 0 } else { alike.rows[&(class_of[part], code)] };
                of_tuple[release.tuple(part)].push((code, Reverse(value), u64::from(rows)));
            });
        }
        of_tuple.iter_mut().for_each(|records| records.sort_unstable());
        let run = |(_, Reverse(value), records): (u32, Reverse<u64>, u64)| (records, value);
        PropertyVector { runs: of_tuple.into_iter().flatten().map(run).collect() }
    }

    /// The number of every record.
    pub fn values(&self) -> impl Iterator<Item = u64> + '_ {
        self.runs.iter().flat_map(|&(records, value)| (0..records).map(move |_| value))
    }

    /// How many records there are.
    pub fn records(&self) -> u64 {
        self.runs.iter().map(|(records, _)| records).sum()
    }

    /// The worst case: the least number of a record that is not suppressed.
    pub fn least(&self) -> Option<u64> {
        self.runs.iter().map(|&(_, value)| value).filter(|&value| value > 0).min()
    }

    /// S, the sum of all.
    pub fn sum(&self) -> u128 {
        self.runs.iter().map(|&(records, value)| u128::from(records) * u128::from(value)).sum()
    }

    /// The binary spread index: by how much records have more here than in another release of the same table. The release
    /// whose index over the other is larger is better; so is that of the larger [sum](Self::sum).
    ///
    /// ```
    /// use throng::frontier::PropertyVector;
    ///
    /// let (a, b) = (PropertyVector::new([3, 3, 3, 2, 2]), PropertyVector::new([2, 2, 5, 5, 5]));
    /// assert_eq!((a.spread_over(&b), b.spread_over(&a)), (2, 8));
    /// assert_eq!((a.sum(), b.sum()), (13, 19));
    /// ```
    ///
    /// # Panics
    /// If there are not as many records.
    pub fn spread_over(&self, other: &PropertyVector) -> u128 {
        assert_eq!(self.records(), other.records(), "releases of the same table");
        let (mut sum, mut theirs) = (0, other.runs.iter().copied());
        let mut run = (0, 0);
        for &(mut records, value) in &self.runs {
            while records > 0 {
                if run.0 == 0 {
                    run = theirs.next().expect("as many records");
                    continue;
                }
                let both = records.min(run.0);
                sum += u128::from(both) * u128::from(value.saturating_sub(run.1));
                (records, run.0) = (records - both, run.0 - both);
            }
        }
        sum
    }
}

/// The records that are alike.
struct Alike {
    /// By class and value; the value is 0 where only classes count.
    rows: BTreeMap<(u32, u32), u64>,
}

impl Alike {
    fn new(release: &Release, class_of: &[u32], property: Property) -> Alike {
        let mut rows = BTreeMap::new();
        for part in (0..release.parts()).filter(|&part| !release.is_suppressed(part)) {
            for_each_value(release, part, property, &mut |code, of_part| {
                *rows.entry((class_of[part], code)).or_default() += u64::from(of_part);
            });
        }
        let mut alike = Alike { rows };
        if let Property::SameValue(column) = property {
            let whole = Whole::from_table(release.problem().table());
            whole.missing().get(column).copied().flatten().into_iter().for_each(|code| alike.fill(code));
        }
        alike
    }

    /// Takes what is missing to be of the most frequent value of its class, as the sum of all does.
    fn fill(&mut self, missing: u32) {
        let without: Vec<(u32, u64)> = self
            .rows
            .iter()
            .filter(|((_, code), _)| *code == missing)
            .map(|(key, &rows)| (key.0, rows))
            .collect();
        for (class, rows) in without {
            let shown =
                self.rows.range((class, 0)..=(class, u32::MAX)).filter(|((_, code), _)| *code != missing);
            let most =
                shown.max_by_key(|(key, rows)| (**rows, Reverse(**key))).map(|(key, &rows)| (*key, rows));
            let all = rows + most.map_or(0, |(_, most)| most);
            self.rows.insert((class, missing), all);
            most.into_iter().for_each(|(key, _)| _ = self.rows.insert(key, all));
        }
    }
}

fn for_each_value(release: &Release, part: usize, property: Property, visit: &mut dyn FnMut(u32, u32)) {
    match property {
        Property::ClassSize => visit(0, release.rows(part)),
        Property::SameValue(column) => {
            release.for_each_value(part, &release.problem().table().carried()[column], visit);
        }
    }
}
