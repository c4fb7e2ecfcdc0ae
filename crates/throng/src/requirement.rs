//! What a release must satisfy.

use crate::privacy::PrivacyModel;
use std::sync::Arc;

/// A privacy model that every class of a release must satisfy, over a shield of attributes.
///
/// The shield is all quasi-identifiers.
#[derive(Clone, Debug)]
pub struct Requirement {
    /// The model.
    pub model: Arc<dyn PrivacyModel>,
}

impl Requirement {
    /// A requirement over all quasi-identifiers.
    pub fn new(model: impl PrivacyModel + 'static) -> Requirement {
        Requirement { model: Arc::new(model) }
    }
}
