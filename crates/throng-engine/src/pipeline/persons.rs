//! Jobs that leave open whether a person may have several rows.

use throng::notion::Notion;
use throng::wording::{grouped, quoted};

use crate::encode::Observer;
use crate::error::{EngineError, Result};
use crate::input::source::Source;
use crate::job::Role;
use crate::plan::OpenJob;
use crate::profile::{IdentifierCounts, Repeated, most_telling};
use crate::progress::Progress;

/// The identifiers of a job that says nothing of persons, which are counted while its table is read.
pub(crate) struct Identifiers {
    columns: Vec<usize>,
    counts: IdentifierCounts,
}

impl Identifiers {
    /// Nothing if the job says whether a person may have several rows.
    pub(crate) fn from_job(opened: &OpenJob) -> Option<Identifiers> {
        if opened.job.says_persons() {
            return None;
        }
        let columns: Vec<usize> =
            opened.roles.with_role(Role::Identifier).map(|(column, _)| column).collect();
        let counts = IdentifierCounts::new(&opened.source, &columns);
        Some(Identifiers { columns, counts })
    }

    /// Who counts them.
    pub(crate) fn observer(&self) -> Observer {
        self.counts.observer()
    }

    /// Refuses the job if one of them repeats: k rows of one person are not a crowd. `source` is its table, as it was
    /// counted.
    ///
    /// # Errors
    /// If one does, or the table cannot be read.
    pub(crate) async fn refuse_repeated(
        &self,
        opened: &OpenJob,
        source: &Source,
        progress: &dyn Progress,
    ) -> Result<()> {
        match most_telling(source, &self.columns, &self.counts, progress).await? {
            Some(repeated) => Err(ask(opened, &repeated)),
            None => Ok(()),
        }
    }
}

fn ask(opened: &OpenJob, repeated: &Repeated) -> EngineError {
    let name = quoted(&repeated.column);
    let values = match repeated.shared_values {
        1 => "1 of its values is".to_owned(),
        count => format!("{} of its values are", grouped(count)),
    };
    let persons = match opened.job.privacy.notion {
        Notion::K => format!(
            "if so, count persons with person = \"{}\" in [privacy] (--person {}); if each row belongs to a \
                different person, set person = \"none\" (--person none)",
            repeated.column, repeated.column
        ),
        _ => "if so, persons must be counted, which only works with notion = \"k\"; if each row belongs to a different person, set person = \"none\" in [privacy] (--person none)"
            .to_owned(),
    };
    let problem = format!(
        "column {name} is an identifier, and {values} in several rows: do these rows belong to one person? \
         k rows of one person are not a crowd"
    );
    opened.source.bad((problem, persons)).about_column(&repeated.column)
}
