//! The number of threads decides nothing but the time.

use throng_engine::progress::Quiet;

use crate::hospital::hospital;
use crate::sandbox::run_on;

#[test]
fn the_bytes_do_not_depend_on_the_threads() {
    for name in ["out.csv", "out.parquet", "out.csv.gz", "out.csv.zst"] {
        for order in ["keep", "shuffle:1"] {
            let (sandbox, job) = hospital(&[]);
            let bytes = [1, 2].map(|threads| {
                let output = format!("{threads}-{name}");
                let options = format!("{{ path = \"{output}\", order = \"{order}\" }}");
                let job = sandbox.job(&job.replace("\"hospital-k5.csv\"", &options));
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| run_on(threads, &job, &Quiet)).unwrap();
                sandbox.bytes(&output)
            });
            assert!(bytes[0] == bytes[1], "{name}, {order}");
        }
    }
}
