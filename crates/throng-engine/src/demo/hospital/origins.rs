//! Where patients come from: nationalities by region, and names that go with them.

use throng::random::Random;

use super::places::REGIONS;

use crate::demo::weighted::Weighted;

/// One nationality with its place in the hierarchy.
pub(super) struct Nationality {
    /// Its name.
    pub(super) name: &'static str,
    /// The part of the world one level up.
    pub(super) region: &'static str,
    /// The union two levels up.
    pub(super) union: &'static str,
    naming: usize,
    /// Its share among foreigners; the first nationality is the country's own.
    share: f64,
}

const fn from(
    name: &'static str,
    region: &'static str,
    union: &'static str,
    naming: usize,
    share: f64,
) -> Nationality {
    Nationality { name, region, union, naming, share }
}

const EU: &str = "EU";
const REST: &str = "outside the EU";
const WEST: &str = "western EU";
const SOUTH: &str = "southern EU";
const EAST: &str = "eastern EU";
const EUROPE: &str = "rest of Europe";
const NEAR_EAST: &str = "Near East";
const FAR_EAST: &str = "southern and eastern Asia";

/// Every nationality, the country's own first.
pub(super) const NATIONALITIES: [Nationality; 30] = [
    from("German", WEST, EU, GERMANIC, 0.0),
    from("Turkish", NEAR_EAST, REST, LEVANTINE, 13.0),
    from("Polish", EAST, EU, SLAVIC, 9.0),
    from("Syrian", NEAR_EAST, REST, LEVANTINE, 8.0),
    from("Ukrainian", EUROPE, REST, SLAVIC, 8.0),
    from("Romanian", EAST, EU, ROMANCE, 7.5),
    from("Italian", SOUTH, EU, ROMANCE, 6.0),
    from("Croatian", EAST, EU, SLAVIC, 4.0),
    from("Bulgarian", EAST, EU, SLAVIC, 4.0),
    from("Greek", SOUTH, EU, ROMANCE, 3.5),
    from("Afghan", NEAR_EAST, REST, LEVANTINE, 3.2),
    from("Russian", EUROPE, REST, SLAVIC, 2.6),
    from("Iraqi", NEAR_EAST, REST, LEVANTINE, 2.4),
    from("Serbian", EUROPE, REST, SLAVIC, 2.4),
    from("Hungarian", EAST, EU, SLAVIC, 2.0),
    from("Austrian", WEST, EU, GERMANIC, 1.9),
    from("Spanish", SOUTH, EU, ROMANCE, 1.8),
    from("Indian", FAR_EAST, REST, ASIAN, 1.7),
    from("Dutch", WEST, EU, GERMANIC, 1.5),
    from("French", WEST, EU, ROMANCE, 1.4),
    from("Chinese", FAR_EAST, REST, ASIAN, 1.4),
    from("Iranian", NEAR_EAST, REST, LEVANTINE, 1.3),
    from("Portuguese", SOUTH, EU, ROMANCE, 1.2),
    from("Vietnamese", FAR_EAST, REST, ASIAN, 1.0),
    from("American", "Americas", REST, ENGLISH, 1.0),
    from("British", EUROPE, REST, ENGLISH, 0.9),
    from("Moroccan", "Africa", REST, LEVANTINE, 0.8),
    from("Nigerian", "Africa", REST, ENGLISH, 0.7),
    from("Brazilian", "Americas", REST, ROMANCE, 0.5),
    from("Ghanaian", "Africa", REST, ENGLISH, 0.4),
];

/// The nationalities of each region's people.
#[derive(Debug)]
pub(super) struct Origins {
    natives: [f64; REGIONS],
    foreigners: Vec<Weighted>,
}

impl Origins {
    /// Weighs the nationalities: crowded regions have more foreigners, and each region has two
    /// communities that are at home there more than elsewhere.
    pub(super) fn new() -> Origins {
        let natives = std::array::from_fn(|region| 0.78 + 0.17 * region as f64 / REGIONS as f64);
        let foreigners = (0..REGIONS)
            .map(|region| {
                let communities = [1 + region % 29, 1 + (7 * region + 3) % 29];
                Weighted::new(NATIONALITIES.iter().enumerate().map(|(position, nationality)| {
                    let factor = if communities.contains(&position) { 4.0 } else { 1.0 };
                    factor * nationality.share
                }))
            })
            .collect();
        Origins { natives, foreigners }
    }

    /// The nationality of one patient, as a position in [`NATIONALITIES`].
    pub(super) fn draw(&self, region: usize, rural: bool, draws: &mut Random) -> usize {
        let natives = self.natives[region] + if rural { 0.03 } else { 0.0 };
        if draws.chance(natives) { 0 } else { self.foreigners[region].draw(draws) }
    }
}

/// Writes a name that fits the nationality and the sex (0 male, 1 female) to `name`.
pub(super) fn draw_name(nationality: usize, sex: usize, draws: &mut Random, name: &mut String) {
    let naming = &NAMINGS[NATIONALITIES[nationality].naming];
    name.clear();
    name.push_str(draws.skewed(naming.given[sex]));
    name.push(' ');
    name.push(char::from(b'A' + draws.below(26) as u8));
    name.push_str(". ");
    name.push_str(draws.skewed(naming.family));
}

/// Names that occur together; common ones first.
struct NamePool {
    given: [&'static [&'static str]; 2],
    family: &'static [&'static str],
}

