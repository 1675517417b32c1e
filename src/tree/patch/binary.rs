//! `GIT binary patch`: the content of a file, or its difference, deflated and written in 85 letters.

use std::io::Read as _;

use flate2::read::ZlibDecoder;

use super::error::shown;
use super::lines::{Lines, trimmed};
use super::{LIMIT, PatchError};

/// The 85 digits, in order.
const DIGITS: &[u8; 85] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

/// The change of one binary file, and the change back where the patch has it.
#[derive(Debug, Clone)]
pub(super) struct Binary {
    /// The line of the patch after which it begins.
    pub(super) line: usize,
    forward: Part,
    reverse: Option<Part>,
}

/// One direction.
#[derive(Debug, Clone)]
struct Part {
    is_delta: bool,
    /// Its bytes when inflated.
    size: u64,
    deflated: Vec<u8>,
}

impl Binary {
    /// Reads what follows the line `GIT binary patch`.
    pub(super) fn read(lines: &mut Lines<'_>) -> Result<Self, PatchError> {
        let line = lines.number() - 1;
        let lacks = || PatchError::malformed(line + 1, "a binary patch needs `literal` or `delta`");
        let forward = Part::read(lines)?.ok_or_else(lacks)?;
        Ok(Self { line, forward, reverse: Part::read(lines)? })
    }

    /// The new content, made of the old one.
    ///
    /// # Errors
    /// What does not fit, to follow the words "line N of the patch".
    pub(super) fn apply(&self, before: &[u8]) -> Result<Vec<u8>, String> {
        let after = self.forward.apply(before)?;
        let fits = match &self.reverse {
            Some(reverse) => reverse.apply(&after)? == before,
            None => true,
        };
        if fits {
            Ok(after)
        } else {
            Err("is made for another binary content of the file".to_owned())
        }
    }

    /// Whether `text` is what this makes.
    pub(super) fn makes(&self, text: &[u8]) -> bool {
        let before = self.reverse.as_ref().and_then(|reverse| reverse.apply(text).ok());
        before.is_some_and(|before| self.forward.apply(&before).is_ok_and(|after| after == text))
    }
}

impl Part {
    /// Reads one direction; `None` where there is none.
    fn read(lines: &mut Lines<'_>) -> Result<Option<Self>, PatchError> {
        let number = lines.number();
        let head = trimmed(lines.peek().unwrap_or_default());
        let (is_delta, size) = match (head.strip_prefix(b"literal "), head.strip_prefix(b"delta "))
        {
            (Some(size), _) => (false, size),
            (_, Some(size)) => (true, size),
            (None, None) => return Ok(None),
        };
        let size = std::str::from_utf8(size).ok().and_then(|size| size.parse::<u64>().ok());
        let size = size.filter(|size| *size <= LIMIT).ok_or_else(|| {
            let what = format!("`{}` is no size up to {LIMIT} bytes", shown(head));
            PatchError::malformed(number, what)
        })?;
        lines.next();
        let mut deflated = Vec::new();
        while let Some(line) = lines.peek().map(trimmed).filter(|line| !line.is_empty()) {
            let bad =
                || PatchError::malformed(lines.number(), "a line of a binary patch is damaged");
            decode(line, &mut deflated).ok_or_else(bad)?;
            lines.next();
        }
        // The empty line ends it; at the end of a trimmed patch it may be gone.
        lines.next();
        Ok(Some(Self { is_delta, size, deflated }))
    }

    fn apply(&self, before: &[u8]) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        let read = ZlibDecoder::new(self.deflated.as_slice())
            .take(self.size + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| format!("holds damaged binary data: {error}"))?;
        if read as u64 != self.size {
            return Err(format!("holds binary data that is not the stated {} bytes", self.size));
        }
        if self.is_delta { delta(&bytes, before) } else { Ok(bytes) }
    }
}

