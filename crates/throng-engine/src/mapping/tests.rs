use std::collections::HashMap;
use std::fs;

use throng::loss;
use throng::taxonomy::ANY;

use super::*;
use crate::job::Job;
use crate::pipeline::{self, judge, search};
use crate::plan::OpenJob;
use crate::progress::Quiet;

const TABLE: &str = "\
age,town,pay,note
31,Bonn,10,a
31,Bonn,10,b
31,Bonn,10,c
33,Bonn,20,d
33,,20,e
38,,99,f
38,Köln,120,g
41,Köln,200,h
41,Ulm,20,i
";
const TOWNS: &str = "Bonn;west;*\nKöln;west;*\n";
const COLUMNS: &str = r#"
age  = { role = "quasi", hierarchy = { intervals = [5, 10] } }
town = { role = "quasi", hierarchy = "towns.csv", unknown = "top" }
pay  = { role = "quasi", generalise = { range = true, top = 99 } }
note = { role = "other", text = "keep" }
"#;

/// The rows of the table as joins with the mapping make them, and those that `anonymize` writes; both sorted.
async fn both(algorithm: &str, suppressed: &str, columns: &str) -> (Vec<String>, Vec<String>) {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("in.csv"), TABLE).unwrap();
    fs::write(dir.path().join("towns.csv"), TOWNS).unwrap();
    let text = format!(
        "input = \"in.csv\"\noutput = {{ path = \"out.csv\", suppressed = \"{suppressed}\" }}\n[columns]\n{columns}\n[privacy]\nk = 2\nsuppression = 0.4\n\
         [search]\nalgorithm = \"{algorithm}\"\n"
    );
    let job = Job::parse(&text, dir.path()).unwrap();
    let summary = pipeline::anonymize(&job, &Quiet).await.unwrap();
    let written = fs::read_to_string(dir.path().join("out.csv")).unwrap();
    let mut written: Vec<String> = written.lines().skip(1).map(str::to_owned).collect();
    written.sort();

    let prepared = EncodedTable::read(&OpenJob::new(&job).unwrap(), &Quiet).await.unwrap();
    let most = job.privacy.suppression.max_rows(prepared.rows());
    let (entry, _) = pipeline::validate(&job).unwrap();
    let problem = prepared.problem(2, most, loss::find(&job.search.measure).unwrap()).unwrap();
    let solution = search(&problem, entry, None, &Quiet).unwrap();
    let judged = judge(&problem, solution.outcome.recoding().unwrap(), &Quiet).unwrap();
    let fate = if summary.masked_rows > 0 { SuppressedRows::Mask } else { SuppressedRows::Drop };
    let mut joined = join(&Mapping::from_release(&prepared, &judged.release, fate));
    joined.sort();
    (joined, written)
}

fn join(mapping: &Mapping) -> Vec<String> {
    let mut seen: HashMap<Vec<u32>, u32> = HashMap::new();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        let code = |column: &MappedColumn| {
            let originals = &column.originals;
            originals.iter().find(|one| one.text == cells[column.column]).expect("every text is there").code
        };
        let codes: Vec<u32> = mapping.columns.iter().map(code).collect();
        let number = seen.entry(codes.clone()).or_default();
        *number += 1;
        let (labels, is_suppressed) = match &mapping.way {
            RowRule::Values { suppressed } => (codes.clone(), suppressed.contains(&codes)),
            RowRule::Tuples(parts) => {
                let is_part = |part: &usize| {
                    let rows = parts.first_rows[*part]..parts.first_rows[*part] + parts.rows[*part];
                    parts.codes.iter().map(|of| of[*part]).eq(codes.iter().copied()) && rows.contains(number)
                };
                let part = (0..parts.len()).find(is_part).expect("every row is in a part");
                (parts.labels.iter().map(|of| of[part]).collect(), parts.suppressed[part])
            }
        };
        let text = |(label, column): (&u32, &MappedColumn)| match is_suppressed {
            true => ANY.to_owned(),
            false => column.labels[*label as usize].clone().unwrap_or_default(),
        };
        let labels: Vec<String> = labels.iter().zip(&mapping.columns).map(text).collect();
        (!is_suppressed || mapping.masks).then(|| [&labels[..], &[cells[3].to_owned()]].concat().join(","))
    };
    TABLE.lines().skip(1).filter_map(row).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn joins_make_the_rows_that_are_written() {
    for algorithm in ["flash", "cut-search", "mondrian", "agglomerative"] {
        for suppressed in ["drop", "mask"] {
            let (joined, written) = both(algorithm, suppressed, COLUMNS).await;
            assert_eq!(joined, written, "{algorithm} {suppressed}");
        }
    }
}

/// Which rows of a tuple are in which part is drawn, so what tells them apart is left out here.
#[tokio::test(flavor = "multi_thread")]
async fn tuples_in_parts_have_their_rows() {
    let columns = COLUMNS.replace("role = \"other\", text = \"keep\"", "role = \"identifier\"");
    let cut = |rows: Vec<String>| -> Vec<String> {
        let mut rows: Vec<String> =
            rows.iter().map(|row| row.rsplit_once(',').unwrap().0.to_owned()).collect();
        rows.sort();
        rows
    };
    let (joined, mut written) = both("sequential", "drop", &columns).await;
    written.sort();
    assert_eq!(cut(joined), written);
}
