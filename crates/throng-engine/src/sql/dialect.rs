//! How engines spell SQL.

use std::str::FromStr;

use crate::error::{EngineError, Result};
use crate::wording::unknown;

/// The SQL of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SqlDialect {
    /// PostgreSQL.
    Postgres,
    /// DuckDB.
    Duckdb,
    /// Apache Spark.
    Spark,
    /// Google BigQuery.
    Bigquery,
    /// Snowflake.
    Snowflake,
    /// The standard, for what is none of these.
    Ansi,
}

impl SqlDialect {
    /// All of them.
    pub const ALL: [SqlDialect; 6] = [
        SqlDialect::Postgres,
        SqlDialect::Duckdb,
        SqlDialect::Spark,
        SqlDialect::Bigquery,
        SqlDialect::Snowflake,
        SqlDialect::Ansi,
    ];

    /// The name in flags.
    pub fn name(self) -> &'static str {
        match self {
            SqlDialect::Postgres => "postgres",
            SqlDialect::Duckdb => "duckdb",
            SqlDialect::Spark => "spark",
            SqlDialect::Bigquery => "bigquery",
            SqlDialect::Snowflake => "snowflake",
            SqlDialect::Ansi => "ansi",
        }
    }

    /// The name for people.
    pub fn title(self) -> &'static str {
        match self {
            SqlDialect::Postgres => "PostgreSQL",
            SqlDialect::Duckdb => "DuckDB",
            SqlDialect::Spark => "Spark",
            SqlDialect::Bigquery => "BigQuery",
            SqlDialect::Snowflake => "Snowflake",
            SqlDialect::Ansi => "the standard",
        }
    }

    /// The names of those that can draw numbers.
    pub(super) fn drawing() -> Vec<&'static str> {
        let drawing = SqlDialect::ALL.into_iter().filter(|dialect| dialect.random().is_some());
        drawing.map(SqlDialect::name).collect()
    }

    /// A name of a table or column.
    pub(super) fn quote_name(self, name: &str) -> String {
        match self {
            SqlDialect::Spark => format!("`{}`", name.replace('`', "``")),
            SqlDialect::Bigquery => format!("`{}`", name.replace('\\', "\\\\").replace('`', "\\`")),
            _ => format!("\"{}\"", name.replace('"', "\"\"")),
        }
    }

    /// A text.
    pub(super) fn quote_text(self, text: &str) -> String {
        match self {
            SqlDialect::Duckdb | SqlDialect::Ansi => format!("'{}'", text.replace('\'', "''")),
            // By itself a backslash means what a setting of the server says.
            SqlDialect::Postgres if text.contains('\\') => {
                format!("E'{}'", text.replace('\\', "\\\\").replace('\'', "''"))
            }
            SqlDialect::Postgres => format!("'{}'", text.replace('\'', "''")),
            SqlDialect::Spark | SqlDialect::Bigquery | SqlDialect::Snowflake => {
                let mut quoted = String::with_capacity(text.len() + 2);
                quoted.push('\'');
                text.chars().for_each(|c| self.escape(c, &mut quoted));
                quoted.push('\'');
                quoted
            }
        }
    }

    fn escape(self, c: char, quoted: &mut String) {
        match c {
            '\\' => quoted.push_str("\\\\"),
            '\'' => quoted.push_str("\\'"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            // Spark puts the values of variables into texts, too.
            '$' if self == SqlDialect::Spark => quoted.push_str("\\u0024"),
            other => quoted.push(other),
        }
    }

    /// The type of texts of so many characters.
    pub(super) fn text_type(self, characters: usize) -> String {
        match self {
            SqlDialect::Postgres => "text".to_owned(),
            SqlDialect::Duckdb | SqlDialect::Snowflake => "VARCHAR".to_owned(),
            SqlDialect::Spark | SqlDialect::Bigquery => "STRING".to_owned(),
            SqlDialect::Ansi => format!("VARCHAR({characters})"),
        }
    }

    /// The type of numbers of 64 bits.
    pub(super) fn number_type(self) -> &'static str {
        if self == SqlDialect::Bigquery { "INT64" } else { "BIGINT" }
    }

    /// A number that is drawn for each row.
    pub(super) fn random(self) -> Option<&'static str> {
        match self {
            SqlDialect::Postgres | SqlDialect::Duckdb | SqlDialect::Snowflake => Some("random()"),
            SqlDialect::Spark | SqlDialect::Bigquery => Some("rand()"),
            SqlDialect::Ansi => None,
        }
    }

    /// What makes a table one that nobody else sees.
    pub(super) fn temporary(self) -> Option<&'static str> {
        match self {
            SqlDialect::Postgres | SqlDialect::Duckdb | SqlDialect::Bigquery => Some("TEMP"),
            SqlDialect::Snowflake => Some("TEMPORARY"),
            SqlDialect::Spark | SqlDialect::Ansi => None,
        }
    }
}

impl FromStr for SqlDialect {
    type Err = EngineError;

    fn from_str(name: &str) -> Result<SqlDialect> {
        let found = SqlDialect::ALL.into_iter().find(|dialect| dialect.name() == name);
        found
            .ok_or_else(|| EngineError::bad(unknown("dialect", name, &SqlDialect::ALL.map(SqlDialect::name))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_quoted_as_each_engine_reads_them() {
        let text = "O'Brien \\ \"a\"\n$x";
        let quoted = |dialect: SqlDialect| dialect.quote_text(text);
        assert_eq!(quoted(SqlDialect::Postgres), "E'O''Brien \\\\ \"a\"\n$x'");
        assert_eq!(quoted(SqlDialect::Duckdb), "'O''Brien \\ \"a\"\n$x'");
        assert_eq!(quoted(SqlDialect::Ansi), quoted(SqlDialect::Duckdb));
        assert_eq!(quoted(SqlDialect::Bigquery), "'O\\'Brien \\\\ \"a\"\\n$x'");
        assert_eq!(quoted(SqlDialect::Snowflake), quoted(SqlDialect::Bigquery));
        assert_eq!(quoted(SqlDialect::Spark), "'O\\'Brien \\\\ \"a\"\\n\\u0024x'");
        assert_eq!(SqlDialect::Postgres.quote_text("it's"), "'it''s'");
    }

    #[test]
    fn names_are_quoted_too() {
        assert_eq!(SqlDialect::Postgres.quote_name("a\"b`c"), "\"a\"\"b`c\"");
        assert_eq!(SqlDialect::Spark.quote_name("a\"b`c"), "`a\"b``c`");
        assert_eq!(SqlDialect::Bigquery.quote_name("a\\b`c"), "`a\\\\b\\`c`");
    }
}
