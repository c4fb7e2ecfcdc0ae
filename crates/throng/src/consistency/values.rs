//! How many different sensitive values crowds have: what an adversary who finds a record's crowd cannot tell apart.

use super::Consistency;
use crate::notion::Notion;
use crate::release::Release;
use crate::table::Carried;

impl Consistency {
    /// For each part of the release, how many different values of a carried column the released rows of its crowd have;
    /// none if the part is suppressed. Missing cells are no values.
    ///
    /// The crowd is what a notion gives a record of the table: its class, all that fits it, or its matches.
    ///
    /// # Panics
    /// By (k,1)-anonymity, which gives it none; if the release is not the one that this is the graph of.
    pub fn values(&self, release: &Release, notion: Notion, column: usize) -> Vec<Option<u64>> {
        let of_record = self.values_of_records(release, &release.problem().table().carried()[column]);
        let counts = self.by_part(|place| match notion {
            Notion::K => distinct([self.record_of[place]], &of_record),
            Notion::OneK | Notion::KK => distinct(self.neighbours(place), &of_record),
            Notion::GlobalOneK => distinct(self.matches(place), &of_record),
            Notion::KOne => panic!("(k,1)-anonymity has no crowds of released records"),
        });
        let is_released = |(part, count)| (!release.is_suppressed(part)).then_some(count);
        counts.into_iter().enumerate().map(is_released).collect()
    }

    /// The values that the rows of each released record have, ascending.
    fn values_of_records(&self, release: &Release, column: &Carried) -> Vec<Vec<u32>> {
        let mut of_record = vec![Vec::new(); self.records()];
        for place in 0..self.places() {
            let values: &mut Vec<u32> = &mut of_record[self.record_of[place] as usize];
            release.for_each_value(self.part(place), column, |code, _| values.push(column.value(code)));
        }
        for values in &mut of_record {
            values.sort_unstable();
            values.dedup();
            values.retain(|value| Some(*value) != column.missing());
        }
        of_record
    }
}

/// How many different values some records have together.
fn distinct(records: impl IntoIterator<Item = u32>, of_record: &[Vec<u32>]) -> u64 {
    let mut values: Vec<u32> =
        records.into_iter().flat_map(|record| &of_record[record as usize]).copied().collect();
    values.sort_unstable();
    values.dedup();
    values.len() as u64
}
