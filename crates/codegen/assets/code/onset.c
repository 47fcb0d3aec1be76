/* ---- contacts with several components: how they begin to slide, and how they come to rest ---------------------------- */

/* V and V' of the contacts at a state whose motion is r. */
static void NAME_slides_at(double t, const double *x, const double *eta, const double *p, const NAME_result *r, double *V,
    double *rate)
{
    double J[NAME_NS * NAME_N], drift[NAME_NS], mu[NAME_NC], mu_static[NAME_NC], P[NAME_PRESSED];
    int i;
    NAME_contact_terms(t, x, eta, p, V, J, drift, mu, mu_static, P);
    for (i = 0; i < NAME_NS; i++)
        rate[i] = NAME_dot(J + i * NAME_N, r->eta_dot, NAME_N) - drift[i];
}

static int NAME_leaves(const NAME_modes *m, int k)
{
    return NAME_slide[k][1] - NAME_slide[k][0] > 1 && !m->sticks[k] && m->held[k];
}

/* Takes what each contact that leaves has of v along its direction from v, or leaves that alone. */
static void NAME_split(const NAME_modes *m, const double *s, double *v, int across)
{
    int k, i;
    for (k = 0; k < NAME_NC; k++) {
        const int first = NAME_slide[k][0], count = NAME_slide[k][1] - first;
        const double along = NAME_dot(s + first, v + first, count);
        for (i = first; i < first + count; i++)
            v[i] = !NAME_leaves(m, k) ? 0.0 : across ? v[i] - along * s[i] : along > 0.0 ? along : 0.0;
    }
}

/* V' a moment after a state, with directions turned by `turn`. */
static int NAME_rates_after(double t, const double *x, const double *eta, const double *p, const NAME_modes *m,
    const NAME_result *r, double moment, const double *s, const double *turn, double *rate)
{
    double x1[NAME_NX], eta1[NAME_N], V[NAME_NS];
    NAME_modes aimed = *m;
    NAME_result there;
    NAME_work w;
    int i, code;
    for (i = 0; i < NAME_NX; i++)
        x1[i] = x[i] + moment * r->x_dot[i];
    for (i = 0; i < NAME_N; i++)
        eta1[i] = eta[i] + moment * r->eta_dot[i];
    for (i = 0; i < NAME_NS; i++)
        if (turn)
            aimed.direction[i] = s[i] + 1e-6 * turn[i];
    code = NAME_evaluate_with(&w, NAME_within(m, t + moment), x1, eta1, p, &aimed, HUGE_VAL, &there);
    if (!code)
        NAME_slides_at(NAME_within(m, t + moment), x1, eta1, p, &there, V, rate);
    return code;
}

