//! Sentences about names that are not known.

mod packed;

pub use packed::{Packed, unpack};
pub use throng::wording::Message;

use throng::wording::quoted;

/// The name among `allowed` that `name` was most likely meant to be.
///
/// ```
/// use throng_tables::wording::nearest;
///
/// assert_eq!(nearest("flsh", ["flash", "ola"]), Some("flash"));
/// assert_eq!(nearest("kkk", ["k", "kk"]), Some("kk"));
/// assert_eq!(nearest("5", ["1", "2"]), None); // as near to the one as to the other
/// ```
pub fn nearest<'a>(name: &str, allowed: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = name.to_lowercase();
    allowed
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&lower, &candidate.to_lowercase()), candidate))
        .filter(|&(distance, candidate)| {
            let length = candidate.chars().count();
            // A misspelt name still has half of its letters.
            distance <= 2.max(length / 3) && 2 * distance <= length.max(lower.chars().count())
        })
        .min()
        .map(|(_, candidate)| candidate)
}

/// ` (did you mean 'age'?)`, to be put after a name that is not known; nothing if none is near.
pub fn guess<'a>(name: &str, allowed: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, allowed).map(did_you_mean).unwrap_or_default()
}

/// As [`guess`], once it is known what was meant.
pub fn did_you_mean(near: &str) -> String {
    format!(" (did you mean {}?)", quoted(near))
}

/// The sentence for a name that is not among those allowed; `what` says what it should name.
pub fn unknown(what: &str, name: &str, allowed: &[&str]) -> Message {
    unknown_in(what, name, "", allowed)
}

/// As [`unknown`], with a `place` such as " in [search]".
pub fn unknown_in(what: &str, name: &str, place: &str, allowed: &[&str]) -> Message {
    let list = allowed.join(", ");
    let hint = match nearest(name, allowed.iter().copied()) {
        Some(guess) => format!("did you mean '{guess}'? Allowed are: {list}"),
        None => format!("allowed are: {list}"),
    };
    (format!("unknown {what} {}{place}", quoted(name)), hint).into()
}

/// The name among those allowed that is `name`.
pub fn choose_name(what: &str, name: &str, allowed: &[&'static str]) -> Result<&'static str, Message> {
    let found = allowed.iter().copied().find(|of| *of == name);
    found.ok_or_else(|| unknown(what, name, allowed))
}

/// `a`, `a and b`, or `a, b and c`, with another word for `and`.
pub fn enumerate(names: &[&str], and: &str) -> String {
    match names {
        [] => "none".to_owned(),
        [name] => (*name).to_owned(),
        [names @ .., last] => format!("{} {and} {last}", names.join(", ")),
    }
}

/// The item that `name` stands for in a list of choices.
pub fn choose<T: Copy>(what: &str, name: &str, choices: &[(&str, T)]) -> Result<T, Message> {
    let found = choices.iter().find(|(allowed, _)| *allowed == name);
    found.map(|&(_, item)| item).ok_or_else(|| {
        let allowed: Vec<&str> = choices.iter().map(|&(allowed, _)| allowed).collect();
        unknown(what, name, &allowed)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_names_get_a_suggestion_only_when_one_is_near() {
        assert_eq!(
            unknown("role", "Quasy", &["quasi", "other"]).to_string(),
            "unknown role 'Quasy'; did you mean 'quasi'? Allowed are: quasi, other"
        );
        assert_eq!(
            unknown("role", "completely", &["quasi", "other"]).to_string(),
            "unknown role 'completely'; allowed are: quasi, other"
        );
        assert_eq!(guess("twon", ["town", "age"]), " (did you mean 'town'?)");
        assert_eq!(guess("elephants", ["town", "age"]), "");
    }
}
