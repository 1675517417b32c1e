//! The reader as a library: answers, careful answers, and that no input surprises it.

mod careful;
