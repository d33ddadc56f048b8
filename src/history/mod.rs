//! Operations over commits: what changed between two versions, and who wrote what.
//!
//! Reads trees and compares them. It decides nothing about what a tree may hold, and prints nothing.

mod compare;
mod lines;
mod script;
mod words;
