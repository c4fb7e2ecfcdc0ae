//! Top- and bottom-coding of tuples that were counted: values beyond a bound become one.

use throng::taxonomy::Coding;

use crate::encode::Encoded;

impl Encoded {
    /// The same rows where numbers beyond the bounds of each column's coding are its labels. Tuples stay distinct
    /// and sorted.
    pub(crate) fn with_codings(mut self, codings: &[Option<Coding>]) -> Encoded {
        let mut any = false;
        for (column, coding) in codings.iter().enumerate() {
            let Some(coding) = coding else { continue };
            let (dictionary, codes) = self.dictionaries[column].with_coding(coding.clone());
            self.dictionaries[column] = dictionary;
            self.columns[column].iter_mut().for_each(|code| *code = codes[*code as usize]);
            any = true;
        }
        if any { self.unite_equal() } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dictionary::of_values as dictionary;

    #[test]
    fn tuples_that_become_equal_are_one() {
        let encoded = Encoded {
            dictionaries: vec![dictionary(&["42", "90", "95"]), dictionary(&["x", "y"])],
            columns: vec![vec![0, 1, 1, 2], vec![0, 0, 1, 0]],
            weights: vec![4, 1, 2, 3],
            rows: 10,
        };
        let coded = encoded.with_codings(&[Coding::new(None, Some(90.0)), None]);
        assert_eq!(coded.dictionaries[0].values().collect::<Vec<_>>(), ["42", "90+"]);
        assert_eq!((coded.columns, coded.weights), (vec![vec![0, 1, 1], vec![0, 0, 1]], vec![4, 4, 2]));
        assert_eq!(coded.rows, 10);
    }
}
