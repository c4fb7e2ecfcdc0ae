//! The report of a release: what a custodian shows to a data-protection officer.

mod accuracy;
mod asked;
mod associations;
mod columns;
mod drivers;
mod repeat;
mod risks;
mod shape;
mod verdict;

use super::html::{page, section};
use crate::evidence::Evidence;
use crate::plot::escape;

/// The report as the text of an HTML file. `command` is what made the release, if it is known.
pub fn report(evidence: &Evidence, command: Option<&str>) -> String {
    let name = evidence.job.output.path.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = name.unwrap_or_else(|| "release".to_owned());
    let parts = parts(evidence, command);
    let links: String = parts
        .iter()
        .map(|part| format!("<li><a href=\"#{}\">{}</a></li>\n", part.id, escape(part.title)))
        .collect();
    let body: String = parts.iter().map(|part| section(part.id, part.title, &part.body)).collect();
    let header = format!(
        "<header>\n<h1>Report of the release {}</h1>\n<p class=\"soft\">Made by throng {}. It shows no value that the release does not have; but it was made from the original, so keep it as safe as that.</p>\n{}<nav aria-label=\"Contents\"><ul>\n{links}</ul></nav>\n</header>\n",
        escape(&name),
        env!("CARGO_PKG_VERSION"),
        verdict::banner(evidence),
    );
    let footer = "<footer>k-anonymity and its relatives protect from being singled out by what others know. They do not protect from what is true of a whole class, from columns that were taken for harmless, or from other releases of the same people.</footer>";
    page(&format!("Report of the release {name}"), &format!("{header}<main>\n{body}</main>\n{footer}"), None)
}

struct Part {
    id: &'static str,
    title: &'static str,
    body: String,
}

fn parts(evidence: &Evidence, command: Option<&str>) -> Vec<Part> {
    let all = [
        ("asked", "What was asked and done", asked::body(evidence)),
        ("verdict", "The verdict", verdict::body(evidence)),
        ("risks", "Risks before and after", risks::body(evidence)),
        ("shape", "How the columns were generalised", shape::body(evidence)),
        ("columns", "Each column before and after", columns::body(evidence)),
        ("associations", "What goes together, before and after", associations::body(evidence)),
        ("drivers", "Why nothing better was possible", drivers::body(evidence)),
        ("accuracy", "What can be learned from it", accuracy::body(evidence)),
        ("repeat", "How to repeat it", repeat::body(evidence, command)),
    ];
    let shown = all.into_iter().filter(|(.., body)| !body.is_empty());
    shown.map(|(id, title, body)| Part { id, title, body }).collect()
}
