//! Notions of k-type anonymity (Gionis, Mazza and Tassa, *k-Anonymization Revisited*).

/// What a crowd of k means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Notion {
    /// Each released record equals at least k − 1 others (Definition 4.1).
    #[default]
    K,
    /// Each original record is consistent with at least k released ones (Definition 4.4).
    OneK,
    /// Each released record is consistent with at least k original ones (Definition 4.4).
    KOne,
    /// Both (1,k) and (k,1) (Definition 4.4).
    KK,
    /// Each original record has at least k matches (Definition 4.6).
    GlobalOneK,
}

impl Notion {
    /// Every notion.
    pub const ALL: [Notion; 5] = [Notion::K, Notion::OneK, Notion::KOne, Notion::KK, Notion::GlobalOneK];

    /// The name in jobs.
    pub fn name(self) -> &'static str {
        match self {
            Notion::K => "k",
            Notion::OneK => "1k",
            Notion::KOne => "k1",
            Notion::KK => "kk",
            Notion::GlobalOneK => "global-1k",
        }
    }

    /// The notion of a name.
    pub fn find(name: &str) -> Option<Notion> {
        Notion::ALL.into_iter().find(|notion| notion.name() == name)
    }

    /// As the paper writes it.
    pub fn text(self) -> &'static str {
        match self {
            Notion::K => "k-anonymity",
            Notion::OneK => "(1,k)-anonymity",
            Notion::KOne => "(k,1)-anonymity",
            Notion::KK => "(k,k)-anonymity",
            Notion::GlobalOneK => "global (1,k)-anonymity",
        }
    }
}
