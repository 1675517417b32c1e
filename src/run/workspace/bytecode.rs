//! What a file of Python bytecode says about its source.

/// Two words of the head of a file, bytes 4 to 12; zero where the file is shorter.
///
/// Since Python 3.7 (PEP 552) the first holds flags and the second the time of the source, unless the
/// flags say that a hash stands there. Before, the first held the time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Header([u32; 2]);

impl Header {
    pub(super) fn of(head: [u8; 12]) -> Self {
        let word =
            |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        Self([word(4), word(8)])
    }

    /// Whether Python uses the bytecode without looking at the source: the flags say "by hash" and do
    /// not say "check it". It may be said wrongly of bytecode from before Python 3.7.
    pub(super) const fn is_unchecked(self) -> bool {
        self.0[0] & 0b11 == 0b01
    }

    /// What may be the time of the source, in seconds since the epoch, of which 32 bits are kept.
    pub(super) const fn times(self) -> [u32; 2] {
        self.0
    }
}

/// Whether a file is bytecode by its name.
pub(super) fn is_bytecode(path: &[u8]) -> bool {
    path.ends_with(b".pyc")
}

/// Whether `name` is what some version of Python calls the bytecode of the module `stem`.
pub(super) fn is_of_module(name: &[u8], stem: &[u8]) -> bool {
    is_bytecode(name) && name.strip_prefix(stem).is_some_and(|rest| rest.starts_with(b"."))
}
