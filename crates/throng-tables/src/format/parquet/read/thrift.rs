//! Walks through what Parquet files say of themselves, which is in Thrift's compact protocol, before their reader makes
//! room for it: a list cannot have more elements than there are bytes left, nor a text more bytes.
//!
//! The protocol tells the type of each field, so nothing has to be known of what they mean.

/// Structs, lists and maps within each other, at most.
const MOST_LEVELS: usize = 64;
/// Bytes of a number, at most.
const NUMBER_BYTES: u32 = 10;

/// Walks through the struct that bytes begin with; nothing if it cannot be what it says.
pub(crate) fn walk_through(bytes: &[u8]) -> Option<()> {
    Walk { left: bytes }.pass_struct(0)
}

struct Walk<'a> {
    left: &'a [u8],
}

impl Walk<'_> {
    fn pass_struct(&mut self, level: usize) -> Option<()> {
        if level > MOST_LEVELS {
            return None;
        }
        loop {
            let head = self.byte()?;
            let (step, kind) = (head >> 4, head & 0xf);
            if kind == 0 {
                return Some(());
            }
            if step == 0 {
                self.number()?;
            }
            // A truth value as a field is in its type.
            if !matches!(kind, 1 | 2) {
                self.pass(kind, level)?;
            }
        }
    }

    /// Passes over a value of a type.
    fn pass(&mut self, kind: u8, level: usize) -> Option<()> {
        match kind {
            1..=3 => self.skip(1),
            4..=6 => self.number().map(drop),
            7 => self.skip(8),
            8 => {
                let length = self.number()?;
                self.skip(length)
            }
            9 | 10 => self.pass_list(level),
            11 => self.pass_map(level),
            12 => self.pass_struct(level + 1),
            13 => self.skip(16),
            _ => None,
        }
    }

    fn pass_list(&mut self, level: usize) -> Option<()> {
        let head = self.byte()?;
        // An empty list may have no type.
        if head == 0 {
            return Some(());
        }
        let count = match head >> 4 {
            15 => self.count()?,
            count => usize::from(count),
        };
        if level > MOST_LEVELS {
            return None;
        }
        (0..count).try_for_each(|_| self.pass(head & 0xf, level + 1))
    }

    fn pass_map(&mut self, level: usize) -> Option<()> {
        let count = self.count()?;
        if count == 0 {
            return Some(());
        }
        if level > MOST_LEVELS {
            return None;
        }
        let kinds = self.byte()?;
        (0..count).try_for_each(|_| {
            self.pass(kinds >> 4, level + 1)?;
            self.pass(kinds & 0xf, level + 1)
        })
    }

    /// A number of elements, each of which takes a byte or more.
    fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(self.number()?).ok()?;
        (count <= self.left.len()).then_some(count)
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for place in 0..NUMBER_BYTES {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f).wrapping_shl(7 * place);
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn byte(&mut self) -> Option<u8> {
        let (&byte, left) = self.left.split_first()?;
        self.left = left;
        Some(byte)
    }

    fn skip(&mut self, bytes: u64) -> Option<()> {
        self.left = self.left.get(usize::try_from(bytes).ok()?..)?;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes(bytes: &[u8]) -> bool {
        walk_through(bytes).is_some()
    }

    #[test]
    fn structs_are_walked_to_their_end() {
        // A number, a text of two letters, true, a list of two numbers, and a struct with nothing.
        let fields = [0x15, 0x82, 0x01, 0x18, 2, b'a', b'b', 0x11, 0x19, 0x25, 1, 2, 0x1c, 0, 0];
        assert!(passes(&fields));
        for end in 0..fields.len() {
            assert!(!passes(&fields[..end]), "{end}");
        }
        // A map of one, a list without a type, a list of a long count.
        assert!(passes(&[0x1b, 1, 0x58, 3, 1, b'x', 0x19, 0, 0x19, 0xf3, 2, 7, 7, 0]));
    }

    #[test]
    fn claims_are_not_believed() {
        let long = [0xff, 0xff, 0xff, 0xff, 0x07];
        let claims = |head: &[u8]| passes(&[head, &long[..], &[0; 40][..]].concat());
        assert!(!claims(&[0x18]), "a text");
        assert!(!claims(&[0x19, 0xfc]), "a list of structs");
        assert!(!claims(&[0x1b]), "a map");
        assert!(!passes(&[0x1c; 200]), "structs within each other");
        assert!(!passes(&[&[0x19][..], &[0x19; 200]].concat()), "lists within each other");
        assert!(
            !passes(&[0x15, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0]),
            "a number"
        );
    }
}
