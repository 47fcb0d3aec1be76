//! Random syntax trees: every kind of node, subject to the invariants the tree documents.

use dalembert::source::Span;
use dalembert::syntax::ast::*;
use dalembert::syntax::{KEYWORDS, RESERVED_WORDS};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

const NOWHERE: Span = Span { start: 0, end: 0 };

fn e(kind: ExprKind) -> Expr {
    Expr { span: NOWHERE, kind }
}

fn word() -> impl Strategy<Value = String> {
    let keywords = select(KEYWORDS.to_vec()).prop_map(str::to_string);
    let tails = select(vec!["at", "decay", "every", "stop", "in", "sum", "δx"]).prop_map(str::to_string);
    let invented =
        "[a-zA-Zα-ω_][a-zA-Zα-ω0-9_]{0,3}".prop_filter("reserved", |w| !RESERVED_WORDS.contains(&w.as_str()));
    prop_oneof![6 => invented, 1 => keywords, 1 => tails]
}

fn name() -> impl Strategy<Value = Name> {
    word().prop_map(|text| Name { text, span: NOWHERE })
}

fn number() -> impl Strategy<Value = String> {
    "(0|[1-9][0-9]{0,3})(\\.[0-9]{1,3})?(e-?[0-9])?"
}

fn bx(expr: Expr) -> Box<Expr> {
    Box::new(expr)
}

/// Terms whose first is not a sum itself: chains lean to the left.
fn sum(first: Expr, rest: Vec<(bool, Expr)>) -> ExprKind {
    let mut terms = match first.kind {
        ExprKind::Sum(terms) => terms,
        kind => vec![Term { minus: false, expr: e(kind) }],
    };
    terms.extend(rest.into_iter().map(|(minus, expr)| Term { minus, expr }));
    ExprKind::Sum(terms)
}

fn product(first: Expr, rest: Vec<(bool, Expr)>) -> ExprKind {
    let mut factors = match first.kind {
        ExprKind::Product(factors) => factors,
        kind => vec![Factor { divide: false, expr: e(kind) }],
    };
    factors.extend(rest.into_iter().map(|(divide, expr)| Factor { divide, expr }));
    ExprKind::Product(factors)
}

fn all(first: Expr, rest: Vec<(bool, Expr)>) -> ExprKind {
    let mut operands = match first.kind {
        ExprKind::And(operands) => operands,
        kind => vec![e(kind)],
    };
    operands.extend(rest.into_iter().map(|(_, expr)| expr));
    ExprKind::And(operands)
}

fn any_of(first: Expr, rest: Vec<(bool, Expr)>) -> ExprKind {
    let mut operands = match first.kind {
        ExprKind::Or(operands) => operands,
        kind => vec![e(kind)],
    };
    operands.extend(rest.into_iter().map(|(_, expr)| expr));
    ExprKind::Or(operands)
}

fn primed(a: Expr, order: u32) -> ExprKind {
    match a.kind {
        ExprKind::Prime(inner, before) => ExprKind::Prime(inner, before + order),
        kind => ExprKind::Prime(bx(e(kind)), order),
    }
}

fn comparison() -> impl Strategy<Value = Comparison> {
    use Comparison::*;
    select(vec![Less, LessEqual, Greater, GreaterEqual, Equal, NotEqual])
}

fn expr() -> impl Strategy<Value = Expr> {
    let quantity = (number(), unit()).prop_map(|(number, unit)| ExprKind::Quantity(number, Box::new(unit)));
    let leaf = prop_oneof![
        4 => number().prop_map(ExprKind::Number),
        4 => word().prop_map(ExprKind::Name),
        1 => quantity,
    ];
    // Five levels stay below the bound on chains of subscripts.
    leaf.prop_map(e).prop_recursive(5, 40, 4, |inner| {
        let a = inner.clone();
        let rest = || vec((any::<bool>(), inner.clone()), 1..4);
        let items = || vec(inner.clone(), 1..4);
        let pair = || (inner.clone(), inner.clone());
        let range = pair().prop_map(|(first, last)| Range { span: NOWHERE, first, last });
        prop_oneof![
            (a.clone(), items()).prop_map(|(a, list)| ExprKind::Index(bx(a), list)),
            (a.clone(), range.clone()).prop_map(|(a, range)| ExprKind::Slice(bx(a), Box::new(range))),
            (a.clone(), name()).prop_map(|(a, name)| ExprKind::Component(bx(a), name)),
            (a.clone(), 1u32..3).prop_map(|(a, order)| primed(a, order)),
            (name(), items()).prop_map(|(name, list)| ExprKind::Call(name, list)),
            (name(), range, a.clone()).prop_map(|(index, range, body)| {
                ExprKind::SumOver(Box::new(SumOver { index, range, body }))
            }),
            items().prop_map(ExprKind::Vector),
            (a.clone(), word(), any::<bool>()).prop_map(|(a, body, is_point)| {
                let body = bx(e(ExprKind::Name(body)));
                if is_point { ExprKind::Of(bx(a), body) } else { ExprKind::In(bx(a), body) }
            }),
            a.clone().prop_map(|a| ExprKind::Neg(bx(a))),
            (a.clone(), rest()).prop_map(|(a, rest)| sum(a, rest)),
            (a.clone(), rest()).prop_map(|(a, rest)| product(a, rest)),
            pair().prop_map(|(a, b)| ExprKind::Power(bx(a), bx(b))),
            (comparison(), pair()).prop_map(|(sign, (a, b))| ExprKind::Compare(sign, bx(a), bx(b))),
            (a.clone(), rest()).prop_map(|(a, rest)| all(a, rest)),
            (a.clone(), rest()).prop_map(|(a, rest)| any_of(a, rest)),
            a.clone().prop_map(|a| ExprKind::Not(bx(a))),
            (a, pair()).prop_map(|(condition, (then, otherwise))| {
                ExprKind::If(Box::new(If { condition, then, otherwise }))
            }),
        ]
        .prop_map(e)
    })
}

