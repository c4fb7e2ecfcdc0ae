//! Ctrl-C, termination and a disk that is full: nothing is left behind.
#![cfg(unix)]

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use throng::random::Random;

use crate::sandbox::{Ran, Sandbox};

/// What an earlier release may have been.
const OLD: &str = "age,sex\n*,*\n";

const PATIENCE: Duration = Duration::from_secs(60);

fn start(sandbox: &Sandbox, line: &str) -> Child {
    let args: Vec<&str> = line.split_whitespace().collect();
    let mut command = sandbox.command(&args);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary runs")
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([name, &child.id().to_string()]).status();
    assert!(sent.expect("kill runs").success());
}

/// The command must have stopped because of the signal, and say so.
fn assert_interrupted(child: Child, signalled: Instant) {
    assert_is_interrupted(&Ran::from(child.wait_with_output().expect("the binary ends")), signalled);
}

fn assert_is_interrupted(ran: &Ran, signalled: Instant) {
    assert_eq!(ran.code, Some(130), "{}{}", ran.stdout, ran.stderr);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", "error: interrupted; nothing was written\n"));
    assert!(signalled.elapsed() < Duration::from_secs(10), "it took long to stop");
}

/// A table whose exhaustive search takes far longer than anybody waits.
fn endless() -> Sandbox {
    let sandbox = Sandbox::empty();
    let mut table = String::from("a,b,c,d,e,f\n");
    let mut random = Random::new(1);
    for _ in 0..3_000 {
        for column in 0..6 {
            let separator = if column == 5 { '\n' } else { ',' };
            write!(table, "{:06}{separator}", random.below(1_000_000)).unwrap();
        }
    }
    sandbox.write("codes.csv", table);
    sandbox
}

const ENDLESS: &str = "anonymize codes.csv --algorithm exhaustive -k 2 -o out.csv --qi a=mask:right \
                       --qi b=mask:right --qi c=mask:right --qi d=mask:right --qi e=mask:right --qi f=mask:right";

#[test]
fn a_search_is_interrupted_and_leaves_nothing_behind() {
    for name in ["-INT", "-TERM"] {
        let sandbox = endless();
        let child = start(&sandbox, ENDLESS);
        sleep(Duration::from_millis(700));
        signal(&child, name);
        assert_interrupted(child, Instant::now());
        assert_eq!(sandbox.names(), ["codes.csv"]);
    }
}

/// Stops a local search, with blocks and without.
#[test]
fn a_local_search_is_interrupted_and_leaves_nothing_behind() {
    for more in ["", "--block-rows 10000"] {
        let sandbox = Sandbox::empty();
        let mut table = String::from("a,b,c,d\n");
        for row in 0..250_000_u64 {
            let mut state = row;
            let mut next = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 40) % 10_000
            };
            writeln!(table, "{:04},{:04},{:04},{:04}", next(), next(), next(), next()).unwrap();
        }
        sandbox.write("codes.csv", table);
        let line = format!(
            "anonymize codes.csv --algorithm agglomerative -k 5 -o out.csv --qi a=mask:right \
             --qi b=mask:right --qi c=mask:right --qi d=mask:right {more}"
        );
        let child = start(&sandbox, &line);
        sleep(Duration::from_millis(1_500));
        signal(&child, "-INT");
        assert_interrupted(child, Instant::now());
        assert_eq!(sandbox.names(), ["codes.csv"]);
    }
}

/// Many rows of few kinds: quick to search, long to write.
fn long() -> Sandbox {
    let sandbox = Sandbox::empty();
    let rows = "31,female,a kind of illness with a long name\n36,male,another illness\n".repeat(400_000);
    sandbox.write("people.csv", format!("age,sex,illness\n{rows}"));
    sandbox.write("out.csv", OLD);
    sandbox
}

const LONG: &str = "anonymize people.csv --qi age --qi sex --sensitive illness -k 2 -o out.csv";

/// Starts a long run, and waits until it writes its release.
fn start_writing(sandbox: &Sandbox) -> Child {
    let mut child = start(sandbox, LONG);
    let started = Instant::now();
    while !has_hidden_file(sandbox, &child) {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it wrote");
        assert!(started.elapsed() < PATIENCE, "it never wrote");
        sleep(Duration::from_millis(1));
    }
    child
}

/// Signals a run that writes its release; again where the signal came too late, as on a busy machine.
fn signal_writing(sandbox: &Sandbox, name: &str) -> (Ran, Instant) {
    for _ in 0..10 {
        sandbox.write("out.csv", OLD);
        let child = start_writing(sandbox);
        signal(&child, name);
        let signalled = Instant::now();
        let ran = Ran::from(child.wait_with_output().expect("the binary ends"));
        if ran.code != Some(0) {
            return (ran, signalled);
        }
    }
    panic!("{name} never stopped it");
}

