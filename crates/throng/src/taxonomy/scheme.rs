//! How local recoding generalises the leaves of an attribute, and the values that it makes beyond
//! those of the tree.

use super::{ANY, Extent, Places, Taxonomy, Value, ValueId};

/// What stands between the ends of a range.
pub const BETWEEN: char = '~';

/// How the leaves of an attribute go together in a local recoding.
///
/// Full-domain recoding knows only the levels of the tree; attributes without a hierarchy of their
/// own have leaves and `*` there, whatever their scheme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scheme {
    /// To values of the tree.
    #[default]
    Tree,
    /// To the range from the least to the greatest; the leaves are in their order, and those that are
    /// equal have one [place](Taxonomy::place). A missing value is on no line: with anything else it
    /// becomes the root.
    Ranges,
    /// To the set of all, or to the root if they are more than so many.
    Sets {
        /// Most members of a set.
        most: u32,
    },
}

/// Leaves that a local recoding put together, other than by a value of the tree.
///
/// Invariant: there are at least two, none is repeated, and a range has no missing leaf.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Leaves {
    /// All from the first to the last.
    Range {
        /// Least leaf.
        first: ValueId,
        /// Greatest leaf.
        last: ValueId,
    },
    /// These, in ascending order.
    Set(Box<[ValueId]>),
}

impl Leaves {
    /// How many there are.
    pub fn count(&self) -> u32 {
        match self {
            Leaves::Range { first, last } => last - first + 1,
            Leaves::Set(members) => members.len() as u32,
        }
    }

    /// Whether a leaf is among them.
    pub fn contains(&self, leaf: ValueId) -> bool {
        match self {
            Leaves::Range { first, last } => (*first..=*last).contains(&leaf),
            Leaves::Set(members) => members.binary_search(&leaf).is_ok(),
        }
    }
}

/// The closure of some leaves.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Closure {
    /// A value of the taxonomy.
    Value(ValueId),
    /// Leaves that no value of the taxonomy stands for.
    Made(Leaves),
}

impl Taxonomy {
    /// How local recoding generalises the leaves.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The same leaves, generalised by another scheme. Ranges need leaves in their order, missing
    /// last, as [`ranges`](super::ranges) has them.
    #[must_use]
    pub(super) fn with_scheme(mut self, scheme: Scheme) -> Taxonomy {
        self.scheme = scheme;
        self
    }

    /// The least generalised value that covers some leaves, of which there is one at least.
    pub fn close(&self, leaves: impl Iterator<Item = ValueId> + Clone) -> Closure {
        match self.scheme {
            Scheme::Tree => {
                let lowest = leaves.reduce(|a, b| self.lowest_common_ancestor(a, b));
                Closure::Value(lowest.expect("there is a leaf"))
            }
            Scheme::Ranges => self.close_range(leaves),
            Scheme::Sets { most } => self.close_set(leaves, most as usize),
        }
    }

    fn close_range(&self, leaves: impl Iterator<Item = ValueId>) -> Closure {
        let ends = leaves.fold((ValueId::MAX, 0), |(first, last), leaf| (first.min(leaf), last.max(leaf)));
        match ends {
            (first, last) if first == last => Closure::Value(first),
            // The missing leaf is the last.
            (_, last) if self.missing() == Some(last) => Closure::Value(self.root()),
            (first, last) => Closure::Made(self.range(first, last)),
        }
    }

    /// The place of a leaf on the line, from 0; leaves that are the same number, spelled differently,
    /// have one place. Without ranges, every leaf has its own.
    pub fn place(&self, leaf: ValueId) -> u32 {
        self.places.position(leaf)
    }

    /// Which leaves are equal.
    pub(crate) fn places(&self) -> &Places {
        &self.places
    }

    /// Tells which leaves are equal.
    pub(super) fn with_places(mut self, places: Places) -> Taxonomy {
        self.places = places;
        self
    }

    /// The range from one leaf to another, with all that are equal to either.
    fn range(&self, first: ValueId, last: ValueId) -> Leaves {
        let mut range = Leaves::Range { first, last };
        self.places.widen(&mut range);
        range
    }

