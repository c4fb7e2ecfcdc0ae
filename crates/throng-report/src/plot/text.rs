//! Text in pictures: how wide it is, and how it is spelled in XML.

use super::ink::SMALL;

/// About how wide a text is; rather too wide than too narrow, as fonts differ.
pub(crate) fn text_width(text: &str, size: f64) -> f64 {
    let width = |c: char| match c {
        '.' | ',' | 'i' | 'j' | 'l' | ' ' | '\'' | '|' | '(' | ')' => 0.36,
        'm' | 'w' | 'M' | 'W' | '%' | '@' | '—' | '…' => 0.95,
        c if c.is_uppercase() => 0.73,
        c if c as u32 >= 0x1100 => 1.05,
        _ => 0.6,
    };
    size * text.chars().map(width).sum::<f64>()
}

/// The size, at most `size`, at which a text fits a width.
pub(crate) fn fitting(text: &str, width: f64, size: f64) -> f64 {
    size.min(size * width / text_width(text, size).max(1.0)).max(6.0)
}

/// The text, cut short where it is wider than `width`.
pub(crate) fn clipped(text: &str, width: f64) -> String {
    if text_width(text, SMALL) <= width {
        return text.to_owned();
    }
    let mut short = String::new();
    for c in text.chars() {
        if text_width(&short, SMALL) + 2.0 * SMALL > width {
            break;
        }
        short.push(c);
    }
    short + "…"
}

/// Text as XML allows it.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            // These would turn the text around them.
            '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                escaped.push('\u{fffd}')
            }
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}
