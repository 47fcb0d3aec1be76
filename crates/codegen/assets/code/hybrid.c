/* ---- motions with events: what happens between the steps ----------------------------------------------------------------- */

enum { NAME_SAMPLES = 4, NAME_LOCATIONS = 100, NAME_AT_ONCE = 30 };

/* The motion in the modes of a step, also a little off the constraints. */
static int NAME_motion_in(double t, const double *x, const double *eta, const double *p, const NAME_modes *m, NAME_result *r)
{
    NAME_work w;
//@if contacts
    return NAME_evaluate_with(&w, NAME_within(m, t), x, eta, p, m, HUGE_VAL, r);
//@end
//@if untouched
    return NAME_evaluate_with(&w, NAME_within(m, t), x, eta, p, HUGE_VAL, r);
//@end
}

//@if onset
ONSET
//@end
//@if told
/* The motion with its forces as they are told. */
static int NAME_evaluate_now(double t, const double *x, const double *eta, const double *p, const NAME_modes *m, NAME_result *r)
{
//@if contacts
    return NAME_evaluate_in(t, x, eta, p, m, r);
//@end
//@if untouched
    (void)m;
    return NAME_evaluate(t, x, eta, p, r);
//@end
}

//@end
/* Functions that are watched: contacts (negative where a mode ends), events of the model, kinks of constraint rows. */
static int NAME_watch(double t, const double *x, const double *eta, const double *p, const NAME_modes *m, double *g)
{
    t = NAME_within(m, t);
    NAME_fill(1.0, g, NAME_WATCHED);
    (void)x; (void)eta; (void)p;
//@if contacts
    {
        NAME_result r;
        NAME_work w;
        int k, i, j;
        const int code = NAME_evaluate_with(&w, t, x, eta, p, m, HUGE_VAL, &r);
        if (code)
            return code;
        for (k = 0; k < NAME_NC; k++) {
            const int first = NAME_slide[k][0], count = NAME_slide[k][1] - first;
            double way[NAME_NS];
            if (m->sticks[k]) {
                g[k] = w.mu_static[k] * r.normal[k] * (1.0 + 1e-12) - NAME_norm(r.friction + first, count);
                if (m->open[k] < count) { /* the constraints may carry V off */
                    double reach = 0.0;
                    for (i = first; i < first + count; i++) {
                        double sum = 0.0;
                        for (j = 0; j < NAME_N; j++)
                            sum += fabs(w.J[i * NAME_N + j]);
                        reach = sum > reach ? sum : reach;
                    }
                    g[k] = fmin(g[k], m->rest * reach - NAME_norm(w.V + first, count));
                }
            } else if (m->held[k]) {
                NAME_heading(m, k, t, way);
                g[k] = NAME_dot(w.V + first, way, count);
            } else {
                g[k] = NAME_norm(w.V + first, count);
            }
        }
    }
//@end
//@if events
//@if informed
    {
        NAME_result r;
        const int code = NAME_evaluate_now(t, x, eta, p, m, &r);
        if (code)
            return code;
        NAME_event_functions(t, x, eta, p, &r, g + NAME_NC_ALL);
    }
//@end
//@if uninformed
    NAME_event_functions(t, x, eta, p, 0, g + NAME_NC_ALL);
//@end
//@end
//@if kinks
    NAME_kinks(t, x, eta, p, g + NAME_NC_ALL + NAME_NE);
//@end
    return NAME_finite(g, NAME_WATCHED) ? 0 : 1;
}

/* Whether function j counts when it comes to a side. */
static int NAME_counts(int j, int side)
{
    static const int rising[NAME_EVENTS] = EVENT_SIDES; /* 1 rising, -1 falling, 0 both */
    if (j < NAME_NC_ALL)
        return side < 0;
    if (j < NAME_NC_ALL + NAME_NE)
        return rising[j - NAME_NC_ALL] == 0 || rising[j - NAME_NC_ALL] == side;
    return 1;
}

