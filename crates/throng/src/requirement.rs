//! What a release must satisfy: several requirements, each over a shield of quasi-identifiers.

use std::sync::Arc;

use crate::notion::Notion;
use crate::privacy::{DistinctL, KAnonymity, PrivacyModel};

/// What is asked of a release over a shield.
#[derive(Clone, Debug)]
pub enum Rule {
    /// Every class satisfies a privacy model.
    Classes(Arc<dyn PrivacyModel>),
    /// Every record hides in a crowd of at least so many, as a notion other than k-anonymity counts it.
    Crowd(Notion, u64),
    /// The crowd of every record has so many different sensitive values, as a notion other than k-anonymity counts crowds:
    /// what fits the record or, of global (1,k)-anonymity, its matches.
    Diverse(Notion, DistinctL),
}

/// A rule over a shield: a set of quasi-identifiers that somebody may know together.
#[derive(Clone, Debug)]
pub struct Requirement {
    /// Places of the quasi-identifiers, ascending; all if there is none.
    shield: Option<Vec<usize>>,
    /// What is asked.
    rule: Rule,
}

impl Requirement {
    /// A model that every class over all quasi-identifiers must satisfy.
    pub fn new(model: impl PrivacyModel + 'static) -> Requirement {
        Requirement::of_model(Arc::new(model))
    }

    /// The same, of a model that is shared.
    pub fn of_model(model: Arc<dyn PrivacyModel>) -> Requirement {
        Requirement { shield: None, rule: Rule::Classes(model) }
    }

    /// A crowd of at least k over all quasi-identifiers; by classes if the notion is k-anonymity.
    pub fn crowd(notion: Notion, k: u64) -> Requirement {
        match notion {
            Notion::K => Requirement::new(KAnonymity { k }),
            notion => Requirement { shield: None, rule: Rule::Crowd(notion, k) },
        }
    }

    /// Different sensitive values in every crowd; in every class if the notion is k-anonymity.
    ///
    /// # Panics
    /// If the notion is (k,1)-anonymity, in which a record has no crowd of released ones.
    pub fn diverse_crowd(notion: Notion, diversity: DistinctL) -> Requirement {
        assert!(notion != Notion::KOne, "(k,1)-anonymity has no crowds of released records");
        match notion {
            Notion::K => Requirement::new(diversity),
            notion => Requirement { shield: None, rule: Rule::Diverse(notion, diversity) },
        }
    }

    /// What is asked of classes over all quasi-identifiers asked of the crowds of a notion, where that can be: of different
    /// values. Anything else stays as it is.
    #[must_use]
    pub fn in_crowds(&self, notion: Notion) -> Requirement {
        match DistinctL::downcast(&*self.class_model()) {
            Some(diversity) if self.shield.is_none() && notion != Notion::KOne => {
                Requirement::diverse_crowd(notion, diversity)
            }
            _ => self.clone(),
        }
    }

    /// The same rule over some of the quasi-identifiers, by their places.
    ///
    /// # Panics
    /// If there is none, or one is there twice; or if the rule is a crowd, which is of all.
    #[must_use]
    pub fn over(self, shield: impl Into<Vec<usize>>) -> Requirement {
        let mut shield: Vec<usize> = shield.into();
        shield.sort_unstable();
        assert!(!shield.is_empty(), "a shield has a quasi-identifier");
        assert!(shield.windows(2).all(|pair| pair[0] < pair[1]), "a shield is a set");
        assert!(matches!(self.rule, Rule::Classes(_)), "a crowd is over all quasi-identifiers");
        Requirement { shield: Some(shield), ..self }
    }

    /// Places of the quasi-identifiers that the rule is over; none for all.
    pub fn shield(&self) -> Option<&[usize]> {
        self.shield.as_deref()
    }

    /// What is asked.
    pub fn rule(&self) -> &Rule {
        &self.rule
    }

    /// The model that classes must satisfy; those that k-anonymity gives a crowd in. A record's class is part of its
    /// crowd by every notion, and of its matches.
    pub fn class_model(&self) -> Arc<dyn PrivacyModel> {
        match &self.rule {
            Rule::Classes(model) => Arc::clone(model),
            Rule::Crowd(_, k) => Arc::new(KAnonymity { k: *k }),
            Rule::Diverse(_, diversity) => Arc::new(*diversity),
        }
    }

