/* ---- which contacts stick at a state ---------------------------------------------------------------------------------- */

enum { NAME_SHARES = 20, NAME_ALIGNMENTS = 300 };

typedef struct {
    double t;
    const double *x, *eta, *p;
    NAME_modes *modes;
    NAME_result trial; /* the motion with these modes */
    int dependent; /* rows of contacts depend on others */
    int at_rest[NAME_NC], forced[NAME_NC]; /* V = 0; the constraints carry it off */
    double mu_static[NAME_NC], J[NAME_NS * NAME_N], drift[NAME_NS];
} NAME_search;

static int NAME_try_modes(NAME_search *s)
{
    NAME_work w;
    const int code = NAME_evaluate_with(&w, s->t, s->x, s->eta, s->p, s->modes, 10.0 * NAME_CONSISTENCY, &s->trial);
    s->dependent = !code && w.rows.rank < w.active;
    return code;
}

/* V' of a contact. */
static void NAME_slide_rate(const NAME_search *s, int k, double *rate)
{
    int i;
    for (i = NAME_slide[k][0]; i < NAME_slide[k][1]; i++)
        *rate++ = NAME_dot(s->J + i * NAME_N, s->trial.eta_dot, NAME_N) - s->drift[i];
}

/* V' of a contact along its direction, and the size of what it is made of. */
static double NAME_departure(const NAME_search *s, int k, double *size)
{
    double along = 0.0, rate[NAME_NS];
    int i, j;
    *size = 0.0;
    NAME_slide_rate(s, k, rate);
    for (i = NAME_slide[k][0]; i < NAME_slide[k][1]; i++) {
        double parts = fabs(s->drift[i]);
        along += s->modes->direction[i] * rate[i - NAME_slide[k][0]];
        for (j = 0; j < NAME_N; j++)
            parts += fabs(s->J[i * NAME_N + j] * s->trial.eta_dot[j]);
        *size = parts > *size ? parts : *size;
    }
    return along;
}

/* Load of a contact against its static limit. */
static double NAME_use_of(const NAME_search *s, int k)
{
    const int first = NAME_slide[k][0];
    const double load = NAME_norm(s->trial.friction + first, NAME_slide[k][1] - first);
    return load == 0.0 ? 0.0 : load / (s->mu_static[k] * s->trial.normal[k]);
}

static void NAME_slide_along(NAME_search *s, int k, const double *way, double sign)
{
    const int first = NAME_slide[k][0], count = NAME_slide[k][1] - first;
    const double size = NAME_norm(way, count);
    int i;
    for (i = 0; i < count; i++)
        s->modes->direction[first + i] = sign * way[i] / size;
    s->modes->sticks[k] = 0;
    s->modes->held[k] = 1;
}

/* Contacts at rest are held, the others slide along V. */
static int NAME_look_at_contacts(NAME_search *s, int landed, double quiet)
{
    const int n = NAME_N;
    double V[NAME_NS], mu[NAME_NC], P[NAME_PRESSED];
    int k, i, j;
    NAME_contact_terms(s->t, s->x, s->eta, s->p, V, s->J, s->drift, mu, s->mu_static, P);
    if (!NAME_finite(V, NAME_NS) || !NAME_finite(mu, NAME_NC) || !NAME_finite(s->mu_static, NAME_NC))
        return 1;
    if (quiet < 4.0 * DBL_EPSILON * NAME_largest(s->eta, n))
        quiet = 4.0 * DBL_EPSILON * NAME_largest(s->eta, n);
    for (k = 0; k < NAME_NC; k++) {
        const int first = NAME_slide[k][0], count = NAME_slide[k][1] - first;
        const int given = NAME_press_rows[k][0] == NAME_press_rows[k][1];
        const double speed = NAME_norm(V + first, count);
        double size = 0.0, reach = 0.0;
        int rests, smooth;
        for (i = first; i < first + count; i++) {
            double parts = fabs(V[i] - NAME_dot(s->J + i * n, s->eta, n)), length = 0.0;
            for (j = 0; j < n; j++) {
                parts += fabs(s->J[i * n + j] * s->eta[j]);
                length += fabs(s->J[i * n + j]);
            }
            size = parts > size ? parts : size;
            reach = length > reach ? length : reach;
        }
        rests = landed == k || speed <= fmax(1e-12 * size, quiet * reach);
        smooth = mu[k] == 0.0 && s->mu_static[k] == 0.0 && !given;
        s->at_rest[k] = rests && !smooth;
        s->forced[k] = 0;
        for (i = first; i < first + count; i++)
            s->modes->direction[i] = rests ? 0.0 : V[i] / speed;
        s->modes->sticks[k] = s->at_rest[k];
        s->modes->held[k] = count == 1 && !(rests && smooth);
        s->modes->strength[k] = 1.0;
        s->modes->open[k] = 0;
        s->modes->until[k] = -HUGE_VAL;
    }
    NAME_fill(0.0, s->modes->turning, NAME_NS);
    s->modes->since = -HUGE_VAL;
    return 0;
}

