/* ---- the motion at a state (U1 to U8) ----------------------------------------------------- */

/* U6: whether the rows hold; each is measured against its own numbers, and what rounding of the state makes of it. */
static int NAME_consistent(NAME_work *w, const double *eta_dot)
{
    const int n = NAME_N;
    const double speed = NAME_largest(w->eta, n);
    double size = 0.0, worst = 0.0;
    int i, j;
    for (j = 0; j < n; j++) {
        if (fabs(eta_dot[j]) > size)
            size = fabs(eta_dot[j]);
        if (fabs(w->a[j]) > size)
            size = fabs(w->a[j]);
    }
    size += speed * speed;
    for (i = 0; i < NAME_K; i++) {
        double left = -w->b[i], own = fabs(w->b[i]), whole = 0.0;
        for (j = 0; j < n; j++) {
            const double entry = fabs(w->A[i * n + j]);
            left += w->A[i * n + j] * eta_dot[j];
            own += entry * (fabs(eta_dot[j]) + fabs(w->a[j]));
            whole += entry * size;
        }
        if (own < NAME_COUPLING * whole)
            own = NAME_COUPLING * whole;
        if (own < NAME_GRAIN * w->grain[i])
            own = NAME_GRAIN * w->grain[i];
        if (left != 0.0 && fabs(left) / own > worst)
            worst = fabs(left) / own;
    }
    return worst <= w->allowed;
}

/* What is left of each row, b - A eta', into w->d. Whether a row holds worse than it could. */
static int NAME_poor(NAME_work *w, const double *eta_dot)
{
    const int n = NAME_N;
    int i, j, poor = 0;
    for (i = 0; i < NAME_K; i++) {
        double own = fabs(w->b[i]);
        for (j = 0; j < n; j++)
            own += fabs(w->A[i * n + j] * eta_dot[j]);
        w->d[i] = w->b[i] - NAME_dot(w->A + i * n, eta_dot, n);
        poor = poor || fabs(w->d[i]) > NAME_REFINE * own;
    }
    return poor;
}

/* Solves again for what is left of the rows; kept if each holds at least as well, or all together much better. Whether
   they do, and it may be done again. */
static int NAME_improve(NAME_work *w, NAME_result *out)
{
    const int n = NAME_N;
    double again[NAME_ROWS], before = 0.0, after = 0.0;
    int i, j, better = 1, gained;
    NAME_fill(0.0, w->C, n);
    NAME_saddle(w, w->C, w->d, w->change, again);
    for (i = 0; i < NAME_K; i++) {
        double left = w->d[i] - NAME_dot(w->A + i * n, w->change, n), square = DBL_MIN;
        for (j = 0; j < n; j++)
            square += w->A[i * n + j] * w->A[i * n + j];
        before += w->d[i] * w->d[i] / square;
        after += left * left / square;
        better = better && fabs(left) <= fabs(w->d[i]);
    }
    gained = after < NAME_GAINED * NAME_GAINED * before;
    if (better || gained) {
        NAME_reaction(w, w->C, w->change, w->v);
        NAME_add(1.0, w->change, out->eta_dot, n);
        NAME_add(1.0, again, out->lambda, NAME_K);
        NAME_add(1.0, w->v, out->ideal, n);
    }
    return gained;
}

