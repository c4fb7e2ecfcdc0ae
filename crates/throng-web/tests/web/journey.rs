//! From a table to a release, by forms alone: as a browser without scripts goes.

use crate::client::serve;
use crate::steps::{begin, folder_of, is_looked_at, people, place, run};

#[test]
fn a_table_becomes_a_release() {
    let served = serve(|_| {});
    std::fs::write(served.folder.join("people.csv"), people(200)).unwrap();
    let visit = served.enter();
    assert!(visit.get("/").body.contains("people.csv"));
    let draft = begin(&visit, "people.csv");
    let columns = visit.get(&format!("{draft}/columns"));
    assert!(columns.body.contains("What could others know?"), "{columns:?}");
    // Until the switch is turned, no page has a cell of the original.
    for page in ["table", "columns", "detail", "safety", "job"] {
        let page = visit.get(&format!("{draft}/{page}"));
        assert_eq!(page.status, 200, "{page:?}");
        for cell in ["name-1", "town-1", "illness-1"] {
            assert!(!page.body.contains(cell), "{cell}: {}", page.body);
        }
    }
    let roles = [
        ("role-0", "identifier"),
        ("role-1", "quasi"),
        ("role-2", "quasi"),
        ("role-3", "sensitive"),
        ("person", "none"),
    ];
    assert_eq!(place(&visit.post(&format!("{draft}/columns"), &roles)), format!("{draft}/detail"));
    let safety = [
        ("k", "3"),
        ("suppression", "1"),
        ("secret-0", "2"),
        ("again", "yes"),
        ("then", "run"),
        ("recipient", "an institute"),
    ];
    let started = place(&visit.post(&format!("{draft}/safety"), &safety));
    let page = visit.wait(&started, |page| !page.body.contains("data-run"));
    assert!(page.body.contains("Will you send this?"), "{}", page.body);
    assert!(page.body.contains("class=\"verdict") && page.body.contains("throng anonymize"), "{}", page.body);
    assert!(!page.body.contains("name-1"));
    let release = visit.get(&format!("{started}/files/release"));
    let kept = std::fs::read_to_string(folder_of(&served, &started).join("release.csv")).unwrap();
    assert_eq!(release.body, kept);
    assert!(kept.starts_with("town,age,illness\n") && kept.lines().count() > 190, "{kept:.200}");
    for file in ["report.html", "job.toml", "summary.json", "recoding.json", "sql-duckdb", "report"] {
        assert_eq!(visit.get(&format!("{started}/files/{file}")).status, 200, "{file}");
    }
    let job = visit.get(&format!("{started}/files/job.toml")).body;
    assert!(job.contains("distinct-l") && job.contains("an institute"), "{job}");
    // What was decided can be opened again, as a job.
    let opened = place(&visit.send("/jobs", "job", "job.toml", job.as_bytes()));
    visit.wait(&opened, is_looked_at);
    let again = run(&visit, opened.trim_end_matches("/table")).0;
    assert_eq!(visit.get(&format!("{again}/files/release")).body, kept);
    let attacked = visit.post(&format!("{started}/attack"), &[]);
    assert_eq!(place(&attacked), format!("{started}#attack"));
    assert!(visit.wait(&started, is_looked_at).body.contains("Nobody was found"));
    assert!(visit.get(&started).body.contains("Releases of this table"));
}

#[test]
fn originals_are_shown_only_after_the_switch() {
    let served = serve(|_| {});
    std::fs::write(served.folder.join("people.csv"), people(60)).unwrap();
    let (visit, other) = (served.enter(), served.enter());
    let draft = begin(&visit, "people.csv");
    visit.post("/originals", &[("show", "yes")]);
    assert!(visit.get(&format!("{draft}/table")).body.contains("name-1"));
    assert!(
        !other.get(&format!("{draft}/table")).body.contains("name-1"),
        "each session has a switch of its own"
    );
    visit.post("/originals", &[("show", "no")]);
    assert!(!visit.get(&format!("{draft}/table")).body.contains("name-1"));
}