    /// The name in jobs and summaries.
    pub fn name(&self) -> &'static str {
        match &self.rule {
            Rule::Classes(model) => model.name(),
            Rule::Crowd(notion, _) => notion.name(),
            Rule::Diverse(_, diversity) => diversity.name(),
        }
    }
}

/// All that a release must satisfy: at least one requirement.
#[derive(Clone, Debug)]
pub struct Requirements(Arc<[Requirement]>);

impl Requirements {
    /// Several requirements, all of which must hold.
    ///
    /// # Panics
    /// If there is none.
    pub fn new(all: Vec<Requirement>) -> Requirements {
        assert!(!all.is_empty(), "a release must satisfy something");
        Requirements(all.into())
    }

    /// The requirements.
    pub fn iter(&self) -> std::slice::Iter<'_, Requirement> {
        self.0.iter()
    }

    /// The largest crowd that one asks for: the k of the papers; 1 if none asks for any.
    pub fn k(&self) -> u64 {
        self.iter().filter_map(|one| one.class_model().least_rows()).max().unwrap_or(1)
    }

    /// The largest crowd that one asks for over all of so many quasi-identifiers; 1 if none does. What is asked for over
    /// some of them says nothing of how many rows are alike in all.
    pub fn k_over_all(&self, quasi: usize) -> u64 {
        let over_all =
            self.iter().filter(|one| one.shield.as_ref().is_none_or(|shield| shield.len() == quasi));
        over_all.filter_map(|one| one.class_model().least_rows()).max().unwrap_or(1)
    }

    /// The notion of a crowd that is asked for; k-anonymity if no other is.
    pub fn notion(&self) -> Notion {
        let other = self.iter().find_map(|one| match one.rule {
            Rule::Crowd(notion, _) | Rule::Diverse(notion, _) => Some(notion),
            Rule::Classes(_) => None,
        });
        other.unwrap_or(Notion::K)
    }

    /// Whether a crowd over all quasi-identifiers is all that is asked for, whatever its notion.
    pub fn is_one_crowd(&self) -> bool {
        let of_size = |one: &Requirement| one.shield.is_none() && one.class_model().least_rows().is_some();
        self.iter().all(of_size)
    }

    /// Whether nothing but crowds over all quasi-identifiers is asked for: how large they are, and what values they have.
    pub fn are_of_crowds(&self) -> bool {
        let is_of_crowds = |one: &Requirement| match one.rule {
            Rule::Diverse(..) => true,
            _ => one.shield.is_none() && one.class_model().least_rows().is_some(),
        };
        self.iter().all(is_of_crowds)
    }

    /// The different values that crowds must have, by the notions other than k-anonymity.
    pub fn diversities(&self) -> impl Iterator<Item = DistinctL> {
        self.iter().filter_map(|one| match one.rule {
            Rule::Diverse(_, diversity) => Some(diversity),
            _ => None,
        })
    }

    /// Whether a recoding that may be released makes all coarser ones so, if so many rows may be
    /// suppressed; whether persons are counted in place of rows.
    pub fn hold_upwards(&self, max_suppressed_rows: u64, persons: bool) -> bool {
        // Which of several classes go for the sake of a mean decides what is left of those of another shield.
        let alone = self.iter().all(|one| one.shield == self.0[0].shield);
        let upwards = |one: &Requirement| {
            let model = one.class_model();
            if model.is_mean() && max_suppressed_rows > 0 && !alone {
                return false;
            }
            let by_rows = model.monotonicity();
            let monotonicity = if persons { by_rows.of_persons(model.is_mean()) } else { by_rows };
            monotonicity.holds_upwards(max_suppressed_rows > 0)
        };
        self.iter().all(upwards)
    }
}

impl From<Requirement> for Requirements {
    fn from(one: Requirement) -> Requirements {
        Requirements::new(vec![one])
    }
}

impl From<Vec<Requirement>> for Requirements {
    fn from(all: Vec<Requirement>) -> Requirements {
        Requirements::new(all)
    }
}

impl<'r> IntoIterator for &'r Requirements {
    type Item = &'r Requirement;
    type IntoIter = std::slice::Iter<'r, Requirement>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
