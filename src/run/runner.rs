//! Test runners that argv names for certain, and what their statuses and reports say.
