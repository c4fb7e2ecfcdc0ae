//! The report of a release: a page for whoever decides, and the evidence behind it.

mod banner;
mod columns;
mod costs;
mod first;
mod learned;
mod links;
mod models;
mod repeat;
mod risks;
mod roles;
mod values;
mod words;

use maud::{Markup, html};

use super::html::page;
use crate::evidence::Evidence;

/// The report as the text of an HTML file. `command` is what made the release, if it is known.
pub fn report(evidence: &Evidence, command: Option<&str>) -> String {
    let name = words::file_name(evidence);
    let parts = parts(evidence, command);
    let body = html! {
        main.p1 { div.sheet { (first::page(evidence)) } }
        "\n"
        div.page { div.sheet {
            p.kick { b { "Evidence" } span { (name) } }
            @for (at, part) in parts.iter().enumerate() {
                section id=(part.id) { h2 { (at + 1) ". " (part.title) } (part.body) }
                "\n"
            }
        } }
    };
    page(&format!("Report on the release {name}"), &body, None)
}

/// The verdict alone and what needs judgement, as a part of another page.
pub fn banner(evidence: &Evidence) -> String {
    banner::body(evidence).into_string()
}

struct Part {
    id: &'static str,
    title: &'static str,
    body: Markup,
}

fn parts(evidence: &Evidence, command: Option<&str>) -> Vec<Part> {
    let all = [
        ("columns", "What is left of each column", Some(columns::body(evidence))),
        ("risks", "Risk before and after", Some(risks::body(evidence))),
        ("values", "Values before and after", values::body(evidence)),
        ("links", "Links between columns", links::body(evidence)),
        ("costs", costs::title(evidence), costs::body(evidence)),
        ("learned", "What can be learned from it", learned::body(evidence)),
        ("decided", "Who decided about each column, and why", Some(roles::all(evidence))),
        ("repeat", "Where it comes from, and how to repeat it", Some(repeat::body(evidence, command))),
    ];
    let shown = all.into_iter().filter_map(|(id, title, body)| Some(Part { id, title, body: body? }));
    shown.collect()
}