/* The motion under w->force: ideal (U2), consistency (U6), then non-ideal (U3, U8). */
static int NAME_respond(NAME_work *w, NAME_result *out)
{
    const int n = NAME_N;
    int turn;
    NAME_saddle(w, w->force, w->b, out->eta_dot, out->lambda);
    /* Rows that leave nothing free and ask for nothing: no acceleration, not even by rounding. */
    if (w->rows.rank == n && NAME_largest(w->b, NAME_K) == 0.0)
        NAME_fill(0.0, out->eta_dot, n);
    NAME_reaction(w, w->force, out->eta_dot, out->ideal);
    NAME_fill(0.0, w->a, n);
    if (!w->singular) {
        NAME_copy(w->force, w->a, n);
        NAME_lower(w->L, n, w->a);
        NAME_lower_transposed(w->L, n, w->a);
        for (turn = 0; turn < NAME_IMPROVED && NAME_poor(w, out->eta_dot); turn++)
            if (!NAME_improve(w, out))
                break;
    }
    if (!NAME_consistent(w, out->eta_dot))
        return 3;
    NAME_fill(0.0, out->nonideal, n);
//@if nonideal
    {
        double unused[NAME_ROWS];
        int i;
//@if contacts
        if (w->active > NAME_M) { /* by the constraints alone, without what they forbid (U8, U3) */
            NAME_work v = *w;
            double z[NAME_N];
            NAME_fill(0.0, v.A + NAME_M * n, NAME_NS * n);
            NAME_fill(0.0, v.b + NAME_M, NAME_NS);
            if (!NAME_factor(&v))
                return 2;
            NAME_saddle(&v, v.force, v.b, z, unused);
            NAME_nonideal(w->t, w->x, w->eta, w->p, w->A, unused, v.C);
            if (!NAME_finite(v.C, n))
                return 1;
            NAME_saddle(&v, v.C, v.zero, z, unused);
            for (i = 0; i < n; i++)
                w->C[i] = NAME_dot(w->M + i * n, z, n);
        } else
//@end
            NAME_nonideal(w->t, w->x, w->eta, w->p, w->A, out->lambda, w->C);
        if (!NAME_finite(w->C, n))
            return 1;
        NAME_saddle(w, w->C, w->zero, w->change, unused);
//@if contacts
        if (w->active > NAME_M)
            NAME_add(1.0, unused, out->lambda, NAME_K);
//@end
        for (i = 0; i < n; i++)
            out->nonideal[i] = NAME_dot(w->M + i * n, w->change, n);
        NAME_add(1.0, w->change, out->eta_dot, n);
    }
//@end
//@if contacts
    return NAME_rub(w, out);
//@end
//@if untouched
    return 0;
//@end
}

//@if control
/* ---- C1: the inputs of least cost that meet the requirements ------------------------------ */

/* What all forces together could do to a row: sqrt(A_c M^-1 A_c^T), or its length with U9. */
static double NAME_row_length(NAME_work *w, const double *row)
{
    NAME_copy(row, w->v, NAME_N);
    if (w->singular)
        return NAME_norm(w->v, NAME_N) / sqrt(NAME_norm(w->M, NAME_N * NAME_N));
    NAME_lower(w->L, NAME_N, w->v);
    return NAME_norm(w->v, NAME_N);
}

