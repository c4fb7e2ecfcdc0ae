//! A reason, and where it holds.

use serde::{Deserialize, Serialize};

use throng::wording::Message;

use super::location::Location;

/// Why something failed, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    reason: String,
    hint: Option<String>,
    context: Box<Context>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Context {
    /// What the place is in, if that is not a file.
    name: Option<String>,
    /// Shown before the reason.
    shown: Location,
    /// Named by the reason itself.
    told: Location,
}

impl Fault {
    pub(super) fn new(message: impl Into<Message>) -> Fault {
        let (reason, hint) = message.into().into_parts();
        Fault { reason, hint, context: Box::default() }
    }

    /// What is wrong and what would help, without where.
    pub fn message(&self) -> Message {
        Message::new(&*self.reason, self.hint.clone())
    }

    pub(super) fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// The place before the reason, as text.
    pub(super) fn place(&self) -> String {
        let Context { name, shown, .. } = &*self.context;
        let name = name.as_ref().map(|name| format!("{name}: "));
        format!("{}{shown}", name.unwrap_or_default())
    }

    /// What the place that is shown knows, or else the one that the reason tells.
    pub(super) fn find<'a, T>(&'a self, of: impl Fn(&'a Location) -> Option<T>) -> Option<T> {
        of(&self.context.shown).or_else(|| of(&self.context.told))
    }

    pub(super) fn shown(&mut self) -> &mut Location {
        &mut self.context.shown
    }

    pub(super) fn told(&mut self) -> &mut Location {
        &mut self.context.told
    }

    pub(super) fn name(&mut self, name: String) {
        self.context.name = Some(name);
    }
}

impl From<Message> for Fault {
    fn from(message: Message) -> Fault {
        Fault::new(message)
    }
}

impl From<String> for Fault {
    fn from(reason: String) -> Fault {
        Fault::new(reason)
    }
}

impl From<&str> for Fault {
    fn from(reason: &str) -> Fault {
        Fault::new(reason)
    }
}

/// What is wrong, and what would help.
impl<W: Into<String>, H: Into<String>> From<(W, H)> for Fault {
    fn from(message: (W, H)) -> Fault {
        Fault::new(message)
    }
}
