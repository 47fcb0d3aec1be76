/* ---- steps: the motion in time, kept on the constraints ------------------------------------- */

//@if hybrid
/* Steps do not see what is beyond a switch of time. */
static double NAME_within(const NAME_modes *m, double t)
{
//@if instants
    return t < m->after ? m->after : t > m->before ? m->before : t;
//@end
//@if timeless
    (void)m;
    return t;
//@end
}

//@end
//@if rows
/* The least motion, by the mass, that changes the rows by b; rows that are not wanted are left out. */
static int NAME_least_motion(NAME_work *w, const double *b, const int *wanted, double *z)
{
    const int n = NAME_N;
    double x_dot[NAME_NX], unused[NAME_ROWS];
    int i;
    NAME_fill(0.0, w->zero, NAME_K);
    NAME_fill(0.0, w->reference, NAME_K);
    NAME_fill(0.0, w->grain, NAME_K);
    NAME_terms(w->t, w->x, w->eta, w->p, x_dot, w->M, w->Q, w->A, w->b);
//@if contacts
    if (NAME_load_contacts(w))
        return 1;
//@end
    for (i = 0; i < NAME_K; i++)
        if (!wanted[i])
            NAME_fill(0.0, w->A + i * n, n);
    if (!NAME_finite(w->M, n * n) || !NAME_finite(w->A, NAME_K * n) || !NAME_finite(b, NAME_K))
        return 1;
    if (!NAME_factor(w))
        return 2;
    NAME_fill(0.0, w->force, n);
    NAME_saddle(w, w->force, b, z, unused);
    return NAME_finite(z, n) ? 0 : 1;
}

/* Residuals of the rows at velocity level, those of contacts that stick behind the others. */
static void NAME_rate_residuals(NAME_work *w, double *phi, double *psi)
{
    NAME_residuals(w->t, w->x, w->eta, w->p, phi, psi);
//@if contacts
    {
        int r, i;
        double x_dot[NAME_NX];
        NAME_terms(w->t, w->x, w->eta, w->p, x_dot, w->M, w->Q, w->A, w->b);
        NAME_fill(0.0, psi + NAME_M, NAME_NS);
        if (!NAME_load_contacts(w))
            for (r = 0; r < NAME_NS; r++)
                for (i = 0; i < NAME_NS; i++)
                    psi[NAME_M + r] += w->part[r * NAME_NS + i] * w->V[i];
    }
//@end
}

//@if contacts
/* Whether speeds satisfy the rows exactly. */
static int NAME_fits(double t, const double *x, const double *eta, const double *p, const NAME_modes *m)
{
    double phi[NAME_ROWS], psi[NAME_ROWS];
    NAME_work w;
    w.t = NAME_within(m, t);
    w.x = x;
    w.eta = eta;
    w.p = p;
    w.modes = m;
    NAME_rate_residuals(&w, phi, psi);
    return NAME_largest(psi, NAME_K) == 0.0;
}

