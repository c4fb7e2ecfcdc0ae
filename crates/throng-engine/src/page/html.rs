//! The pieces that pages are made of.

use throng::wording::grouped;

use super::style::STYLE;
use crate::plot::escape;

/// A whole page. `script` is our own or nothing; nothing is ever loaded.
pub(super) fn page(title: &str, body: &str, script: Option<&str>) -> String {
    let allowed = if script.is_some() { "script-src 'unsafe-inline'; " } else { "" };
    let script = script.map(|script| format!("<script>{script}</script>\n")).unwrap_or_default();
    format!(
        r#"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; {allowed}style-src 'unsafe-inline'">
<title>{}</title>
<style>{STYLE}</style>
</head>
<body>
{body}
{script}</body>
</html>
"#,
        escape(title)
    )
}

/// A part with a title, which links can name.
pub(super) fn section(id: &str, title: &str, body: &str) -> String {
    format!("<section id=\"{id}\">\n<h2>{}</h2>\n{body}</section>\n", escape(title))
}

/// A paragraph of plain text.
pub(super) fn paragraph(text: &str) -> String {
    format!("<p>{}</p>\n", escape(text))
}

/// A remark that is less important.
pub(super) fn remark(text: &str) -> String {
    format!("<p class=\"soft\">{}</p>\n", escape(text))
}

/// A list of plain texts.
pub(super) fn list(items: &[String]) -> String {
    let items: String = items.iter().map(|item| format!("<li>{}</li>\n", escape(item))).collect();
    format!("<ul>\n{items}</ul>\n")
}

/// Lines of text as they are.
pub(super) fn lines(text: &str) -> String {
    let lines: Vec<String> = text.trim_end().lines().map(escape).collect();
    format!("<pre>{}</pre>\n", lines.join("\n"))
}

/// A cell of a table.
#[derive(Clone, Debug)]
pub(super) enum Cell {
    Text(String),
    Number(String),
    /// Whether something holds, in words.
    Verdict(Option<bool>),
    Hash(String),
}

impl Cell {
    pub(super) fn text(text: impl Into<String>) -> Cell {
        Cell::Text(text.into())
    }

    fn to_html(&self) -> String {
        match self {
            Cell::Text(text) => format!("<td>{}</td>", escape(text)),
            Cell::Number(number) => format!("<td class=\"number\">{}</td>", escape(number)),
            Cell::Verdict(Some(true)) => "<td class=\"good\">✓ holds</td>".to_owned(),
            Cell::Verdict(Some(false)) => "<td class=\"bad\">✗ does not hold</td>".to_owned(),
            Cell::Verdict(None) => "<td>not judged</td>".to_owned(),
            Cell::Hash(text) => format!("<td class=\"hash\">{}</td>", escape(text)),
        }
    }
}

/// A table; a head that ends in `#` is of numbers.
pub(super) fn table(head: &[&str], rows: &[Vec<Cell>]) -> String {
    table_of(head, &rows.iter().map(|cells| (String::new(), cells.clone())).collect::<Vec<_>>())
}

/// The same with attributes for each row.
pub(super) fn table_of(head: &[&str], rows: &[(String, Vec<Cell>)]) -> String {
    let head: String = head
        .iter()
        .map(|name| match name.strip_suffix('#') {
            Some(name) => format!("<th class=\"number\" scope=\"col\">{}</th>", escape(name)),
            None => format!("<th scope=\"col\">{}</th>", escape(name)),
        })
        .collect();
    let row = |(attributes, cells): &(String, Vec<Cell>)| {
        format!("<tr{attributes}>{}</tr>\n", cells.iter().map(Cell::to_html).collect::<String>())
    };
    let rows: String = rows.iter().map(row).collect();
    format!(
        "<div class=\"scroll\"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody></table></div>\n"
    )
}

/// A picture, what it shows, and its numbers behind it.
pub(super) fn figure(svg: &str, caption: &str, numbers: &str) -> String {
    let caption = if caption.is_empty() {
        String::new()
    } else {
        format!("<figcaption>{}</figcaption>", escape(caption))
    };
    format!(
        "<figure>{svg}{caption}</figure>\n<details class=\"screen\"><summary>The numbers</summary>\n{numbers}</details>\n"
    )
}

/// `1,234,567`.
pub(super) fn count(number: u64) -> String {
    grouped(number)
}

/// `1 row`, `1,234 rows`.
pub(super) fn rows(number: u64) -> String {
    format!("{} row{}", count(number), if number == 1 { "" } else { "s" })
}

/// `12.3 %`; small shares keep two digits.
pub(super) fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    match percent {
        0.0 => "0 %".to_owned(),
        p if p.abs() < 0.01 => "< 0.01 %".to_owned(),
        p if p.abs() < 1.0 => format!("{p:.2} %"),
        p => format!("{p:.1} %"),
    }
}

/// A number as people want to read it.
pub(super) fn decimal(number: f64) -> String {
    if number.fract() == 0.0 && number.abs() < 9e15 {
        let sign = if number < 0.0 { "−" } else { "" };
        return format!("{sign}{}", count(number.abs() as u64));
    }
    format!("{number:.4}")
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
            (percent(0.0), percent(0.00001), percent(0.0042), percent(0.5)),
            ("0 %".into(), "< 0.01 %".into(), "0.42 %".into(), "50.0 %".into())
        );
        assert_eq!(
            (decimal(3.0), decimal(-1200.0), decimal(0.12345)),
            ("3".into(), "−1,200".into(), "0.1235".into())
        );
        assert_eq!((rows(1), rows(2000)), ("1 row".into(), "2,000 rows".into()));
    }

    #[test]
    fn what_people_wrote_is_never_markup() {
        let made = [
            paragraph("<b>"),
            list(&["<i>".into()]),
            table(&["<u>#"], &[vec![Cell::text("<s>")]]),
            section("a", "<q>", ""),
        ];
        for tag in ["<b>", "<i>", "<u>", "<s>", "<q>"] {
            assert!(made.iter().all(|html| !html.contains(tag)), "{tag}");
        }
    }
}
