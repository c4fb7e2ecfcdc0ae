//! Names that were asked for, where the header of a file is only a guess.
//!
//! A first row that was taken for a header may be data. As long as nobody has named one of its
//! cells, none is shown.

use throng::wording::quoted_list;

use super::Source;
use crate::error::Result;
use crate::wording::{did_you_mean, nearest};

/// What to do where the first row is a header or data, and nothing tells.
const ASK: &str = "the first row could be column names or data, and nothing shows which: use --header or \
    --no-header (in a job: header = true or header = false in [csv]); if there are title lines above the header, skip \
    them with --skip LINES";

impl Source {
    /// Whether the file has names of columns that nobody but the sniffer says are names.
    pub fn names_are_guessed(&self) -> bool {
        self.names_are_guessed
    }

    /// Refuses a file of which nothing tells whether its first row names the columns.
    ///
    /// For those who take the names as they find them; who [names](Self::recognise) a column has told.
    ///
    /// # Errors
    /// If so; the message shows no cell.
    pub fn refuse_doubt(&self) -> Result<()> {
        if self.header_in_doubt { Err(self.bad(ASK)) } else { Ok(()) }
    }

    /// Refuses names none of which is that of a column, where these are a guess.
    ///
    /// # Errors
    /// If so; the message shows no column but one that is all but what was asked for.
    pub fn recognise(&self, asked: &[&str]) -> Result<()> {
        let is_column = |name: &str| self.columns.iter().any(|column| column == name);
        if !self.names_are_guessed || asked.is_empty() || asked.iter().any(|name| is_column(name)) {
            return Ok(());
        }
        let near = asked.iter().find_map(|name| self.spelled_like(name));
        let hint = near.map(did_you_mean);
        let problem =
            (format!("there is no column {}{}", quoted_list(asked), hint.unwrap_or_default()), self.doubt());
        Err(self.bad(problem).about_columns(asked.iter().copied()))
    }

    /// Where the names of the columns come from, and what to do about it.
    pub fn doubt(&self) -> String {
        let names = self.columns.len();
        format!(
            "the first row was taken for the column names ({names} of them): if it is data, use \
             --no-header; if it is the header, use --header to see them listed"
        )
    }

    /// The column of nearly this name: at most one letter in three is another.
    fn spelled_like(&self, name: &str) -> Option<&str> {
        let near = nearest(name, self.columns.iter().map(String::as_str))?;
        let distance = strsim::damerau_levenshtein(&name.to_lowercase(), &near.to_lowercase());
        (distance <= near.chars().count() / 3).then_some(near)
    }
}