//@end
/* Returns a state to the constraints: positions by Newton's method, x -= X z with A z = phi, then speeds. */
//@if plain
int NAME_project(double t, double *x, double *eta, const double *p)
//@end
//@if hybrid
int NAME_project(double t, double *x, double *eta, const double *p, const NAME_modes *m)
//@end
{
    static const int position[NAME_ROWS] = POSITION_ROWS;
    double phi[NAME_ROWS], psi[NAME_ROWS], z[NAME_N], moved[NAME_N], before[NAME_NX], after[NAME_NX];
    double M[NAME_N * NAME_N], Q[NAME_N], A[NAME_ROWS * NAME_N], b[NAME_ROWS], last = HUGE_VAL;
    int all[NAME_ROWS], i, turn, code;
    NAME_work w;
//@if hybrid
    t = NAME_within(m, t);
//@end
//@if contacts
    w.modes = m;
//@end
    w.most = NAME_K;
    w.t = t;
    w.x = x;
    w.eta = eta;
    w.p = p;
    for (turn = 0; turn < NAME_PROJECTIONS; turn++) {
        double size = 0.0;
        NAME_residuals(t, x, eta, p, phi, psi);
        for (i = 0; i < NAME_K; i++)
            phi[i] = i < NAME_M && position[i] ? -phi[i] : 0.0;
        if (NAME_largest(phi, NAME_K) == 0.0)
            break;
        code = NAME_least_motion(&w, phi, position, z);
        if (code)
            return code;
        for (i = 0; i < NAME_N; i++) {
            moved[i] = eta[i] + z[i];
            size = fabs(z[i]) > size ? fabs(z[i]) : size;
        }
        /* x' of coordinates is linear in the speeds: the difference is X z. */
        NAME_terms(t, x, eta, p, before, M, Q, A, b);
        NAME_terms(t, x, moved, p, after, M, Q, A, b);
        for (i = 0; i < NAME_POSITIONS; i++)
            x[i] += after[i] - before[i];
        if (size <= 1e-15 * (1.0 + NAME_largest(x, NAME_NX)) || size > 0.5 * last)
            break;
        last = size;
    }
    for (i = 0; i < NAME_ROWS; i++)
        all[i] = 1;
    for (turn = 0; turn < 3; turn++) {
        NAME_rate_residuals(&w, phi, psi);
        for (i = 0; i < NAME_K; i++)
            psi[i] = -psi[i];
        code = NAME_least_motion(&w, psi, all, z);
        if (code)
            return code;
        NAME_add(1.0, z, eta, NAME_N);
    }
    return 0;
}
//@end
//@if free_motion
/* There is nothing that a state could leave. */
//@if plain
int NAME_project(double t, double *x, double *eta, const double *p)
{
    (void)t; (void)x; (void)eta; (void)p;
    return 0;
}
//@end
//@if hybrid
int NAME_project(double t, double *x, double *eta, const double *p, const NAME_modes *m)
{
    (void)t; (void)x; (void)eta; (void)p; (void)m;
    return 0;
}
//@end
//@end

/* Whether the return to the constraints moved a state much further than a step may err: then the step has lost the branch
   of the motion where the rows lose rank. */
static int NAME_left(const double *x, const double *x_kept, const double *eta, const double *eta_kept, double tolerance)
{
    const double most = 1e-4 + 1e3 * tolerance;
    int i;
    for (i = 0; i < NAME_NX; i++)
        if (!(fabs(x_kept[i] - x[i]) <= most * (1.0 + fabs(x[i]))))
            return 1;
    for (i = 0; i < NAME_N; i++)
        if (!(fabs(eta_kept[i] - eta[i]) <= most * (1.0 + fabs(eta[i]))))
            return 1;
    return 0;
}

//@if plain
/* The motion at a state near the constraints, on which the rows have the rank `most`. */
static int NAME_evaluate_near(double t, const double *x, const double *eta, const double *p, int most, NAME_result *out)
{
    NAME_work w;
    int code;
//@if whole
    if (most == NAME_K && NAME_moved_whole(t, x, eta, p, out))
        return 0;
//@end
    w.t = t;
    w.x = x;
    w.eta = eta;
    w.p = p;
    w.allowed = HUGE_VAL;
    w.most = most;
    out->rank = 0;
    code = NAME_move(&w, out);
    if (code)
        NAME_no_answer(out);
    return code;
}

/* A state moved along rates: x + h x', eta + h eta'. */
static void NAME_along(const double *x, const double *eta, const NAME_result *r, double h, double *x2, double *eta2)
{
    int i;
    for (i = 0; i < NAME_NX; i++)
        x2[i] = x[i] + h * r->x_dot[i];
    for (i = 0; i < NAME_N; i++)
        eta2[i] = eta[i] + h * r->eta_dot[i];
}

