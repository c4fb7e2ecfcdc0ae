//! `throng report` and `throng anonymize --report`: a page for those who must answer for a release.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::browser::Shown;
use crate::sandbox::Sandbox;

/// People whose cells can be told from all other text: `town-17`, `illness-3`. The first is like nobody else.
fn people() -> String {
    let mut text = "id,town,sex,illness,note\n".to_owned();
    for row in 0..120_u32 {
        let town = if row == 0 { 99 } else { row * 7 % 12 };
        let illness = if row == 0 { 77 } else { row % 5 };
        let note = if row == 0 { 55 } else { row % 3 };
        writeln!(text, "ident-{row},town-{town},sex-{},illness-{illness},note-{note}", row % 2).unwrap();
    }
    text
}

fn towns() -> String {
    let town = |town: u32| format!("town-{town};region-{};land-{};*\n", town / 3, town / 6);
    (0..12).chain([99]).map(town).collect()
}

const JOB: &str = "\
input = 'people.csv'
output = 'release.csv'
[columns]
id = { role = 'identifier' }
town = { role = 'quasi', hierarchy = 'towns.csv' }
sex = { role = 'quasi' }
illness = { role = 'sensitive', order = ['illness-0', 'illness-1', 'illness-2', 'illness-3', 'illness-4', 'illness-77'] }
note = { role = 'other' }
[privacy]
k = 15
suppression = 0.1
[[privacy.require]]
model = 'distinct-l'
l = 2
column = 'illness'
";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.write("people.csv", people());
    sandbox.write("towns.csv", towns());
    sandbox.write("job.toml", JOB);
    sandbox
}

/// All cells in a text, told by their shape.
fn cells(text: &str) -> BTreeSet<String> {
    let kinds = ["ident-", "town-", "region-", "land-", "sex-", "illness-", "note-"];
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    let is_cell = |word: &&str| {
        kinds.iter().any(|kind| word.strip_prefix(kind).is_some_and(|rest| rest.parse::<u32>().is_ok()))
    };
    words.filter(is_cell).map(str::to_owned).collect()
}

#[test]
fn a_report_has_no_cell_that_the_release_lacks() {
    let sandbox = sandbox();
    let towns =
        |from: u32, to: u32| (from..to).map(|town| format!("'town-{town}'")).collect::<Vec<_>>().join(", ");
    let groups = format!(
        "town = {{ role = 'quasi', hierarchy = {{ groups = [{{ 'land-0' = [{}, 'town-99'], 'land-1' = [{}] }}] }} }}",
        towns(0, 6),
        towns(6, 12)
    );
    let in_job = JOB.replace("town = { role = 'quasi', hierarchy = 'towns.csv' }", &groups);
    sandbox.write("groups.toml", in_job);
    sandbox.write("sets.toml", JOB.replace("hierarchy = 'towns.csv'", "generalise = 'set'"));
    for line in [
        "anonymize job.toml --report page.html",
        "anonymize job.toml --report page.html --suppressed mask",
        "anonymize groups.toml --report page.html",
        "anonymize sets.toml --algorithm mondrian --report page.html",
        "anonymize job.toml --algorithm sequential --report page.html",
        "anonymize job.toml --require alpha-k:alpha=0.9,value=illness-77,column=illness --report page.html",
    ] {
        sandbox.throng(line).done();
        let (page, release) = (cells(&sandbox.read("page.html")), cells(&sandbox.read("release.csv")));
        assert!(page.is_subset(&release), "{line}: {:?}", page.difference(&release).collect::<Vec<_>>());
        assert!(page.contains("illness-1"), "{line}: what the release shows is shown");
        assert!(!release.contains("ident-1"));
    }
}