/* What the constraints decide of V': contacts that they carry off slide that way. */
static void NAME_follow_constraints(NAME_search *s)
{
    const int n = NAME_N;
    double x_dot[NAME_NX], M[NAME_N * NAME_N], Q[NAME_N], A[NAME_ROWS * NAME_N], b[NAME_ROWS];
    double open[NAME_NS * NAME_NS], rate[NAME_NS];
    NAME_space space;
    int k;
    NAME_terms(s->t, s->x, s->eta, s->p, x_dot, M, Q, A, b);
    NAME_look_at_rows(&space, M, Q, A, b, NAME_largest(s->eta, n));
    for (k = 0; k < NAME_NC; k++) {
        const int first = NAME_slide[k][0], count = NAME_slide[k][1] - first;
        if (!s->at_rest[k])
            continue;
        s->modes->open[k] = NAME_open_directions(&space, s->J + first * n, count, count, open);
        if (NAME_carried_off(&space, s->J + first * n, s->drift + first, count, open, s->modes->open[k], rate)) {
            s->forced[k] = 1;
            NAME_slide_along(s, k, rate, 1.0);
        }
    }
}

/* Contacts with several components that were let go slide the way they then move off: what of V' is across turns them. */
static int NAME_align(NAME_search *s)
{
    double gain = 0.5, before = HUGE_VAL;
    int turn, k, i, code, any = 0;
    for (k = 0; k < NAME_NC; k++)
        any = any || (s->at_rest[k] && !s->modes->sticks[k] && NAME_slide[k][1] - NAME_slide[k][0] > 1);
    for (turn = 0; any && turn < NAME_ALIGNMENTS; turn++) {
        double left = 0.0;
        code = NAME_try_modes(s);
        if (code)
            return code;
        for (k = 0; k < NAME_NC; k++) {
            const int first = NAME_slide[k][0], count = NAME_slide[k][1] - first;
            double size, along, across[NAME_NS], length;
            if (!s->at_rest[k] || s->modes->sticks[k] || count == 1)
                continue;
            along = NAME_departure(s, k, &size);
            NAME_slide_rate(s, k, across);
            NAME_add(-along, s->modes->direction + first, across, count);
            if (NAME_norm(across, count) <= 1e-13 * size)
                continue;
            left = fmax(left, NAME_norm(across, count) / size);
            NAME_add(gain / fmax(size, fabs(along)), across, s->modes->direction + first, count);
            length = NAME_norm(s->modes->direction + first, count);
            for (i = first; i < first + count; i++)
                s->modes->direction[i] /= length;
        }
        if (left == 0.0)
            break;
        gain *= left < before ? 1.4 : 0.4;
        before = left;
    }
    return 0;
}

/* Contacts that stick and share a load which the equations do not share out: each by what it can carry. */
static int NAME_share(NAME_search *s)
{
    double best = 0.0, kept[NAME_NC], normal[NAME_NC];
    NAME_result trial;
    int k, turn, code, sticking = 0;
    for (k = 0; k < NAME_NC; k++)
        if (s->modes->sticks[k]) {
            sticking++;
            best = fmax(best, NAME_use_of(s, k));
        }
    if (!s->dependent || sticking < 2)
        return 0;
    trial = s->trial;
    NAME_copy(s->modes->strength, kept, NAME_NC);
    NAME_copy(s->trial.normal, normal, NAME_NC);
    for (turn = 0; turn < NAME_SHARES; turn++) {
        double largest = 0.0, changed = 0.0, worst = 0.0;
        for (k = 0; k < NAME_NC; k++)
            if (s->modes->sticks[k])
                largest = fmax(largest, s->mu_static[k] * normal[k]);
        if (!(largest > 0.0))
            break;
        for (k = 0; k < NAME_NC; k++)
            if (s->modes->sticks[k]) {
                const double share = fmax(sqrt(s->mu_static[k] * normal[k] / largest), 1e-3);
                changed = fmax(changed, fabs(share / s->modes->strength[k] - 1.0));
                s->modes->strength[k] = share;
            }
        code = NAME_try_modes(s);
        if (code)
            return code;
        NAME_copy(s->trial.normal, normal, NAME_NC);
        for (k = 0; k < NAME_NC; k++)
            if (s->modes->sticks[k])
                worst = fmax(worst, NAME_use_of(s, k));
        if (worst <= best) {
            best = worst;
            trial = s->trial;
            NAME_copy(s->modes->strength, kept, NAME_NC);
        }
        if (changed < 1e-9)
            break;
    }
    NAME_copy(kept, s->modes->strength, NAME_NC);
    s->trial = trial;
    return 0;
}

