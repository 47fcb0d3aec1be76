//! What all commands share.

/// `Ok(false)` means that the command ran and found something; an error means that it could not do its work.
pub type Outcome = Result<bool, String>;

/// Directory of the repository.
pub fn root() -> &'static std::path::Path {
    let package = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package)
}
