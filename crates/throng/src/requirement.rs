//! What a release must satisfy.

use crate::notion::Notion;
use crate::privacy::PrivacyModel;
use std::sync::Arc;

/// A privacy model that every class of a release must satisfy, over a shield of attributes.
///
/// The shield is all quasi-identifiers.
#[derive(Clone, Debug)]
pub struct Requirement {
    /// The model.
    pub model: Arc<dyn PrivacyModel>,
    /// What a crowd means; all but [`Notion::K`] go by the model's least number of rows.
    pub notion: Notion,
}

impl Requirement {
    /// A requirement over all quasi-identifiers.
    pub fn new(model: impl PrivacyModel + 'static) -> Requirement {
        Requirement { model: Arc::new(model), notion: Notion::K }
    }

    /// The same requirement in another notion.
    #[must_use]
    pub fn with_notion(self, notion: Notion) -> Requirement {
        Requirement { notion, ..self }
    }

    /// The k of the requirement; 1 for a model without a least number of rows.
    pub fn k(&self) -> u64 {
        self.model.least_rows().unwrap_or(1)
    }
}