static int NAME_try_and_share(NAME_search *s)
{
    const int code = NAME_try_modes(s);
    return code ? code : NAME_share(s);
}

/* Holds what can be held: contacts in the way of a motion slide as they would move off without friction. */
static int NAME_give_way(NAME_search *s)
{
    int loose[NAME_NC], k, code, any = 0, group;
    for (k = 0; k < NAME_NC; k++) {
        loose[k] = 0;
        any = any || s->forced[k];
    }
    code = NAME_try_modes(s);
    if (code == 3 || code == 4) {
        for (k = group = 0; k < NAME_NC; k++)
            if (s->modes->sticks[k]) {
                loose[k] = group = 1;
                s->modes->sticks[k] = 0;
                s->modes->held[k] = 1;
                NAME_fill(0.0, s->modes->direction + NAME_slide[k][0], NAME_slide[k][1] - NAME_slide[k][0]);
            }
        any = any || group;
        if (group)
            code = NAME_try_modes(s);
    }
    if (code || !any)
        return code;
    for (k = 0; k < NAME_NC; k++)
        if (loose[k]) {
            const int count = NAME_slide[k][1] - NAME_slide[k][0];
            double away[NAME_NS];
            NAME_slide_rate(s, k, away);
            if (NAME_norm(away, count) > 1e-12 * (NAME_largest(s->trial.eta_dot, NAME_N) + NAME_largest(s->drift, NAME_NS)))
                NAME_slide_along(s, k, away, 1.0);
            else
                s->modes->sticks[k] = 1;
        }
    code = NAME_align(s);
    return code ? code : NAME_try_modes(s);
}

/* Lets a contact slide against its force. */
static int NAME_let_go(NAME_search *s, int k)
{
    const int first = NAME_slide[k][0];
    if (!(NAME_norm(s->trial.friction + first, NAME_slide[k][1] - first) > 0.0))
        return 8;
    NAME_slide_along(s, k, s->trial.friction + first, -1.0);
    return NAME_align(s);
}

/* Holds a contact again that does not move off; if it cannot be held with the others, it goes the other way. */
static int NAME_take_back(NAME_search *s, int k)
{
    double rate[NAME_NS];
    NAME_slide_rate(s, k, rate);
    s->modes->sticks[k] = 1;
    if (NAME_try_modes(s) == 3)
        NAME_slide_along(s, k, rate, 1.0);
    return NAME_align(s);
}

/* The modes at a state: contacts with V = 0 are held, those loaded most beyond their limits let go one by one. `landed` has come to
   rest and `loose` has passed its limit (-1: none); speeds below `quiet` are rest. */
static int NAME_settle_modes(double t, const double *x, const double *eta, const double *p, int landed, int loose,
    double quiet, NAME_modes *modes)
{
    NAME_search s;
    int returned[NAME_NC], turn, k, code, any = 0;
    s.t = t;
    s.x = x;
    s.eta = eta;
    s.p = p;
    s.modes = modes;
    code = NAME_look_at_contacts(&s, landed, quiet);
    if (code)
        return code;
    for (k = 0; k < NAME_NC; k++) {
        returned[k] = 0;
        any = any || s.at_rest[k];
    }
    if (any)
        NAME_follow_constraints(&s);
    code = NAME_give_way(&s);
    if (!code)
        code = NAME_share(&s);
    if (!code && loose >= 0 && modes->sticks[loose]) {
        code = NAME_let_go(&s, loose);
        if (!code)
            code = NAME_try_and_share(&s);
    }
    for (turn = 0; !code && turn < 8 * NAME_NC + 8; turn++) {
        double most = 1.0 + 1e-12, size;
        int worst = -1, back = -1;
        for (k = 0; k < NAME_NC; k++) {
            if (modes->sticks[k] && !(NAME_use_of(&s, k) <= most)) {
                most = NAME_use_of(&s, k);
                worst = k;
            }
            if (back < 0 && s.at_rest[k] && !s.forced[k] && !modes->sticks[k]
                && NAME_departure(&s, k, &size) < -1e-10 * size)
                back = k;
        }
        if (worst >= 0)
            code = NAME_let_go(&s, worst);
        else if (back >= 0)
            code = ++returned[back] > 2 ? 8 : NAME_take_back(&s, back);
        else
            return 0;
        if (!code)
            code = NAME_try_and_share(&s);
    }
    return code ? code : 8;
}

int NAME_find_modes(double t, const double *x, const double *eta, const double *p, NAME_modes *modes)
{
    return NAME_settle_modes(t, x, eta, p, -1, -1, 0.0, modes);
}

SIGNATURE
{
    NAME_modes modes;
    const int code = NAME_find_modes(t, x, eta, p, &modes);
    if (code)
        NAME_no_answer(out);
    return code ? code : NAME_evaluate_in(t, x, eta, p, &modes, out);
}