fn range() -> impl Strategy<Value = Range> {
    (expr(), expr()).prop_map(|(first, last)| Range { span: NOWHERE, first, last })
}

fn target() -> impl Strategy<Value = Target> {
    let subscript = prop_oneof![expr().prop_map(Subscript::At), range().prop_map(Subscript::Over)];
    (name(), vec(subscript, 0..3)).prop_map(|(name, subscripts)| Target {
        span: NOWHERE,
        name,
        subscripts,
        part: None,
    })
}

fn unit() -> impl Strategy<Value = Unit> {
    let u = |kind| Unit { span: NOWHERE, kind };
    let leaf = prop_oneof![word().prop_map(UnitKind::Name), Just(UnitKind::One)].prop_map(u);
    leaf.prop_recursive(3, 12, 3, move |inner| {
        let factors = vec((any::<bool>(), inner.clone()), 2..4).prop_map(|factors| {
            let factor = |(place, (divide, unit))| UnitFactor { divide: divide && place > 0, unit };
            UnitKind::Product(factors.into_iter().enumerate().map(factor).collect())
        });
        let power = (inner, -9i32..9, 1u32..4).prop_map(|(base, numerator, denominator)| {
            UnitKind::Power(Box::new(base), Exponent { numerator, denominator })
        });
        prop_oneof![factors, power].prop_map(u)
    })
}

fn definitions(with_unit: bool) -> impl Strategy<Value = Vec<Definition>> {
    let unit = option::of(unit()).prop_map(move |unit| unit.filter(|_| with_unit));
    let item = (target(), expr(), unit).prop_map(|(target, value, unit)| {
        let arguments = Vec::new();
        Definition { target, arguments, value, unit }
    });
    vec(item, 1..3)
}

fn equation() -> impl Strategy<Value = Equation> {
    (option::of(target()), expr(), expr()).prop_map(|(name, left, right)| Equation { name, left, right })
}

fn declarations() -> impl Strategy<Value = StatementKind> {
    use StatementKind::*;
    let declared = (target(), option::of(unit())).prop_map(|(target, unit)| ast_declared(target, unit));
    let speed = (target(), option::of(unit()), option::of(expr()));
    let speed = speed.prop_map(|(target, unit, definition)| dalembert::syntax::ast::Speed {
        target,
        unit,
        definition,
    });
    let initial = (target(), 0u32..3, any::<bool>(), expr());
    let initial = initial.prop_map(|(target, order, fixed, value)| dalembert::syntax::ast::Initial {
        target,
        order,
        fixed,
        value,
    });
    prop_oneof![
        "[a-z \"\\\\θ#']{0,8}".prop_map(System),
        definitions(false).prop_map(Const),
        definitions(true).prop_map(Parameter),
        definitions(false).prop_map(Let),
        definitions(false).prop_map(Output),
        vec(declared, 1..3).prop_map(Coordinate),
        vec(speed, 1..3).prop_map(Speed),
        vec(actuator(), 1..3).prop_map(Actuate),
        vec(initial, 1..3).prop_map(Initial),
        (target(), expr()).prop_map(|(coordinate, rate)| Kinematics { coordinate, rate }),
    ]
}

fn ast_declared(target: Target, unit: Option<Unit>) -> Declared {
    Declared { target, unit }
}

