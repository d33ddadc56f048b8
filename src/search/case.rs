//! Whether somebody who wrote a pattern cares about upper and lower case.

use regex_syntax::ast::{Ast, ClassSetItem, Visitor, visit};

/// Whether an expression holds a letter of upper case, other than in the names of classes such as
/// `\S` and `\pL`.
pub(super) fn has_upper_case(ast: &Ast) -> bool {
    match visit(ast, Search { found: false }) {
        Ok(found) => found,
        Err(never) => match never {},
    }
}

struct Search {
    found: bool,
}

impl Visitor for Search {
    type Output = bool;
    type Err = std::convert::Infallible;

    fn finish(self) -> Result<bool, Self::Err> {
        Ok(self.found)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), Self::Err> {
        if let Ast::Literal(literal) = ast {
            self.found |= literal.c.is_uppercase();
        }
        Ok(())
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), Self::Err> {
        self.found |= match item {
            ClassSetItem::Literal(literal) => literal.c.is_uppercase(),
            ClassSetItem::Range(range) => {
                range.start.c.is_uppercase() || range.end.c.is_uppercase()
            }
            _ => false,
        };
        Ok(())
    }
}
