//! Where patients live: 5-digit postal codes of cities in regions, a few of them crowded.

use throng::random::Random;

use crate::demo::weighted::Weighted;

/// Regions; each is one pair of leading digits.
pub(super) const REGIONS: usize = 30;
const CITIES: usize = 6;

/// One postal code.
#[derive(Clone, Debug)]
pub(super) struct PostalCode {
    /// Five digits, some with a leading zero.
    pub(super) zip: String,
    /// Its region, below [`REGIONS`].
    pub(super) region: usize,
    /// Whether it lies in one of the region's small towns.
    pub(super) rural: bool,
}

/// All postal codes, with how many people live there.
#[derive(Debug)]
pub(super) struct Places {
    places: Vec<PostalCode>,
    residents: Weighted,
}

impl Places {
    /// Builds the country: sizes of regions, of cities in a region and of quarters in a city each
    /// fall with their rank, which together gives the long tail of real places.
    pub(super) fn new() -> Places {
        let mut places = Vec::new();
        let mut weights = Vec::new();
        for region in 0..REGIONS {
            for city in 0..CITIES {
                let quarters = 4 + 16 / (city + 1);
                let residents = falling(region, 3) * falling(city, 1);
                let shares: f64 = (0..quarters).map(|quarter| falling(quarter, 2)).sum();
                for quarter in 0..quarters {
                    places.push(place(region, city, quarter));
                    weights.push(residents * falling(quarter, 2) / shares);
                }
            }
        }
        Places { places, residents: Weighted::new(weights) }
    }

    /// The home of one patient.
    pub(super) fn draw(&self, draws: &mut Random) -> &PostalCode {
        &self.places[self.residents.draw(draws)]
    }
}

fn place(region: usize, city: usize, quarter: usize) -> PostalCode {
    let zip = format!("{:02}{}{:02}", 3 * region + 1, city, 1 + 4 * quarter);
    PostalCode { zip, region, rural: city >= 3 }
}

/// Zipf's law from the given rank on.
fn falling(rank: usize, offset: usize) -> f64 {
    1.0 / (rank + offset) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct_and_have_five_digits() {
        let places = Places::new();
        let codes: std::collections::BTreeSet<&str> =
            places.places.iter().map(|place| place.zip.as_str()).collect();
        assert_eq!(codes.len(), places.places.len());
        assert!((500..2_000).contains(&codes.len()), "{}", codes.len());
        assert!(codes.iter().all(|zip| zip.len() == 5 && zip.bytes().all(|b| b.is_ascii_digit())));
        assert!(codes.iter().any(|zip| zip.starts_with('0')), "leading zeros must survive reading");
    }

    #[test]
    fn the_largest_tenth_of_codes_holds_a_large_share_of_the_people() {
        let places = Places::new();
        let mut counts = std::collections::BTreeMap::new();
        for row in 0..50_000 {
            *counts.entry(&places.draw(&mut Random::of_row(3, row)).zip).or_insert(0u32) += 1;
        }
        let mut counts: Vec<u32> = counts.into_values().collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let top: u32 = counts[..places.places.len() / 10].iter().sum();
        assert!(top > 17_500, "the top tenth holds only {top} of 50000");
    }
}