#[test]
fn groups_are_changed_and_changes_taken_back() {
    let served = serve(|_| {});
    std::fs::write(served.folder.join("people.csv"), people(60)).unwrap();
    let visit = served.enter();
    visit.post("/originals", &[("show", "yes")]);
    let draft = begin(&visit, "people.csv");
    let roles = [
        ("role-0", "identifier"),
        ("role-1", "quasi"),
        ("role-2", "quasi"),
        ("role-3", "sensitive"),
        ("person", "none"),
    ];
    visit.post(&format!("{draft}/columns"), &roles);
    let detail = format!("{draft}/detail");
    let change = |form: &[(&str, &str)]| visit.post(&detail, form);
    let built =
        change(&[("column", "1"), ("change", "build"), ("builder", "intervals"), ("widths", "10, 20")]);
    assert_eq!(built.status, 303, "{}", built.body);
    assert!(
        visit.get(&format!("{draft}/job")).body.contains("intervals = [10"),
        "{}",
        visit.get(&format!("{draft}/job")).body
    );
    let wrong = change(&[("column", "0"), ("change", "build"), ("builder", "intervals"), ("widths", "10")]);
    assert!(wrong.status == 422 && wrong.body.contains("class=\"failure\""), "{wrong:?}");
    assert!(!wrong.body.contains("role=\"alert\"><p><b>town-"));
    let renamed =
        change(&[("column", "1"), ("change", "rename"), ("pick", "1:20-29"), ("to", "the twenties")]);
    let page = visit.get(&detail).body;
    assert!(renamed.status == 303 && page.contains("the twenties"), "{}", renamed.body);
    assert_eq!(change(&[("column", "1"), ("change", "undo")]).status, 303);
    assert!(!visit.get(&detail).body.contains("the twenties"));
}

#[test]
fn what_is_impossible_says_what_would_make_it_possible() {
    let served = serve(|_| {});
    std::fs::write(served.folder.join("people.csv"), "name,age,illness\na,20,x\nb,30,x\nc,40,y\nd,50,x\n")
        .unwrap();
    let visit = served.enter();
    let job = "input = 'people.csv'\noutput = 'r.csv'\n[columns]\nname = { role = 'identifier' }\nage = { role = 'quasi' }\n\
               illness = { role = 'sensitive' }\n[privacy]\nk = 2\n\
               [[privacy.require]]\nmodel = 'entropy-l'\nl = 1.9\ncolumn = 'illness'\n";
    let opened = place(&visit.send("/jobs", "job", "job.toml", job.as_bytes()));
    visit.wait(&opened, is_looked_at);
    let (run, page) = run(&visit, opened.trim_end_matches("/table"));
    for says in ["No release is possible", "What would make one possible", "Ask for less than"] {
        assert!(page.body.contains(says), "{says}: {}", page.body);
    }
    assert_eq!(visit.get(&format!("{run}/files/release")).status, 404);
    let again = place(&visit.post(&format!("{run}/again"), &[]));
    assert!(again.starts_with("/drafts/"));
}

#[test]
fn faults_of_files_are_shown_in_their_place() {
    let served = serve(|_| {});
    let files: [(&str, &[u8], &str); 13] = [
        ("ragged.csv", b"a,b\n1,2\n3\n4,5\n", "<dt>Row</dt><dd>2</dd>"),
        ("quote.csv", b"a,b\n1,2\n\"3,4\n5,6\n", "quote.csv"),
        ("twice.csv", b"a,a\n1,2\n3,4\n", "columns 1 and 2 have the same name"),
        ("letters.csv", b"a,b\n1,caf\xff\xfe\xfa\n2,x\n\x81\x8d,y\n", "letters.csv"),
        ("empty.csv", b"", "empty.csv"),
        ("one.csv", b"a,b\n1,2\n", "one.csv"),
        ("header.csv", b"name,age,town\n", "header.csv"),
        ("broken.csv.gz", b"\x1f\x8bnonsense", "broken.csv.gz"),
        ("broken.parquet", b"PAR1nonsense", "broken.parquet"),
        ("text.parquet", b"a,b\n1,2\n3,4\n", "text.parquet"),
        ("broken.arrow", b"ARROW1nonsense", "broken.arrow"),
        ("broken.xlsx", b"PK\x03\x04nonsense", "broken.xlsx"),
        ("broken.jsonl", b"{\"a\": 1}\n{\"a\": \n{\"a\": 2}\n", "broken.jsonl"),
    ];
    for (name, bytes, _) in &files {
        std::fs::write(served.folder.join(name), bytes).unwrap();
    }
    let visit = served.enter();
    for (name, _, says) in &files {
        let draft = begin(&visit, name);
        let page = visit.get(&format!("{draft}/table")).body;
        assert!(page.contains("class=\"failure\"") && page.contains(says), "{name}: {page}");
    }
}

