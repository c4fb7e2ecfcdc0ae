//! What speaks against a release though all that was asked for holds; and the colour of its banner.

use throng::notion::Notion;

use throng_engine::error::Result;
use throng_engine::job::{Job, Role, RowOrder};
use throng_engine::plan::OpenJob;
use throng_engine::profile::{KeptColumn, KeptLook, look_at_kept, special_category};
use throng_engine::progress::Progress;
use throng_engine::summary::Judgement;
use throng_engine::verify::attack::attack;

use super::{Evidence, TablePair};

/// Rows below which nothing is said of how telling columns are.
const FEW_ROWS: u64 = 20;
/// The share of one value in a crowd from which on a guess is nearly certain.
pub const NEARLY_CERTAIN: f64 = 0.8;
/// Values of a column of numbers before its extremes are somebody's.
const MANY_NUMBERS: u64 = 20;

/// What a decision about a release should start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// All that was asked for holds, and nothing that we know of speaks against it.
    Green,
    /// All that was judged holds, and something needs a person's judgement.
    Amber,
    /// Something that was asked for does not hold.
    Red,
}

/// Something that needs a person's judgement.
#[derive(Clone, Debug, PartialEq)]
pub enum Concern {
    /// Requirements that neither the files nor the run tell of.
    NotJudged {
        /// How many there are.
        requirements: usize,
    },
    /// People who know more than the notion of a crowd allows for links a person to fewer rows than it
    /// promises.
    Attack {
        /// The fewest rows that somebody is linked to.
        links: u64,
        /// What the job asks for.
        asked: u64,
    },
    /// Crowds that all have one value of a secret.
    Certain {
        /// The column.
        column: String,
        /// Such crowds; nothing if only people were counted.
        crowds: Option<u64>,
        /// Their rows.
        rows: u64,
    },
    /// Crowds in which a guess of a secret that nothing limits is nearly certain.
    NearlyCertain {
        /// The columns, the worst first, and the largest share of one value in a crowd.
        columns: Vec<(String, f64)>,
    },
    /// Special categories of personal data that are kept exact, neither coded nor moved, though nobody marked them as secret.
    Special {
        /// Each column, and which category it is.
        columns: Vec<(String, &'static str)>,
    },
    /// Kept columns that show who is in the table.
    People {
        /// Their names.
        columns: Vec<String>,
    },
    /// Kept columns of text that people typed.
    Typed {
        /// Their names.
        columns: Vec<String>,
        /// Cells that mention people; nothing if they were not counted.
        mentions: Option<u64>,
    },
    /// Kept columns in which nearly every row has a value of its own.
    Unique {
        /// Their names.
        columns: Vec<String>,
    },
    /// Kept columns that are like nobody else's only together.
    Together {
        /// Rows that are one of a kind in them.
        rows: u64,
        /// Rows that were looked at.
        of: u64,
        /// How many columns that are.
        columns: usize,
    },
    /// Kept columns whose least or greatest number is that of few rows.
    Extremes {
        /// Their names.
        columns: Vec<String>,
    },
    /// Rows have the order of the original.
    Order {
        /// Identifiers, secrets, and columns that are coded or moved, by which they are sorted.
        sorted_by: Vec<String>,
    },
    /// Rows were shuffled by a seed, by which their order can be had back.
    Seed,
    /// Rows of one person can be told by their pseudonyms.
    Linkable {
        /// The columns with pseudonyms.
        columns: Vec<String>,
    },
}

impl Evidence {
    /// The colour of the banner.
    pub fn colour(&self) -> Colour {
        match self.verdict() {
            Judgement::Fails => Colour::Red,
            Judgement::Holds if self.concerns.is_empty() => Colour::Green,
            Judgement::Holds | Judgement::NotJudged => Colour::Amber,
        }
    }