fn energies() -> impl Strategy<Value = StatementKind> {
    use StatementKind::*;
    prop_oneof![
        expr().prop_map(Kinetic),
        expr().prop_map(Potential),
        expr().prop_map(Lagrangian),
        expr().prop_map(Mass),
        expr().prop_map(ForceVector),
        (target(), expr()).prop_map(|(target, value)| ForceOn { target, value }),
        (expr(), expr()).prop_map(|(force, point)| ForceAt { force, point }),
        expr().prop_map(Work),
        expr().prop_map(NonidealWork),
        expr().prop_map(Dissipation),
        expr().prop_map(Weight),
        equation().prop_map(Constraint),
        (equation(), vec(expr(), 0..3)).prop_map(|(equation, decay)| Require { equation, decay }),
        (target(), expr(), expr(), option::of(expr()), option::of(expr())).prop_map(
            |(on, coefficient, velocity, r#static, normal)| Friction {
                on,
                coefficient,
                velocity,
                r#static,
                normal
            }
        ),
        (target(), expr(), option::of(expr())).prop_map(|(target, limit, r#static)| FrictionIn {
            target,
            limit,
            r#static
        }),
    ]
}

fn assignment() -> impl Strategy<Value = Assignment> {
    (target(), 0..2u32, expr()).prop_map(|(target, order, value)| Assignment { target, order, value })
}

fn actuator() -> impl Strategy<Value = Actuator> {
    let at = (expr(), expr()).prop_map(|(force, point)| ActuatorKind::At { force, point });
    let kind = prop_oneof![target().prop_map(ActuatorKind::On), at];
    (kind, option::of(range())).prop_map(|(kind, bounds)| Actuator { kind, bounds })
}

fn requests() -> impl Strategy<Value = StatementKind> {
    use StatementKind::*;
    let simulate = (expr(), option::of(expr()), option::of(name()), option::of(expr()));
    let direction = option::of(select(vec![Direction::Rising, Direction::Falling]));
    let reserved = select(vec!["contact"]);
    prop_oneof![
        simulate.prop_map(|(until, every, method, tolerance)| {
            Simulate(Box::new(dalembert::syntax::ast::Simulate { until, every, method, tolerance }))
        }),
        (target(), expr(), direction, any::<bool>(), vec(assignment(), 0..3)).prop_map(
            |(name, value, direction, stop, actions)| Event { name, value, direction, stop, actions }
        ),
        (vec(target(), 1..3), expr()).prop_map(|(constants, action)| CompleteIntegral { constants, action }),
        expr().prop_map(|p| Draw(Shape::Point(p))),
        expr().prop_map(|p| Draw(Shape::Trace(p))),
        vec(expr(), 2..4).prop_map(|points| Draw(Shape::Line(points))),
        (expr(), expr(), option::of(expr())).prop_map(|(centre, radius, normal)| Draw(Shape::Circle {
            centre,
            radius,
            normal
        })),
        (reserved, expr_text()).prop_map(|(keyword, text)| Reserved {
            keyword: Name { text: keyword.to_string(), span: NOWHERE },
            text
        }),
    ]
}

fn expr_text() -> impl Strategy<Value = String> {
    select(vec![
        "",
        "a",
        "a to b",
        "wheel { mass 1\n  # inside\n r 2 }",
        "(1,\n 2) x",
        "\"text # no comment\"",
    ])
    .prop_map(str::to_string)
}

fn comment() -> impl Strategy<Value = String> {
    "( [a-z#'\"(]{1,6})?"
}

fn leading() -> impl Strategy<Value = Vec<Leading>> {
    let line = prop_oneof![comment().prop_map(Leading::Comment), Just(Leading::Blank)];
    vec(line, 0..3)
}

/// Blank lines are kept as one, and none at either end of a block.
fn tidy(mut statements: Vec<Statement>, mut end: Vec<Leading>) -> Block {
    for (place, statement) in statements.iter_mut().enumerate() {
        statement.leading.dedup_by(|a, b| (&*a, &*b) == (&Leading::Blank, &Leading::Blank));
        if place == 0 && statement.leading.first() == Some(&Leading::Blank) {
            statement.leading.remove(0);
        }
    }
    end.dedup_by(|a, b| (&*a, &*b) == (&Leading::Blank, &Leading::Blank));
    if end.last() == Some(&Leading::Blank) {
        end.pop();
    }
    if statements.is_empty() && end.first() == Some(&Leading::Blank) {
        end.remove(0);
    }
    Block { statements, end }
}

fn block(kind: impl Strategy<Value = StatementKind> + Clone + 'static) -> impl Strategy<Value = Block> {
    let statement = (leading(), option::of(comment()), kind)
        .prop_map(|(leading, trailing, kind)| Statement { span: NOWHERE, leading, trailing, kind });
    (vec(statement, 0..4), leading()).prop_map(|(statements, end)| tidy(statements, end))
}

/// A random model.
pub fn model() -> impl Strategy<Value = Ast> {
    let simple = prop_oneof![declarations(), energies(), requests()].boxed();
    let any_kind = simple.prop_recursive(2, 6, 3, |inner| {
        (name(), range(), block(inner)).prop_map(|(index, range, body)| StatementKind::For {
            index,
            range,
            body,
        })
    });
    block(any_kind.boxed()).prop_map(|body| Ast { body })
}