/// Whether a release is being written: to a file without a name, or under a hidden one.
fn has_hidden_file(sandbox: &Sandbox, child: &Child) -> bool {
    has_nameless_file(sandbox, child) || sandbox.names().iter().any(|name| name.starts_with(".throng-"))
}

/// Whether a process writes to a file of the sandbox that has no name.
pub(crate) fn has_nameless_file(sandbox: &Sandbox, child: &Child) -> bool {
    let open = fs::read_dir(format!("/proc/{}/fd", child.id())).into_iter().flatten().flatten();
    let mut files = open.filter_map(|entry| fs::read_link(entry.path()).ok());
    let nameless =
        |file: &Path| file.starts_with(sandbox.dir()) && file.to_string_lossy().ends_with(" (deleted)");
    files.any(|file| nameless(&file))
}

#[test]
fn whatever_signal_ends_it_while_it_writes_the_old_release_stays() {
    let signals = ["-INT", "-TERM", "-HUP", "-QUIT", "-USR1", "-USR2", "-ALRM", "-VTALRM", "-PROF", "-XCPU"];
    let sandbox = long();
    for name in signals {
        let (ran, signalled) = signal_writing(&sandbox, name);
        assert_is_interrupted(&ran, signalled);
        assert_eq!(sandbox.names(), ["out.csv", "people.csv"], "{name}");
        assert_eq!(sandbox.read("out.csv"), OLD);
    }
}

/// Nobody can catch this, but a file without a name is gone with its process.
#[cfg(target_os = "linux")]
#[test]
fn what_is_killed_leaves_nothing_behind() {
    let sandbox = long();
    assert_eq!(signal_writing(&sandbox, "-KILL").0.code, None);
    assert_eq!(sandbox.names(), ["out.csv", "people.csv"]);
    assert_eq!(sandbox.read("out.csv"), OLD);
}

#[cfg(target_os = "linux")]
#[test]
fn a_hangup_is_ignored_by_who_shall_outlive_the_terminal() {
    let sandbox = long();
    let binary = env!("CARGO_BIN_EXE_throng");
    let script = format!("trap '' HUP; exec {binary} {LONG}");
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).current_dir(sandbox.dir()).stdout(Stdio::null());
    let child = shell.spawn().expect("a shell runs");
    let started = Instant::now();
    while !has_hidden_file(&sandbox, &child) {
        assert!(started.elapsed() < PATIENCE, "it never wrote");
        sleep(Duration::from_millis(1));
    }
    signal(&child, "-HUP");
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(0));
    assert_ne!(sandbox.read("out.csv"), OLD);
}

/// A limit on the size of files stands for a full disk: writing fails half-way, whether the system only refuses
/// or also sends a signal.
#[test]
fn a_failed_write_leaves_nothing_behind() {
    let sandbox = Sandbox::empty();
    let rows = "31,female,flu\n36,male,cold\n".repeat(20_000);
    sandbox.write("people.csv", format!("age,sex,illness\n{rows}"));
    sandbox.write("out.csv", OLD);
    fs::create_dir(sandbox.path("parts")).unwrap();
    sandbox.write("parts/part-00000.csv", OLD);
    let binary = env!("CARGO_BIN_EXE_throng");
    let mut outputs = vec![("out.csv", "out.csv", ""), ("parts/", "parts/part-00000.csv", "--replace")];
    if cfg!(feature = "cluster") {
        outputs.push(("parts/", "parts/part-00000.csv", "--replace --cluster local"));
    }
    for (output, file, more) in outputs {
        for trap in ["trap '' XFSZ;", ""] {
            let line = LONG.replace("out.csv", output);
            let script = format!("{trap} ulimit -f 64; exec {binary} {line} {more}");
            let ran = Ran::from(sandbox.shell(&script).output().expect("a shell runs"));
            assert_eq!(ran.code, Some(3), "{output} {more}: {}{}", ran.stdout, ran.stderr);
            assert!(ran.stderr.contains("cannot write: "), "{output} {more}: {}", ran.stderr);
            assert_eq!(sandbox.names(), ["out.csv", "parts", "people.csv"]);
            assert_eq!(sandbox.read(file), OLD);
        }
    }
}

/// The files beside a release are as safe: nothing of them is left where the disk is full.
#[test]
fn a_failed_page_summary_or_recoding_leaves_nothing_behind() {
    let sandbox = Sandbox::new();
    sandbox.throng("anonymize job.toml -q").done();
    let before = sandbox.names();
    for line in [
        "report job.toml -o page.html",
        "anonymize job.toml --json --summary summary.json",
        "anonymize job.toml -q --save saved.json",
        "sql job.toml --dialect ansi -o release.sql",
        "frontier job.toml --save front.json",
    ] {
        // The release is smaller than a block of 512 bytes, all others are larger.
        let script = format!("trap '' XFSZ; ulimit -f 1; exec {} {line}", env!("CARGO_BIN_EXE_throng"));
        let ran = Ran::from(sandbox.shell(&script).output().expect("a shell runs"));
        assert_eq!(ran.code, Some(3), "{line}: {}{}", ran.stdout, ran.stderr);
        assert_eq!(sandbox.names(), before, "{line}");
    }
}

