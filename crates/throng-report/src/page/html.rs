//! The pieces that pages are made of.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use throng::wording::grouped;

use super::style::STYLE;
use throng_engine::output::sink::PAGE_MARK;

/// A whole page. `script` is our own or nothing; nothing is ever loaded.
pub(super) fn page(title: &str, body: &Markup, script: Option<&str>) -> String {
    let allowed = if script.is_some() { "script-src 'unsafe-inline'; " } else { "" };
    let policy = format!("default-src 'none'; {allowed}style-src 'unsafe-inline'");
    let page = html! {
        (DOCTYPE) "\n"
        html lang="en" {
            head {
                meta charset="utf-8"; "\n"
                (PreEscaped(PAGE_MARK)) "\n"
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(policy);
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            "\n"
            body {
                "\n" (body)
                @if let Some(script) = script { script { (PreEscaped(script)) } }
            }
        }
        "\n"
    };
    legible(&page.into_string())
}

/// The text without characters that would turn the text around them, or that no page may have.
fn legible(text: &str) -> String {
    let legible = |c: char| match c {
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        '\n' => c,
        c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => ' ',
        c => c,
    };
    text.chars().map(legible).collect()
}

/// A picture, what it shows, and its numbers behind it.
pub(super) fn figure(svg: String, caption: &str, numbers: &Markup) -> Markup {
    html! {
        figure {
            (PreEscaped(svg))
            @if !caption.is_empty() { figcaption { (caption) } }
        }
        details.screen { summary { "The numbers" } (numbers) }
        "\n"
    }
}

/// A table of plain cells; a head that ends in `#` is of numbers.
pub(super) fn table(head: &[&str], rows: &[Vec<String>]) -> Markup {
    let is_number = |at: usize| head.get(at).is_some_and(|name| name.ends_with('#'));
    html! {
        div.scroll { table {
            thead { tr { @for name in head {
                th scope="col" .n[name.ends_with('#')] { (name.trim_end_matches('#')) }
            } } }
            tbody { @for row in rows {
                tr { @for (at, cell) in row.iter().enumerate() { td.n[is_number(at)] { (cell) } } } "\n"
            } }
        } }
        "\n"
    }
}

/// Names of columns.
pub(super) fn names<'n>(names: impl IntoIterator<Item = &'n str>) -> Markup {
    html! { @for (at, name) in names.into_iter().enumerate() { @if at > 0 { ", " } code { (name) } } }
}

/// The first of many names, and how many more there are.
pub(super) fn first_names(all: &[&str], most: usize) -> Markup {
    html! {
        @if all.len() > most + 1 {
            (names(all[..most].iter().copied())) " and " (count((all.len() - most) as u64)) " more"
        } @else {
            (names(all.iter().copied()))
        }
    }
}

/// `1,234,567`.
pub(super) fn count(number: u64) -> String {
    grouped(number)
}

/// `1 row`, `1,234 rows`.
pub(super) fn rows(number: u64) -> String {
    many(number, "row")
}

/// `1 crowd`, `1,234 crowds`.
pub(super) fn many(number: u64, what: &str) -> String {
    format!("{} {what}{}", count(number), if number == 1 { "" } else { "s" })
}

/// `12.3 %`; small shares keep two digits.
pub(super) fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    match percent {
        0.0 => "0 %".to_owned(),
        p if p.abs() < 0.01 => "< 0.01 %".to_owned(),
        p if p.abs() < 1.0 => format!("{p:.2} %"),
        // Only all is 100 %.
        p if (p - p.round()).abs() < 0.05 && (p.round() < 100.0 || p == 100.0) => format!("{p:.0} %"),
        p => format!("{:.1} %", if p < 100.0 { p.min(99.9) } else { p }),
    }
}

/// `12 %`, for texts: no share that is more than nothing is 0 %, and none that is less than all is 100 %.
pub(super) fn about(share: f64) -> String {
    match 100.0 * share {
        p if p <= 0.0 => "0 %".to_owned(),
        p if p < 1.0 => "under 1 %".to_owned(),
        p if p > 99.5 && p < 99.9999 => "over 99 %".to_owned(),
        p => format!("{p:.0} %"),
    }
}

/// `1 in 5`, for the chance to be right; a share where that is more likely than not.
pub(super) fn one_in(chance: f64) -> String {
    let crowd = 1.0 / chance.max(f64::MIN_POSITIVE);
    match chance {
        all if all > 0.9999 => "certain".to_owned(),
        more if more > 0.5 => about(more),
        _ if (crowd - crowd.round()).abs() < 0.05 || crowd >= 10.0 => {
            format!("1 in {}", count(crowd.round() as u64))
        }
        _ => format!("1 in {crowd:.1}"),
    }
}

/// A number as people want to read it.
pub(super) fn decimal(number: f64) -> String {
    if number.fract() == 0.0 && number.abs() < 9e15 {
        let sign = if number < 0.0 { "−" } else { "" };
        return format!("{sign}{}", count(number.abs() as u64));
    }
    format!("{}", (number * 1e4).round() / 1e4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_spelled_for_people() {
        assert_eq!(
            (count(0), count(999), count(1000), count(1234567)),
            ("0".into(), "999".into(), "1,000".into(), "1,234,567".into())
        );
        assert_eq!(
            (percent(0.0), percent(0.00001), percent(0.0042), percent(0.5), percent(0.123), percent(0.9999)),
            (
                "0 %".into(),
                "< 0.01 %".into(),
                "0.42 %".into(),
                "50 %".into(),
                "12.3 %".into(),
                "99.9 %".into()
            )
        );
        assert_eq!(
            (about(0.0), about(0.001), about(0.5), about(0.9999), about(1.0)),
            ("0 %".into(), "under 1 %".into(), "50 %".into(), "over 99 %".into(), "100 %".into())
        );
        assert_eq!(
            (decimal(3.0), decimal(-1200.0), decimal(0.12345)),
            ("3".into(), "−1,200".into(), "0.1235".into())
        );
        assert_eq!((rows(1), rows(2000)), ("1 row".into(), "2,000 rows".into()));
        assert_eq!(
            (one_in(0.2), one_in(0.3), one_in(0.013), one_in(0.988), one_in(1.0)),
            ("1 in 5".into(), "1 in 3.3".into(), "1 in 77".into(), "99 %".into(), "certain".into())
        );
    }

    #[test]
    fn what_people_wrote_is_never_markup() {
        let body = html! {
            (names(["<b>"])) (table(&["<u>#"], &[vec!["<s>".into()]])) (figure(String::new(), "<i>", &html! {}))
            p title="\"><q>" { "\u{202e}\u{7}" }
        };
        let page = page("<a>", &body, None);
        for tag in ["<b>", "<i>", "<u>", "<s>", "<q>", "<a>", "\u{202e}", "\u{7}"] {
            assert!(!page.contains(tag), "{tag}");
        }
    }
}
