pub fn write(_o: &super::outline::Outline) -> String { String::new() }
