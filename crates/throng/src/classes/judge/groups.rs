//! The classes of a shield, and what is left of them when some are refused.

use crate::classes::grouping::Grouping;
use crate::classes::values::ClassValues;
use crate::classes::{Key, Snapshot};
use crate::privacy::Class;

/// The classes of a shield, as groups of the classes over all attributes.
pub(super) struct Groups {
    /// None if each is its own.
    of_class: Option<Vec<u32>>,
    pub(super) count: usize,
}

/// What is left of each group when some classes are refused.
pub(super) struct StandingClasses<'s> {
    pub(super) rows: Vec<u64>,
    values: Option<Held<'s>>,
}

/// Values of the classes themselves, or of groups of them.
enum Held<'s> {
    OfClasses(&'s ClassValues),
    OfGroups(ClassValues),
}

impl Groups {
    /// The groups of classes that are alike in some attributes; each class by itself if these are all.
    pub(super) fn over<K: Key>(attributes: Option<&[usize]>, snapshot: &Snapshot<K>) -> Groups {
        let Some(attributes) = attributes else {
            return Groups { of_class: None, count: snapshot.classes.len() };
        };
        let mask: K = snapshot.fields.mask_of(attributes);
        let mut grouping = Grouping::new(snapshot.classes.len());
        let project = |(key, rows): &(K, u64)| grouping.add(&key.masked(&mask), *rows);
        let of_class: Vec<u32> = snapshot.classes.iter().map(project).collect();
        let count = grouping.finish().len();
        Groups { of_class: Some(of_class), count }
    }

    /// What tells each group from others, whatever its classes were rolled up from: the least key of them.
    pub(super) fn keys<'s, K: Key>(&self, snapshot: &'s Snapshot<K>) -> Vec<&'s K> {
        let mut keys = vec![None; self.count];
        for (class, (key, _)) in snapshot.classes.iter().enumerate() {
            let least = &mut keys[self.group(class)];
            *least = Some(least.map_or(key, |least| key.min(least)));
        }
        keys.into_iter().map(|key| key.expect("every group has a class")).collect()
    }

    pub(super) fn group(&self, class: usize) -> usize {
        self.of_class.as_ref().map_or(class, |of| of[class] as usize)
    }

    pub(super) fn standing<'s, K: Key>(
        &self,
        refused: &[bool],
        snapshot: &'s Snapshot<K>,
    ) -> StandingClasses<'s> {
        let mut rows = vec![0; self.count];
        let classes = snapshot.classes.iter().zip(refused).enumerate();
        for (class, (&(_, of_class), _)) in classes.filter(|(_, (_, refused))| !**refused) {
            rows[self.group(class)] += of_class;
        }
        let values = snapshot.values.as_ref().map(|values| match &self.of_class {
            None => Held::OfClasses(values),
            Some(of) => Held::OfGroups(values.roll_up_without(refused, of, self.count)),
        });
        StandingClasses { rows, values }
    }
}

impl StandingClasses<'_> {
    fn held(&self) -> Option<&ClassValues> {
        match &self.values {
            None => None,
            Some(Held::OfClasses(values)) => Some(values),
            Some(Held::OfGroups(values)) => Some(values),
        }
    }

    /// How many of the population are in a group.
    pub(super) fn population(&self, group: usize) -> u64 {
        self.held().map_or(0, |values| values.population_of(group))
    }

    pub(super) fn counts_persons(&self) -> bool {
        self.held().is_some_and(ClassValues::counts_persons)
    }

    /// Hands a group to `judge` as models see it.
    pub(super) fn with_class<R>(&self, group: usize, judge: impl FnOnce(&Class<'_>) -> R) -> R {
        match self.held() {
            None => judge(&Class::of_rows(self.rows[group])),
            Some(values) => values.with_class(group, self.rows[group], judge),
        }
    }
}