/* The direction of a contact that has just been let go is s + w tau, where V2 across s is 2 a w with V = a s tau + V2 tau^2/2. */
static int NAME_lead_off(double t, const double *x, const double *eta, const double *p, double tolerance, NAME_modes *m)
{
    double s[NAME_NS], start[NAME_NS], later[NAME_NS], away[NAME_NS], B[NAME_NS * NAME_NS], turn[NAME_NS], answer[NAME_NS];
    double scale, moment, grasp = 0.0, quiet;
    NAME_cod c;
    NAME_result r;
    NAME_work w;
    int i, q, k, code, any = 0;
    for (k = 0; k < NAME_NC; k++)
        any = any || NAME_leaves(m, k);
    if (!any)
        return 0;
    code = NAME_evaluate_with(&w, NAME_within(m, t), x, eta, p, m, HUGE_VAL, &r);
    if (code)
        return code;
    scale = 1.0 + NAME_largest(x, NAME_NX);
    scale = fmin(fmin(scale / NAME_largest(r.x_dot, NAME_NX), sqrt(scale / NAME_largest(r.eta_dot, NAME_N))), 1.0);
    moment = 1e-5 * scale;
    NAME_copy(m->direction, s, NAME_NS);
    if ((code = NAME_rates_after(t, x, eta, p, m, &r, 0.0, s, 0, start)) != 0
        || (code = NAME_rates_after(t, x, eta, p, m, &r, moment, s, 0, later)) != 0)
        return code;
    for (i = 0; i < NAME_NS; i++)
        later[i] = (later[i] - start[i]) / moment;
    NAME_split(m, s, later, 1);
    NAME_copy(start, away, NAME_NS);
    NAME_split(m, s, away, 0);
    for (q = 0; q < NAME_NS; q++) {
        NAME_fill(0.0, turn, NAME_NS);
        turn[q] = 1.0;
        NAME_split(m, s, turn, 1);
        code = NAME_rates_after(t, x, eta, p, m, &r, 0.0, s, turn, answer);
        if (code)
            return code;
        for (i = 0; i < NAME_NS; i++)
            answer[i] = (answer[i] - start[i]) / 1e-6;
        grasp = fmax(grasp, NAME_norm(answer, NAME_NS));
        NAME_split(m, s, answer, 1);
        for (i = 0; i < NAME_NS; i++)
            B[i * NAME_NS + q] = 2.0 * away[i] * turn[i] - answer[i];
    }
    /* w of least norm with B w = later: directions that the constraints lead do not turn */
    NAME_copy(B, c.a, NAME_NS * NAME_NS);
    NAME_reveal(&c, NAME_NS, NAME_NS, 1e-6 * NAME_norm(B, NAME_NS * NAME_NS));
    NAME_complete(&c, 0);
    NAME_least(&c, later, turn);
    NAME_split(m, s, turn, 1);
    NAME_copy(turn, m->turning, NAME_NS);
    m->since = t;
    quiet = tolerance * (1.0 + NAME_largest(eta, NAME_N));
    for (k = 0; k < NAME_NC; k++)
        if (NAME_leaves(m, k)) {
            const int first = NAME_slide[k][0], count = NAME_slide[k][1] - first;
            const double T = fmin(scale, 1.0 / NAME_norm(turn + first, count));
            const double part = pow(0.1 * quiet / (grasp * T), 0.2);
            m->until[k] = t + T * (part > 1e-3 ? part < 0.02 ? part : 0.02 : 1e-3);
        }
    return 0;
}

/* Directions are held while V says nothing about them, and steps do not jump over the instant at which V vanishes. */
static int NAME_approach(double t, const double *x, const double *eta, const double *p, double tolerance, NAME_modes *m,
    double *h)
{
    double V[NAME_NS], rate[NAME_NS];
    NAME_result r;
    NAME_work w;
    const int code = NAME_evaluate_with(&w, NAME_within(m, t), x, eta, p, m, HUGE_VAL, &r);
    const double quiet = tolerance * (1.0 + NAME_largest(eta, NAME_N));
    int k, i;
    if (code)
        return code;
    NAME_slides_at(NAME_within(m, t), x, eta, p, &r, V, rate);
    for (k = 0; k < NAME_NC; k++) {
        const int first = NAME_slide[k][0], count = NAME_slide[k][1] - first;
        const double speed = NAME_norm(V + first, count), closing = -NAME_dot(V + first, rate + first, count);
        const double rest_in = closing > 0.0 ? speed * speed / closing : HUGE_VAL;
        const double left = m->until[k] - t, whole = m->until[k] - m->since;
        const int leaving = left > 1e-6 * whole && left > 0.0;
        const int hold = speed <= quiet || rest_in <= 1e-11 * fmax(1.0, fabs(t)) || leaving;
        double longest = HUGE_VAL;
        if (count == 1 || m->sticks[k])
            continue;
        if (hold && !m->held[k])
            for (i = first; i < first + count; i++) {
                m->turning[i] = 0.0;
                m->direction[i] = V[i] / speed;
            }
        m->held[k] = hold;
        if (leaving)
            longest = left;
        else if (!hold)
            longest = fmin(t - m->since, 0.5 * rest_in);
        if (*h > longest)
            *h = longest;
    }
    return 0;
}

