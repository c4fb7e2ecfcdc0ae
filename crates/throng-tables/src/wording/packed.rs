//! Messages on their way through serde, which hands on nothing but a text.

use std::fmt;

use throng::wording::Message;

use crate::error::EngineError;

/// What stands between the two parts of a message in one text; no name that people write has it.
const SEPARATOR: char = '\u{1f}';

/// A message as the one text that an error of serde can be.
///
/// ```
/// use throng::wording::Message;
/// use throng_tables::wording::{Packed, unpack};
///
/// let message = Message::from(("k is 0", "it must be at least 2"));
/// let text = Packed::from(message.clone()).to_string();
/// assert_eq!(unpack(&text), message);
/// assert_eq!(unpack("k is 0"), Message::from("k is 0"));
/// ```
#[derive(Debug)]
pub struct Packed(Message);

impl Packed {
    /// An error of serde with all of a message.
    pub fn error<E: serde::de::Error>(message: impl Into<Message>) -> E {
        E::custom(Packed(message.into()))
    }
}

/// The message of a text that may be [`Packed`].
pub fn unpack(text: &str) -> Message {
    match text.split_once(SEPARATOR) {
        Some(parts) => parts.into(),
        None => text.into(),
    }
}

impl fmt::Display for Packed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.what())?;
        self.0.hint().iter().try_for_each(|hint| write!(f, "{SEPARATOR}{hint}"))
    }
}

impl From<Message> for Packed {
    fn from(message: Message) -> Packed {
        Packed(message)
    }
}

impl From<EngineError> for Packed {
    fn from(error: EngineError) -> Packed {
        Packed(Message::new(error.what(), error.hint().map(str::to_owned)))
    }
}
