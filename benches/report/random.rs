//! A small source of numbers and of text, the same in every run.

/// Numbers that look random (splitmix64).
pub struct Random {
    state: u64,
    words: Vec<&'static str>,
}

impl Random {
    /// Numbers that depend on the seed alone.
    pub fn new(seed: u64) -> Self {
        Self { state: seed, words: WORDS.split_whitespace().collect() }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below a limit.
    pub fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit as u64).expect("it is below a usize")
    }

    /// A number from a range.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low)
    }

    /// One of some things.
    pub fn pick<'a, T: ?Sized>(&mut self, things: &[&'a T]) -> &'a T {
        things[self.below(things.len())]
    }

    /// A word; the front of the list comes up more often, as in language.
    pub fn word(&mut self) -> &'static str {
        let share = self.next() as f64 / u64::MAX as f64;
        let rank = (self.words.len() as f64).powf(share) as usize;
        self.words[rank.clamp(1, self.words.len()) - 1]
    }

    /// A rare word, as names are made of.
    pub fn noun(&mut self) -> &'static str {
        let index = self.between(40, self.words.len());
        self.words[index]
    }

    /// Sentences of at least so many bytes.
    pub fn prose(&mut self, bytes: usize) -> String {
        let mut text = String::new();
        while text.len() < bytes {
            let words = self.between(5, 19);
            for index in 0..words {
                let word = if index % 5 == 4 { self.noun() } else { self.word() };
                match index {
                    0 => {
                        text.extend(word.chars().next().map(|first| first.to_ascii_uppercase()));
                        text.push_str(&word[1..]);
                    }
                    _ if self.below(24) == 0 => {
                        text.push_str(&format!(" `{}`", self.identifier()));
                    }
                    _ => {
                        text.push(' ');
                        text.push_str(word);
                    }
                }
                if index + 1 < words && self.below(11) == 0 {
                    text.push(',');
                }
            }
            text.push_str(match self.below(9) {
                0 => "?\n\n",
                1 | 2 => ".\n\n",
                3 => ":\n",
                _ => ". ",
            });
        }
        text.truncate(text.trim_end().len());
        text
    }

    /// A name as programs have them.
    pub fn identifier(&mut self) -> String {
        let mut name = self.noun().to_owned();
        for _ in 0..self.below(3) {
            name.push('_');
            name.push_str(self.noun());
        }
        name
    }

    /// Characters without meaning, such as signatures and hashes.
    pub fn opaque(&mut self, length: usize) -> String {
        const ALPHABET: &[u8; 64] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        (0..length).map(|_| char::from(ALPHABET[self.below(64)])).collect()
    }
}

/// English words, the common ones first.
const WORDS: &str = "\
    the of to and a in is it that for this with we as be not are on can if from or by an so at \
    which has when there but should would will then each more other only after file test error \
    value function call line name result change read write first branch commit request type \
    event state path case return check list before because handle number module string field \
    parse server client message build version default option config user process thread channel \
    buffer memory cache table index query column record schema token stream socket timeout retry \
    signal queue worker batch window cursor offset length limit range slice vector map entry key \
    hash digest header footer body content frame packet reader writer encoder decoder format \
    output input terminal prompt answer question reason problem solution approach detail example \
    pattern design library crate package release feature flag switch toggle panel button widget \
    layout margin border color shadow image pixel canvas render scene camera light mesh shader \
    texture physics collision gravity velocity invoice payment customer account balance ledger \
    currency amount discount shipping warehouse inventory supplier order delivery address \
    country region language translation locale calendar schedule meeting reminder deadline \
    project milestone review approval permission role session password secret certificate \
    signature encryption network gateway router proxy bandwidth latency throughput metric \
    counter gauge histogram sample average median variance forecast weather temperature pressure \
    humidity sensor device battery voltage circuit resistor firmware kernel driver interrupt \
    register compiler linker parser grammar syntax semantic closure iterator generic lifetime \
    borrow ownership reference pointer allocation arena bitmap bloom filter sorted merge \
    partition shard replica leader follower election consensus snapshot journal checkpoint \
    recovery rollback transaction isolation conflict resolution timestamp sequence generation \
    epoch tombstone compaction garbage collector finalizer destructor builder factory adapter \
    observer visitor strategy pipeline stage artifact deployment container cluster namespace \
    volume mount symlink directory archive checksum manifest dependency resolver";
