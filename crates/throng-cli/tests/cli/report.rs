//! `throng report` and `throng anonymize --report`: a page for those who must answer for a release.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::browser::{Shown, sheets};
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
            page.contains("all requirements hold")
                && page.contains("How many values of illness does a crowd have, at least?")
                && page.contains("distinct l-diversity")
        );
        assert!(page.contains("hierarchy of town") && page.contains("Cramér"));
        assert!(page.contains("\n[privacy]\n"), "the job keeps its lines");
    }
    assert!(with.contains("It was found by auto") && !alone.contains("It was found by"));
    // The same files give the same page.
    sandbox.throng("report job.toml release.csv -o again.html").done();
    let body = |page: &str| page.split("<section id=\"repeat\">").next().unwrap().to_owned();
    assert_eq!(body(&sandbox.read("again.html")), body(&alone));

    sandbox.write("stricter.toml", JOB.replace("k = 15", "k = 50"));
    let ran = sandbox.throng("report stricter.toml -o bad.html");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(ran.stderr.contains("does not satisfy the job"));
    let bad = sandbox.read("bad.html");
    assert!(bad.contains("Red: do not release") && bad.contains("You asked for 50 or more"), "{bad}");
}

#[test]
fn other_crowds_and_persons_are_judged_where_they_can_be() {
    let sandbox = sandbox();
    let plain =
        JOB.split("[[privacy.require]]").next().unwrap().replace("k = 15", "k = 5").replace("0.1", "0");
    sandbox.write("kk.toml", format!("{plain}notion = 'kk'\n[search]\nalgorithm = 'expansion'\n"));
    sandbox.throng("anonymize kk.toml --report kk.html").done();
    let page = sandbox.read("kk.html");
    assert!(
        page.contains("Anyone looking for a person finds at least") && page.contains("(k,k)-anonymity"),
        "{page}"
    );
    sandbox.throng("report kk.toml -o again.html").done();
    sandbox.write("more.toml", format!("{}notion = 'kk'\n", plain.replace("k = 5", "k = 110")));
    assert_eq!(sandbox.throng("report more.toml -o bad.html").code, Some(1));

    sandbox.write(
        "persons.toml",
        format!("{}person = 'id'\n", JOB.split("[[privacy.require]]").next().unwrap()),
    );
    sandbox.throng("anonymize persons.toml --report persons.html").done();
    let page = sandbox.read("persons.html");
    assert!(page.contains("all requirements hold") && page.contains("Each person looks like at least "));
    assert!(
        page.contains("The original describes 120 people, counted by <code>id</code>")
            && !page.contains("–</td>")
    );
    sandbox.throng("report persons.toml -o alone.html").done();
    let alone = sandbox.read("alone.html");
    assert!(alone.contains("all requirements hold") && alone.contains("they were counted in the original"));

    let ran = sandbox.throng(
        "anonymize job.toml -k 119 --suppression 100% --require max-risk:risk=0.0001 --accept-any \
         --report none.html",
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
    assert!(!sandbox.read("with.html").contains("crowds of each size"), "rows are not set beside persons");
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
    assert!(sandbox.read("many.html").contains("left out, more than allowed"));
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
    assert!(sandbox.read("page.html").contains("Before is not shown: so few rows are left out"));
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
    let Some(shown) = Shown::read(&sandbox.path("page.html")) else { return };
    assert!(shown.errors.is_empty(), "{:?}", shown.errors);
    assert!(shown.dom.contains("all requirements hold"));
    // What this test looks for is there if something is wrong.
    let broken = sandbox
        .read("page.html")
        .replace("</body>", "<img src=\"https://example.org/a.png\" alt=\"\"></body>");
    sandbox.write("broken.html", broken);
    assert!(!Shown::read(&sandbox.path("broken.html")).unwrap().errors.is_empty());
}

#[test]
fn the_first_page_is_one_sheet_of_paper() {
    let sandbox = sandbox();
    // Much to say: many columns with reasons of their own, and most points that there can be.
    let mut text = String::from("id,town,sex,illness,note,when,number");
    let columns: Vec<String> = (0..30).map(|at| format!("a_longer_name_{at}")).collect();
    writeln!(text, ",{}", columns.join(",")).unwrap();
    for row in 0..120_u32 {
        let cells: Vec<String> = (0..30).map(|at| (row * at % 7).to_string()).collect();
        write!(text, "ident-{row},town-{},sex-{},illness-{}", row / 20, row % 2, row / 60).unwrap();
        writeln!(text, ",note-{row},{row},{},{}", row * row, cells.join(",")).unwrap();
    }
    sandbox.write("people.csv", text);
    let mut job = JOB.split("[[privacy.require]]").next().unwrap().replace("k = 15", "k = 5");
    job = job.replace(
        ", order = ['illness-0', 'illness-1', 'illness-2', 'illness-3', 'illness-4', 'illness-77']",
        "",
    );
    let others: String = ["when".to_owned(), "number".to_owned()]
        .iter()
        .chain(&columns)
        .map(|name| format!("# Nobody outside of the ward knows {name}, and the study cannot do without it.\n{name} = {{ role = 'other' }}\n"))
        .collect();
    job = job.replace("[privacy]", &format!("{others}[privacy]"));
    sandbox.write("job.toml", job);
    sandbox.throng("anonymize job.toml --report page.html").done();
    let page = sandbox.read("page.html");
    assert!(page.matches("<li><b>").count() > 4, "{page}");
    let (first, _) = page.split_once("<div class=\"page\">").unwrap();
    sandbox.write("first.html", format!("{first}</body></html>"));
    let Some(sheets) = sheets(&sandbox.path("first.html")) else { return };
    assert_eq!(sheets, 1);
}

#[test]
fn the_page_of_a_front_marks_what_the_job_would_choose() {
    let sandbox = sandbox();
    sandbox.throng("frontier job.toml --objectives k,l,glm --html front.html").done();
    let page = sandbox.read("front.html");
    assert_eq!(page.matches("class=\"plot").count(), 3, "one picture for each two objectives");
    let Some(shown) = Shown::read(&sandbox.path("front.html")) else { return };
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

/// A table without anything to judge: shuffled rows, and secrets that are mixed in every crowd.
fn harmless() -> Sandbox {
    let sandbox = Sandbox::empty();
    let mut text = "id,town,sex,illness\n".to_owned();
    for row in 0..240_u32 {
        writeln!(text, "ident-{row},town-{},sex-{},illness-{}", row / 5 % 12, row % 2, row / 60).unwrap();
    }
    sandbox.write("people.csv", text);
    sandbox.write("towns.csv", towns());
    let job = "\
# a job
input = 'people.csv'
output = { path = 'release.csv', order = 'shuffle' }
[release]
recipient = 'the <study>'
purpose = 'rates of illness'
decided_by = 'the ward'
date = 2026-11-18
[columns]
# Names people.
id = { role = 'identifier' }
# code: 'town' in its name: others may know it
#   values at each level: 12, 4, 2, 1
town = { role = 'quasi', hierarchy = 'towns.csv' } # a neighbour does
sex = { role = 'quasi' }
illness = { role = 'sensitive' } # needed for \"rates\"
[privacy]
k = 5
";
    sandbox.write("job.toml", job);
    sandbox
}

/// The sentence above the verdict.
fn banner(page: &str) -> &str {
    page.split("<p class=\"word\">").nth(1).unwrap().split('<').next().unwrap()
}

#[test]
fn the_first_page_says_who_gets_it_and_why_columns_have_their_roles() {
    let sandbox = harmless();
    sandbox.throng("anonymize job.toml --report page.html").done();
    let page = sandbox.read("page.html");
    for said in [
        "the &lt;study&gt;",
        "rates of illness",
        "2026-11-18",
        "<dd>the ward</dd>",
        "Names people.",
        "'town' in its name: others may know it a neighbour does",
        "(suggested by throng)",
        "needed for &quot;rates&quot;",
        "no reason given",
        "1 without a reason.",
        "What this does not protect against",
        "Signature",
    ] {
        assert!(page.contains(said), "{said}");
    }
    assert!(!page.contains("values at each level"), "what init notes is no reason");
    // A flag that changes a role leaves the reason of the other behind.
    sandbox.throng("anonymize job.toml --other town -o other.csv --report other.html").done();
    assert!(!sandbox.read("other.html").contains("a neighbour does"));
}

#[test]
fn the_colour_follows_what_speaks_against_the_release() {
    let sandbox = harmless();
    let job = sandbox.read("job.toml");
    let page = |name: &str, text: &str, code: i32| {
        sandbox.write("other.toml", text);
        let ran = sandbox.throng(&format!("anonymize other.toml -o {name}.csv --report {name}.html"));
        assert_eq!(ran.code, Some(code), "{}", ran.stderr);
        sandbox.read(&format!("{name}.html"))
    };
    let green = page("green", &job, 0);
    assert!(banner(&green).starts_with("Green: all requirements hold"), "{}", banner(&green));
    assert!(green.contains("class=\"verdict\"") && green.contains("right at most 1 time in"));

    // Whoever has the rows can sort them alone.
    let sorted = page("sorted", &job.replace("'shuffle'", "'sort'"), 0);
    assert!(banner(&sorted).starts_with("Green: all requirements hold"), "{}", banner(&sorted));

    let kept = page("kept", &job.replace(", order = 'shuffle'", ""), 0);
    assert_eq!(banner(&kept), "Amber: all requirements hold, but one point needs your judgement");
    assert!(kept.contains("Order of the rows") && kept.contains("order = &quot;shuffle&quot;"));

    // Somebody changed the file.
    let release = sandbox.read("green.csv");
    let (head, rows) = release.split_once('\n').unwrap();
    let cells: Vec<&str> = rows.lines().next().unwrap().split(',').collect();
    let alone = rows.lines().skip(1).filter(|row| !row.starts_with(&format!("{},{},", cells[0], cells[1])));
    let alone: String = alone.map(|row| format!("{row}\n")).collect();
    sandbox.write("changed.csv", format!("{head}\n{}\n{alone}", cells.join(",")));
    sandbox.write("other.toml", job.replace("k = 5", "k = 5\nsuppression = 0.9"));
    assert_eq!(sandbox.throng("report other.toml changed.csv -o red.html").code, Some(1));
    let red = sandbox.read("red.html");
    assert_eq!(banner(&red), "Red: do not release");
    assert!(red.contains("1 row can be singled out.") && !red.contains("<span>Release</span>"));

    let text = sandbox.read("people.csv");
    let lines = text.lines().enumerate().map(|(at, line)| match (at, line.rsplit_once(',')) {
        (1.., Some((rest, _))) if rest.contains(",town-0,") => format!("{rest},illness-0\n"),
        _ => format!("{line}\n"),
    });
    sandbox.write("people.csv", lines.collect::<String>());
    let alike = page("alike", &job, 0);
    assert!(banner(&alike).starts_with("Amber"), "{}", banner(&alike));
    assert!(
        alike.contains("Alike within a crowd")
            && alike.contains("everyone has the same <code>illness</code>")
    );
    let limited = format!("{job}[[privacy.require]]\nmodel = 'distinct-l'\nl = 2\ncolumn = 'illness'\n");
    let limited = page("limited", &limited, 0);
    assert!(banner(&limited).starts_with("Green"), "{}", banner(&limited));
}

#[test]
fn what_columns_cost_is_searched_for_only_if_asked() {
    let sandbox = sandbox();
    sandbox.throng("anonymize job.toml --report page.html").done();
    assert!(!sandbox.read("page.html").contains("id=\"costs\""));
    sandbox.throng("anonymize job.toml --report page.html --what-if 60").done();
    assert!(sandbox.read("page.html").contains("Why nothing better was possible"));
    // Without the run nothing is proven.
    sandbox.throng("report job.toml -o alone.html --what-if 60").done();
    let alone = sandbox.read("alone.html");
    assert!(
        alone.contains("What each column costs the others") && !alone.contains("nothing better was possible")
    );
    assert_eq!(sandbox.throng("report job.toml -o alone.html --what-if 0").code, Some(2));
    assert_eq!(sandbox.throng("anonymize job.toml --what-if 5").code, Some(2));
}

#[test]
fn many_columns_make_a_list_and_links_with_secrets_are_not_dropped() {
    let sandbox = Sandbox::empty();
    let names: Vec<String> = (0..60).map(|at| format!("q{at}")).collect();
    let mut text = format!("{},secret\n", names.join(","));
    for row in 0..200_u32 {
        let cells = (0..60).map(|at: u32| (row / 50 * u32::from(at == 3) + row % 2).to_string());
        writeln!(text, "{},{}", cells.collect::<Vec<_>>().join(","), row / 50).unwrap();
    }
    sandbox.write("wide.csv", text);
    let quasi = names.join(",");
    let line = format!(
        "anonymize wide.csv --qi {quasi} --sensitive secret -k 5 -o out.csv --algorithm mondrian --report page.html"
    );
    sandbox.throng(&line).done();
    let page = sandbox.read("page.html");
    assert!(page.contains("<ol class=\"wide\">") && page.contains("q3 and secret"));
    assert_eq!(page.matches("<figure>").count(), page.matches("The numbers</summary>").count());
    assert!(page.matches("<h3><code>").count() <= 12, "no picture for each column");
}

#[test]
fn what_is_hidden_is_drawn_as_hidden() {
    let sandbox = sandbox();
    sandbox.throng("anonymize job.toml --algorithm sequential --suppressed mask --suppression 0.1 --report page.html").done();
    let page = sandbox.read("page.html");
    assert!(page.contains("coarser or hidden") && page.contains("var(--hatch)"));
}

/// What a job says of its sample, of households and of a policy is among the questions of the report.
#[test]
fn a_report_says_what_a_sample_and_a_policy_tell() {
    let sandbox = sandbox();
    let said = "[privacy]\nsampling_fraction = 0.2\nhousehold = 'note'";
    sandbox.write("job.toml", format!("policy = 'k-3'\n{}", JOB.replace("[privacy]", said)));
    sandbox.throng("anonymize job.toml --report page.html").done();
    let page = sandbox.read("page.html");
    for question in ["individual risk", "global risk", "Dankar et al.", "household risk", "k-3, k"] {
        assert!(page.contains(question), "{question}");
    }
    sandbox.write("job.toml", JOB);
    sandbox.throng("anonymize job.toml --report page.html").done();
    assert!(!sandbox.read("page.html").contains("global risk"));
}