#[test]
fn a_report_of_a_release_says_whether_it_holds() {
    let sandbox = sandbox();
    sandbox.throng("anonymize job.toml --report with.html").done();
    let said = sandbox.throng("report job.toml").done();
    assert_eq!(said.trim(), "Report: release.report.html");
    let (with, alone) = (sandbox.read("with.html"), sandbox.read("release.report.html"));
    for page in [&with, &alone] {
        assert!(
            page.contains("All that was asked for holds")
                && page.contains("distinct-l of illness over town, sex")
        );
        assert!(page.contains("hierarchy of town") && page.contains("Cramér"));
        assert!(page.contains("\n[privacy]\n"), "the job keeps its lines");
    }
    assert!(with.contains("found by auto") && !alone.contains("found by"));
    // The same files give the same page.
    sandbox.throng("report job.toml release.csv -o again.html").done();
    let body = |page: &str| page.split("<h2>How to repeat it</h2>").next().unwrap().to_owned();
    assert_eq!(body(&sandbox.read("again.html")), body(&alone));

    sandbox.write("stricter.toml", JOB.replace("k = 15", "k = 50"));
    let ran = sandbox.throng("report stricter.toml -o bad.html");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(ran.stderr.contains("does not satisfy the job"));
    assert!(sandbox.read("bad.html").contains("does not satisfy what was asked for"));
}

#[test]
fn other_crowds_and_persons_are_judged_where_they_can_be() {
    let sandbox = sandbox();
    let plain =
        JOB.split("[[privacy.require]]").next().unwrap().replace("k = 15", "k = 5").replace("0.1", "0");
    sandbox.write("kk.toml", format!("{plain}notion = 'kk'\n[search]\nalgorithm = 'expansion'\n"));
    sandbox.throng("anonymize kk.toml --report kk.html").done();
    let page = sandbox.read("kk.html");
    assert!(page.contains("It has (k,k)-anonymity with k = "), "{page}");
    sandbox.throng("report kk.toml -o again.html").done();
    sandbox.write("more.toml", format!("{}notion = 'kk'\n", plain.replace("k = 5", "k = 110")));
    assert_eq!(sandbox.throng("report more.toml -o bad.html").code, Some(1));

    sandbox.write(
        "persons.toml",
        format!("{}person = 'id'\n", JOB.split("[[privacy.require]]").next().unwrap()),
    );
    sandbox.throng("anonymize persons.toml --report persons.html").done();
    assert!(sandbox.read("persons.html").contains("✓ All that was asked for holds"));
    sandbox.throng("report persons.toml -o alone.html").done();
    assert!(sandbox.read("alone.html").contains("As far as the file tells"));

    let ran = sandbox.throng(
        "anonymize job.toml -k 119 --suppression 100% --require max-risk:risk=0.0001 --report none.html",
    );
    assert!(ran.code == Some(0) && ran.stderr.contains("there is no report"), "{}", ran.stderr);
}