int NAME_step(double *t, double *x, double *eta, const double *p, double dt)
{
    static const double part[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    double x0[NAME_NX], eta0[NAME_N], x1[NAME_NX], eta1[NAME_N];
    NAME_result r;
    int i, stage, code, most = 0;
    NAME_copy(x, x0, NAME_NX);
    NAME_copy(eta, eta0, NAME_N);
    NAME_copy(x, x1, NAME_NX);
    NAME_copy(eta, eta1, NAME_N);
    for (stage = 0; stage < 4; stage++) {
        if (stage)
            NAME_along(x0, eta0, &r, part[stage] * dt, x1, eta1);
        code = stage ? NAME_evaluate_near(*t + part[stage] * dt, x1, eta1, p, most, &r) : NAME_evaluate(*t, x1, eta1, p, &r);
        most = stage ? most : r.rank;
        if (code) { /* the state before the step */
            NAME_copy(x0, x, NAME_NX);
            NAME_copy(eta0, eta, NAME_N);
            return code;
        }
        for (i = 0; i < NAME_NX; i++)
            x[i] += weight[stage] * dt * r.x_dot[i];
        for (i = 0; i < NAME_N; i++)
            eta[i] += weight[stage] * dt * r.eta_dot[i];
    }
    *t += dt;
    return NAME_project(*t, x, eta, p);
}

/* Dormand and Prince's method of order 5 with its error estimate of order 4. */
int NAME_advance(double *t, double *x, double *eta, const double *p, double until, double tolerance)
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
    NAME_result k[7];
    double x1[NAME_NX], eta1[NAME_N], x2[NAME_NX], eta2[NAME_N], h = (until - *t) / 8;
    int i, s, q, count, code, most = 0;
    for (count = 0; count < NAME_STEPS && *t < until; count++) {
        double error = 0.0, factor;
        const int last = *t + 1.0000001 * h >= until;
        if (last)
            h = until - *t;
        for (s = 0; s < 7; s++) {
            NAME_copy(x, x1, NAME_NX);
            NAME_copy(eta, eta1, NAME_N);
            for (q = 0; q < s; q++) {
                for (i = 0; i < NAME_NX; i++)
                    x1[i] += h * a[s][q] * k[q].x_dot[i];
                for (i = 0; i < NAME_N; i++)
                    eta1[i] += h * a[s][q] * k[q].eta_dot[i];
            }
            code = s ? NAME_evaluate_near(*t + c[s] * h, x1, eta1, p, most, &k[s]) : NAME_evaluate(*t, x1, eta1, p, &k[0]);
            if (code)
                return code;
            most = !s && k[0].rank > most ? k[0].rank : most;
        }
        for (i = 0; i < NAME_NX; i++) {
            double d = 0.0;
            for (s = 0; s < 7; s++)
                d += h * e[s] * k[s].x_dot[i];
            d = fabs(d) / (tolerance * (1.0 + fabs(x[i])));
            error = d > error ? d : error;
        }
        for (i = 0; i < NAME_N; i++) {
            double d = 0.0;
            for (s = 0; s < 7; s++)
                d += h * e[s] * k[s].eta_dot[i];
            d = fabs(d) / (tolerance * (1.0 + fabs(eta[i])));
            error = d > error ? d : error;
        }
        if (error <= 1.0) {
            NAME_copy(x1, x2, NAME_NX);
            NAME_copy(eta1, eta2, NAME_N);
            code = NAME_project(last ? until : *t + h, x2, eta2, p);
            if (code)
                return code;
            if (NAME_left(x1, x2, eta1, eta2, tolerance))
                error = 1e3;
        }
        if (error <= 1.0) {
            *t = last ? until : *t + h;
            NAME_copy(x2, x, NAME_NX);
            NAME_copy(eta2, eta, NAME_N);
        }
        factor = error > 0.0 ? 0.9 * pow(error, -0.2) : 5.0;
        h *= factor > 5.0 ? 5.0 : factor < 0.2 ? 0.2 : factor;
        if (!(h > 1e-14 * (1.0 + fabs(*t))))
            return *t < until ? 6 : 0;
    }
    return *t < until ? 6 : 0;
}
//@end
