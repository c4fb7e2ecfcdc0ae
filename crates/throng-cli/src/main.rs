//! cli
#[allow(dead_code)]
mod plot;
fn main() {}
