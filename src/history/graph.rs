//! Drawing lines between things that come from each other.

/// What stands before a row: lines that join above it, and its own mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawn {
    /// A line above the row, where lines join.
    pub joint: Option<String>,
    /// What stands before the row.
    pub mark: String,
}

/// Draws a graph: for each row its own key, and the key of the row that it comes from, which is
/// further down.
pub fn draw<K: Copy + PartialEq>(rows: &[(K, Option<K>)]) -> Vec<Drawn> {
    let mut lanes: Vec<Option<K>> = Vec::new();
    let mut drawn = Vec::with_capacity(rows.len());
    // Right below a row that comes from nothing, another would look as if that came from it.
    let mut ended = None;
    for (key, parent) in rows {
        let waiting: Vec<usize> =
            (0..lanes.len()).filter(|lane| lanes[*lane].as_ref() == Some(key)).collect();
        let joint = (waiting.len() > 1).then(|| joint(&lanes, &waiting));
        for lane in waiting.iter().skip(1) {
            lanes[*lane] = None;
        }
        while lanes.last().is_some_and(Option::is_none) {
            lanes.pop();
        }
        let own = waiting.first().copied().unwrap_or_else(|| {
            let is_free =
                |lane: &usize| lanes.get(*lane).is_none_or(Option::is_none) && ended != Some(*lane);
            let free = (0..).find(is_free).unwrap_or(lanes.len());
            lanes.resize(lanes.len().max(free + 1), None);
            free
        });
        lanes[own] = Some(*key);
        let marks = lanes.iter().enumerate().map(|(lane, held)| match held {
            _ if lane == own => "○ ",
            Some(_) => "│ ",
            None => "  ",
        });
        let mark = marks.collect::<String>().trim_end().to_owned();
        lanes[own] = *parent;
        ended = parent.is_none().then_some(own);
        drawn.push(Drawn { joint, mark });
    }
    drawn
}

/// The line in which all lanes that wait for one row join the first of them.
fn joint<K>(lanes: &[Option<K>], waiting: &[usize]) -> String {
    let (first, last) = (waiting[0], waiting[waiting.len() - 1]);
    let mut line = String::new();
    for (lane, held) in lanes.iter().enumerate() {
        let joins = waiting.contains(&lane);
        line.push_str(match (joins, held) {
            (true, _) if lane == first => "├─",
            (true, _) if lane == last => "╯ ",
            (true, _) => "┴─",
            (false, Some(_)) if lane > first && lane < last => "┼─",
            (false, None) if lane > first && lane < last => "──",
            (false, Some(_)) => "│ ",
            (false, None) => "  ",
        });
    }
    line.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(rows: &[(u32, Option<u32>)]) -> String {
        let lines = draw(rows).into_iter().zip(rows).flat_map(|(drawn, (key, _))| {
            drawn.joint.into_iter().chain([format!("{} {key}", drawn.mark)])
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_line_is_straight() {
        assert_eq!(picture(&[(3, Some(2)), (2, Some(1)), (1, None)]), "○ 3\n○ 2\n○ 1");
    }

    #[test]
    fn forks_join_where_they_began() {
        let rows =
            [(5, Some(2)), (4, Some(3)), (3, Some(2)), (6, Some(2)), (2, Some(1)), (1, None)];
        assert_eq!(picture(&rows), "○ 5\n│ ○ 4\n│ ○ 3\n│ │ ○ 6\n├─┴─╯\n○ 2\n○ 1");
    }

    #[test]
    fn what_comes_from_nothing_ends_its_line() {
        assert_eq!(picture(&[(2, None), (3, Some(1)), (1, None)]), "○ 2\n  ○ 3\n  ○ 1");
    }

    #[test]
    fn a_line_in_between_is_crossed() {
        let rows =
            [(9, Some(1)), (8, Some(2)), (7, Some(1)), (1, Some(0)), (2, Some(0)), (0, None)];
        assert_eq!(picture(&rows), "○ 9\n│ ○ 8\n│ │ ○ 7\n├─┼─╯\n○ │ 1\n│ ○ 2\n├─╯\n○ 0");
    }
}
