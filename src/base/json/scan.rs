//! The scanner: one pass from left to right, without recursion.

use super::document::{Document, Kind, Slot};
use super::{Fault, MAX_DEPTH, MAX_DIGITS};

/// Up to this many members, names are first compared by their starts.
const FEW: usize = 16;

/// Parses a whole text; see [`Document::parse`].
pub(super) fn document(bytes: &[u8]) -> Result<Document<'_>, Fault> {
    let text = std::str::from_utf8(bytes).map_err(|_| Fault::Invalid)?;
    if u32::try_from(text.len()).is_err() {
        return Err(Fault::Invalid);
    }
    let document =
        Document { text, decoded: String::new(), slots: Vec::with_capacity(text.len() / 8 + 4) };
    let mut scanner = Scanner { text: bytes, at: 0, document, open: [0; MAX_DEPTH], depth: 0 };
    scanner.run()?;
    Ok(scanner.document)
}

/// The high bit of every byte of the word that is `"`, `\` or below a space. A byte above such a one
/// may be marked too: only the lowest mark counts.
#[inline]
fn special_bytes(word: u64) -> u64 {
    const ONES: u64 = u64::MAX / 0xff;
    let backslash = word ^ (ONES * 0x5c); // 0 for a backslash
    let low = word ^ (ONES * 0x02); // below 0x21 for a quote and for everything below a space
    let marks =
        (backslash.wrapping_sub(ONES) & !backslash) | (low.wrapping_sub(ONES * 0x21) & !low);
    marks & (ONES * 0x80)
}

/// Seven bytes of a name and its length; equal for equal names.
fn start_of(name: &str) -> u64 {
    let mut start = [0; 8];
    let bytes = name.as_bytes();
    let kept = bytes.len().min(7);
    start[..kept].copy_from_slice(&bytes[..kept]);
    start[7] = (bytes.len() % 256).to_le_bytes()[0];
    u64::from_le_bytes(start)
}

struct Scanner<'t> {
    text: &'t [u8],
    at: usize,
    document: Document<'t>,
    /// The slots of the containers that are open, outermost first; `depth` of them.
    open: [u32; MAX_DEPTH],
    depth: usize,
}