    /// All that needs a person's judgement, what weighs most first.
    pub(super) async fn find_concerns(&mut self, pair: &TablePair, progress: &dyn Progress) -> Result<()> {
        let not_judged = self.not_judged().count();
        let mut found = Vec::new();
        found.extend((not_judged > 0).then_some(Concern::NotJudged { requirements: not_judged }));
        found.extend(self.attacks(progress).await?);
        found.extend(self.certain_values());
        found.extend(self.nearly_certain_values());
        found.extend(self.special_categories());
        found.extend(self.kept_columns(pair, progress).await?);
        found.extend(order(&self.job, pair, progress).await?);
        let linkable: Vec<String> = self.job.columns.pseudonyms().map(str::to_owned).collect();
        found.extend((!linkable.is_empty()).then_some(Concern::Linkable { columns: linkable }));
        self.concerns = found;
        Ok(())
    }

    /// Crowds that are no classes are attacked; classes of k rows are found by nobody who knows less than the original.
    async fn attacks(&self, progress: &dyn Progress) -> Result<Vec<Concern>> {
        if self.job.privacy.notion == Notion::K || self.rows_left_out() > 0 {
            return Ok(Vec::new());
        }
        let sensitive = &self.after.sensitive;
        let (opened, released) = (OpenJob::of_tables(&self.job)?, self.job.output.path()?);
        let found = attack(&opened, released, sensitive, true, None, progress).await?;
        let asked = self.job.privacy.largest_k();
        let links = found.neighbours.fewest.min(found.matches.fewest);
        let mut concerns: Vec<Concern> =
            (links < asked).then_some(Concern::Attack { links, asked }).into_iter().collect();
        for column in sensitive {
            let rows_of = |certain: &serde_json::Map<_, serde_json::Value>| {
                certain.get(column).and_then(serde_json::Value::as_u64).unwrap_or(0)
            };
            let rows = rows_of(&found.neighbours.certain_rows).max(rows_of(&found.matches.certain_rows));
            concerns.extend((rows > 0).then(|| Concern::Certain {
                column: column.clone(),
                crowds: None,
                rows,
            }));
        }
        Ok(concerns)
    }

    fn certain_values(&self) -> Vec<Concern> {
        let certain = self.guesses.iter().filter(|guess| guess.certain_crowds > 0);
        let concern = |guess: &super::Guess| Concern::Certain {
            column: guess.column.clone(),
            crowds: Some(guess.certain_crowds),
            rows: guess.certain_rows,
        };
        certain.map(concern).collect()
    }

    /// Secrets that nothing limits, and of which some crowd nearly gives the value away, the worst first. Where all of a
    /// crowd have the same, that is said already.
    fn nearly_certain_values(&self) -> Option<Concern> {
        if self.job.person().is_some() || self.crowds.is_some() {
            return None;
        }
        let is_limited = |name: &str| {
            self.after.requirements.iter().any(|one| one.summary.column.as_deref() == Some(name))
        };
        let is_certain =
            |name: &str| self.guesses.iter().any(|guess| guess.column == name && guess.certain_crowds > 0);
        let shares = self.after.models.iter().filter(|found| found.model == "alpha-k");
        let shares = shares.filter_map(|found| Some((found.column.as_deref()?, found.degree?)));
        let mut columns: Vec<(String, f64)> = shares
            .filter(|(name, share)| *share > NEARLY_CERTAIN && !is_limited(name) && !is_certain(name))
            .map(|(name, share)| (name.to_owned(), share))
            .collect();
        columns.sort_by(|a, b| b.1.total_cmp(&a.1));
        (!columns.is_empty()).then_some(Concern::NearlyCertain { columns })
    }

