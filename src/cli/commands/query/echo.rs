//! What was shown of an answer that broke off, so that it is not shown again when the answer comes
//! anew.

/// What was shown of the texts of the answer that is coming.
#[derive(Debug, Default)]
pub struct Echo {
    /// The texts that were shown, the last one perhaps in part.
    shown: Vec<String>,
    /// Which of them is coming.
    at: usize,
    /// What has come of it since the answer broke off, as long as it repeats what was shown.
    again: Option<String>,
}

/// What there is to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fresh {
    /// This, behind what was shown; empty if it was all shown before.
    More(String),
    /// This, as another text: it is not what was shown before.
    Anew(String),
}

/// How a text ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All of it is shown.
    Shown,
    /// All of it was shown before the answer broke off, to its end.
    Before,
    /// It is this, and not what was shown.
    Anew(String),
}

impl Echo {
    /// A part of the text has come.
    pub fn hear(&mut self, part: &str) -> Fresh {
        if self.shown.len() == self.at {
            self.shown.push(String::new());
        }
        let said = &mut self.shown[self.at];
        let Some(again) = &mut self.again else {
            said.push_str(part);
            return Fresh::More(part.to_owned());
        };
        again.push_str(part);
        if said.starts_with(again.as_str()) {
            return Fresh::More(String::new());
        }
        let again = std::mem::take(again);
        let is_last = self.at + 1 == self.shown.len();
        let fresh = match again.strip_prefix(self.shown[self.at].as_str()) {
            // What was complete when it was shown cannot be gone on with.
            Some(rest) if is_last => Fresh::More(rest.to_owned()),
            _ => Fresh::Anew(again.clone()),
        };
        self.differs(again);
        fresh
    }

    /// From here on it is not what was shown.
    fn differs(&mut self, text: String) {
        self.again = None;
        self.shown.truncate(self.at);
        self.shown.push(text);
    }

    /// The answer broke off, and may come anew.
    pub fn break_off(&mut self) {
        if !self.shown.is_empty() {
            (self.at, self.again) = (0, Some(String::new()));
        }
    }

    /// The text is complete.
    pub fn end(&mut self) -> Ended {
        let Some(again) = self.again.take() else {
            self.at = self.shown.len();
            return Ended::Shown;
        };
        if self.shown.get(self.at) != Some(&again) {
            self.differs(again.clone());
            self.at = self.shown.len();
            return Ended::Anew(again);
        }
        self.at += 1;
        let is_complete = self.at < self.shown.len();
        // What comes next may have been shown, too.
        self.again = is_complete.then(String::new);
        if is_complete { Ended::Before } else { Ended::Shown }
    }

    /// The answer has ended: the next one is another.
    pub fn forget(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn more(text: &str) -> Fresh {
        Fresh::More(text.to_owned())
    }

    #[test]
    fn what_comes_again_is_shown_once_in_any_split() {
        let text = "Frühling im Garten";
        for broke_at in [1, 2, 4, 9, text.len()] {
            for chunk in 1..5 {
                let mut echo = Echo::default();
                let mut shown = String::new();
                let mut hear = |echo: &mut Echo, part: &str| match echo.hear(part) {
                    Fresh::More(fresh) => shown.push_str(&fresh),
                    Fresh::Anew(_) => panic!("it is the same"),
                };
                hear(&mut echo, &text[..broke_at]);
                echo.break_off();
                hear(&mut echo, &text[..1]);
                echo.break_off();
                let characters: Vec<_> = text.chars().collect();
                for part in characters.chunks(chunk) {
                    hear(&mut echo, &part.iter().collect::<String>());
                }
                assert_eq!(echo.end(), Ended::Shown);
                assert_eq!(shown, text, "{broke_at} {chunk}");
            }
        }
    }

    #[test]
    fn another_text_is_shown_whole() {
        let mut echo = Echo::default();
        assert_eq!(echo.hear("From March"), more("From March"));
        echo.break_off();
        assert_eq!(echo.hear("From "), more(""));
        assert_eq!(echo.hear("April"), Fresh::Anew("From April".to_owned()));
        assert_eq!(echo.hear(" on"), more(" on"));
        assert_eq!(echo.end(), Ended::Shown);
    }

    #[test]
    fn a_shorter_text_is_another_one() {
        let mut echo = Echo::default();
        assert_eq!(echo.hear("From March"), more("From March"));
        echo.break_off();
        assert_eq!(echo.hear("From"), more(""));
        assert_eq!(echo.end(), Ended::Anew("From".to_owned()));
        assert_eq!(echo.hear("Next"), more("Next"));
    }

    #[test]
    fn complete_texts_that_come_again_are_not_shown_again() {
        let mut echo = Echo::default();
        assert_eq!(echo.hear("One."), more("One."));
        assert_eq!(echo.end(), Ended::Shown);
        assert_eq!(echo.hear("Tw"), more("Tw"));
        echo.break_off();
        assert_eq!(echo.hear("One."), more(""));
        assert_eq!(echo.end(), Ended::Before);
        assert_eq!(echo.hear("Two."), more("o."));
        assert_eq!(echo.end(), Ended::Shown);
        echo.forget();
        assert_eq!(echo.hear("One."), more("One."));
    }

    #[test]
    fn a_text_that_was_complete_and_comes_longer_is_another_one() {
        let mut echo = Echo::default();
        echo.hear("One.");
        echo.end();
        echo.hear("Two");
        echo.break_off();
        assert_eq!(echo.hear("One. And"), Fresh::Anew("One. And".to_owned()));
        assert_eq!(echo.end(), Ended::Shown);
        assert_eq!(echo.hear("Two"), more("Two"));
    }
}
