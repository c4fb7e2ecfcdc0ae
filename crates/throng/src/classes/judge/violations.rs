//! Which classes stand against a release, and over which attributes.

use super::groups::Groups;
use super::{Judge, rows_of};
use crate::classes::fields::Fields;
use crate::classes::grouping::Grouping;
use crate::classes::{Key, Snapshot};
use crate::privacy::Class;

/// What stands against the release of a set of classes.
pub(in crate::classes) struct Violations {
    /// By class, whether a requirement refuses it; tuples of the population alone are in none that counts.
    pub(in crate::classes) refused: Vec<bool>,
    /// For each shield, by class, whether its values over the shield must change for the better.
    pub(in crate::classes) at_fault: Vec<Vec<bool>>,
    /// Whether the rest may be released, but for the number of rows that it leaves out.
    pub(in crate::classes) mendable: bool,
}

impl Judge {
    /// The least rows of a class, if nothing but the size of classes over all attributes decides.
    pub(in crate::classes) fn least_rows(&self) -> Option<u64> {
        self.least_rows
    }

    /// Whether the rows of a class are all that decides whether it may be released.
    pub(in crate::classes) fn judges_classes_by_rows(&self) -> bool {
        let mut models = self.shields.iter().flat_map(|shield| &shield.models);
        !self.looks_at_values && models.all(|(_, model)| !model.is_mean())
    }

    /// Whether all shields with an attribute allow some classes, which must be all that have one of their
    /// values of it; only if [classes are judged by their rows](Self::judges_classes_by_rows).
    pub(in crate::classes) fn holds_over<K: Key>(
        &self,
        attribute: usize,
        classes: &[(K, u64)],
        fields: &Fields,
    ) -> bool {
        self.shields.iter().all(|shield| {
            let holds = |rows: u64| {
                let class = Class::of_rows(rows);
                shield.models.iter().all(|(_, model)| model.holds(model.degree(&class, &self.whole)))
            };
            let Some(attributes) = &shield.attributes else {
                return classes.iter().all(|(_, rows)| holds(*rows));
            };
            if !attributes.contains(&attribute) {
                return true;
            }
            let mask: K = fields.mask_of(attributes);
            let mut grouping = Grouping::<K>::new(classes.len());
            for (key, rows) in classes {
                grouping.add(&key.masked(&mask), *rows);
            }
            grouping.finish().iter().all(|(_, rows)| holds(*rows))
        })
    }

    /// The attributes of a shield of [`Violations::at_fault`]; none for all.
    pub(in crate::classes) fn shield(&self, number: usize) -> Option<&[usize]> {
        self.shields[number].attributes.as_deref()
    }

    /// Finds what is refused, as [`judge`](Self::judge) does. Where no row may be left out, one look is
    /// enough: what is refused because other classes are is not at fault.
    ///
    /// A class at fault has the same values over its shield in no coarser grid that may be released, as
    /// long as no row is suppressed or all models are monotone. Where a mean does not hold, or the absence
    /// of a part of the population is what is wrong, all classes are at fault.
    pub(in crate::classes) fn violations<K: Key>(&self, snapshot: &Snapshot<K>) -> Violations {
        if let Some(least) = self.least_rows {
            let refused: Vec<bool> = snapshot.classes.iter().map(|(_, rows)| *rows < least).collect();
            return Violations { at_fault: vec![refused.clone()], refused, mendable: true };
        }
        let absent: Vec<bool> = snapshot.classes.iter().map(|(_, rows)| *rows == 0).collect();
        let over = |shield: &super::Shield| Groups::over(shield.attributes.as_deref(), snapshot);
        let groups: Vec<Groups> = self.shields.iter().map(over).collect();
        let mut found = Violations {
            at_fault: vec![vec![false; absent.len()]; self.shields.len()],
            refused: absent,
            mendable: true,
        };
        loop {
            let round = self.round(snapshot, &groups, &found.refused);
            for (number, shield) in self.shields.iter().enumerate() {
                let any = round.by_shield[number].contains(&true);
                let absence = shield.models.iter().any(|(_, model)| model.refuses_absence());
                let all = (any && shield.models.iter().any(|(_, model)| model.is_mean()))
                    || (absence && !round.mendable);
                for (class, at_fault) in found.at_fault[number].iter_mut().enumerate() {
                    *at_fault |= all || round.by_shield[number][groups[number].group(class)];
                }
            }
            let settled = round.refused == found.refused;
            found.mendable &= round.mendable;
            found.refused = round.refused;
            if settled || rows_of(snapshot, &found.refused) > self.max_suppressed_rows {
                return found;
            }
        }
    }
}