    fn close_set(&self, leaves: impl Iterator<Item = ValueId>, most: usize) -> Closure {
        let mut members: Vec<ValueId> = Vec::new();
        for leaf in leaves {
            if let Err(at) = members.binary_search(&leaf) {
                if members.len() == most {
                    return Closure::Value(self.root());
                }
                members.insert(at, leaf);
            }
        }
        match members[..] {
            [only] => Closure::Value(only),
            _ => Closure::Made(Leaves::Set(members.into())),
        }
    }

    /// Some leaves as a value: what the release shows for them, and so on.
    ///
    /// A range is shown by the labels of its ends, a set by those of its members, which are quoted
    /// where they could be misread. So two different values of an attribute never look alike, but for
    /// the spellings of one number, which look like the first of them.
    pub fn describe(&self, leaves: &Leaves) -> Value {
        let (label, extent) = match leaves {
            Leaves::Range { first, last } => {
                let extent = |leaf: &ValueId| self.values()[*leaf as usize].extent;
                let extent = extent(first).zip(extent(last)).map(|(a, b)| Extent { min: a.min, max: b.max });
                (self.spell_range(*first, *last), extent)
            }
            Leaves::Set(members) => {
                (super::sets::spell(members.iter().map(|&member| self.label(member))), None)
            }
        };
        Value { label, leaf_count: leaves.count(), parent: self.root(), level: 1, extent }
    }

    fn spell_range(&self, first: ValueId, last: ValueId) -> String {
        match self.places.first_equal(last) {
            last if last <= first => self.label(first).to_owned(),
            last => format!("{}{BETWEEN}{}", self.label(first), self.label(last)),
        }
    }

    /// Reads what a release shows: a value of the tree that covers `leaf`, or a range or set of this
    /// attribute's leaves that does. `*` is always the root, even where it is a leaf, too: it says
    /// nothing.
    ///
    /// `leaf_with` finds a leaf by its label.
    pub fn read(
        &self,
        label: &str,
        leaf: ValueId,
        leaf_with: impl Fn(&str) -> Option<ValueId>,
    ) -> Option<Closure> {
        if label == ANY {
            return Some(Closure::Value(self.root()));
        }
        if let Some(made) = self.read_made(label, leaf_with).filter(|made| made.contains(leaf)) {
            return Some(Closure::Made(made));
        }
        let above = |&at: &ValueId| {
            let parent = self.values()[at as usize].parent;
            (parent != at).then_some(parent)
        };
        let mut ancestors = std::iter::successors(Some(leaf), above);
        ancestors.find(|&value| self.label(value) == label).map(Closure::Value)
    }

    /// Reads a range or set of this attribute's leaves, whatever leaf it stands for.
    pub fn read_made(&self, label: &str, leaf_with: impl Fn(&str) -> Option<ValueId>) -> Option<Leaves> {
        match self.scheme {
            Scheme::Tree => None,
            Scheme::Ranges => self.read_range(label, leaf_with),
            Scheme::Sets { .. } => super::sets::read(label, leaf_with),
        }
    }

    /// Reads a set of this attribute's leaves, spelled as sets are, whatever its scheme.
    pub fn read_set(&self, label: &str, leaf_with: impl Fn(&str) -> Option<ValueId>) -> Option<Leaves> {
        super::sets::read(label, leaf_with)
    }

    fn read_range(&self, label: &str, leaf_with: impl Fn(&str) -> Option<ValueId>) -> Option<Leaves> {
        let known = |text: &str| leaf_with(text).filter(|&leaf| Some(leaf) != self.missing());
        if let Some(number) = known(label).map(|leaf| self.range(leaf, leaf)) {
            return (number.count() > 1).then_some(number);
        }
        let mut ends = label.match_indices(BETWEEN).filter_map(|(at, between)| {
            let (first, last) = (known(&label[..at])?, known(&label[at + between.len()..])?);
            (first < last).then(|| self.range(first, last))
        });
        ends.next()
    }
}