#[test]
fn a_report_claims_no_more_than_the_files_tell() {
    let sandbox = sandbox();
    let plain = JOB.split("[[privacy.require]]").next().unwrap();
    // Fewer rows than k are fewer persons, too.
    sandbox.write("persons.toml", format!("{plain}person = 'id'\n"));
    sandbox.throng("anonymize persons.toml --report with.html").done();
    assert!(!sandbox.read("with.html").contains("classes of each size"), "rows are not set beside persons");
    let release = sandbox.read("release.csv");
    let (head, rest) = release.split_once('\n').unwrap();
    let one = rest.lines().next().unwrap();
    let without: String = rest
        .lines()
        .filter(|line| !line.starts_with(&one[..one.find(',').unwrap()]))
        .fold(String::new(), |text, line| text + line + "\n");
    sandbox.write("few.csv", format!("{head}\n{one}\n{without}"));
    sandbox.write("persons.toml", format!("{plain}person = 'id'\n").replace("0.1", "1.0"));
    let ran = sandbox.throng("report persons.toml few.csv -o few.html");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    // More rows are left out than might be.
    sandbox.write("plain.toml", plain.replace("0.1", "0"));
    let ran = sandbox.throng("report plain.toml release.csv -o many.html");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(sandbox.read("many.html").contains("rows that are left out or masked"));
    // What a file without a header begins with may be somebody's.
    sandbox.write("people-rows.csv", people().split_once('\n').unwrap().1);
    let ran = sandbox.throng("report job.toml people-rows.csv -o x.html");
    assert!(ran.code == Some(2) && !ran.stderr.contains("ident-"), "{}", ran.stderr);
    // Spaces do not help a value into the page.
    let line = ["anonymize", "job.toml", "--require", "alpha-k:alpha=0.9,value = illness-77,column=illness"];
    let ran = sandbox.run(&[&line[..], &["--report", "page.html"]].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(!sandbox.read("page.html").contains("illness-77"));
}

#[test]
fn a_few_rows_that_are_left_out_are_not_told_of() {
    let sandbox = sandbox();
    sandbox.throng("anonymize job.toml --report page.html").done();
    let left_out = people().lines().count() - sandbox.read("release.csv").lines().count();
    assert!((1..15).contains(&left_out), "{left_out}");
    assert!(sandbox.read("page.html").contains("their values could be told from what was before"));
}

#[test]
fn the_summary_is_there_even_if_the_page_is_not() {
    let sandbox = sandbox();
    let order = "order = ['illness-0', 'illness-1', 'illness-2', 'illness-3', 'illness-4', 'illness-77']";
    // An order that nothing needs may lack values.
    let plain = JOB.split("[[privacy.require]]").next().unwrap();
    sandbox.write("order.toml", plain.replace(order, "order = ['illness-0', 'illness-1']"));
    sandbox.throng("anonymize order.toml --report page.html --json").done();
    // A place where nothing can be written is found before the search.
    let ran = sandbox.throng("anonymize job.toml --json --report /dev/full");
    assert!(ran.code == Some(2) && ran.stdout.is_empty(), "{}", ran.stderr);
    let long = "x".repeat(300);
    let ran = sandbox.throng(&format!("anonymize job.toml --json --report {long}.html"));
    assert_eq!(ran.code, Some(3), "{}", ran.stderr);
    assert!(ran.stdout.contains("\"outcome\": \"released\""), "the release is there, and so is its summary");
}

#[test]
fn a_report_is_not_written_for_another_table_or_over_a_file_of_the_job() {
    let sandbox = sandbox();
    sandbox.throng("anonymize job.toml").done();
    let before = sandbox.names();
    let refused = |line: &str, what: &str| {
        let ran = sandbox.throng(line);
        assert_eq!(ran.code, Some(2), "{line}: {}", ran.stderr);
        assert!(ran.stderr.contains(what), "{line}: {}", ran.stderr);
        assert_eq!(sandbox.names(), before, "{line}");
    };
    refused("report job.toml people.csv", "same file");
    refused("report job.toml nothing.csv", "there is no such release");
    refused("report job.toml towns.csv", "it is not the job's release");
    refused("report job.toml -o people.csv", "choose another output");
    refused("report job.toml -o release.csv", "choose another output");
    refused("report job.toml -o towns.csv", "choose another output");
    refused("report job.toml -o job.toml", "choose another output");
    refused("report job.toml -o none/page.html", "directory does not exist");
    refused("anonymize job.toml --report release.csv", "choose another output");
    refused("anonymize job.toml --report .", "directory");
    let ran = sandbox.throng(
        "anonymize job.toml -k 119 --suppression 0 --report page.html --require max-risk:risk=0.0001",
    );
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert_eq!(sandbox.names(), before, "without a release there is no report");
}

#[test]
fn a_browser_without_a_network_shows_the_report_without_errors() {
    let sandbox = sandbox();
    sandbox.throng("anonymize job.toml --report page.html").done();
    let Some(shown) = Shown::of(&sandbox.path("page.html")) else { return };
    assert!(shown.errors.is_empty(), "{:?}", shown.errors);
    assert!(shown.dom.contains("All that was asked for holds"));
    // What this test looks for is there if something is wrong.
    let broken = sandbox
        .read("page.html")
        .replace("</body>", "<img src=\"https://example.org/a.png\" alt=\"\"></body>");
    sandbox.write("broken.html", broken);
    assert!(!Shown::of(&sandbox.path("broken.html")).unwrap().errors.is_empty());
}

#[test]
fn the_page_of_a_front_marks_what_the_job_would_choose() {
    let sandbox = sandbox();
    sandbox.throng("frontier job.toml --objectives k,l,glm --html front.html").done();
    let page = sandbox.read("front.html");
    assert_eq!(page.matches("class=\"plot").count(), 3, "one picture for each two objectives");
    let Some(shown) = Shown::of(&sandbox.path("front.html")) else { return };
    assert!(shown.errors.is_empty(), "{:?}", shown.errors);
    assert!(shown.dom.contains("<p id=\"controls\">"), "the script has run");
    // One mark in each picture, and one row.
    assert_eq!(shown.dom.matches("class=\"mark chosen\"").count(), 3);
    assert!(
        shown.dom.contains("<pre id=\"command\">throng anonymize job.toml --node "),
        "the command is shown"
    );
    let ran = sandbox.throng("frontier job.toml --html people.csv");
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
}
