//! Quasi-identifiers as flags name them: `COLUMN[=HIERARCHY]`, one or several with commas between.

use super::hierarchy::HierarchySpec;

/// The quasi-identifiers of a flag one by one: `A,B=b.csv` are two.
///
/// Commas may also belong to the name of one of the table's `columns`, to a builder, or to the name
/// of a file: a comma ends a hierarchy only if a column of the table, or something with a hierarchy
/// of its own, comes next, and never takes from a builder what it can read.
///
/// ```
/// use throng_engine::job::split_quasi;
///
/// let columns = ["age", "born", "year"].map(str::to_owned);
/// let found = split_quasi("born=dates:month,year,age=intervals:5,10", &columns);
/// assert_eq!(found, ["born=dates:month,year", "age=intervals:5,10"]);
/// ```
pub fn split_quasi<'f>(flag: &'f str, columns: &[String]) -> Vec<&'f str> {
    let mut found = Vec::new();
    let mut rest = flag;
    while !rest.is_empty() {
        rest = rest.trim_start();
        let length = first_length(rest, columns);
        found.push(rest[..length].trim_end());
        rest = rest.get(length + 1..).unwrap_or_default();
    }
    found.retain(|quasi| !quasi.is_empty());
    found
}

/// The length of the first quasi-identifier, which ends before a comma or with the text.
fn first_length(text: &str, columns: &[String]) -> usize {
    let name = name_length(text, columns);
    if !text[name..].starts_with('=') {
        return name;
    }
    let ends: Vec<usize> = text
        .match_indices(',')
        .map(|(comma, _)| comma)
        .filter(|&comma| comma > name && starts_quasi(&text[comma + 1..], columns))
        .chain([text.len()])
        .collect();
    let is_built = |&&end: &&usize| is_builder(&text[name + 1..end]);
    *ends.iter().rev().find(is_built).unwrap_or(&ends[0])
}

/// The length of the longest column that the text starts with, else that up to a comma or `=`.
fn name_length(text: &str, columns: &[String]) -> usize {
    let known = columns.iter().filter(|column| is_name(text, column)).map(|column| column.len());
    known.max().unwrap_or_else(|| text.find([',', '=']).unwrap_or(text.len()))
}

/// Whether the text starts with the whole name.
fn is_name(text: &str, name: &str) -> bool {
    let rest = text.strip_prefix(name);
    !name.is_empty() && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([',', '=']))
}

fn starts_quasi(text: &str, columns: &[String]) -> bool {
    let text = text.trim_start();
    let first = text.split(',').next().unwrap_or_default();
    columns.iter().any(|column| is_name(text, column)) || first.find('=').is_some_and(|at| at > 0)
}

/// Whether the text is a builder that leaves nothing open; any text is the name of a file, or a format.
fn is_builder(text: &str) -> bool {
    let open = |spec: &HierarchySpec| {
        matches!(spec, HierarchySpec::File(_) | HierarchySpec::Range { format: Some(_) })
    };
    text.parse().is_ok_and(|spec| !open(&spec))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(flag: &str) -> Vec<&str> {
        let columns = ["age", "sex", "zip", "born", "month", "year", "a,b", "10"].map(str::to_owned);
        split_quasi(flag, &columns)
    }

    #[test]
    fn lists_are_split_at_their_commas() {
        assert_eq!(split("age"), ["age"]);
        assert_eq!(split("age,sex"), ["age", "sex"]);
        assert_eq!(split(" age, sex ,,"), ["age", "sex"]);
        assert_eq!(split("age=a.csv,sex=s.csv"), ["age=a.csv", "sex=s.csv"]);
        assert_eq!(split("age=a.csv, sex,zip=mask:right"), ["age=a.csv", "sex", "zip=mask:right"]);
        assert_eq!(split("zip=auto,sex=prefix,age=set:3"), ["zip=auto", "sex=prefix", "age=set:3"]);
        assert_eq!(split(""), [""; 0]);
    }

    #[test]
    fn misspelt_columns_do_not_become_parts_of_file_names() {
        assert_eq!(split("agee=a.csv,sxe=s.csv"), ["agee=a.csv", "sxe=s.csv"]);
        assert_eq!(split("agee,sxe"), ["agee", "sxe"]);
    }

    #[test]
    fn commas_of_builders_and_names_stay() {
        assert_eq!(split("age=intervals:5,10,20"), ["age=intervals:5,10,20"]);
        assert_eq!(split("born=dates:month,year"), ["born=dates:month,year"]);
        assert_eq!(split("born=dates:month,year,sex"), ["born=dates:month,year", "sex"]);
        assert_eq!(split("born=dates:month,year=y.csv"), ["born=dates:month", "year=y.csv"]);
        assert_eq!(split("born=range:%d %m, %Y,sex"), ["born=range:%d %m, %Y", "sex"]);
        assert_eq!(split("a,b"), ["a,b"]);
        assert_eq!(split("age, a,b=f.csv,sex"), ["age", "a,b=f.csv", "sex"]);
        assert_eq!(split("age=my, file.csv"), ["age=my, file.csv"]);
        // For the builder to complain about.
        assert_eq!(split("born=dates:month,yaer"), ["born=dates:month,yaer"]);
    }
}