static int NAME_prepare(NAME_work *w, const NAME_result *out)
{
    const int n = NAME_N, k = NAME_INPUTS;
    double unused[NAME_ROWS], ratio;
    int i, j, l;
    NAME_copy(out->eta_dot, w->natural, n);
    NAME_control_terms(w->t, w->x, w->eta, w->p, w->Ac, w->bc, w->S, w->W);
    if (!NAME_finite(w->Ac, NAME_REQUIREMENTS * n) || !NAME_finite(w->bc, NAME_REQUIREMENTS)
        || !NAME_finite(w->S, n * k) || !NAME_finite(w->W, k * k))
        return 1;
    for (j = 0; j < k; j++) { /* S^T M^-1 S; S^T S with U9 */
        for (i = 0; i < n; i++)
            w->v[i] = w->S[i * k + j];
        if (!w->singular) {
            NAME_lower(w->L, n, w->v);
            NAME_lower_transposed(w->L, n, w->v);
        }
        for (i = 0; i < k; i++) {
            w->cost[i * k + j] = 0.0;
            for (l = 0; l < n; l++)
                w->cost[i * k + j] += w->S[l * k + i] * w->v[l];
        }
    }
//@if weight
    {
        double own = 0.0, given = 0.0, factor;
        for (i = 0; i < k; i++) {
            own += w->cost[i * k + i];
            given += w->W[i * k + i];
        }
        factor = own / given;
        if (!(factor > 0.0 && factor - factor == 0.0))
            factor = 1.0;
        for (i = 0; i < k * k; i++)
            w->cost[i] = factor * w->W[i];
    }
//@end
    if (!NAME_cholesky(w->cost, k, &ratio) || !(ratio > 1e-14))
        return 5;
    for (j = 0; j < k; j++) {
        for (i = 0; i < n; i++)
            w->C[i] = w->S[i * k + j];
        NAME_saddle(w, w->C, w->zero, w->reach + j * n, unused);
    }
//@if answering
    { /* with the forces that follow the multipliers: by differences, exact where those are linear in them */
        const double Q = NAME_largest(w->Q, n), ideal = NAME_largest(out->ideal, n), force = Q > ideal ? Q : ideal;
        NAME_result trial = *out;
        for (j = 0; j < k; j++) {
            double size = 0.0, step;
            int code;
            for (i = 0; i < n; i++)
                if (fabs(w->S[i * k + j]) > size)
                    size = fabs(w->S[i * k + j]);
            if (size == 0.0)
                continue;
            step = force > 0.0 ? NAME_TRIAL * force / size : 1.0 / size;
            for (i = 0; i < n; i++)
                w->force[i] = w->Q[i] + step * w->S[i * k + j];
            code = NAME_respond(w, &trial);
            if (code)
                return code;
            for (i = 0; i < n; i++)
                w->reach[j * n + i] = (trial.eta_dot[i] - out->eta_dot[i]) / step;
        }
    }
//@end
    for (i = 0; i < NAME_REQUIREMENTS; i++) {
        const double *row = w->Ac + i * n;
        double *effect = w->grip.a + i * k;
        w->scale[i] = NAME_row_length(w, row);
        if (w->row_change[i] > w->scale[i])
            w->scale[i] = w->row_change[i];
        for (j = 0; j < k; j++)
            effect[j] = NAME_dot(row, w->reach + j * n, n);
        NAME_lower(w->cost, k, effect);
        for (j = 0; j < k; j++)
            effect[j] = w->scale[i] > 0.0 ? effect[j] / w->scale[i] : 0.0;
    }
    NAME_reveal(&w->grip, NAME_REQUIREMENTS, k, NAME_REACH);
    w->redundant = w->grip.rank < NAME_REQUIREMENTS;
    NAME_complete(&w->grip, 0);
    return 0;
}

/* What eta' leaves of requirement i, over its own numbers: those of the motion with control and without, but not less
   than rounding of the largest accelerations would make of the row. */
static double NAME_missed(const NAME_work *w, int i, const double *eta_dot, double *left)
{
    const double with = NAME_largest(eta_dot, NAME_N), without = NAME_largest(w->natural, NAME_N);
    const double size = with > without ? with : without;
    double own = fabs(w->bc[i]), whole = 0.0;
    int j;
    for (j = 0; j < NAME_N; j++) {
        const double entry = fabs(w->Ac[i * NAME_N + j]);
        own += entry * (fabs(eta_dot[j]) + fabs(w->natural[j]));
        whole += entry * size;
    }
    if (own < NAME_COUPLING * whole)
        own = NAME_COUPLING * whole;
    if (own < NAME_GRAIN * w->right_change[i])
        own = NAME_GRAIN * w->right_change[i];
    *left = w->bc[i] - NAME_dot(w->Ac + i * NAME_N, eta_dot, NAME_N);
    return *left == 0.0 ? 0.0 : fabs(*left) / own;
}

