//! What nodes write is their owner's alone, and goes when they are killed.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::lake;
use super::nodes::Cluster;

/// Everything below a directory, and what its permissions are.
fn all_below(dir: &Path) -> Vec<(PathBuf, bool, u32)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let Ok(kind) = entry.metadata() else { continue };
        found.push((entry.path(), kind.is_dir(), kind.permissions().mode() & 0o777));
        found.extend(all_below(&entry.path()));
    }
    found
}

/// Counts hold original values of quasi-identifiers.
#[test]
fn nobody_else_can_read_what_executors_count() {
    let sandbox = lake(3, 2_000);
    let mut cluster = Cluster::start(2);
    sandbox.throng(&format!("anonymize job.toml --cluster {} -o out/ -q", cluster.address())).done();
    let mut counts = 0;
    for executor in 0..2 {
        for (path, is_directory, mode) in all_below(&cluster.work_dir(executor)) {
            assert_eq!(mode, if is_directory { 0o700 } else { 0o600 }, "{}", path.display());
            counts += usize::from(!is_directory);
        }
    }
    assert!(counts > 0, "nothing was counted");
    // Parts have the permissions that the client asked for.
    let plain = sandbox.path("plain");
    fs::write(&plain, "").unwrap();
    let given = fs::metadata(&plain).unwrap().permissions().mode() & 0o777;
    assert!(given & 0o044 != 0, "this test needs a umask that lets others read");
    for (path, _, mode) in all_below(&sandbox.path("out")) {
        assert_eq!(mode, given, "{}", path.display());
    }

    for executor in 0..2 {
        assert_ne!(all_below(&cluster.work_dir(executor)), []);
        cluster.kill_executor(executor);
        let left = all_below(&cluster.work_dir(executor));
        cluster.restart_executor(executor);
        let now = all_below(&cluster.work_dir(executor));
        assert!(left.iter().all(|one| !now.contains(one)), "{now:?}");
        assert_eq!(fs::read_dir(cluster.work_dir(executor)).unwrap().count(), 1);
    }
    sandbox.throng(&format!("anonymize job.toml --cluster {} -o again/ -q", cluster.address())).done();
}
