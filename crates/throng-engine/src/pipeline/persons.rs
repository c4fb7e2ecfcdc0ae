//! Jobs that leave open whether a person may have several rows.

use throng::notion::Notion;
use throng::wording::{grouped, quoted};

use crate::error::{EngineError, Result};
use crate::job::Role;
use crate::plan::OpenJob;
use crate::profile::{Repeated, find_repeated};
use crate::progress::Progress;

/// Refuses a job that says nothing of persons though an identifier repeats: k rows of one person are no crowd.
///
/// # Errors
/// If it does so, or its table cannot be read.
pub(crate) async fn refuse_unsaid_persons(opened: &OpenJob, progress: &dyn Progress) -> Result<()> {
    if opened.job.says_persons() {
        return Ok(());
    }
    let identifiers = opened.roles.with_role(Role::Identifier).map(|(column, _)| column);
    match find_repeated(&opened.source, &identifiers.collect::<Vec<_>>(), progress).await? {
        Some(repeated) => Err(ask(opened, &repeated)),
        None => Ok(()),
    }
}

fn ask(opened: &OpenJob, repeated: &Repeated) -> EngineError {
    let name = quoted(&repeated.column);
    let values = match repeated.shared_values {
        1 => "1 value of it is".to_owned(),
        count => format!("{} values of it are", grouped(count)),
    };
    let persons = match opened.job.privacy.notion {
        Notion::K => format!(
            "if so, count persons with person = \"{}\" in [privacy] (--person {}); if each row belongs \
             to a different person, say person = \"none\" (--person none)",
            repeated.column, repeated.column
        ),
        _ => "if so, persons must be counted, which only works with notion = \"k\"; if each row belongs \
             to a different person, say person = \"none\" in [privacy] (--person none)"
            .to_owned(),
    };
    let problem = format!(
        "column {name} is an identifier, and {values} in several rows: are these of one person? k rows of one \
         person are no crowd; {persons}"
    );
    opened.source.bad(problem).about_column(&repeated.column)
}