static int NAME_steer(NAME_work *w, NAME_result *out)
{
    const int n = NAME_N, k = NAME_INPUTS;
    double best = HUGE_VAL, left, part;
    int i, j, turn, code = NAME_prepare(w, out);
    if (code)
        return code;
    for (turn = 0; turn < NAME_TURNS; turn++) {
        double worst = 0.0;
        for (i = 0; i < NAME_REQUIREMENTS; i++) {
            part = NAME_missed(w, i, out->eta_dot, &left);
            w->left[i] = w->scale[i] > 0.0 ? left / w->scale[i] : 0.0;
            if (part > worst)
                worst = part;
        }
        if (worst <= NAME_MET || !(turn == 0 || worst < 0.9 * best))
            break;
        best = worst;
        NAME_least(&w->grip, w->left, w->step);
        NAME_lower_transposed(w->cost, k, w->step);
        NAME_add(1.0, w->step, out->u, k);
        for (i = 0; i < n; i++) {
            out->control[i] = 0.0;
            for (j = 0; j < k; j++)
                out->control[i] += w->S[i * k + j] * out->u[j];
            w->force[i] = w->Q[i] + out->control[i];
        }
        code = NAME_respond(w, out);
        if (code)
            return code;
    }
    for (i = 0; i < NAME_REQUIREMENTS; i++) {
        part = NAME_missed(w, i, out->eta_dot, &left);
        if (!(part <= NAME_CONSISTENCY))
            return 4;
    }
    return 0;
}

//@end
//@if measured
/* ---- what rounding of a state makes of the rows --------------------------------------------- */

/* A state nearby, the same every time: everything is moved by a small part of its size, either way. */
static double NAME_moved(unsigned long long *seed, double value, double size)
{
    double unit;
    *seed = (*seed * 6364136223846793005ULL + 1442695040888963407ULL) & 0xFFFFFFFFFFFFFFFFULL;
    unit = (double)(*seed >> 12) / 4503599627370496.0 - 0.5;
    return value + NAME_NUDGE * size * (unit + (unit < 0.0 ? -0.5 : 0.5));
}

static double NAME_nudge(const NAME_work *w, int round, double *x, double *eta)
{
    const double fastest = NAME_largest(w->eta, NAME_N), still = fastest < 1.0 ? fastest : 1.0;
    unsigned long long seed = (0x9E3779B97F4A7C15ULL * (unsigned long long)(round + 1)) & 0xFFFFFFFFFFFFFFFFULL;
    const double t = NAME_moved(&seed, w->t, 1.0 + fabs(w->t));
    int i;
    for (i = 0; i < NAME_NX; i++)
        x[i] = NAME_moved(&seed, w->x[i], 1.0 + fabs(w->x[i]));
    for (i = 0; i < NAME_N; i++)
        eta[i] = NAME_moved(&seed, w->eta[i], fabs(w->eta[i]) > still ? fabs(w->eta[i]) : still);
    return t;
}

//@end
//@if rows
/* Where all of a row vanishes its numbers are rounding: how fast they change with the state tells their size. Whether that
   may change the verdict that rows contradict each other. */
static int NAME_feel_rounding(NAME_work *w)
{
    const int n = NAME_N;
    double x[NAME_NX], eta[NAME_N], x_dot[NAME_NX], M[NAME_N * NAME_N], Q[NAME_N];
    double A[NAME_ROWS * NAME_N], b[NAME_ROWS], longer[NAME_ROWS], t;
    int i, j, round, more = 0;
    NAME_fill(0.0, longer, NAME_ROWS);
    for (round = 0; round < NAME_NUDGES; round++) {
        t = NAME_nudge(w, round, x, eta);
        NAME_terms(t, x, eta, w->p, x_dot, M, Q, A, b);
        for (i = 0; i < NAME_M; i++) {
            double right = fabs(b[i] - w->b[i]) / NAME_NUDGE, change;
            for (j = 0; j < n; j++)
                A[i * n + j] -= w->A[i * n + j];
            change = NAME_norm(A + i * n, n) / NAME_NUDGE;
            if (right - right == 0.0 && right > w->grain[i])
                w->grain[i] = right;
            if (change - change == 0.0 && change > longer[i])
                longer[i] = change;
        }
    }
    for (i = 0; i < NAME_M; i++) {
        const double now = NAME_norm(w->A + i * n, n);
        if (now > 0.0 && now <= NAME_SHORT * longer[i])
            w->reference[i] = longer[i] / now * w->length[i];
        more = more || w->grain[i] > 0.0 || w->reference[i] > 0.0;
    }
    return more;
}

