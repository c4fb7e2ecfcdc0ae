//! Flags that say how a text table is spelled.

use clap::Args;

use throng_engine::input::dialect::DialectOverrides;
use throng_engine::input::totals::Totals;

/// How the text of the input is read, where it should not be guessed.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Reading text")]
pub(crate) struct DialectArgs {
    /// The character between cells ('\t' or 'tab' for a tab)
    #[arg(long, value_name = "CHAR", value_parser = read_character)]
    delimiter: Option<char>,

    /// The character around cells that hold delimiters
    #[arg(long, value_name = "CHAR", value_parser = read_character)]
    quote: Option<char>,

    /// The first row names the columns
    #[arg(long, conflicts_with = "no_header")]
    header: bool,

    /// The first row is data; the columns are called column_1, column_2, …
    #[arg(long)]
    no_header: bool,

    /// The decimal mark: '.' or ','
    #[arg(long, value_name = "CHAR", value_parser = read_character)]
    decimal: Option<char>,

    /// The encoding of the text, such as windows-1252 or utf-16le
    #[arg(long, value_name = "NAME")]
    encoding: Option<String>,

    /// The sheet of a workbook: its name, or its number from 1
    #[arg(long, value_name = "SHEET")]
    sheet: Option<String>,

    /// How many title lines above the header to skip
    #[arg(long, value_name = "LINES")]
    skip: Option<u32>,

    /// Rows at the end that look like totals: leave them out, or keep them as records
    #[arg(long, value_name = "drop|keep")]
    totals: Option<Totals>,
}

impl DialectArgs {
    /// The same for the engine; what no flag says is guessed.
    pub(crate) fn overrides(&self) -> DialectOverrides {
        let header = match (self.header, self.no_header) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        };
        let &DialectArgs { delimiter, quote, decimal, skip, totals, .. } = self;
        let (encoding, sheet) = (self.encoding.clone(), self.sheet.clone());
        let others = DialectOverrides::default();
        DialectOverrides { delimiter, quote, header, decimal, encoding, sheet, skip, totals, ..others }
    }
}

fn read_character(text: &str) -> Result<char, String> {
    let mut characters = text.chars();
    match (text, characters.next(), characters.next()) {
        ("\\t" | "tab", ..) => Ok('\t'),
        (_, Some(character), None) => Ok(character),
        _ => Err("must be one character".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tab_can_be_spelled() {
        assert_eq!(read_character("\\t"), Ok('\t'));
        assert_eq!(read_character("tab"), Ok('\t'));
        assert_eq!(read_character(";"), Ok(';'));
        assert!(read_character("").is_err());
        assert!(read_character("::").is_err());
    }

    #[test]
    fn only_what_is_said_is_overridden() {
        assert_eq!(DialectArgs::default().overrides(), DialectOverrides::default());
        let args = DialectArgs { no_header: true, ..DialectArgs::default() };
        assert_eq!(args.overrides().header, Some(false));
    }
}