/// A disk that is full while a release is written, or the page, the summary or the recoding beside it.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_holds_nothing_after_a_failure() {
    let sandbox = Sandbox::empty();
    fs::create_dir(sandbox.path("disk")).unwrap();
    // Nobody outside of the namespace sees what is mounted in it, and it ends with its last process.
    let on_disk = |line: &str| {
        let mounted = "mount -t tmpfs -o size=64k none disk || exit 77";
        let script = format!("{mounted}; {line}; code=$?; ls -A disk; exit $code");
        let shell = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"];
        let mut command = Command::new(shell[0]);
        command.args(&shell[1..]).arg(script).current_dir(sandbox.dir());
        command.output().map(Ran::from)
    };
    if !on_disk("true").is_ok_and(|ran| ran.code == Some(0)) {
        let _ = std::io::Write::write_all(&mut std::io::stderr(), b"skipped: no disk can be mounted\n");
        return;
    }
    let rows: String = (0..20_000_u64)
        .map(|row| format!("{},x,v{}\n", row % 50, row * 2_654_435_761_u64 % (1 << 32)))
        .collect();
    sandbox.write("people.csv", format!("age,sex,illness\n{rows}"));
    let binary = env!("CARGO_BIN_EXE_throng");
    for output in ["disk/out.csv", "disk/out.csv.gz", "disk/out.parquet", "disk/out.arrow", "disk/out.jsonl"]
    {
        let ran = on_disk(&format!("{binary} {} -q", LONG.replace("out.csv", output))).unwrap();
        assert_eq!(ran.code, Some(3), "{output}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains("cannot write: "), "{output}: {}", ran.stderr);
        assert_eq!(ran.stdout, "", "{output}: something is left");
    }
}

/// A file that the system fails to read: the speed of what is no network card.
#[cfg(target_os = "linux")]
const UNREADABLE: &str = "/sys/class/net/lo/speed";

/// A table that the machine cannot read is a failure, and nothing is left.
#[cfg(target_os = "linux")]
#[test]
fn a_failed_read_leaves_nothing_behind() {
    if fs::metadata(UNREADABLE).is_err() || fs::read(UNREADABLE).is_ok() {
        let text = format!("skipped: {UNREADABLE} is no file that cannot be read\n");
        let _ = std::io::Write::write_all(&mut std::io::stderr(), text.as_bytes());
        return;
    }
    let sandbox = Sandbox::empty();
    for name in ["people.csv", "people.parquet", "people.jsonl", "people.arrow", "people.csv.gz"] {
        std::os::unix::fs::symlink(UNREADABLE, sandbox.path(name)).unwrap();
        let line = format!("anonymize {name} --qi age --qi sex --sensitive illness -k 2 -o out.csv");
        let ran = sandbox.throng(&line);
        assert_eq!(ran.code, Some(3), "{name}: {}{}", ran.stdout, ran.stderr);
        fs::remove_file(sandbox.path(name)).unwrap();
        assert_eq!(sandbox.names(), [""; 0]);
    }
}

/// Memory of a process in the place of a table: nobody has mapped its first page.
#[cfg(target_os = "linux")]
#[test]
fn what_is_no_table_at_all_is_an_error() {
    let sandbox = Sandbox::empty();
    for line in ["profile /proc/self/mem", "check /proc/self/mem --qi age", "init /proc/self/mem -o job.toml"]
    {
        let ran = sandbox.throng(line);
        assert!(matches!(ran.code, Some(2 | 3)), "{line}: {}{}", ran.stdout, ran.stderr);
        assert!(!ran.stderr.contains("panic"), "{line}: {}", ran.stderr);
        assert_eq!(sandbox.names(), [""; 0]);
    }
}

/// A release on another file system than the table, and one in the directory at hand.
#[cfg(target_os = "linux")]
#[test]
fn a_release_may_be_on_another_file_system() {
    let sandbox = Sandbox::new();
    let Ok(shared) = tempfile::tempdir_in("/dev/shm") else { return };
    let output = shared.path().join("release.csv");
    for _ in 0..2 {
        sandbox.run(&["anonymize", "job.toml", "-o", output.to_str().unwrap()]).done();
        sandbox.throng("anonymize job.toml -o release.csv").done();
        assert_eq!(fs::read_to_string(&output).unwrap(), sandbox.read("release.csv"));
        assert_eq!(fs::read_dir(shared.path()).unwrap().count(), 1);
    }
}