//@end
//@if control
/* The same of requirements that are redundant or out of reach: whether anything changes with the state. */
static int NAME_compare_requirements(NAME_work *w)
{
    const int n = NAME_N;
    double x[NAME_NX], eta[NAME_N], Ac[NAME_REQUIREMENTS * NAME_N], bc[NAME_REQUIREMENTS];
    double S[NAME_N * NAME_INPUTS], W[NAME_INPUTS * NAME_INPUTS];
    int i, j, round, more = 0;
    for (round = 0; round < NAME_NUDGES; round++) {
        const double t = NAME_nudge(w, round, x, eta);
        NAME_control_terms(t, x, eta, w->p, Ac, bc, S, W);
        for (i = 0; i < NAME_REQUIREMENTS; i++) {
            const double right = fabs(bc[i] - w->bc[i]) / NAME_NUDGE;
            double row;
            for (j = 0; j < n; j++)
                Ac[i * n + j] = (Ac[i * n + j] - w->Ac[i * n + j]) / NAME_NUDGE;
            row = NAME_row_length(w, Ac + i * n);
            if (row - row == 0.0 && row > w->row_change[i])
                w->row_change[i] = row;
            if (right - right == 0.0 && right > w->right_change[i])
                w->right_change[i] = right;
            more = more || w->right_change[i] > 0.0;
        }
    }
    return more;
}

//@end
/* The motion with the terms that have been loaded. */
static int NAME_solve(NAME_work *w, NAME_result *out)
{
    int code;
    if (!NAME_factor(w))
        return 2;
    out->rank = w->rows.rank;
    NAME_fill(0.0, out->control, NAME_N);
    NAME_fill(0.0, out->u, NAME_NU);
    NAME_copy(w->Q, w->force, NAME_N);
    code = NAME_respond(w, out);
//@if control
    if (code == 0)
        code = NAME_steer(w, out);
//@end
    return code;
}

/* A contradiction is one only if it remains when it is known what rounding makes of the rows. */
static int NAME_settle(NAME_work *w, NAME_result *out)
{
    int code = NAME_solve(w, out);
//@if rows
    if (code == 3 && NAME_feel_rounding(w))
        code = NAME_solve(w, out);
//@end
    return code;
}

static int NAME_move(NAME_work *w, NAME_result *out)
{
    const int n = NAME_N, m = NAME_K;
    int code;
    NAME_fill(0.0, w->zero, m);
    NAME_fill(0.0, w->reference, m);
    NAME_fill(0.0, w->grain, m);
    NAME_terms(w->t, w->x, w->eta, w->p, out->x_dot, w->M, w->Q, w->A, w->b);
//@if settling
    { /* C2: errors of the constraints decay */
        double phi[NAME_ROWS], psi[NAME_ROWS];
        int i;
        NAME_residuals(w->t, w->x, w->eta, w->p, phi, psi);
        for (i = 0; i < NAME_M; i++)
            w->b[i] -= 2.0 * NAME_ALPHA * psi[i] + NAME_BETA * NAME_BETA * phi[i];
    }
//@end
//@if contacts
    code = NAME_load_contacts(w);
    if (code)
        return code;
//@end
    if (!NAME_finite(out->x_dot, NAME_NX) || !NAME_finite(w->M, n * n) || !NAME_finite(w->Q, n)
        || !NAME_finite(w->A, m * n) || !NAME_finite(w->b, m))
        return 1;
//@if control
    w->redundant = 0;
    NAME_fill(0.0, w->row_change, NAME_REQUIREMENTS);
    NAME_fill(0.0, w->right_change, NAME_REQUIREMENTS);
//@end
    code = NAME_settle(w, out);
//@if control
    if ((code == 4 || (code == 0 && w->redundant)) && NAME_compare_requirements(w))
        code = NAME_settle(w, out);
//@end
    if (code == 0 && !NAME_finite(out->eta_dot, n))
        code = 1;
    return code;
}

