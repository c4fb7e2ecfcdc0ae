//! What labels of a recoding file mean over the values of a table.

use rustc_hash::FxHashMap;

use throng::taxonomy::{ANY, BETWEEN, Closure, Scheme, Taxonomy, ValueId};

use crate::prepare::EncodedColumn;

/// Reads the labels of a quasi-identifier.
pub(super) struct Reader<'a> {
    taxonomy: &'a Taxonomy,
    by_label: FxHashMap<&'a str, ValueId>,
    leaves: FxHashMap<&'a str, ValueId>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(column: &'a EncodedColumn) -> Reader<'a> {
        let taxonomy = &column.taxonomy;
        let values: Vec<(&str, ValueId)> =
            taxonomy.values().iter().map(|value| value.label.as_str()).zip(0..).collect();
        let leaves = values[..taxonomy.leaf_total()].iter().copied().collect();
        // Labels are distinct where values of several levels stand side by side.
        let by_label = values.iter().rev().copied().collect();
        Reader { taxonomy, by_label, leaves }
    }

    /// What a label stands for; none if nothing of the column has it.
    pub(super) fn read(&self, label: &str) -> Option<Closure> {
        if label == ANY {
            return Some(Closure::Value(self.taxonomy.root()));
        }
        if let Some(star) = star_of(label) {
            return self.leaves.get(star).copied().map(Closure::Value);
        }
        let leaf_with = |text: &str| self.leaves.get(text).copied();
        let made = self.taxonomy.read_made(label, leaf_with).map(Closure::Made);
        made.or_else(|| self.value(label).map(Closure::Value))
    }

    /// The value of the tree with a label.
    pub(super) fn value(&self, label: &str) -> Option<ValueId> {
        if label == ANY { Some(self.taxonomy.root()) } else { self.by_label.get(label).copied() }
    }
}

/// How a file of classes spells a value of the table, in which `*` is not the top.
pub(super) fn spell_leaf(value: &str) -> String {
    let is_star = value.trim_start_matches('\\') == ANY;
    if is_star { format!("\\{value}") } else { value.to_owned() }
}

/// The value of the table that a label stands for, if it is `*` or looks like one that is spelled.
fn star_of(label: &str) -> Option<&str> {
    label.strip_prefix('\\').filter(|value| value.trim_start_matches('\\') == ANY)
}

/// The values that a label shows of a column without a hierarchy: ends of a range, or members of a set.
pub(super) fn shown_values(scheme: Scheme, label: &str) -> Vec<String> {
    if label == ANY {
        return Vec::new();
    }
    if let Some(star) = star_of(label) {
        return vec![star.to_owned()];
    }
    match scheme {
        Scheme::Tree => Vec::new(),
        Scheme::Ranges => match label.split_once(BETWEEN) {
            Some((first, last)) => vec![first.to_owned(), last.to_owned()],
            None => vec![label.to_owned()],
        },
        Scheme::Sets { .. } => {
            let members = std::cell::RefCell::new(Vec::new());
            let note = |text: &str| {
                members.borrow_mut().push(text.to_owned());
                Some(members.borrow().len() as ValueId)
            };
            let any = Taxonomy::flat(&[ANY]).expect("one value");
            match any.read_set(label, note) {
                Some(_) => members.into_inner(),
                None => vec![label.to_owned()],
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_of_the_table_is_spelled_unlike_the_top() {
        for value in ["*", "\\*", "\\\\*"] {
            let spelled = spell_leaf(value);
            assert_eq!(star_of(&spelled), Some(value));
            assert_eq!(shown_values(Scheme::Sets { most: 9 }, &spelled), [value]);
        }
        assert_eq!((spell_leaf("a*"), star_of("\\a*"), star_of("*")), ("a*".to_owned(), None, None));
    }

    #[test]
    fn ends_and_members_are_values() {
        let range = |label: &str| shown_values(Scheme::Ranges, label);
        assert_eq!(range("20~29"), ["20", "29"]);
        assert_eq!((range("25"), range("*")), (vec!["25".to_owned()], Vec::new()));
        let set = |label: &str| shown_values(Scheme::Sets { most: 9 }, label);
        assert_eq!(set("{a, \"b, c\"}"), ["a", "b, c"]);
        assert_eq!(set("a"), ["a"]);
        assert!(shown_values(Scheme::Tree, "a").is_empty());
    }
}
