//! The text of a picture, from its first tag to its last.

use std::fmt::{Arguments, Write};

use super::ink::{Ink, SMALL};
use super::text::escape;
use throng_engine::output::sink::PLOT_MARK;

pub(super) struct Svg {
    text: String,
}

impl Svg {
    /// A picture of a size, with a title for those who cannot see it.
    pub(super) fn start(width: f64, height: f64, title: &str, ink: Ink) -> Svg {
        let mut svg = Svg { text: String::new() };
        let (title, letters) = (escape(title), ink.text);
        svg.put(format_args!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0} {height:.0}" width="{width:.0}" height="{height:.0}" role="img" font-family="Helvetica, Arial, 'DejaVu Sans', sans-serif" font-size="{SMALL}" fill="{letters}">"#
        ));
        svg.put(format_args!("<title>{title}</title>"));
        // A picture in a page has no paper of its own.
        if let Some(paper) = ink.paper {
            svg.put(format_args!("{PLOT_MARK}"));
            svg.put(format_args!(r#"<rect width="100%" height="100%" fill="{paper}"/>"#));
        }
        svg
    }

    pub(super) fn put(&mut self, piece: Arguments<'_>) {
        self.text.write_fmt(piece).expect("writing to a string succeeds");
        self.text.push('\n');
    }

    pub(super) fn finish(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }
}