impl Scanner<'_> {
    fn run(&mut self) -> Result<(), Fault> {
        loop {
            self.space();
            match self.peek() {
                Some(b'{') => {
                    self.open(Kind::Object)?;
                    if self.peek() == Some(b'}') {
                        self.close()?;
                    } else {
                        self.name()?;
                        continue;
                    }
                }
                Some(b'[') => {
                    self.open(Kind::Array)?;
                    if self.peek() == Some(b']') {
                        self.close()?;
                    } else {
                        continue;
                    }
                }
                _ => self.scalar()?,
            }
            if !self.value_ended()? {
                return Ok(());
            }
        }
    }

    /// A value has ended: close what closes behind it, up to where the next value starts. `false` at
    /// the end of the text.
    fn value_ended(&mut self) -> Result<bool, Fault> {
        loop {
            self.space();
            let Some(top) = self.depth.checked_sub(1) else {
                return if self.at == self.text.len() { Ok(false) } else { Err(Fault::Invalid) };
            };
            let container = &mut self.document.slots[self.open[top] as usize];
            container.start += 1;
            match (container.kind, self.text.get(self.at)) {
                (Kind::Array, Some(b',')) => {
                    self.at += 1;
                    return Ok(true);
                }
                (Kind::Object, Some(b',')) => {
                    self.at += 1;
                    self.space();
                    self.name()?;
                    return Ok(true);
                }
                (Kind::Array, Some(b']')) | (Kind::Object, Some(b'}')) => self.close()?,
                _ => return Err(Fault::Invalid),
            }
        }
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    #[inline]
    fn space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.text.get(self.at) {
            self.at += 1;
        }
    }

    #[inline]
    fn push(&mut self, kind: Kind, start: usize, end: usize) {
        let short = |at: usize| u32::try_from(at).expect("a text is shorter than 4 GiB");
        self.document.slots.push(Slot { kind, start: short(start), end: short(end) });
    }

    fn open(&mut self, kind: Kind) -> Result<(), Fault> {
        let slot = self.document.slots.len();
        self.push(kind, 0, 0);
        *self.open.get_mut(self.depth).ok_or(Fault::Invalid)? =
            u32::try_from(slot).expect("a slot takes at least a byte of text");
        self.depth += 1;
        self.at += 1;
        self.space();
        Ok(())
    }

    fn close(&mut self) -> Result<(), Fault> {
        self.at += 1;
        self.depth -= 1;
        let opened = self.open[self.depth];
        let after = u32::try_from(self.document.slots.len()).expect("fewer slots than bytes");
        let slot = &mut self.document.slots[opened as usize];
        slot.end = after;
        if slot.kind == Kind::Object && slot.start > 1 && self.names_repeat(opened) {
            return Err(Fault::DuplicateKey);
        }
        Ok(())
    }

    /// Whether the object in that slot names a member twice.
    fn names_repeat(&self, object: u32) -> bool {
        let Some(members) = self.document.node(object).members() else { return false };
        // Most objects are small, and most names differ early: that costs no memory.
        let mut starts = [0; FEW];
        if members.len() <= FEW {
            let count = members.len();
            for (slot, (name, _)) in starts.iter_mut().zip(members.clone()) {
                *slot = start_of(name);
            }
            let seen_before = |at: usize| starts[..at].contains(&starts[at]);
            if !(1..count).any(seen_before) {
                return false;
            }
        }
        let mut names: Vec<&str> = members.map(|(name, _)| name).collect();
        names.sort_unstable();
        names.windows(2).any(|pair| pair[0] == pair[1])
    }

    /// A member name and its colon.
    fn name(&mut self) -> Result<(), Fault> {
        if self.peek() != Some(b'"') {
            return Err(Fault::Invalid);
        }
        self.string()?;
        self.space();
        if self.peek() != Some(b':') {
            return Err(Fault::Invalid);
        }
        self.at += 1;
        Ok(())
    }

    fn scalar(&mut self) -> Result<(), Fault> {
        let rest = &self.text[self.at..];
        let (kind, word) = match rest.first() {
            Some(b'"') => return self.string(),
            Some(b'0'..=b'9') => return self.number(),
            Some(b'-') if rest.starts_with(b"-Infinity") => return Err(Fault::Number),
            Some(b'-') => return self.number(),
            Some(b't') => (Kind::True, "true"),
            Some(b'f') => (Kind::False, "false"),
            Some(b'n') => (Kind::Null, "null"),
            _ if rest.starts_with(b"NaN") || rest.starts_with(b"Infinity") => {
                return Err(Fault::Number);
            }
            _ => return Err(Fault::Invalid),
        };
        if !rest.starts_with(word.as_bytes()) {
            return Err(Fault::Invalid);
        }
        self.push(kind, self.at, self.at + word.len());
        self.at += word.len();
        Ok(())
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        self.at - start
    }

    fn number(&mut self) -> Result<(), Fault> {
        let start = self.at;
        self.at += usize::from(self.peek() == Some(b'-'));
        let count = if self.peek() == Some(b'0') {
            self.at += 1;
            1
        } else {
            self.digits()
        };
        if count == 0 {
            return Err(Fault::Invalid);
        }
        let whole = self.at;
        if self.peek() == Some(b'.') {
            self.at += 1;
            if self.digits() == 0 {
                return Err(Fault::Invalid);
            }
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            self.at += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
            if self.digits() == 0 {
                return Err(Fault::Invalid);
            }
        }
        if self.at > whole {
            return self.float(start);
        }
        if count > MAX_DIGITS {
            return Err(Fault::Invalid);
        }
        self.push(Kind::Integer, start, whole);
        Ok(())
    }

    /// The number from `start` to here, which has a fraction or an exponent.
    fn float(&mut self, start: usize) -> Result<(), Fault> {
        let number: f64 = self.document.text[start..self.at].parse().map_err(|_| Fault::Invalid)?;
        if !number.is_finite() {
            return Err(Fault::Number);
        }
        let [high, low] = [number.to_bits() >> 32, number.to_bits() & 0xffff_ffff];
        self.push(Kind::Float, high as usize, low as usize);
        Ok(())
    }

    fn string(&mut self) -> Result<(), Fault> {
        self.at += 1;
        let start = self.at;
        self.plain();
        if self.peek() == Some(b'"') {
            self.push(Kind::Plain, start, self.at);
            self.at += 1;
            return Ok(());
        }
        let first = self.document.decoded.len();
        self.document.decoded.push_str(&self.document.text[start..self.at]);
        loop {
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => self.escape()?,
                _ => return Err(Fault::Invalid),
            }
            let start = self.at;
            self.plain();
            self.document.decoded.push_str(&self.document.text[start..self.at]);
        }
        self.push(Kind::Decoded, first, self.document.decoded.len());
        self.at += 1;
        Ok(())
    }

    /// Steps over what stands for itself in a string, eight bytes at a time.
    #[inline]
    fn plain(&mut self) {
        let mut rest = &self.text[self.at..];
        let plain = loop {
            let Some((word, after)) = rest.split_first_chunk::<8>() else {
                let special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
                break rest.iter().position(special).unwrap_or(rest.len());
            };
            let special = special_bytes(u64::from_le_bytes(*word));
            if special != 0 {
                break special.trailing_zeros() as usize / 8;
            }
            rest = after;
        };
        self.at = self.text.len() - rest.len() + plain;
    }

    /// An escape, from its backslash; half a surrogate pair is none.
    fn escape(&mut self) -> Result<(), Fault> {
        let letter = *self.text.get(self.at + 1).ok_or(Fault::Invalid)?;
        self.at += 2;
        let decoded = match letter {
            b'"' | b'\\' | b'/' => char::from(letter),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => self.code_point()?,
            _ => return Err(Fault::Invalid),
        };
        self.document.decoded.push(decoded);
        Ok(())
    }

    fn code_point(&mut self) -> Result<char, Fault> {
        let mut units = [self.code_unit()?, 0];
        let mut count = 1;
        if matches!(units[0], 0xd800..0xdc00) && self.text[self.at..].starts_with(b"\\u") {
            self.at += 2;
            units[1] = self.code_unit()?;
            count = 2;
        }
        let mut decoded = char::decode_utf16(units.into_iter().take(count));
        match (decoded.next(), decoded.next()) {
            (Some(Ok(c)), None) => Ok(c),
            _ => Err(Fault::Invalid),
        }
    }

    fn code_unit(&mut self) -> Result<u16, Fault> {
        let digits = self.text.get(self.at..self.at + 4).ok_or(Fault::Invalid)?;
        self.at += 4;
        digits.iter().try_fold(0, |unit, &byte| {
            let digit = char::from(byte).to_digit(16).ok_or(Fault::Invalid)?;
            Ok(unit << 4 | u16::try_from(digit).expect("a hex digit is below 16"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::special_bytes;

    #[test]
    fn the_lowest_mark_is_the_first_special_byte() {
        for byte in 0..=u8::MAX {
            for at in 0..8 {
                let mut word = *b"plain\x7f!~";
                word[at] = byte;
                let special = word.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20));
                let marks = special_bytes(u64::from_le_bytes(word));
                let lowest = (marks != 0).then(|| marks.trailing_zeros() as usize / 8);
                assert_eq!(lowest, special, "{byte:#x} at {at}");
            }
        }
    }
}
