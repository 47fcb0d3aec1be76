//! Writes a copy of the sources that contains all mutants at once.

use crate::list::{Genre, Mutant};
use proc_macro2::Span;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::error::Error;
use std::ops::Range;
use std::path::Path;
use std::process::Command;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// What is appended to the root of every crate that has mutants: the switch, and a note of the mutants that are reached.
const SWITCH: &str = r#"
#[allow(missing_docs)]
pub(crate) mod mutant {
    use std::io::Write;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicBool, Ordering};
    static CHOSEN: OnceLock<(u32, Option<std::ffi::OsString>)> = OnceLock::new();
    static REACHED: [AtomicBool; 4096] = [const { AtomicBool::new(false) }; 4096];
    pub fn on(n: u32) -> bool {
        let (chosen, note) = CHOSEN.get_or_init(|| {
            let chosen = std::env::var("MUTANT").ok().and_then(|m| m.parse().ok());
            (chosen.unwrap_or(0), std::env::var_os("MUTANTS_REACHED"))
        });
        if let Some(file) = note && !REACHED[n as usize % 4096].swap(true, Ordering::Relaxed) {
            let file = std::fs::OpenOptions::new().append(true).create(true).open(file);
            let _ = file.and_then(|mut f| f.write_all(format!("{n}\n").as_bytes()));
        }
        *chosen == n
    }
}
"#;

/// Copies every file that git knows, with the mutants in it; files that are right already keep their date. Mutants
/// for which there is no switchable form are added to `unviable`.
pub fn copy(
    source: &Path,
    tree: &Path,
    mutants: &[Mutant],
    unviable: &mut BTreeSet<u32>,
) -> Result<(), Box<dyn Error>> {
    let list = Command::new("git").arg("-C").arg(source).args(["ls-files", "-z"]).output()?;
    let roots: BTreeSet<String> =
        mutants.iter().filter_map(|m| Some(format!("{}src/lib.rs", m.file.split_once("src/")?.0))).collect();
    for file in String::from_utf8(list.stdout)?.split_terminator('\0') {
        let Ok(mut bytes) = std::fs::read(source.join(file)) else { continue };
        let here: Vec<&Mutant> = mutants.iter().filter(|m| m.file == file).collect();
        if !here.is_empty() {
            bytes = weave(&String::from_utf8(bytes)?, &here, unviable)?.into_bytes();
        }
        if roots.contains(file) {
            bytes.extend_from_slice(SWITCH.as_bytes());
        }
        let to = tree.join(file);
        if std::fs::read(&to).is_ok_and(|old| old == bytes) {
            continue;
        }
        std::fs::create_dir_all(to.parent().unwrap_or(tree))?;
        std::fs::write(to, bytes)?;
    }
    Ok(())
}

/// A stretch of text with the mutants in it: numbers and what stands there instead.
type Edit<'a> = (Range<usize>, &'a [(u32, String)]);

/// A stretch of text and what stands there instead under each mutant. An empty stretch is the beginning of a body.
type Edits = BTreeMap<(usize, std::cmp::Reverse<usize>), Vec<(u32, String)>>;

fn weave(text: &str, mutants: &[&Mutant], unviable: &mut BTreeSet<u32>) -> Result<String, Box<dyn Error>> {
    let file = syn::parse_file(text)?;
    let mut finder = Finder {
        text,
        mutants,
        edits: Edits::new(),
        found: BTreeSet::new(),
        constant: None,
        constants: HashMap::new(),
    };
    finder.visit_file(&file);
    if !finder.constants.is_empty() {
        let mut uses = Uses { constants: &finder.constants, edits: &mut finder.edits };
        uses.visit_file(&file);
    }
    for mutant in mutants.iter().filter(|m| !finder.found.contains(&m.id)) {
        println!("no switchable form: {}", mutant.name);
        unviable.insert(mutant.id);
    }
    let edits: Vec<Edit<'_>> = finder
        .edits
        .iter()
        .map(|(&(start, std::cmp::Reverse(end)), choices)| (start..end, choices.as_slice()))
        .collect();
    Ok(render(text, 0..text.len(), &edits, unviable))
}

