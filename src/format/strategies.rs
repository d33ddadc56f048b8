//! What tests of several formats make up.

use proptest::prelude::*;
use serde_json::Value;

/// Any value of JSON that holds no others, with these texts.
pub fn scalar(text: impl Strategy<Value = String> + 'static) -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_filter("finite", |float| float.is_finite()).prop_map(Value::from),
        text.prop_map(Value::from),
    ]
}
