//! The words and signs a model text is made of.

use crate::source::Span;

/// A token and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where; its text is the source text there.
    pub span: Span,
}

macro_rules! tokens {
    ($($variant:ident $text:literal)*) => {
        /// The kinds of tokens.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum TokenKind {
            /// A name, keywords of statements included.
            Name,
            /// A decimal number.
            Number,
            /// A string with its quotes.
            Text,
            /// `#` to the end of the line.
            Comment,
            /// The end of a line.
            Newline,
            /// The end of the text.
            End,
            /// Text that is not a token; it has been reported.
            Bad,
            $(#[doc = concat!("`", $text, "`")] $variant,)*
        }

        impl TokenKind {
            /// How messages call it.
            pub fn describe(self) -> &'static str {
                match self {
                    TokenKind::Name => "a name",
                    TokenKind::Number => "a number",
                    TokenKind::Text => "a string",
                    TokenKind::Comment => "a comment",
                    TokenKind::Newline => "the end of the line",
                    TokenKind::End => "the end of the text",
                    TokenKind::Bad => "unreadable text",
                    $(TokenKind::$variant => concat!("`", $text, "`"),)*
                }
            }

            /// The reserved word or the sign that begins a text, longest first.
            pub(super) fn sign(text: &str) -> Option<(TokenKind, usize)> {
                let signs = [$((TokenKind::$variant, $text)),*];
                signs
                    .into_iter()
                    .filter(|(_, sign)| text.as_bytes().first() == sign.as_bytes().first() && text.starts_with(sign))
                    .max_by_key(|(_, sign)| sign.len())
                    .map(|(kind, sign)| (kind, sign.len()))
            }
        }
    };
}

tokens! {
    Plus "+" Minus "-" Star "*" Slash "/" Caret "^" StarStar "**"
    LeftParen "(" RightParen ")" LeftBracket "[" RightBracket "]" LeftBrace "{" RightBrace "}"
    Comma "," Semicolon ";" Colon ":" Dot "." DotDot ".." Assign "=" Tilde "~" Prime "'"
    Less "<" LessEqual "<=" Greater ">" GreaterEqual ">=" Equal "==" NotEqual "!="
    And "and" Else "else" If "if" Not "not" Or "or" Then "then"
}

impl TokenKind {
    /// Whether a statement goes on over the end of a line that ends in this token.
    pub fn continues(self) -> bool {
        use TokenKind::*;
        match self {
            Plus | Minus | Star | Slash | Caret | StarStar | Less | LessEqual | Greater | GreaterEqual => {
                true
            }
            Equal | NotEqual | Assign | Tilde | Colon | Comma | DotDot => true,
            And | Or | Not | Then | Else | If => true,
            Name | Number | Text | Comment | Newline | End | Bad | Prime | Dot | Semicolon => false,
            LeftParen | RightParen | LeftBracket | RightBracket | LeftBrace | RightBrace => false,
        }
    }

    /// Whether it can be the first token of an expression (signs aside).
    pub fn begins_operand(self) -> bool {
        use TokenKind::*;
        matches!(self, Name | Number | LeftParen | LeftBracket)
    }

    /// The bracket that closes this one.
    pub fn closer(self) -> Option<TokenKind> {
        match self {
            TokenKind::LeftParen => Some(TokenKind::RightParen),
            TokenKind::LeftBracket => Some(TokenKind::RightBracket),
            TokenKind::LeftBrace => Some(TokenKind::RightBrace),
            _ => None,
        }
    }

    /// Whether it closes a bracket.
    pub fn is_closer(self) -> bool {
        use TokenKind::*;
        matches!(self, RightParen | RightBracket | RightBrace)
    }
}
