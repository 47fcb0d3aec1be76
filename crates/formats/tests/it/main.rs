//! What files become: numbers of other programs, text, messages, files that mean harm.

mod messages;
mod reference;
mod text;