#[test]
fn a_restart_finds_runs_and_says_which_were_not_through() {
    let served = serve(|_| {});
    std::fs::write(served.folder.join("people.csv"), people(100)).unwrap();
    let draft = begin(&served.enter(), "people.csv");
    let (run, page) = run(&served.enter(), &draft);
    assert!(page.body.contains("Will you send this?"), "{}", page.body);
    // As a server leaves it that is killed in the middle of a run.
    let file = folder_of(&served, &run).join("run.json");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("\"released\"", "\"running\"")).unwrap();
    let again = serve(|options| options.folder.clone_from(&served.folder));
    let visit = again.enter();
    assert!(visit.get("/").body.contains("the server stopped before it had finished"));
    assert!(visit.get(&run).body.contains("Your decisions are still there"));
    assert_eq!(visit.get(&format!("{draft}/columns")).status, 200);
}

#[test]
fn what_is_removed_is_gone_from_the_disk() {
    let served = serve(|_| {});
    let visit = served.enter();
    let sent = place(&visit.send("/tables", "table", "people.csv", people(100).as_bytes()));
    visit.wait(&sent, is_looked_at);
    let draft = sent.trim_end_matches("/table").to_owned();
    run(&visit, &draft);
    assert!(served.kept().len() > 8, "{:?}", served.kept());
    let id = draft.trim_start_matches("/drafts/");
    assert_eq!(place(&visit.post("/tables/remove", &[("draft", id)])), "/");
    assert_eq!(served.kept(), Vec::<String>::new());
}

#[test]
fn ten_runs_at_once_are_made_one_after_the_other() {
    let served = serve(|_| {});
    std::fs::write(served.folder.join("people.csv"), people(100)).unwrap();
    let visit = served.enter();
    let draft = begin(&visit, "people.csv");
    let runs: Vec<String> = (0..10).map(|_| place(&visit.post(&format!("{draft}/run"), &[]))).collect();
    let releases: Vec<String> = runs
        .iter()
        .map(|run| {
            visit.wait(run, |page| !page.body.contains("data-run"));
            visit.get(&format!("{run}/files/release")).body
        })
        .collect();
    // Each has an order of its own.
    let sorted = |release: &String| {
        let mut lines: Vec<String> = release.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert!(releases.iter().all(|release| sorted(release) == sorted(&releases[0]) && release.len() > 100));
}

#[test]
fn a_run_that_is_stopped_leaves_nothing() {
    let served = serve(|_| {});
    std::fs::write(served.folder.join("people.csv"), people(100)).unwrap();
    let visit = served.enter();
    let draft = begin(&visit, "people.csv");
    // The first keeps the thread of runs busy, so the second is stopped before it begins, or at its first look.
    let runs: Vec<String> = (0..3).map(|_| place(&visit.post(&format!("{draft}/run"), &[]))).collect();
    visit.post(&format!("{}/cancel", runs[2]), &[]);
    let page = visit.wait(&runs[2], |page| !page.body.contains("data-run"));
    let is_stopped = page.body.contains("You stopped this run");
    assert!(is_stopped || page.body.contains("Will you send this?"), "{}", page.body);
    assert_eq!(folder_of(&served, &runs[2]).join("release.csv").exists(), !is_stopped);
}

#[test]
fn a_large_table_is_written_as_it_comes() {
    let served = serve(|_| {});
    let text = format!("name,note\n{}", format!("x,{}\n", "y".repeat(1000)).repeat(8000));
    let sent = served.enter().send("/tables", "table", "large.csv", text.as_bytes());
    assert_eq!(sent.status, 303, "{sent:?}");
    let kept = served.kept().into_iter().find(|file| file.ends_with("large.csv")).unwrap();
    assert!(std::fs::read(kept).unwrap() == text.as_bytes());
}
