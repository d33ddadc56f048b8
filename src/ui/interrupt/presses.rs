//! What each press of Ctrl+C does, decided without a terminal.

/// What a press of Ctrl+C asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Press {
    /// Ask what to do.
    Menu,
    /// Stop the answer, and keep what came.
    Stop,
    /// End the process at once.
    Exit,
}

/// The presses of Ctrl+C since the answer last went on undisturbed.
#[derive(Clone, Debug)]
pub struct Presses {
    has_terminal: bool,
    next: Press,
}

impl Presses {
    /// No presses yet; only who sits at a terminal can be asked.
    pub fn new(has_terminal: bool) -> Self {
        let mut presses = Self { has_terminal, next: Press::Menu };
        presses.go_on();
        presses
    }

    /// Counts a press, and tells what it does.
    pub fn press(&mut self) -> Press {
        let press = self.next;
        self.next = match press {
            Press::Menu => Press::Stop,
            Press::Stop | Press::Exit => Press::Exit,
        };
        press
    }

    /// The answer is being stopped: the next press ends the process.
    pub fn stop(&mut self) {
        self.next = Press::Exit;
    }

    /// The answer goes on, or another one begins: the next press is the first again.
    pub fn go_on(&mut self) {
        self.next = if self.has_terminal { Press::Menu } else { Press::Stop };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_a_terminal_the_first_press_asks_the_second_stops_the_third_ends() {
        let mut presses = Presses::new(true);
        let pressed: Vec<_> = (0..4).map(|_| presses.press()).collect();
        assert_eq!(pressed, [Press::Menu, Press::Stop, Press::Exit, Press::Exit]);
    }

    #[test]
    fn without_a_terminal_the_first_press_stops() {
        let mut presses = Presses::new(false);
        let pressed: Vec<_> = (0..3).map(|_| presses.press()).collect();
        assert_eq!(pressed, [Press::Stop, Press::Exit, Press::Exit]);
    }

    #[test]
    fn an_answer_that_goes_on_can_be_interrupted_again() {
        let mut presses = Presses::new(true);
        presses.press();
        presses.go_on();
        assert_eq!(presses.press(), Press::Menu);
        presses.stop();
        assert_eq!(presses.press(), Press::Exit);
    }
}
