//! Times in JSON: a plain number of seconds. For `#[serde(with = "seconds")]`, on members whose names
//! end in `_s`.

use std::time::Duration;

use serde::{Deserialize, Deserializer, Serializer, de};

/// Writes a time. Exact to the nanosecond up to a week and more.
///
/// # Errors
/// Those of the serializer.
pub fn serialize<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(time.as_secs_f64())
}

/// Reads a time.
///
/// # Errors
/// No number, or one that is negative or too large.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    Duration::try_from_secs_f64(f64::deserialize(deserializer)?).map_err(de::Error::custom)
}

/// The same for a time that may be missing.
pub mod optional {
    use super::{Deserialize, Deserializer, Duration, Serializer, de};

    /// Writes a time, or null.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(
        time: &Option<Duration>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match time {
            Some(time) => super::serialize(time, serializer),
            None => serializer.serialize_none(),
        }
    }

    /// Reads a time, or null.
    ///
    /// # Errors
    /// Neither null nor a number that is a time.
    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Duration>, D::Error> {
        let seconds = Option::<f64>::deserialize(deserializer)?;
        seconds.map(Duration::try_from_secs_f64).transpose().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
    struct Times {
        #[serde(rename = "wall_s", with = "super")]
        wall: Duration,
        #[serde(rename = "limit_s", with = "super::optional")]
        limit: Option<Duration>,
    }

    #[test]
    fn a_time_is_a_number_and_comes_back_whole() {
        for (wall, limit, text) in [
            (Duration::from_millis(1500), None, r#"{"wall_s":1.5,"limit_s":null}"#),
            (Duration::ZERO, Some(Duration::from_secs(10)), r#"{"wall_s":0.0,"limit_s":10.0}"#),
            (
                Duration::new(86_400 * 7, 999_999_999),
                None,
                r#"{"wall_s":604800.999999999,"limit_s":null}"#,
            ),
        ] {
            let times = Times { wall, limit };
            assert_eq!(serde_json::to_string(&times).expect("plain values"), text);
            assert_eq!(serde_json::from_str::<Times>(text).expect("its own text"), times);
        }
        for bad in ["-1", "\"1\"", "1e99"] {
            let text = format!(r#"{{"wall_s":{bad},"limit_s":null}}"#);
            assert!(serde_json::from_str::<Times>(&text).is_err(), "{bad}");
        }
    }
}
