//! The program: hands arguments and environment to the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    jp::main()
}