/// The text of a range, with the edits in it. Edits come outermost first.
fn render(text: &str, range: Range<usize>, edits: &[Edit<'_>], left_out: &BTreeSet<u32>) -> String {
    let mut out = String::new();
    let (mut at, mut k) = (range.start, 0);
    while k < edits.len() {
        let (stretch, choices) = &edits[k];
        // Those that follow and begin inside are parts of it.
        let inner = edits[k + 1..].iter().take_while(|(r, _)| r.start < stretch.end).count();
        out += &text[at..stretch.start];
        let choices = choices.iter().filter(|(id, _)| !left_out.contains(id));
        if stretch.is_empty() {
            for (id, value) in choices {
                out += &format!(" if crate::mutant::on({id}) {{ /*<{id}*/return {value};/*{id}>*/ }} ");
            }
        } else {
            let original = render(text, stretch.clone(), &edits[k + 1..=k + inner], left_out);
            let mut whole = original.clone();
            for (id, value) in choices {
                whole = format!(
                    "(if crate::mutant::on({id}) {{ /*<{id}*/({value})/*{id}>*/ }} else {{ ({whole}) }})"
                );
            }
            out += &whole;
        }
        at = stretch.end;
        k += 1 + inner;
    }
    out + &text[at..range.end]
}

/// Finds the places of mutants in a syntax tree.
struct Finder<'a> {
    text: &'a str,
    mutants: &'a [&'a Mutant],
    edits: Edits,
    found: BTreeSet<u32>,
    /// The constant whose value is being read: nothing can be chosen in it at run time, but where it is used.
    constant: Option<(String, Range<usize>)>,
    constants: HashMap<String, Vec<(u32, String)>>,
}

impl Finder<'_> {
    fn at(&self, span: Span, genre: Genre) -> Vec<(u32, String)> {
        let start = (span.start().line, span.start().column + 1);
        let here = self.mutants.iter().filter(|m| m.at == start && m.genre == genre);
        here.map(|m| (m.id, m.replacement.clone())).collect()
    }

    /// Records mutants that replace `part` of the expression in `whole`.
    fn replace(&mut self, whole: Range<usize>, part: Range<usize>, choices: Vec<(u32, String)>) {
        for (id, replacement) in choices {
            self.found.insert(id);
            let around = self.constant.as_ref().map_or(whole.clone(), |(_, value)| value.clone());
            let value = format!(
                "{}{replacement}{}",
                &self.text[around.start..part.start],
                &self.text[part.end..around.end]
            );
            match &self.constant {
                Some((name, _)) => self.constants.entry(name.clone()).or_default().push((id, value)),
                None => {
                    let key = (whole.start, std::cmp::Reverse(whole.end));
                    self.edits.entry(key).or_default().push((id, value));
                }
            }
        }
    }

    fn body(&mut self, block: &syn::Block) {
        let Some(first) = block.stmts.first() else { return };
        let at = block.brace_token.span.open().byte_range().end;
        for (id, value) in self.at(first.span(), Genre::FnValue) {
            self.found.insert(id);
            self.edits.entry((at, std::cmp::Reverse(at))).or_default().push((id, value));
        }
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_expr_binary(&mut self, e: &'ast syn::ExprBinary) {
        // A chain of `let` cannot be put into parentheses, nor joined by `||`: such mutants do not compile.
        let chained = matches!(e.op, syn::BinOp::And(_)) && (has_let(&e.left) || has_let(&e.right));
        if !chained {
            let choices = self.at(e.op.span(), Genre::BinaryOperator);
            self.replace(e.span().byte_range(), e.op.span().byte_range(), choices);
        }
        visit::visit_expr_binary(self, e);
    }

    fn visit_expr_unary(&mut self, e: &'ast syn::ExprUnary) {
        let choices = self.at(e.op.span(), Genre::UnaryOperator);
        self.replace(e.span().byte_range(), e.op.span().byte_range(), choices);
        visit::visit_expr_unary(self, e);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        if let Some((_, guard)) = &arm.guard {
            let choices = self.at(guard.span(), Genre::MatchArmGuard);
            self.replace(guard.span().byte_range(), guard.span().byte_range(), choices);
        }
        visit::visit_arm(self, arm);
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.body(&item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.body(&item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.body(block);
        }
        visit::visit_trait_item_fn(self, item);
    }

    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        self.constant = Some((item.ident.to_string(), item.expr.span().byte_range()));
        visit::visit_item_const(self, item);
        self.constant = None;
    }
}

fn has_let(e: &syn::Expr) -> bool {
    match e {
        syn::Expr::Let(_) => true,
        syn::Expr::Binary(b) if matches!(b.op, syn::BinOp::And(_)) => has_let(&b.left) || has_let(&b.right),
        _ => false,
    }
}

/// Chooses the value of a changed constant wherever the file uses it.
struct Uses<'a> {
    constants: &'a HashMap<String, Vec<(u32, String)>>,
    edits: &'a mut Edits,
}

impl<'ast> Visit<'ast> for Uses<'_> {
    fn visit_expr_path(&mut self, e: &'ast syn::ExprPath) {
        let choices = e.path.get_ident().and_then(|name| self.constants.get(&name.to_string()));
        if let Some(choices) = choices {
            let range = e.span().byte_range();
            self.edits
                .entry((range.start, std::cmp::Reverse(range.end)))
                .or_default()
                .extend(choices.iter().cloned());
        }
    }

    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
}
