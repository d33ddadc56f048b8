//! The machine loses power between any two steps of a program, and nothing is harmed.
//!
//! A program runs once, and what it does to files is recorded. A disk is made up that has seen the
//! first steps of that and has lost what was not synced; what is left of it is written to a world of
//! its own, and jp and git are asked there whether everything is in order.
//!
//! A sample is tried; `JP_POWER_ALL=1` tries all of it.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod after_a_kill;
mod appends;
mod controls;
mod cuts;
mod deeds;
mod disk;
mod disk_tests;
mod image;
mod recording;
mod turns;