    fn special_categories(&self) -> Option<Concern> {
        let is_changed = |column: &super::ColumnEvidence| {
            column.told.as_ref().is_some_and(|told| !told.coding.is_none() || told.shift.is_some())
        };
        let kept = self.columns.iter().filter(|column| column.role == Role::Other && !is_changed(column));
        let columns: Vec<(String, &'static str)> =
            kept.filter_map(|column| Some((column.name.clone(), special_category(&column.name)?))).collect();
        (!columns.is_empty()).then_some(Concern::Special { columns })
    }

    /// What the release's own columns show that were kept as they are.
    async fn kept_columns(&self, pair: &TablePair, progress: &dyn Progress) -> Result<Vec<Concern>> {
        let kept = |name: &String| {
            let is_kept = |role: Role| matches!(role, Role::Sensitive | Role::Target | Role::Other);
            self.columns.iter().any(|column| column.name == *name && is_kept(column.role))
        };
        let names = &pair.released_names;
        let places: Vec<usize> = (0..names.len()).filter(|&at| kept(&names[at])).collect();
        if places.is_empty() {
            return Ok(Vec::new());
        }
        let found = look_at_kept(&pair.released, &places, &[], progress).await?;
        let telling = Telling { names, found: &found };
        let k = self.job.privacy.largest_k();
        let extreme = telling.columns(|column| {
            let few = |(least, greatest): (u64, u64)| least < k || greatest < k;
            column.distinct >= MANY_NUMBERS && column.extreme_rows.is_some_and(few)
        });
        let unique = telling.columns(|one| one.known_rows >= FEW_ROWS && one.is_nearly_unique());
        let people: Vec<String> =
            found.columns.iter().filter(|one| one.is_personal).map(|one| names[one.at].clone()).collect();
        let (rows, columns) = found.unique_together;
        let is_together = columns > 1 && 2 * rows >= found.rows && found.rows >= FEW_ROWS;
        let mut concerns = Vec::new();
        concerns.extend((!people.is_empty()).then_some(Concern::People { columns: people }));
        concerns.extend(self.typed_text());
        concerns.extend((!unique.is_empty()).then_some(Concern::Unique { columns: unique }));
        concerns.extend(is_together.then_some(Concern::Together { rows, of: found.rows, columns }));
        concerns.extend((!extreme.is_empty()).then_some(Concern::Extremes { columns: extreme }));
        Ok(concerns)
    }

    fn typed_text(&self) -> Option<Concern> {
        let is_typed = |column: &&super::ColumnEvidence| {
            column.role != Role::Identifier && column.told.as_ref().is_some_and(|told| told.text.is_some())
        };
        let typed: Vec<&super::ColumnEvidence> = self.columns.iter().filter(is_typed).collect();
        let columns: Vec<String> = typed.iter().map(|column| column.name.clone()).collect();
        let mentions = typed.iter().map(|column| column.mentions).sum::<Option<u64>>();
        (!columns.is_empty()).then_some(Concern::Typed { columns, mentions })
    }
}

struct Telling<'a> {
    names: &'a [String],
    found: &'a KeptLook,
}

impl Telling<'_> {
    /// Columns of a table that is large enough, those of people left aside.
    fn columns(&self, is: impl Fn(&KeptColumn) -> bool) -> Vec<String> {
        let columns = self.found.columns.iter().filter(|_| self.found.rows >= FEW_ROWS);
        columns
            .filter(|column| !column.is_personal && is(column))
            .map(|column| self.names[column.at].clone())
            .collect()
    }
}

/// The order of the rows. What it is sorted by is looked for in the original, as the release may lack it.
async fn order(job: &Job, pair: &TablePair, progress: &dyn Progress) -> Result<Option<Concern>> {
    match job.output.order {
        RowOrder::Shuffle { seed } => Ok(seed.map(|_| Concern::Seed)),
        // Whoever has the rows can sort them alone.
        RowOrder::Sort => Ok(None),
        RowOrder::Keep => {
            let roles = &pair.prepared.roles;
            let ordered: Vec<usize> = roles.told_by_order().collect();
            let found = look_at_kept(&pair.original, &[], &ordered, progress).await?;
            let sorted_by = found.sorted.iter().map(|&at| pair.original.columns()[at].clone()).collect();
            Ok(Some(Concern::Order { sorted_by }))
        }
    }
}