const GERMANIC: usize = 0;
const SLAVIC: usize = 1;
const ROMANCE: usize = 2;
const LEVANTINE: usize = 3;
const ASIAN: usize = 4;
const ENGLISH: usize = 5;

#[rustfmt::skip]
const NAMINGS: [NamePool; 6] = [
    NamePool {
        given: [
            &["Peter", "Hans", "Jürgen", "Uwe", "Lukas", "Jonas", "Felix", "Bernd", "Karl", "Max", "Tim", "Jörg",
              "Emil", "Otto", "Anton", "Ralf", "Kurt", "Moritz", "Jakob", "Sven", "Heiko", "Bruno", "Egon", "Ruben"],
            &["Anna", "Ursula", "Monika", "Sabine", "Marie", "Emma", "Lena", "Petra", "Karin", "Julia", "Klara", "Ida",
              "Greta", "Heike", "Hanna", "Birgit", "Frieda", "Elke", "Käthe", "Jana", "Svenja", "Ilse", "Romy", "Thea"],
        ],
        family: &["Müller", "Schmidt", "Schneider", "Fischer", "Weber", "Becker", "Hoffmann", "Koch", "Richter",
                  "Klein", "Wolf", "Schröder", "Neumann", "Braun", "Zimmermann", "Krüger", "Hartmann", "Lange",
                  "Krause", "Lehmann", "Köhler", "Maier", "Huber", "Fuchs", "Vogel", "Jäger", "Roth", "Groß", "Seidel",
                  "Brandt", "Haas", "Ziegler", "Kuhn", "Pohl", "Engel", "Horn", "Busch", "Sauer", "Arnold", "Pfeiffer"],
    },
    NamePool {
        given: [
            &["Piotr", "Jan", "Marek", "Ivan", "Andrij", "Nikola", "Łukasz", "Goran", "Oleg", "Stefan", "Pavel", "Viktor"],
            &["Maria", "Olena", "Agnieszka", "Ivana", "Katarzyna", "Natalia", "Jelena", "Oksana", "Zofia", "Vesna", "Eva", "Dana"],
        ],
        family: &["Nowak", "Horvat", "Kowalczyk", "Petrov", "Marković", "Bondarenko", "Ivanov", "Wójcik", "Szabo",
                  "Kozak", "Dimitrov", "Babić", "Melnyk", "Zając", "Popović", "Morozov"],
    },
    NamePool {
        given: [
            &["Marco", "José", "Andrei", "Luca", "Paolo", "Nikos", "João", "Pierre", "Ion", "Carlos", "Matteo", "Hugo"],
            &["Giulia", "Elena", "Carmen", "Ioana", "Sofia", "Chiara", "Inês", "Claire", "Rosa", "Mihaela", "Eleni", "Lucía"],
        ],
        family: &["Rossi", "Popescu", "García", "Silva", "Ionescu", "Ferrari", "Papadakis", "Martin", "Costa", "Dumitru",
                  "Romano", "Lopes", "Moreau", "Stan", "Ricci", "Navarro"],
    },
    NamePool {
        given: [
            &["Mehmet", "Ahmad", "Mustafa", "Ali", "Omar", "Hasan", "Yusuf", "Reza", "Karim", "Emre", "Samir", "Farid"],
            &["Fatma", "Aylin", "Zeynep", "Layla", "Amina", "Elif", "Nur", "Maryam", "Samira", "Yasmin", "Hatice", "Rana"],
        ],
        family: &["Yılmaz", "Kaya", "Demir", "Al-Hassan", "Çelik", "Haddad", "Şahin", "Khalil", "Rahimi", "Öztürk",
                  "Aydın", "Nasser", "Karimi", "Arslan", "Saleh", "Ahmadi"],
    },
    NamePool {
        given: [
            &["Wei", "Rahul", "Minh", "Arjun", "Hao", "Tuan", "Vikram", "Jun", "Duc", "Anil", "Ming", "Ravi"],
            &["Mei", "Priya", "Linh", "Ananya", "Xin", "Lan", "Kavita", "Hua", "Thu", "Sunita", "Yan", "Mai"],
        ],
        family: &["Nguyen", "Wang", "Singh", "Li", "Sharma", "Tran", "Zhang", "Kumar", "Chen", "Patel", "Pham", "Gupta"],
    },
    NamePool {
        given: [
            &["James", "John", "Kwame", "David", "Emeka", "Robert", "Kofi", "Chidi", "Thomas", "Samuel", "Tunde", "Oliver"],
            &["Mary", "Grace", "Sarah", "Ama", "Ngozi", "Emily", "Jane", "Abena", "Alice", "Chioma", "Ruth", "Susan"],
        ],
        family: &["Smith", "Okafor", "Johnson", "Mensah", "Brown", "O'Neill", "Adeyemi", "Taylor", "Boateng", "Williams",
                  "Walker", "Owusu"],
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_lies_in_one_union() {
        let mut unions = std::collections::BTreeMap::new();
        for nationality in &NATIONALITIES {
            let union = unions.entry(nationality.region).or_insert(nationality.union);
            assert_eq!(*union, nationality.union, "{}", nationality.region);
        }
    }

    #[test]
    fn communities_differ_between_regions() {
        let origins = Origins::new();
        let share = |region: usize, nationality: usize| {
            (0..20_000)
                .filter(|&row| origins.draw(region, false, &mut Random::of_row(1, row)) == nationality)
                .count()
        };
        let turkish = 1;
        assert!(share(0, turkish) > 2 * share(5, turkish));
        assert!(share(29, 0) > share(0, 0), "the crowded region has fewer natives");
    }
}
