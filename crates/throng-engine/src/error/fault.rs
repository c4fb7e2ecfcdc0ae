//! A reason, and where it holds.

use super::place::Place;

/// Why something failed, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    reason: String,
    places: Box<Places>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Places {
    /// What the place is in, if that is not a file.
    name: Option<String>,
    /// Shown before the reason.
    shown: Place,
    /// Named by the reason itself.
    told: Place,
}

impl Fault {
    pub(super) fn new(reason: impl Into<String>) -> Fault {
        Fault { reason: reason.into(), places: Box::default() }
    }

    /// What is wrong, without where.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// The place before the reason, as text.
    pub(super) fn place(&self) -> String {
        let Places { name, shown, .. } = &*self.places;
        let name = name.as_ref().map(|name| format!("{name}: "));
        format!("{}{shown}", name.unwrap_or_default())
    }

    /// The first of the places that knows.
    pub(super) fn find<'a, T>(&'a self, of: impl Fn(&'a Place) -> Option<T>) -> Option<T> {
        of(&self.places.shown).or_else(|| of(&self.places.told))
    }

    pub(super) fn shown(&mut self) -> &mut Place {
        &mut self.places.shown
    }

    pub(super) fn told(&mut self) -> &mut Place {
        &mut self.places.told
    }

    pub(super) fn name(&mut self, name: String) {
        self.places.name = Some(name);
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
