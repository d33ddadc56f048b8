//! What was shown of a text that broke off, so that it is not shown again when the text comes anew.

/// What was shown of the text that is coming.
#[derive(Debug, Default)]
pub struct Echo {
    /// What was shown.
    said: String,
    /// What has come since it broke off, as long as it repeats what was shown.
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

impl Echo {
    /// A part of the text has come.
    pub fn hear(&mut self, part: &str) -> Fresh {
        let Some(again) = &mut self.again else {
            self.said.push_str(part);
            return Fresh::More(part.to_owned());
        };
        again.push_str(part);
        if self.said.starts_with(again.as_str()) {
            return Fresh::More(String::new());
        }
        let again = std::mem::take(again);
        self.again = None;
        let said = std::mem::replace(&mut self.said, again.clone());
        match again.strip_prefix(&said) {
            Some(rest) => Fresh::More(rest.to_owned()),
            None => Fresh::Anew(again),
        }
    }

    /// The text broke off, and may come anew.
    pub fn break_off(&mut self) {
        if !self.said.is_empty() {
            self.again = Some(String::new());
        }
    }

    /// The text is complete. Returns it if it is another one than what was shown.
    pub fn end(&mut self) -> Option<String> {
        let Self { said, again } = std::mem::take(self);
        again.filter(|again| *again != said)
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
                assert_eq!(echo.end(), None);
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
        assert_eq!(echo.end(), None);
    }

    #[test]
    fn a_shorter_text_is_another_one() {
        let mut echo = Echo::default();
        assert_eq!(echo.hear("From March"), more("From March"));
        echo.break_off();
        assert_eq!(echo.hear("From"), more(""));
        assert_eq!(echo.end(), Some("From".to_owned()));
        assert_eq!(echo.hear("Next"), more("Next"));
    }
}
