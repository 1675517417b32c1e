//! Number literals moved by one, in the base and with the separators they were written in.

/// Where a number goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shift {
    Up,
    Down,
}

/// The integer literal one further, whatever its length; nothing for an imaginary one.
pub(crate) fn shifted_integer(literal: &[u8], shift: Shift) -> Option<Vec<u8>> {
    let (prefix, base) = match literal {
        [b'0', b'x' | b'X', ..] => (2, 16),
        [b'0', b'o' | b'O', ..] => (2, 8),
        [b'0', b'b' | b'B', ..] => (2, 2),
        _ => (0, 10),
    };
    let mut digits = literal[prefix..].to_vec();
    let value = |digit: u8| char::from(digit).to_digit(base);
    if digits.is_empty() || !digits.iter().all(|&digit| digit == b'_' || value(digit).is_some()) {
        return None;
    }
    let is_zero = digits.iter().all(|digit| matches!(digit, b'0' | b'_'));
    if is_zero && shift == Shift::Down {
        return Some(b"-1".to_vec());
    }
    let is_upper = digits.iter().any(u8::is_ascii_uppercase);
    let carried = carry(&mut digits, base, shift, is_upper);
    if carried {
        digits.insert(0, b'1');
    }
    if base == 10 {
        let zeros = digits.iter().take_while(|digit| matches!(digit, b'0' | b'_')).count();
        digits.drain(..zeros.min(digits.len() - 1));
    }
    Some([&literal[..prefix], &digits].concat())
}

/// Moves the last digit by one and those before it as needed; whether the first overflowed.
fn carry(digits: &mut [u8], base: u32, shift: Shift, is_upper: bool) -> bool {
    for digit in digits.iter_mut().rev().filter(|digit| **digit != b'_') {
        let value = char::from(*digit).to_digit(base).expect("the caller has checked the digits");
        let (next, goes_on) = match shift {
            Shift::Up => ((value + 1) % base, value + 1 == base),
            Shift::Down => ((value + base - 1) % base, value == 0),
        };
        let next = char::from_digit(next, base).expect("a remainder is a digit");
        let next = if is_upper { next.to_ascii_uppercase() } else { next };
        *digit = u8::try_from(next).expect("digits are ASCII");
        if !goes_on {
            return false;
        }
    }
    true
}

/// The floating-point literal one further; nothing where that is the same number, infinite or
/// imaginary.
pub(crate) fn shifted_float(literal: &[u8], shift: Shift) -> Option<Vec<u8>> {
    let plain: Vec<u8> = literal.iter().copied().filter(|byte| *byte != b'_').collect();
    let value: f64 = std::str::from_utf8(&plain).ok()?.parse().ok()?;
    let next = match shift {
        Shift::Up => value + 1.0,
        Shift::Down => value - 1.0,
    };
    // The shortest text that reads back as the same number, which Python reads the same way.
    (next.is_finite() && next.to_bits() != value.to_bits())
        .then(|| format!("{next:?}").into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integer(literal: &str, shift: Shift) -> Option<String> {
        shifted_integer(literal.as_bytes(), shift).map(|text| String::from_utf8(text).unwrap())
    }

    fn float(literal: &str, shift: Shift) -> Option<String> {
        shifted_float(literal.as_bytes(), shift).map(|text| String::from_utf8(text).unwrap())
    }

    #[test]
    fn integers_move_in_their_own_base() {
        for (before, up, down) in [
            ("0", "1", "-1"),
            ("00", "1", "-1"),
            ("0_0", "1", "-1"),
            ("1", "2", "0"),
            ("9", "10", "8"),
            ("10", "11", "9"),
            ("1_000", "1_001", "999"),
            ("9_999", "10_000", "9_998"),
            ("0xff", "0x100", "0xfe"),
            ("0XFF", "0X100", "0XFE"),
            ("0x0", "0x1", "-1"),
            ("0x_10", "0x_11", "0x_0f"),
            ("0b11", "0b100", "0b10"),
            ("0o77", "0o100", "0o76"),
            ("99999999999999999999", "100000000000000000000", "99999999999999999998"),
        ] {
            assert_eq!(integer(before, Shift::Up).as_deref(), Some(up), "{before}");
            assert_eq!(integer(before, Shift::Down).as_deref(), Some(down), "{before}");
        }
        assert_eq!(integer("1j", Shift::Up), None);
        assert_eq!(integer("10L", Shift::Up), None);
    }

    #[test]
    fn floats_move_unless_that_is_the_same_number() {
        for (before, up, down) in [
            ("0.5", "1.5", "-0.5"),
            ("1.", "2.0", "0.0"),
            (".25", "1.25", "-0.75"),
            ("1e3", "1001.0", "999.0"),
            ("1_0.0", "11.0", "9.0"),
            ("1.e2", "101.0", "99.0"),
        ] {
            assert_eq!(float(before, Shift::Up).as_deref(), Some(up), "{before}");
            assert_eq!(float(before, Shift::Down).as_deref(), Some(down), "{before}");
        }
        assert_eq!(float("1e300", Shift::Up), None);
        assert_eq!(float("1e999", Shift::Up), None);
        assert_eq!(float("1.5j", Shift::Up), None);
    }
}
