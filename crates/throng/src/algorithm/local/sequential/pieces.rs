//! Tuples in pieces: a tuple is one until some of its rows go their own way.

/// Where a piece is that has no rows any more.
const NOWHERE: u32 = u32::MAX;

/// Some rows of a tuple that are in one cluster.
#[derive(Clone, Copy)]
struct Piece {
    tuple: u32,
    rows: u32,
    /// Its cluster and its place there.
    cluster: u32,
    slot: u32,
    /// The next piece of the tuple, around a ring.
    next: u32,
}

/// All pieces; the first are the tuples.
pub(super) struct Pieces {
    all: Vec<Piece>,
    /// Numbers without rows, to be used again.
    free: Vec<u32>,
}

impl Pieces {
    /// Every tuple in one piece.
    pub(super) fn new(weights: &[u32]) -> Pieces {
        let piece =
            |(tuple, &rows): (u32, &u32)| Piece { tuple, rows, cluster: NOWHERE, slot: 0, next: tuple };
        Pieces { all: (0..).zip(weights).map(piece).collect(), free: Vec::new() }
    }

    /// Numbers that are or were in use.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    #[inline]
    pub(super) fn tuple(&self, piece: u32) -> u32 {
        self.all[piece as usize].tuple
    }

    #[inline]
    pub(super) fn rows(&self, piece: u32) -> u64 {
        u64::from(self.all[piece as usize].rows)
    }

    /// The cluster of a piece, and its place there.
    #[inline]
    pub(super) fn place(&self, piece: u32) -> (u32, usize) {
        let Piece { cluster, slot, .. } = self.all[piece as usize];
        (cluster, slot as usize)
    }

    pub(super) fn set_place(&mut self, piece: u32, cluster: u32, slot: usize) {
        (self.all[piece as usize].cluster, self.all[piece as usize].slot) = (cluster, slot as u32);
    }

    /// The other pieces of a piece's tuple.
    pub(super) fn kin(&self, piece: u32) -> impl Iterator<Item = u32> {
        let next = |&at: &u32| Some(self.all[at as usize].next);
        std::iter::successors(Some(piece), next).skip(1).take_while(move |&kin| kin != piece)
    }

    /// A piece of so many of the rows of one: itself, or a new one.
    pub(super) fn take(&mut self, piece: u32, rows: u64) -> u32 {
        let of = &mut self.all[piece as usize];
        let rows = rows as u32;
        debug_assert!(rows > 0 && rows <= of.rows, "no more rows than there are");
        if rows == of.rows {
            return piece;
        }
        of.rows -= rows;
        let part = Piece { rows, cluster: NOWHERE, ..*of };
        let id = self.free.pop().unwrap_or(self.all.len() as u32);
        self.all[piece as usize].next = id;
        match self.all.get_mut(id as usize) {
            Some(free) => *free = part,
            None => self.all.push(part),
        }
        id
    }

    /// Gives the rows of a piece to another of its tuple.
    pub(super) fn fuse(&mut self, piece: u32, into: u32) {
        let before = self.kin(piece).last().expect("there is another");
        self.all[before as usize].next = self.all[piece as usize].next;
        self.all[into as usize].rows += self.all[piece as usize].rows;
        self.all[piece as usize] =
            Piece { rows: 0, cluster: NOWHERE, next: piece, ..self.all[piece as usize] };
        self.free.push(piece);
    }
}
