//! Search the texts of conversations: a pattern, what it is looked for in, and where it was found.
//!
//! Trees and blobs are read straight from the store, on all cores, without a lock, and the same
//! content only once, however many conversations have it. What cannot be read is told, and the rest
//! is searched. There is no index: what is searched is what is stored.

mod case;
mod facts;
mod hit;
mod pattern;
mod resolve;
mod run;
mod scope;

pub use hit::{Hit, HitLine, SearchProblem, Searched};
pub use pattern::{Case, InvalidPattern, Pattern};
pub use run::{Reach, search};
pub use scope::{Role, Scope};
