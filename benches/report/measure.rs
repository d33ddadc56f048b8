//! Samples that are taken in turn, so that what disturbs one contender disturbs all.

use std::{
    error::Error,
    time::{Duration, Instant},
};

/// What a measurement comes to; every error ends the run.
pub type Outcome<T> = Result<T, Box<dyn Error>>;

/// Does the work once and tells how long the part took that counts.
pub type Contender<'a> = Box<dyn FnMut() -> Outcome<Duration> + 'a>;

/// Measurements of one contender, from quick to slow.
#[derive(Clone, Debug)]
pub struct Samples(Vec<Duration>);

impl Samples {
    /// The median.
    pub fn p50(&self) -> Duration {
        self.quantile(50)
    }

    /// What nine of ten stay below.
    pub fn p90(&self) -> Duration {
        self.quantile(90)
    }

    fn quantile(&self, percent: usize) -> Duration {
        self.0[(self.0.len() - 1) * percent / 100]
    }

    /// How many times as long as another contender this one takes, by the medians.
    pub fn ratio(&self, other: &Self) -> f64 {
        self.p50().as_secs_f64() / other.p50().as_secs_f64()
    }

    /// Median and ninth decile, as the table shows them.
    pub fn show(&self) -> String {
        format!("{} / {} ms", milliseconds(self.p50()), milliseconds(self.p90()))
    }
}

/// A duration in milliseconds with three significant digits.
pub fn milliseconds(duration: Duration) -> String {
    let value = duration.as_secs_f64() * 1e3;
    let decimals = match value {
        ..10.0 => 2,
        ..100.0 => 1,
        _ => 0,
    };
    format!("{value:.decimals$}")
}

/// The most memory that a process has used, in kB.
pub fn peak(pid: u32) -> Outcome<f64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let line = line.ok_or("the system does not tell the memory of a process")?;
    Ok(line.trim().trim_end_matches("kB").trim().parse()?)
}

/// Lets all contenders do their work once per round, each round beginning with another one.
/// The first round only warms up.
pub fn contest<const N: usize>(
    rounds: usize,
    mut contenders: [Contender<'_>; N],
) -> Outcome<[Samples; N]> {
    let mut samples = [const { Vec::new() }; N];
    for round in 0..=rounds {
        for place in 0..N {
            let index = (round + place) % N;
            let duration = contenders[index]()?;
            if round > 0 {
                samples[index].push(duration);
            }
        }
    }
    Ok(samples.map(|mut durations| {
        durations.sort_unstable();
        Samples(durations)
    }))
}

/// Tells how long some work took, unless it failed.
pub fn timed<T>(work: impl FnOnce() -> Outcome<T>) -> Outcome<Duration> {
    let begin = Instant::now();
    let done = work()?;
    let duration = begin.elapsed();
    drop(done);
    Ok(duration)
}

/// The middle one of some numbers.
pub fn median(mut numbers: Vec<u64>) -> u64 {
    numbers.sort_unstable();
    numbers[(numbers.len() - 1) / 2]
}
