//! What is wrong, and what would help.

use std::fmt;

/// A sentence that says what is wrong, and one that says what would help.
///
/// Both are kept apart from where they are written to where they are shown, so that nobody has to find the hint in
/// the text.
///
/// ```
/// use throng::wording::Message;
///
/// let message = Message::from(("k is 0", "it must be at least 2"));
/// assert_eq!((message.what(), message.hint()), ("k is 0", Some("it must be at least 2")));
/// assert_eq!(message.after("[privacy]: ").to_string(), "[privacy]: k is 0; it must be at least 2");
/// assert_eq!(Message::from("k is 0").hint(), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    what: String,
    hint: Option<String>,
}

impl Message {
    /// What is wrong, and what would help if anybody knows.
    pub fn new(what: impl Into<String>, hint: Option<String>) -> Message {
        Message { what: what.into(), hint }
    }

    /// What is wrong.
    pub fn what(&self) -> &str {
        &self.what
    }

    /// What would help.
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// The same after other words, such as the name of what is at fault.
    #[must_use]
    pub fn after(self, words: impl fmt::Display) -> Message {
        Message { what: format!("{words}{}", self.what), hint: self.hint }
    }

    /// The same with another hint at its end.
    #[must_use]
    pub fn and_hint(self, more: impl fmt::Display) -> Message {
        let hint = match self.hint {
            Some(hint) => format!("{hint}; {more}"),
            None => more.to_string(),
        };
        Message { what: self.what, hint: Some(hint) }
    }

    /// Both, to be taken apart no more.
    pub fn into_parts(self) -> (String, Option<String>) {
        (self.what, self.hint)
    }
}

/// Both in one line.
impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        self.hint.iter().try_for_each(|hint| write!(f, "; {hint}"))
    }
}

/// What people read.
impl PartialEq<&str> for Message {
    fn eq(&self, text: &&str) -> bool {
        let rest = text.strip_prefix(self.what.as_str());
        match &self.hint {
            None => rest == Some(""),
            Some(hint) => rest.and_then(|rest| rest.strip_prefix("; ")) == Some(hint),
        }
    }
}

impl From<String> for Message {
    fn from(what: String) -> Message {
        Message { what, hint: None }
    }
}

impl From<&str> for Message {
    fn from(what: &str) -> Message {
        what.to_owned().into()
    }
}

impl From<&String> for Message {
    fn from(what: &String) -> Message {
        what.clone().into()
    }
}

/// What is wrong, and what would help.
impl<W: Into<String>, H: Into<String>> From<(W, H)> for Message {
    fn from((what, hint): (W, H)) -> Message {
        Message { what: what.into(), hint: Some(hint.into()) }
    }
}

impl From<Message> for String {
    fn from(message: Message) -> String {
        message.to_string()
    }
}
