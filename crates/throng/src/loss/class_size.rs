//! Number of classes, and their smallest, mean and largest size.

use super::{Kind, Loss, NO_CLASS, SizeLoss};
use crate::problem::Problem;
use crate::tally::{ClassSizes, Tally};

/// Declares a measure on class sizes: its cost is that of the kept classes, its floor that of
/// all classes below. Each cost can only grow when classes are merged or small ones dropped.
macro_rules! class_size {
    ($type:ident, $name:literal, $summary:literal, $cost:expr, $value:expr, $more:literal) => {
        #[doc = $summary]
        #[derive(Debug)]
        pub(super) struct $type;

        impl SizeLoss for $type {
            fn cost(&self, kept: &ClassSizes, _: u64) -> i128 {
                if kept.classes == 0 { NO_CLASS } else { $cost(kept) }
            }

            fn floor(&self, all: &ClassSizes) -> i128 {
                $cost(all)
            }
        }

        impl Loss for $type {
            fn name(&self) -> &'static str {
                $name
            }

            fn summary(&self) -> &'static str {
                $summary
            }

            fn kind(&self) -> Kind<'_> {
                Kind::Sizes(self)
            }

            fn measure(&self, _: &Problem, tally: &Tally) -> f64 {
                $value(&tally.sizes)
            }

            fn more_is_better(&self) -> bool {
                $more
            }
        }
    };
}

class_size!(
    Classes,
    "classes",
    "number of classes in the release",
    |sizes: &ClassSizes| -i128::from(sizes.classes),
    |sizes: &ClassSizes| sizes.classes as f64,
    true
);
class_size!(
    Smallest,
    "smallest_class",
    "rows in the smallest class",
    |sizes: &ClassSizes| i128::from(sizes.smallest),
    |sizes: &ClassSizes| sizes.smallest as f64,
    false
);
class_size!(
    Mean,
    "mean_class",
    "mean number of rows in a class",
    // A ratio as a fixed-point number; both parts are far below 2^64.
    |sizes: &ClassSizes| (i128::from(sizes.rows) << 60) / i128::from(sizes.classes.max(1)),
    ClassSizes::mean,
    false
);
class_size!(
    Largest,
    "largest_class",
    "rows in the largest class",
    |sizes: &ClassSizes| i128::from(sizes.largest),
    |sizes: &ClassSizes| sizes.largest as f64,
    false
);
