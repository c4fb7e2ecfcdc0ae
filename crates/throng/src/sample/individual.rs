//! The individual risk of disclosure.
//!
//! **Citation.** R. Benedetti, L. Franconi, *Statistical and Technological Solutions for Controlled Data Dissemination*, NTTS
//! 1998; the exact form is that of S. Polettini, J. Seri, *Guidelines for the Protection of Social Micro-Data Using
//! Individual Risk Methodology*, CASC 2003.
//!
//! **Formula.** If a class has f rows in the sample, and each of its F people was sampled with probability p, F is negative
//! binomial with f successes. The chance that a match with one of the F is right is
//!
//! r(f) = E[1/F | f] = p^f / f · ₂F₁(f, f; f + 1; 1 − p) = p^f ∫₀¹ s^(f−1) / (1 − (1 − p)s)^f ds.
//!
//! With q = 1 − p: r(1) = p/q · ln(1/p), and r(f) = p/q · (1/(f − 1) − r(f − 1)). Where p is above q that is turned round, as
//! rounding errors would grow: r(f − 1) = 1/(f − 1) − q/p · r(f).
//!
//! **Worked example.** A tenth is sampled. A row that is alone is found with r(1) = 1/9 · ln 10 ≈ 0.2558, one of two with
//! r(2) = 1/9 · (1 − 0.2558) ≈ 0.0827.
//!
//! ```
//! use throng::sample::individual_risk;
//! assert!((individual_risk(1, 0.1) - 10.0_f64.ln() / 9.0).abs() < 1e-12);
//! assert!((individual_risk(2, 0.1) - (1.0 - 10.0_f64.ln() / 9.0) / 9.0).abs() < 1e-12);
//! assert_eq!(individual_risk(4, 1.0), 0.25);
//! ```

/// What is wrong at the start from above is less than this part of itself in the end, or as many steps were made.
const LEFT_OVER: f64 = 1e-17;
const MOST_STEPS: f64 = 2_000.0;

/// The chance that a match with a row of a class of so many rows is right, where so large a share of the people was
/// sampled.
pub fn individual_risk(rows: u64, fraction: f64) -> f64 {
    *individual_risks(rows, fraction).last().expect("a class has rows")
}

/// The same for classes of one row, of two, and so on, up to so many.
///
/// # Panics
/// If the fraction is not above 0 and at most 1, or no class has rows.
pub fn individual_risks(most_rows: u64, fraction: f64) -> Vec<f64> {
    assert!(fraction > 0.0 && fraction <= 1.0 && most_rows > 0, "a share of people, and rows");
    let odds = fraction / (1.0 - fraction);
    if fraction >= 1.0 {
        return (1..=most_rows).map(|rows| 1.0 / rows as f64).collect();
    }
    if fraction <= 0.5 {
        let mut risks = vec![odds * -fraction.ln()];
        for rows in 2..=most_rows {
            let before = risks[risks.len() - 1];
            // Of many rows the difference has few digits left; there p/f is what it comes to.
            risks.push((odds * (1.0 / (rows - 1) as f64 - before)).clamp(0.0, 1.0 / rows as f64));
        }
        return risks;
    }
    let last = most_rows + (-LEFT_OVER.ln() / odds.ln()).min(MOST_STEPS).ceil() as u64;
    let mut risk = fraction / last as f64;
    let mut risks = vec![0.0; most_rows as usize];
    for rows in (1..last).rev() {
        risk = 1.0 / rows as f64 - risk / odds;
        if rows <= most_rows {
            risks[rows as usize - 1] = risk;
        }
    }
    risks
}
