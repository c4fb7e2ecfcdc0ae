//! What the registry knows of settings: which there are, whose they are, and what was said of them by name.

use std::sync::OnceLock;

use super::{Entry, registry};
use crate::setting::{Setting, SettingValue, Settings};
use crate::wording::Message;

impl Setting {
    /// Every setting of every algorithm, in the order of the registry.
    pub fn all() -> &'static [&'static Setting] {
        static ALL: OnceLock<Vec<&'static Setting>> = OnceLock::new();
        ALL.get_or_init(|| {
            let mut all: Vec<&Setting> = Vec::new();
            for setting in registry().iter().flat_map(|entry| entry.settings) {
                if all.iter().all(|known| known.name != setting.name) {
                    all.push(setting);
                }
            }
            all
        })
    }

    /// The setting of a name.
    pub fn find(name: &str) -> Option<&'static Setting> {
        Setting::all().iter().copied().find(|setting| setting.name == name)
    }

    /// The algorithms that take it.
    pub fn users(&self) -> impl Iterator<Item = &'static Entry> {
        registry().iter().filter(|entry| entry.takes(self))
    }
}

impl Settings {
    /// The settings with another value of one, by name.
    ///
    /// # Errors
    /// If there is no such setting, or it cannot be that; the sentence for people.
    pub fn with(mut self, name: &str, text: &str) -> Result<Settings, Message> {
        let setting = Setting::find(name).ok_or_else(|| format!("unknown setting '{name}'"))?;
        self.set(setting, setting.read(text).ok_or_else(|| setting.refusal(text))?);
        Ok(self)
    }

    /// All that was said, in the order of the [registry](Setting::all).
    pub fn said(&self) -> impl Iterator<Item = (&'static Setting, SettingValue)> {
        Setting::all().iter().filter_map(|setting| Some((*setting, self.said_of(setting)?)))
    }

    /// Refuses values that are out of range, for a requirement of k.
    ///
    /// # Errors
    /// The sentence for the first of them.
    pub fn check(&self, k: u64) -> Result<(), Message> {
        self.said().try_for_each(|(setting, value)| setting.check(value, k))
    }
}

impl Entry {
    /// Whether the algorithm takes a setting; others change nothing about it.
    pub fn takes(&self, setting: &Setting) -> bool {
        self.settings.iter().any(|own| own.name == setting.name)
    }

    /// What the algorithm uses of all that it is told, defaults included.
    pub fn used<'s>(
        &self,
        settings: &'s Settings,
    ) -> impl Iterator<Item = (&'static Setting, SettingValue)> + use<'s> {
        let useful = self.settings.iter().filter(|setting| setting.matters(settings));
        useful.filter_map(|setting| Some((setting, settings.get(setting)?)))
    }
}