/* No number that could be taken for an answer. */
static void NAME_no_answer(NAME_result *out)
{
    const double nothing = NAN;
    NAME_fill(nothing, out->x_dot, NAME_NX);
    NAME_fill(nothing, out->eta_dot, NAME_N);
    NAME_fill(nothing, out->ideal, NAME_N);
    NAME_fill(nothing, out->nonideal, NAME_N);
    NAME_fill(nothing, out->control, NAME_N);
    NAME_fill(nothing, out->lambda, NAME_K);
    NAME_fill(nothing, out->u, NAME_NU);
//@if contacts
    NAME_fill(nothing, out->friction, NAME_NS);
    NAME_fill(nothing, out->normal, NAME_NC);
//@end
}

//@if whole
/* The motion by the solve that is written out, all rows being independent. Whether it can be trusted there. */
static int NAME_moved_whole(double t, const double *x, const double *eta, const double *p, NAME_result *out)
{
    double trusted;
    NAME_whole(t, x, eta, p, out->x_dot, out->eta_dot, out->lambda, out->ideal, &trusted);
    if (trusted != 1.0 || !NAME_finite(out->x_dot, NAME_NX) || !NAME_finite(out->eta_dot, NAME_N))
        return 0;
    NAME_fill(0.0, out->nonideal, NAME_N);
    NAME_fill(0.0, out->control, NAME_N);
    NAME_fill(0.0, out->u, NAME_NU);
    out->rank = NAME_M;
    return 1;
}

//@end
/* The motion at a state; rows that hold worse than `allowed` contradict each other. */
//@if untouched
static int NAME_evaluate_with(NAME_work *w, double t, const double *x, const double *eta, const double *p, double allowed,
    NAME_result *out)
//@end
//@if contacts
static int NAME_evaluate_with(NAME_work *w, double t, const double *x, const double *eta, const double *p,
    const NAME_modes *modes, double allowed, NAME_result *out)
//@end
{
    int code;
//@if whole
    if (NAME_moved_whole(t, x, eta, p, out))
        return 0;
//@end
    w->t = t;
    w->x = x;
    w->eta = eta;
    w->p = p;
    w->allowed = allowed;
    w->most = NAME_K;
//@if contacts
    w->modes = modes;
    NAME_fill(0.0, out->friction, NAME_NS);
    NAME_fill(0.0, out->normal, NAME_NC);
//@end
    out->rank = 0;
    code = NAME_move(w, out);
    if (code)
        NAME_no_answer(out);
    return code;
}

//@if untouched
SIGNATURE
{
    NAME_work w;
    return NAME_evaluate_with(&w, t, x, eta, p, NAME_CONSISTENCY, out);
}

//@end
//@if contacts
/* Forces as they are told: those of contacts that stick are friction and not ideal (U2, U3). */
static int NAME_tell_forces(NAME_work *w, NAME_result *out)
{
    const int n = NAME_N;
    double unused[NAME_ROWS], z[NAME_N];
    int i;
    NAME_fill(0.0, w->A + NAME_M * n, NAME_NS * n);
    NAME_fill(0.0, w->b + NAME_M, NAME_NS);
    if (!NAME_factor(w))
        return 2;
    out->rank = w->rows.rank;
    NAME_saddle(w, w->force, w->b, z, unused);
    NAME_reaction(w, w->force, z, out->ideal);
    NAME_fill(0.0, w->C, n);
//@if nonideal
    NAME_nonideal(w->t, w->x, w->eta, w->p, w->A, unused, w->C);
//@end
    for (i = 0; i < NAME_NS; i++)
        NAME_add(out->friction[i], w->J + i * n, w->C, n);
    NAME_saddle(w, w->C, w->zero, z, unused);
    for (i = 0; i < n; i++)
        out->nonideal[i] = NAME_dot(w->M + i * n, z, n);
    return 0;
}

int NAME_evaluate_in(double t, const double *x, const double *eta, const double *p, const NAME_modes *modes,
    NAME_result *out)
{
    NAME_work w;
    const int code = NAME_evaluate_with(&w, t, x, eta, p, modes, 10.0 * NAME_CONSISTENCY, out);
    return !code && w.active > NAME_M ? NAME_tell_forces(&w, out) : code;
}

//@end