/// Appends the bytes of a line: a letter for their number, then five digits for every four of them.
fn decode(line: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let (first, digits) = line.split_first()?;
    let count = match first {
        b'A'..=b'Z' => first - b'A' + 1,
        b'a'..=b'z' => first - b'a' + 27,
        _ => return None,
    };
    let count = usize::from(count);
    if digits.len() != count.div_ceil(4) * 5 {
        return None;
    }
    let end = out.len() + count;
    for group in digits.chunks(5) {
        let mut value = 0_u32;
        for digit in group {
            let digit = DIGITS.iter().position(|known| known == digit)?;
            value = value.checked_mul(85)?.checked_add(u32::try_from(digit).ok()?)?;
        }
        out.extend_from_slice(&value.to_be_bytes());
    }
    out.truncate(end);
    Some(())
}

/// Applies git's delta: two sizes, then pieces of the old content and new bytes.
fn delta(delta: &[u8], before: &[u8]) -> Result<Vec<u8>, String> {
    let damaged = || "holds a damaged binary difference".to_owned();
    let mut rest = delta;
    let old_size = size(&mut rest).ok_or_else(damaged)?;
    let new_size = size(&mut rest).ok_or_else(damaged)?;
    if old_size != before.len() as u64 {
        return Err(format!(
            "is made for a binary content of {old_size} bytes, and the file has {}",
            before.len()
        ));
    }
    if new_size > LIMIT {
        return Err(format!("makes a file of more than {LIMIT} bytes"));
    }
    let mut after = Vec::new();
    while !rest.is_empty() {
        let piece = piece(&mut rest, before).ok_or_else(damaged)?;
        if (after.len() + piece.len()) as u64 > new_size {
            return Err(damaged());
        }
        after.extend_from_slice(piece);
    }
    if after.len() as u64 == new_size { Ok(after) } else { Err(damaged()) }
}

/// A number in groups of seven bits, the lowest first.
fn size(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..63).step_by(7) {
        let byte = rest.split_off_first()?;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// The next piece: new bytes, or a span of the old content whose place and length follow as those of
/// their bytes that are not zero.
fn piece<'a>(rest: &mut &'a [u8], before: &'a [u8]) -> Option<&'a [u8]> {
    let first = *rest.split_off_first()?;
    if first & 0x80 == 0 {
        return if first == 0 { None } else { rest.split_off(..usize::from(first)) };
    }
    let mut number = |bits: std::ops::Range<u8>| {
        let mut value = 0_usize;
        for (place, bit) in bits.enumerate() {
            if first & (1 << bit) != 0 {
                value |= usize::from(*rest.split_off_first()?) << (8 * place);
            }
        }
        Some(value)
    };
    let offset = number(0..4)?;
    let length = match number(4..7)? {
        0 => 0x1_0000,
        length => length,
    };
    before.get(offset..offset.checked_add(length)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_become_bytes_and_nothing_else() {
        let decoded = |line: &str| {
            let mut out = Vec::new();
            decode(line.as_bytes(), &mut out).map(|()| out)
        };
        assert_eq!(decoded("A00000"), Some(vec![0]));
        assert_eq!(decoded("D|NsC0"), Some(vec![0xff; 4]));
        for bad in ["", "A", "A0000", "A000000", "0000000", "D~~~~~", "A0000\"", "E00000", "A0000,"]
        {
            assert_eq!(decoded(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_delta_copies_and_inserts_within_its_sizes() {
        let before = b"hello world";
        // Copies six bytes from place 0, then inserts three.
        let good = [11, 9, 0x90, 6, 3, b'y', b'o', b'u'];
        assert_eq!(delta(&good, before), Ok(b"hello you".to_vec()));
        for (bad, why) in [
            (vec![10, 9, 0x90, 6, 3, b'y', b'o', b'u'], "made for a binary content of 10 bytes"),
            (vec![11, 8, 0x90, 6, 3, b'y', b'o', b'u'], "damaged"),
            (vec![11, 10, 0x90, 6, 3, b'y', b'o', b'u'], "damaged"),
            (vec![11, 9, 0x90, 12], "damaged"),
            (vec![11, 9, 3, b'y'], "damaged"),
            (vec![11, 9, 0], "damaged"),
            (vec![11, 9, 0x91], "damaged"),
            (vec![11], "damaged"),
            (vec![0xff; 12], "damaged"),
            (vec![11, 0x80, 0x80, 0x80, 0x80, 0x80, 1], "more than 268435456 bytes"),
        ] {
            let answer = delta(&bad, before).expect_err("a fault");
            assert!(answer.contains(why), "{bad:?}: {answer}");
        }
    }
}
