//! Names for groups of categories.

/// What groups of categories are called by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Labels {
    /// Their members.
    Members,
    /// Numbers: members are not to be shown.
    Numbers,
}

impl Labels {
    /// The label of a group by its number among so many; its members come with the most frequent first.
    pub(super) fn label(self, members: &[&str], number: usize, groups: usize) -> String {
        match self {
            Labels::Members => name(members),
            Labels::Numbers => format!("group {} of {groups}", number + 1),
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
        return plain(&format!("{{{}}}", members.join(", ")));
    }
    format!("{} +{} more", shortened(members[0]), members.len() - 1)
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
}
