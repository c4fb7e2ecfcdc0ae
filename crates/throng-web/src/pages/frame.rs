//! What is around every page, and the pages for those who may not come in or whose request failed.

use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};
use maud::{DOCTYPE, Markup, html};
use throng_engine::error::ErrorKind;

use crate::failure::Failure;
use crate::session::Visitor;
use crate::words as w;

use super::parts;

/// A whole page.
#[derive(Debug)]
pub(crate) struct Page(Markup);

impl IntoResponse for Page {
    fn into_response(self) -> Response {
        Html(self.0.into_string()).into_response()
    }
}

/// What is around a page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame<'a> {
    pub(crate) title: &'a str,
    /// The table that the page is about.
    pub(crate) name: Option<&'a str>,
    /// The step of the way, from 0, and the draft whose steps these are.
    pub(crate) step: Option<(usize, Option<&'a str>)>,
    /// Who sees it, where it has a switch for original cells.
    pub(crate) switch: Option<&'a Visitor>,
}

impl Frame<'_> {
    /// The page around its content, with what comes next at the bottom.
    pub(crate) fn around(&self, content: &Markup, go: Option<&Markup>) -> Page {
        Page(html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    title { (self.title) " – " (w::BRAND) }
                    link rel="stylesheet" href="/assets/style.css";
                    link rel="icon" href="data:,";
                    script type="module" src="/assets/page.js" {}
                }
                body {
                    a.skip href="#content" { (w::SKIP) }
                    header.top { div.wrap {
                        a.brand href="/" { (w::BRAND) }
                        @if let Some(name) = self.name { span.file { (name) } }
                        span.stays { (w::STAYS) }
                    } }
                    (self.steps())
                    main.wrap id="content" {
                        @if let Some(visitor) = self.switch { (switch(visitor)) }
                        (content)
                    }
                    @if let Some(go) = go { div.go { div.wrap { (go) } } }
                    p.sr id="said" role="status" aria-live="polite" data-saved=(w::SAVED) data-unsaved=(w::NOT_SAVED) {}
                }
            }
        })
    }

    fn steps(&self) -> Markup {
        const PLACES: [&str; 4] = ["table", "columns", "detail", "safety"];
        let Some((step, draft)) = self.step else { return html! {} };
        html! {
            nav.steps aria-label=(w::STEPS) { ol {
                @for (at, name) in w::STEP_NAMES.iter().enumerate() {
                    li.done[at < step] {
                        @let number = html! { span aria-hidden="true" { (at + 1) "\u{2002}" } };
                        @match (draft, PLACES.get(at)) {
                            (Some(draft), Some(place)) => a href={ "/drafts/" (draft) "/" (place) } aria-current=[(at == step).then_some("step")] {
                                (number) (name)
                            },
                            _ => span.step aria-current=[(at == step).then_some("step")] { (number) (name) },
                        }
                    }
                }
            } }
        }
    }
}

/// The switch for cells of the original.
fn switch(visitor: &Visitor) -> Markup {
    let shows = visitor.session.shows_originals;
    html! {
        form.originals.shown[shows] method="post" action="/originals" {
            p.small { @if shows { (w::ORIGINALS_SHOWN) } @else { (w::ORIGINALS_HIDDEN) } }
            input type="hidden" name="show" value=(if shows { "no" } else { "yes" });
            button.btn.quiet type="submit" id="originals" { @if shows { (w::COVER_ORIGINALS) } @else { (w::SHOW_ORIGINALS) } }
        }
    }
}

/// Asks for the password.
pub(crate) fn enter(token: &str, is_wrong: bool) -> Page {
    let content = html! {
        h1 { (w::ENTER) }
        p.lede { (w::ENTER_WHY) }
        @if is_wrong { p.flag role="alert" { (w::WRONG_PASSWORD) } }
        form.card.narrow method="post" action="/enter" {
            input type="hidden" name="token" value=(token);
            label for="password" { (w::PASSWORD) }
            input.text type="password" id="password" name="password" autocomplete="current-password" required autofocus;
            button.btn.main type="submit" { (w::ENTER_BUTTON) }
        }
    };
    alone(w::ENTER, &content)
}

fn alone(title: &str, content: &Markup) -> Page {
    Frame { title, name: None, step: None, switch: None }.around(content, None)
}

pub(crate) fn locked() -> Page {
    alone(w::LOCKED, &html! { h1 { (w::LOCKED) } p.lede { (w::LOCKED_WHY) } })
}

pub(crate) fn nothing_here() -> Page {
    let content = html! {
        h1 { (w::NOTHING_HERE) }
        p.lede { (w::NOTHING_HERE_WHY) }
        p { a.btn.main href="/" { (w::TO_START) } }
    };
    alone(w::NOTHING_HERE, &content)
}

fn failed(failure: &Failure) -> Page {
    let content = html! {
        h1 { (w::FAILED) }
        (parts::failure(failure))
        p.gap { a.btn.main href="/" { (w::TO_START) } }
    };
    alone(w::FAILED, &content)
}

/// Whatever fails has the same page, so that failures themselves know no page.
impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let status = match self.kind {
            ErrorKind::BadInput | ErrorKind::Unverified => StatusCode::UNPROCESSABLE_ENTITY,
            ErrorKind::NotFound => StatusCode::NOT_FOUND,
            ErrorKind::Interrupted => StatusCode::CONFLICT,
            ErrorKind::Io | ErrorKind::Memory | ErrorKind::Data => StatusCode::INTERNAL_SERVER_ERROR,
        };
        (status, failed(&self)).into_response()
    }
}
