//! Names for groups of categories.

use crate::taxonomy::sets::{spell, spell_member};

/// How groups of categories are called.
#[derive(Clone, Copy, Debug)]
pub(super) struct Naming<'a> {
    labels: GroupNaming,
    /// The values that no label may show; none if all may.
    rare: Option<&'a [bool]>,
}

/// What groups of categories are called by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GroupNaming {
    /// Their members.
    Members,
    /// Numbers: members are not to be shown.
    Numbers,
}

impl<'a> Naming<'a> {
    pub(super) const fn new(labels: GroupNaming, rare: Option<&'a [bool]>) -> Naming<'a> {
        Naming { labels, rare }
    }

    /// The label of a group by its number among so many; its members come with the most frequent first.
    ///
    /// A group with members that may not be shown is called by one that may, or by its number.
    pub(super) fn label(self, members: &[usize], values: &[&str], number: usize, groups: usize) -> String {
        let may_show = |member: &&usize| !self.rare.is_some_and(|rare| rare[**member]);
        let shown: Vec<&str> = members.iter().filter(may_show).map(|&member| values[member]).collect();
        match (self.labels, shown.first()) {
            (GroupNaming::Members, Some(_)) if shown.len() == members.len() => name(&shown),
            (GroupNaming::Members, Some(first)) => name_by_one(first, members.len() - 1),
            _ => format!("group {} of {groups}", number + 1),
        }
    }
}

/// Members that a label lists at most.
const LISTED: usize = 4;

/// Characters that a list of members may have.
const LISTED_CHARS: usize = 48;

/// Characters of a member that is named instead of all.
const NAMED_CHARS: usize = 32;

/// The label of a group, whose members come with the most frequent first: `{A, B, C}`, or
/// `A +12 more` if that is too long. A lone member is named as it is.
fn name(members: &[&str]) -> String {
    if let [only] = members {
        return (*only).to_owned();
    }
    let chars: usize = members.iter().take(LISTED + 1).map(|member| member.chars().count() + 2).sum();
    if members.len() <= LISTED && chars <= LISTED_CHARS {
        let members: Vec<String> = members.iter().map(|member| plain(member)).collect();
        return spell(members.iter().map(String::as_str));
    }
    name_by_one(members[0], members.len() - 1)
}

/// The label of a group by one of its members and the number of the others.
fn name_by_one(member: &str, others: usize) -> String {
    format!("{} +{others} more", spell_member(&shortened(member)))
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(NAMED_CHARS) {
        Some((end, _)) => format!("{}…", plain(&text[..end])),
        None => plain(text),
    }
}

/// A label stays on its line, whatever the cells have in them.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_are_listed_and_many_counted() {
        assert_eq!(name(&["a"]), "a");
        assert_eq!(name(&["a", "b"]), "{a, b}");
        assert_eq!(name(&["a", "b", "c", "d", "e"]), "a +4 more");
        assert_eq!(
            name(&["Self-employed without staff", "Self-employed with staff"]),
            "Self-employed without staff +1 more"
        );
    }

    #[test]
    fn long_and_odd_members_are_tamed() {
        let long = "é".repeat(50);
        assert_eq!(name(&[&long, "b"]), format!("{}… +1 more", "é".repeat(32)));
        assert_eq!(name(&["a\nb", "c"]), "{a b, c}");
    }

    #[test]
    fn members_with_marks_are_quoted() {
        assert_eq!(name(&["a, b", "c"]), "{\"a, b\", c}");
        assert_ne!(name(&["a, b", "c"]), name(&["a", "b, c"]));
        assert_eq!(name(&["a \"b\"", "c"]), "{\"a \"\"b\"\"\", c}");
        assert_eq!(name(&["a, b", "c", "d", "e", "f"]), "\"a, b\" +4 more");
        assert_eq!(name(&["a, b"]), "a, b", "a lone member is itself");
    }

    #[test]
    fn rare_members_are_in_no_label() {
        let values = ["flu", "gout", "Ann Koch"];
        let label = |members: &[usize], rare: &[bool]| {
            Naming::new(GroupNaming::Members, Some(rare)).label(members, &values, 2, 12)
        };
        assert_eq!(label(&[0, 1], &[false, false, true]), "{flu, gout}");
        assert_eq!(label(&[0, 1, 2], &[false, false, true]), "flu +2 more");
        assert_eq!(label(&[1, 2], &[false, true, true]), "group 3 of 12");
        assert_eq!(label(&[2], &[false, true, true]), "group 3 of 12", "nor by itself");
    }
}
