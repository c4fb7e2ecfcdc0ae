//! The style and the scripts of the page, which are parts of the program.

use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

/// By name: what it is, and its text.
pub(crate) const ALL: [(&str, &str, &str); 2] = [
    ("style.css", "text/css; charset=utf-8", include_str!("assets/style.css")),
    ("page.js", "text/javascript; charset=utf-8", include_str!("assets/page.js")),
];

pub(crate) async fn serve(Path(file): Path<String>) -> Response {
    match ALL.iter().find(|(name, ..)| *name == file) {
        Some((_, kind, text)) => {
            ([(header::CONTENT_TYPE, *kind), (header::CACHE_CONTROL, "no-cache")], *text).into_response()
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_light() {
        let bytes: usize = ALL.iter().map(|(.., text)| text.len()).sum();
        assert!(bytes < 100_000, "{bytes} bytes of style and scripts");
    }

    #[test]
    fn nothing_is_loaded_from_elsewhere() {
        for (name, _, text) in ALL {
            let links =
                text.match_indices("http").filter(|(at, _)| !text[*at..].starts_with("http://www.w3.org/"));
            assert_eq!(links.count(), 0, "{name}");
        }
    }
}
