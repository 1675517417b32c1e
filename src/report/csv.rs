//! CSV (RFC 4180 with line feeds): a header, then one line a mutant of the plan.

use super::escape::field;
use super::log::RunLog;

/// The table.
pub(super) fn render(log: &RunLog) -> String {
    let mut text =
        String::from("id,class,operator,path,function,line,standing,why,before,after,wall_s\n");
    for entry in &log.entries {
        let row = &entry.row;
        let standing = entry.standing();
        let fields = [
            field(&row.id),
            field(row.class.name()),
            field(&row.operator),
            field(&row.path),
            field(row.place_name()),
            row.line.to_string(),
            field(standing.word()),
            field(&standing.why(&log.run)),
            field(&row.before),
            field(&row.after()),
            format!("{:.3}", entry.wall.as_secs_f64()),
        ];
        text.push_str(&fields.join(","));
        text.push('\n');
    }
    text
}
