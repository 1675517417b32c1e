//! Every exit code of the program, once.

/// Writes the enum and its tables from one list.
macro_rules! exits {
    ($($name:ident, $code:literal, $meaning:literal;)*) => {
        /// How the program ends.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Exit {
            $(#[doc = $meaning] $name,)*
        }

        impl Exit {
            /// Every exit, by code.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The process's exit status.
            #[must_use]
            pub const fn code(self) -> u8 {
                match self { $(Self::$name => $code,)* }
            }

            /// What it means, for the documentation.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$name => $meaning,)* }
            }
        }
    };
}

exits! {
    Done, 0, "done; survivors alone are no failure";
    No, 1, "the answer is no: invalid, contradicted, an audit differs, or a gate failed";
    Usage, 2, "the arguments or the task file cannot be used";
    Baseline, 3, "the unmutated tree does not pass, or not each time";
    CannotStart, 4, "a command's program cannot be started";
    NothingToDo, 5, "nothing to do: no mutants";
    Undecided, 6, "undecided mutants are left";
    Control, 7, "a control failed: the kills would mean nothing";
    Output, 8, "the output directory cannot be used";
    Resources, 9, "disk, memory or processes ran out, or the tree changed during the run";
    NotEstablished, 10, "the answer cannot be established";
    Refused, 11, "the input is refused";
    Internal, 70, "a fault of this program";
    Interrupted, 130, "interrupted";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_different_and_in_order() {
        assert!(Exit::ALL.windows(2).all(|pair| pair[0].code() < pair[1].code()));
    }

    #[test]
    fn the_page_of_exit_codes_is_this_list() {
        let mut page = String::from(
            "# Exit codes\n\nMade from `src/cli/exit.rs`; a test compares them.\n\n| code | meaning |\n|---|---|\n",
        );
        for exit in Exit::ALL {
            page.push_str(&format!("| {} | {} |\n", exit.code(), exit.meaning()));
        }
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/exit-codes.md");
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(path, &page).expect("docs/ can be written");
        }
        let committed = std::fs::read_to_string(path).unwrap_or_default();
        assert_eq!(committed, page, "run the tests once with UPDATE_DOCS=1");
    }
}
