//! Models of bodies and joints: numbers of others, closed forms, two ways to write the same system, messages.

mod cut_drives;
mod energies;
mod known;
mod long;
mod loops;
mod messages;
mod reference;
mod roads;
mod statements;
mod text;