static int NAME_side(double g) { return g > 0.0 ? 1 : g < 0.0 ? -1 : 0; }

/* Whether a function has come to another side; sides of those that do not count are taken if `take`. */
static int NAME_passed(const double *g, int *side, int *hit, int take)
{
    int j, any = 0;
    for (j = 0; j < NAME_WATCHED; j++) {
        const int now = NAME_side(g[j]);
        hit[j] = now && side[j] && now != side[j] && NAME_counts(j, now);
        any = any || hit[j];
    }
    for (j = 0; take && !any && j < NAME_WATCHED; j++)
        if (NAME_side(g[j]))
            side[j] = NAME_side(g[j]);
    return any;
}

/* One step of Dormand and Prince's method of order 5 and the return to the constraints; its error against the tolerance. */
static int NAME_attempt(double t, const double *x, const double *eta, const double *p, const NAME_modes *m, double h,
    double tolerance, NAME_result *k, double *x1, double *eta1, double *error)
{
    static const double c[7] = {0.0, 0.2, 0.3, 0.8, 8.0 / 9, 1.0, 1.0};
    static const double a[7][6] = {
        {0},
        {0.2},
        {3.0 / 40, 9.0 / 40},
        {44.0 / 45, -56.0 / 15, 32.0 / 9},
        {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
        {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
        {35.0 / 384, 0.0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}
    };
    static const double e[7] = {71.0 / 57600, 0.0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
    double x2[NAME_NX], eta2[NAME_N];
    int i, s, q, code;
    *error = 0.0;
    for (s = 0; s < 7; s++) {
        NAME_copy(x, x1, NAME_NX);
        NAME_copy(eta, eta1, NAME_N);
        for (q = 0; q < s; q++) {
            for (i = 0; i < NAME_NX; i++)
                x1[i] += h * a[s][q] * k[q].x_dot[i];
            for (i = 0; i < NAME_N; i++)
                eta1[i] += h * a[s][q] * k[q].eta_dot[i];
        }
        code = NAME_motion_in(t + c[s] * h, x1, eta1, p, m, &k[s]);
        if (code)
            return code;
    }
    for (i = 0; i < NAME_NX + NAME_N; i++) {
        const double size = i < NAME_NX ? x[i] : eta[i - NAME_NX];
        double d = 0.0;
        for (s = 0; s < 7; s++)
            d += h * e[s] * (i < NAME_NX ? k[s].x_dot[i] : k[s].eta_dot[i - NAME_NX]);
        d = fabs(d) / (tolerance * (1.0 + fabs(size)));
        *error = d > *error ? d : *error;
    }
    NAME_copy(x1, x2, NAME_NX);
    NAME_copy(eta1, eta2, NAME_N);
    code = NAME_project(t + h, x1, eta1, p, m);
    s = NAME_left(x2, x1, eta2, eta1, tolerance);
    *error = s && *error < 1e3 ? 1e3 : *error;
    return code;
}

/* A state inside a step, by its ends and their rates. */
static void NAME_inside(const double *x, const double *eta, const double *x1, const double *eta1, const NAME_result *k,
    double h, double s, double *xs, double *etas)
{
    const double a = s * s * (3.0 - 2.0 * s), b = s * (1.0 - s) * (1.0 - s) * h, c = s * s * (s - 1.0) * h;
    int i;
    for (i = 0; i < NAME_NX; i++)
        xs[i] = x[i] + a * (x1[i] - x[i]) + b * k[0].x_dot[i] + c * k[6].x_dot[i];
    for (i = 0; i < NAME_N; i++)
        etas[i] = eta[i] + a * (eta1[i] - eta[i]) + b * k[0].eta_dot[i] + c * k[6].eta_dot[i];
}

/* Where in a step something passes, between parts `low` and `high` of it, by ever shorter steps: the state just behind it into
   x1 and eta1, its part of the step into *high. 0 if nothing does after all. */
static int NAME_locate(double t, const double *x, const double *eta, const double *p, const NAME_modes *m, double h,
    double low, double *high, double *g_low, int *side, int *hit, double *x1, double *eta1)
{
    double g_high[NAME_WATCHED], g[NAME_WATCHED], xs[NAME_NX], etas[NAME_N], error;
    NAME_result k[7];
    int turn, j, last = 0, one = 0, try_hit[NAME_WATCHED];
    if (NAME_attempt(t, x, eta, p, m, *high * h, 1.0, k, x1, eta1, &error)
        || NAME_watch(t + *high * h, x1, eta1, p, m, g_high) || !NAME_passed(g_high, side, hit, 0))
        return 0;
    for (turn = 0; turn < NAME_LOCATIONS; turn++) {
        double part = 0.5 * (low + *high), first = *high;
        if ((*high - low) * h <= 4.0 * DBL_EPSILON * (fabs(t) + h) || part <= low || part >= *high)
            break;
        for (j = 0; j < NAME_WATCHED; j++) /* the earliest zero of a chord */
            if (hit[j]) {
                const double zero = low + (*high - low) * g_low[j] / (g_low[j] - g_high[j]);
                if (zero < first) {
                    first = zero;
                    one = j;
                }
            }
        if (turn % 8 != 7 && first > low && first < *high)
            part = first;
        if (NAME_attempt(t, x, eta, p, m, part * h, 1.0, k, xs, etas, &error)
            || NAME_watch(t + part * h, xs, etas, p, m, g))
            return 1;
        if (NAME_passed(g, side, try_hit, 0)) {
            *high = part;
            NAME_copy(xs, x1, NAME_NX);
            NAME_copy(etas, eta1, NAME_N);
            NAME_copy(g, g_high, NAME_WATCHED);
            for (j = 0; j < NAME_WATCHED; j++)
                hit[j] = try_hit[j];
            if (last == 1)
                g_low[one] *= 0.5;
            last = 1;
        } else {
            low = part;
            NAME_copy(g, g_low, NAME_WATCHED);
            if (last == -1)
                g_high[one] *= 0.5;
            last = -1;
        }
    }
    return 1;
}

/* The first passage in a step that has been made: whether there is one; then the step ends there. Sides are kept in m. */
static int NAME_first_passage(double t, const double *x, const double *eta, const double *p, NAME_modes *m, double *h,
    const NAME_result *k, double *x1, double *eta1, int *hit)
{
    double g[NAME_WATCHED], before[NAME_WATCHED], xs[NAME_NX], etas[NAME_N], low = 0.0, high;
    int side[NAME_WATCHED], q, j;
    for (j = 0; j < NAME_WATCHED; j++)
        side[j] = m->side[j];
    if (NAME_watch(t, x, eta, p, m, before))
        NAME_fill(0.0, before, NAME_WATCHED);
    for (q = 1; q <= NAME_SAMPLES; q++) {
        const double s = (double)q / NAME_SAMPLES;
        if (q < NAME_SAMPLES)
            NAME_inside(x, eta, x1, eta1, k, *h, s, xs, etas);
        if (NAME_watch(t + s * *h, q < NAME_SAMPLES ? xs : x1, q < NAME_SAMPLES ? etas : eta1, p, m, g))
            continue;
        high = s;
        if (NAME_passed(g, side, hit, 1)) {
            double x2[NAME_NX], eta2[NAME_N];
            if (NAME_locate(t, x, eta, p, m, *h, low, &high, before, side, hit, x2, eta2)) {
                NAME_copy(x2, x1, NAME_NX);
                NAME_copy(eta2, eta1, NAME_N);
                *h *= high;
                for (j = 0; j < NAME_WATCHED; j++)
                    m->side[j] = side[j];
                return 1;
            }
        }
        low = s;
        NAME_copy(g, before, NAME_WATCHED);
    }
    for (j = 0; j < NAME_WATCHED; j++)
        m->side[j] = side[j];
    return 0;
}

//@if contacts
/* Other modes: the motion goes on from a state that satisfies their rows. */
static int NAME_take_modes(double t, double *x, double *eta, const double *p, int landed, int loose, double quiet,
    double tolerance, NAME_modes *m)
{
    const double fastest = fmax(m->top_speed, NAME_largest(eta, NAME_N));
    double g[NAME_WATCHED];
    int k, code, slid[NAME_NC];
    for (k = 0; k < NAME_NC; k++)
        slid[k] = !m->sticks[k] && k != landed;
    code = NAME_settle_modes(NAME_within(m, t), x, eta, p, landed, loose, quiet, m);
    m->rest = tolerance * (1.0 + fastest) + 4e-12 * fastest;
    if (!code)
        code = NAME_project(t, x, eta, p, m);
//@if onset
    if (!code)
        code = NAME_lead_off(t, x, eta, p, tolerance, m);
//@end
    if (code || NAME_watch(t, x, eta, p, m, g))
        NAME_fill(0.0, g, NAME_WATCHED);
    for (k = 0; k < NAME_NC; k++) /* what has just begun to slide has no side yet, what goes on sliding has */
        m->side[k] = m->sticks[k] || (slid[k] && g[k] > 0.0);
    return code;
}

//@end
/* Adds what passes within an instant, which happens together with what has passed; how many. */
static int NAME_at_hand(double t, const double *x, const double *eta, const double *p, NAME_modes *m, double instant, int first,
    int *hit)
{
    double xs[NAME_NX], etas[NAME_N], g[NAME_WATCHED];
    int near[NAME_WATCHED], j, count = 0;
    NAME_result r;
    if (NAME_motion_in(t, x, eta, p, m, &r))
        return 0;
    NAME_copy(x, xs, NAME_NX);
    NAME_copy(eta, etas, NAME_N);
    NAME_add(instant, r.x_dot, xs, NAME_NX);
    NAME_add(instant, r.eta_dot, etas, NAME_N);
    if (NAME_watch(t + instant, xs, etas, p, m, g) || !NAME_passed(g, m->side, near, 0))
        return 0;
    for (j = first; j < NAME_WATCHED; j++)
        if (near[j] && !hit[j]) {
            hit[j] = 1;
            m->side[j] = -m->side[j];
            count++;
        }
    return count;
}

//@if events
/* The functions that are watched a moment behind a state, by its rates; those given where there are none. */
static void NAME_moment_later(double t, const double *x, const double *eta, const double *p, const NAME_modes *m, const double *g,
    double *later)
{
    const double moment = 1e-9 * (1.0 + fabs(t));
    double xs[NAME_NX], etas[NAME_N];
    NAME_result r;
    int code = NAME_motion_in(t, x, eta, p, m, &r);
    if (!code) {
        NAME_copy(x, xs, NAME_NX);
        NAME_copy(eta, etas, NAME_N);
        NAME_add(moment, r.x_dot, xs, NAME_NX);
        NAME_add(moment, r.eta_dot, etas, NAME_N);
        code = NAME_watch(t + moment, xs, etas, p, m, later);
    }
    if (code)
        NAME_copy(g, later, NAME_WATCHED);
}

//@end
/* What follows from what has passed at a state; events are at their new sides. Codes; 10 where an event ends the motion. */
static int NAME_happen(double t, double *x, double *eta, const double *p, const int *passed, double tolerance, NAME_modes *m)
{
    double g[NAME_WATCHED], before[NAME_WATCHED], later[NAME_WATCHED];
    int hit[NAME_WATCHED], j, round, code, stop = 0, moved = 0, contact = -1;
    for (j = 0; j < NAME_WATCHED; j++) {
        hit[j] = passed[j];
        if (hit[j] && j < NAME_NC_ALL && contact < 0)
            contact = j;
    }
    m->chain = fabs(t - m->last) <= 1e-12 * (1.0 + fabs(t)) ? m->chain + 1 : 1;
    m->last = t;
    if (m->chain > NAME_AT_ONCE)
        return 9;
//@if events
    NAME_at_hand(t, x, eta, p, m, 1e-13 * (1.0 + fabs(t)), NAME_NC_ALL, hit);
    if (NAME_watch(t, x, eta, p, m, before))
        NAME_fill(0.0, before, NAME_WATCHED);
    for (round = 0; round < NAME_AT_ONCE; round++) {
        static const int ends[NAME_EVENTS] = EVENT_STOPS;
        int any = 0, acts = 0;
        for (j = 0; j < NAME_NE; j++)
            if (hit[NAME_NC_ALL + j]) {
                m->count[j]++;
                m->event = j;
                any = 1;
                stop = stop || ends[j];
            }
        if (!any)
            break;
//@if actions
        {
            static const int of[NAME_ACTIONS] = ACTION_EVENTS, to[NAME_ACTIONS] = ACTION_VARIABLES;
            double value[NAME_ACTIONS];
            NAME_result r;
            for (j = 0; j < NAME_ACTIONS; j++)
                acts = acts || hit[NAME_NC_ALL + of[j]];
            if (acts) {
                code = NAME_evaluate_now(NAME_within(m, t), x, eta, p, m, &r);
                if (code)
                    return code;
                NAME_action_values(NAME_within(m, t), x, eta, p, &r, value);
                if (!NAME_finite(value, NAME_ACTIONS))
                    return 1;
                for (j = 0; j < NAME_ACTIONS; j++)
                    if (hit[NAME_NC_ALL + of[j]]) {
                        if (to[j] < NAME_NX)
                            x[to[j]] = value[j];
                        else
                            eta[to[j] - NAME_NX] = value[j];
                    }
            }
        }
//@end
        if (!acts)
            break;
        moved = 1;
//@if contacts
        code = NAME_take_modes(t, x, eta, p, -1, -1, 0.0, tolerance, m);
//@end
//@if untouched
        code = NAME_project(t, x, eta, p, m);
//@end
        if (code)
            return code;
        if (NAME_watch(t, x, eta, p, m, g))
            break;
        NAME_moment_later(t, x, eta, p, m, g, later);
        for (j = 0; j < NAME_WATCHED; j++) { /* those that the jump has taken through zero */
            const double rest = 1e3 * fabs(before[j]) + 1e-12 * (1.0 + NAME_largest(x, NAME_NX) + NAME_largest(eta, NAME_N));
            /* one that has fired may be at zero still, up to rounding: then its side is that which it goes to */
            const int fired = hit[j], goes = fired && fabs(g[j]) <= rest ? NAME_side(later[j] - g[j]) : 0;
            const int now = goes ? goes : NAME_side(g[j]);
            hit[j] = j >= NAME_NC_ALL && !fired && now && m->side[j] && now != m->side[j] && NAME_counts(j, now);
            if (j >= NAME_NC_ALL && now)
                m->side[j] = now;
        }
        NAME_copy(g, before, NAME_WATCHED);
    }
    if (round == NAME_AT_ONCE)
        return 9;
//@end
//@if contacts
    if (contact >= 0 && !moved) {
        const int stuck = m->sticks[contact];
        code = NAME_take_modes(t, x, eta, p, stuck ? -1 : contact, stuck ? contact : -1, 1e-12 * m->top_speed, tolerance, m);
        if (code)
            return code;
    }
    if (contact >= 0 || moved) {
        NAME_result r;
        NAME_work w;
        double still[NAME_N];
        int free;
        code = NAME_evaluate_with(&w, NAME_within(m, t), x, eta, p, m, HUGE_VAL, &r);
        free = code || w.rows.rank < NAME_N;
        NAME_fill(0.0, still, NAME_N);
        if (!free && NAME_fits(t, x, still, p, m)) /* held in every direction: at rest, not nearly */
            NAME_fill(0.0, eta, NAME_N);
    }
//@end
    (void)code; (void)moved; (void)contact; (void)round; (void)g; (void)before; (void)later; (void)x; (void)eta; (void)p; (void)tolerance; (void)hit;
    return stop ? 10 : 0;
}

//@if instants
/* The next switch of time in a stretch, if any: steps end before it and go on behind it. */
static void NAME_look_ahead(double t, double h, const double *p, NAME_modes *m)
{
    double from = t < m->after ? m->after : t, low, high, g[NAME_NT], now[NAME_NT], middle[NAME_NT];
    int q, j, turn, found = 0;
    if (m->seen >= t + h || m->before < HUGE_VAL)
        return;
    NAME_instants(from, p, g);
    low = from;
    for (q = 1; q <= 128 && !found; q++) {
        high = from + (t + h - from) * q / 128;
        NAME_instants(high, p, now);
        for (j = 0; j < NAME_NT; j++)
            found = found || NAME_side(now[j]) != NAME_side(g[j]);
        if (!found) {
            low = high;
            NAME_copy(now, g, NAME_NT);
        }
    }
    m->seen = t + h;
    if (!found)
        return;
    for (turn = 0; turn < 100; turn++) {
        const double half = 0.5 * (low + high);
        int other = 0;
        if (!(half > low && half < high))
            break;
        NAME_instants(half, p, middle);
        for (j = 0; j < NAME_NT; j++)
            other = other || NAME_side(middle[j]) != NAME_side(g[j]);
        if (other)
            high = half;
        else
            low = half;
    }
    m->before = low - 4.0 * DBL_EPSILON * fmax(fabs(low), 1e-3);
    m->behind = high + 4.0 * DBL_EPSILON * fmax(fabs(high), 1e-3);
    if (m->before < from)
        m->before = from;
}

//@end
//@if instants
/* The motion goes on behind a switch of time. */
static int NAME_pass_instant(double t, double *x, double *eta, const double *p, double tolerance, NAME_modes *m)
{
    m->after = m->behind;
    m->before = HUGE_VAL;
    m->seen = m->after;
    (void)t; (void)x; (void)eta; (void)p; (void)tolerance;
//@if contacts
    return NAME_take_modes(t, x, eta, p, -1, -1, 1e-12 * m->top_speed, tolerance, m);
//@end
//@if untouched
    return 0;
//@end
}

//@end
/* Steps up to a time; without error control where the tolerance is zero: then one step from event to event. */
static int NAME_travel(double *t, double *x, double *eta, const double *p, double until, double tolerance, NAME_modes *m)
{
    const int fixed = tolerance <= 0.0;
    const double own = fixed ? 1e-9 : tolerance;
    double x1[NAME_NX], eta1[NAME_N], h = until - *t, wanted = m->h > 0.0 ? m->h : h / 8;
    NAME_result k[7];
    int count, code, hit[NAME_WATCHED];
    (void)NAME_at_hand; /* of events, and of FMUs */
//@if contacts
    { /* forces may have changed since the last step */
        double g[NAME_WATCHED];
        int j;
        m->top_speed = fmax(m->top_speed, NAME_largest(eta, NAME_N));
        if (NAME_watch(*t, x, eta, p, m, g) == 0)
            for (j = 0; j < NAME_NC; j++)
                if (m->sticks[j] && g[j] < 0.0) {
                    code = NAME_take_modes(*t, x, eta, p, -1, j, 1e-12 * m->top_speed, own, m);
                    if (code)
                        return code;
                    break;
                }
    }
//@end
    for (count = 0; count < NAME_STEPS && *t < until; count++) {
        double error, end = until, factor;
        int last;
        h = fixed ? until - *t : wanted;
//@if instants
        NAME_look_ahead(*t, fmin(h, until - *t), p, m);
        if (*t >= m->before) {
            code = NAME_pass_instant(*t, x, eta, p, own, m);
            if (code)
                return code;
            continue;
        }
        end = fmin(end, m->before);
//@end
        last = *t + 1.0000001 * h >= end;
        if (last)
            h = end - *t;
//@if onset
        {
            const double full = h;
            code = NAME_approach(*t, x, eta, p, own, m, &h);
            if (code)
                return code;
            last = last && h == full;
        }
//@end
        code = NAME_attempt(*t, x, eta, p, m, h, own, k, x1, eta1, &error);
        if (fixed && code)
            return code;
        if (code || (!fixed && error > 1.0)) {
            factor = code ? 0.25 : 0.9 * pow(error, -0.2);
            wanted = h * (factor < 0.2 ? 0.2 : factor);
            if (!(wanted > 1e-14 * (1.0 + fabs(*t))))
                return code ? code : 6;
            continue;
        }
        {
            const double whole = h;
            const int passed = NAME_first_passage(*t, x, eta, p, m, &h, k, x1, eta1, hit);
            *t = last && h == whole ? end : *t + h;
            NAME_copy(x1, x, NAME_NX);
            NAME_copy(eta1, eta, NAME_N);
            m->top_speed = fmax(m->top_speed, NAME_largest(eta, NAME_N));
            if (passed) {
                int j;
                for (j = 0; j < NAME_WATCHED; j++)
                    if (hit[j])
                        m->side[j] = -m->side[j];
                code = NAME_happen(*t, x, eta, p, hit, own, m);
                if (code)
                    return code;
            }
            factor = error > 0.0 ? 0.9 * pow(error, -0.2) : 5.0;
            factor = factor > 5.0 ? 5.0 : factor < 0.2 ? 0.2 : factor;
            /* a step that had to end early says little about the next one */
            wanted = passed ? fmin(wanted, fmax(whole * factor, 1e-3 * whole)) : fmax(whole * factor, last ? wanted : 0.0);
        }
        m->h = wanted;
    }
//@if events
    { /* events at the very end have happened */
        int j;
        for (j = 0; j < NAME_WATCHED; j++)
            hit[j] = 0;
        if (*t >= until && NAME_at_hand(*t, x, eta, p, m, 1e-13 * (1.0 + fabs(*t)), NAME_NC_ALL, hit)) {
            code = NAME_happen(*t, x, eta, p, hit, own, m);
            if (code)
                return code;
        }
    }
//@end
    return *t < until ? 6 : 0;
}

int NAME_start(double t, double *x, double *eta, const double *p, NAME_modes *m)
{
    static NAME_modes none; /* zeros */
    double g[NAME_WATCHED], size = NAME_largest(x, NAME_NX) + NAME_largest(eta, NAME_N);
    int j, code = 0;
    *m = none;
    m->last = -HUGE_VAL;
    m->after = -HUGE_VAL;
    m->before = HUGE_VAL;
    m->seen = -HUGE_VAL;
    m->event = -1;
    m->top_speed = NAME_largest(eta, NAME_N);
//@if contacts
    code = NAME_take_modes(t, x, eta, p, -1, -1, 0.0, 1e-9, m);
//@end
    if (!code)
        code = NAME_watch(t, x, eta, p, m, g);
    for (j = NAME_NC_ALL; !code && j < NAME_WATCHED; j++)
        m->side[j] = fabs(g[j]) <= 1e-14 * size ? 0 : NAME_side(g[j]);
    return code;
}

int NAME_step(double *t, double *x, double *eta, const double *p, double dt, NAME_modes *modes)
{
    return NAME_travel(t, x, eta, p, *t + dt, 0.0, modes);
}

int NAME_advance(double *t, double *x, double *eta, const double *p, double until, double tolerance, NAME_modes *modes)
{
    return NAME_travel(t, x, eta, p, until, tolerance, modes);
}
