/* ---- Coulomb friction: contacts that stick are rows, contacts that slide push back ---------------------------------- */

/* Solves a z = z by elimination with row exchange, a of n x n; 0 where a is singular to `tolerance`. */
static int NAME_eliminate(double *a, int n, double *z, double tolerance)
{
    int i, j, k;
    for (k = 0; k < n; k++) {
        double scale = 0.0, s;
        int best = k;
        for (j = 0; j < n; j++)
            scale = fabs(a[k * n + j]) > scale ? fabs(a[k * n + j]) : scale;
        for (i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[best * n + k]))
                best = i;
        if (!(fabs(a[best * n + k]) > tolerance * scale))
            return 0;
        for (j = 0; j < n && best != k; j++) {
            s = a[k * n + j];
            a[k * n + j] = a[best * n + j];
            a[best * n + j] = s;
        }
        s = z[k];
        z[k] = z[best];
        z[best] = s;
        for (i = k + 1; i < n; i++) {
            s = a[i * n + k] / a[k * n + k];
            NAME_add(-s, a + k * n, a + i * n, n);
            z[i] -= s * z[k];
        }
    }
    for (k = n - 1; k >= 0; k--)
        z[k] = (z[k] - NAME_dot(a + k * n + k + 1, z + k + 1, n - k - 1)) / a[k * n + k];
    return 1;
}

/* What the constraints decide of sliding velocities by themselves: their rows with speeds measured by their inertia. */
typedef struct {
    NAME_cod rows;
    double unit[NAME_N], eta_dot[NAME_N]; /* factor on each speed; accelerations that satisfy the rows */
    double size; /* of the accelerations in the system */
} NAME_space;

static void NAME_look_at_rows(NAME_space *s, const double *M, const double *Q, const double *A, const double *b, double speed)
{
    const int n = NAME_N;
    double right[NAME_ROWS], pushed = 0.0;
    int i, j, k;
    NAME_fill(0.0, right, NAME_ROWS);
    for (j = 0; j < n; j++)
        s->unit[j] = M[j * n + j] > 0.0 ? 1.0 / sqrt(M[j * n + j]) : 1.0;
    for (i = 0; i < NAME_M; i++) {
        double *row = s->rows.a + i * n, length;
        for (j = 0; j < n; j++)
            row[j] = s->unit[j] * A[i * n + j];
        length = NAME_norm(row, n);
        for (j = 0; j < n; j++)
            row[j] *= length > 0.0 ? 1.0 / length : 0.0;
        right[i] = length > 0.0 ? b[i] / length : 0.0;
    }
    NAME_reveal(&s->rows, NAME_M, n, NAME_RANK_TOLERANCE);
    NAME_fill(0.0, s->eta_dot, n);
    for (k = 0; k < s->rows.rank; k++) {
        const double *row = s->rows.a + k * n;
        s->eta_dot[k] = (right[s->rows.row[k]] - NAME_dot(row, s->eta_dot, k)) / row[k];
    }
    NAME_rotate(&s->rows, s->eta_dot);
    for (j = 0; j < n; j++) {
        const double push = fabs(Q[j] * s->unit[j] * s->unit[j]);
        s->eta_dot[j] *= s->unit[j];
        pushed = push > pushed ? push : pushed;
    }
    s->size = pushed + NAME_largest(s->eta_dot, n) + speed * speed;
}

/* Orthonormal directions of J's components that the constraints leave open, at most `most`; how many. */
static int NAME_open_directions(const NAME_space *s, const double *J, int components, int most, double *open)
{
    const int n = NAME_N, rank = s->rows.rank, free = n - rank;
    NAME_cod left;
    double row[NAME_N], longest = 0.0;
    int i, j, k;
    for (i = 0; i < components; i++) {
        double length;
        for (j = 0; j < n; j++)
            row[j] = J[i * n + j] * s->unit[j];
        length = NAME_norm(row, n);
        longest = length > longest ? length : longest;
        NAME_rotate_back(&s->rows, row);
        for (k = 0; k < free; k++)
            left.a[k * components + i] = row[rank + k];
    }
    NAME_reveal(&left, free, components, NAME_DETERMINED * longest);
    if (left.rank > most)
        left.rank = most;
    for (k = 0; k < left.rank; k++) {
        NAME_fill(0.0, open + k * components, components);
        open[k * components + k] = 1.0;
        NAME_rotate(&left, open + k * components);
    }
    return left.rank;
}

/* V' along directions that the constraints decide, as they ask for it; whether that is not zero. */
static int NAME_carried_off(const NAME_space *s, const double *J, const double *drift, int components, const double *open,
    int count, double *rate)
{
    const int n = NAME_N;
    double limit = 0.0;
    int i, j, k;
    for (i = 0; i < components; i++) {
        double parts = fabs(drift[i]), reach = 0.0;
        for (j = 0; j < n; j++) {
            parts += fabs(J[i * n + j] * s->eta_dot[j]);
            reach += fabs(J[i * n + j]);
        }
        reach *= NAME_COUPLING * s->size;
        parts = parts > reach ? parts : reach;
        limit = parts > limit ? parts : limit;
        rate[i] = NAME_dot(J + i * n, s->eta_dot, n) - drift[i];
    }
    for (k = 0; k < count; k++)
        NAME_add(-NAME_dot(open + k * components, rate, components), open + k * components, rate, components);
    return NAME_norm(rate, components) > NAME_FORCED * limit;
}

/* The direction of a contact that is held, turning as it was let go. */
static void NAME_heading(const NAME_modes *m, int k, double t, double *way)
{
    const int first = NAME_slide[k][0], count = NAME_slide[k][1] - first;
    const double turning = NAME_norm(m->turning + first, count);
    const double passed = turning > 0.0 ? t - m->since : 0.0, length = hypot(passed * turning, 1.0);
    int i;
    for (i = 0; i < count; i++)
        way[i] = (m->direction[first + i] + passed * m->turning[first + i]) / length;
}

/* The rows of contacts that stick behind those of the constraints, and the friction of the others for N = 1. */
static int NAME_load_contacts(NAME_work *w)
{
    const int n = NAME_N;
    const NAME_modes *m = w->modes;
    NAME_space space;
    int k, i, r, c;
    NAME_contact_terms(w->t, w->x, w->eta, w->p, w->V, w->J, w->drift, w->mu, w->mu_static, w->P);
    if (!NAME_finite(w->V, NAME_NS) || !NAME_finite(w->J, NAME_NS * n) || !NAME_finite(w->drift, NAME_NS)
        || !NAME_finite(w->mu, NAME_NC) || !NAME_finite(w->mu_static, NAME_NC) || !NAME_finite(w->P, NAME_NN * NAME_M))
        return 1;
    w->active = NAME_M;
    w->sliding = 0;
    NAME_fill(0.0, w->part, NAME_NS * NAME_NS);
    NAME_fill(0.0, w->unit_force, NAME_NS);
    NAME_fill(0.0, w->A + NAME_M * n, NAME_NS * n);
    NAME_fill(0.0, w->b + NAME_M, NAME_NS);
    for (k = 0; k < NAME_NC; k++) {
        const int first = NAME_slide[k][0], count = NAME_slide[k][1] - first;
        double way[NAME_NS * NAME_NS];
        if (m->sticks[k]) {
            int open = m->open[k];
            if (open > 0 && open < count) {
                NAME_look_at_rows(&space, w->M, w->Q, w->A, w->b, NAME_largest(w->eta, n));
                open = NAME_open_directions(&space, w->J + first * n, count, open, way);
            }
            for (c = 0; c < open; c++)
                for (i = 0; i < count; i++)
                    w->part[(first + c) * NAME_NS + first + i]
                        = m->strength[k] * (open < count ? way[c * count + i] : i == c ? 1.0 : 0.0);
            w->active += open;
        } else {
            const double speed = NAME_norm(w->V + first, count);
            double *force = w->slip_force + w->sliding * n;
            NAME_heading(m, k, w->t, way);
            NAME_fill(0.0, force, n);
            for (i = 0; i < count; i++) {
                const double s = !m->held[k] && speed > 0.0 ? w->V[first + i] / speed : way[i];
                w->unit_force[first + i] = -w->mu[k] * s;
                NAME_add(w->unit_force[first + i], w->J + (first + i) * n, force, n);
            }
            w->slides[w->sliding++] = k;
        }
    }
    for (r = 0; r < NAME_NS; r++)
        for (i = 0; i < NAME_NS; i++)
            if (w->part[r * NAME_NS + i] != 0.0) {
                NAME_add(w->part[r * NAME_NS + i], w->J + i * n, w->A + (NAME_M + r) * n, n);
                w->b[NAME_M + r] += w->part[r * NAME_NS + i] * w->drift[i];
            }
    return 0;
}

/* Where rows of contacts that stick depend on each other and on constraints: the constraints carry what they can. */
static void NAME_relieve(NAME_work *w, NAME_result *out)
{
    const int n = NAME_N;
    NAME_space space;
    double open[NAME_NS * NAME_NS];
    int count, k, i, which;
    if (NAME_M == 0 || w->active == NAME_M || w->rows.rank == w->active)
        return;
    NAME_look_at_rows(&space, w->M, w->Q, w->A, w->b, 0.0);
    count = NAME_open_directions(&space, w->A + NAME_M * n, NAME_NS, NAME_NS, open);
    if (count == w->active - NAME_M)
        return;
    NAME_copy(w->A, space.rows.a, NAME_M * n);
    NAME_reveal(&space.rows, NAME_M, n, NAME_RANK_TOLERANCE);
    NAME_complete(&space.rows, 0);
    for (which = -1; which < w->sliding; which++) {
        double *lambda = which < 0 ? out->lambda : w->slip_lambda + which * NAME_ROWS;
        double kept[NAME_NS], force[NAME_N];
        NAME_fill(0.0, kept, NAME_NS);
        NAME_fill(0.0, force, n);
        for (k = 0; k < count; k++)
            NAME_add(NAME_dot(open + k * NAME_NS, lambda + NAME_M, NAME_NS), open + k * NAME_NS, kept, NAME_NS);
        for (i = 0; i < NAME_K; i++)
            NAME_add(lambda[i] - (i < NAME_M ? 0.0 : kept[i - NAME_M]), w->A + i * n, force, n);
        NAME_rotate_back(&space.rows, force);
        NAME_multipliers(&space.rows, force, lambda);
        NAME_copy(kept, lambda + NAME_M, NAME_NS);
    }
}

/* p + q N of each component, for normal forces N. */
static void NAME_press(const NAME_work *w, int components, double *v)
{
    int i;
    for (i = 0; i < components; i++)
        v[i] = w->p_normal[i] + NAME_dot(w->q_normal + i * NAME_NC, w->N_slip, w->sliding);
}

/* Newton's method on N - |p + q N|; where it fails, repetition, which contracts. */
static void NAME_press_iterate(NAME_work *w, int components, const int *start)
{
    const int count = w->sliding;
    double v[NAME_NN + NAME_NC], a[NAME_NC * NAME_NC], step[NAME_NC], change, size;
    int i, j, k, turn;
    for (turn = 0; turn < 30; turn++) {
        double left = 0.0, scale = NAME_largest(w->N_slip, count);
        NAME_press(w, components, v);
        for (k = 0; k < count; k++) {
            size = NAME_norm(v + start[k], start[k + 1] - start[k]);
            step[k] = size - w->N_slip[k];
            left = fabs(step[k]) > left ? fabs(step[k]) : left;
            for (j = 0; j < count; j++) {
                double slope = 0.0;
                for (i = start[k]; i < start[k + 1]; i++)
                    slope += v[i] * w->q_normal[i * NAME_NC + j];
                a[k * count + j] = (j == k) - (size > 0.0 ? slope / size : 0.0);
            }
        }
        if (left <= 4.0 * DBL_EPSILON * scale)
            return;
        if (!NAME_eliminate(a, count, step, 1e-14))
            break;
        NAME_add(1.0, step, w->N_slip, count);
        if (NAME_largest(step, count) <= 8.0 * DBL_EPSILON * scale) {
            for (k = 0; k < count && w->N_slip[k] >= 0.0; k++)
                ;
            if (k == count)
                return;
            break;
        }
    }
    for (k = 0; k < count; k++)
        w->N_slip[k] = NAME_norm(w->p_normal + start[k], start[k + 1] - start[k]);
    for (turn = 0; turn < 100000; turn++) {
        NAME_press(w, components, v);
        change = 0.0;
        for (k = 0; k < count; k++) {
            size = NAME_norm(v + start[k], start[k + 1] - start[k]);
            change = fmax(change, fabs(size - w->N_slip[k]) / (size + DBL_MIN));
            w->N_slip[k] = size;
        }
        if (change <= 2.0 * DBL_EPSILON)
            return;
    }
}

/* N = |p + N q| of one contact: how many solutions N >= 0 there are; the last of them is taken. */
static int NAME_press_alone(NAME_work *w, int components)
{
    double a = -1.0, b = 0.0, c = 0.0, s, root[2], d;
    int i, k, found = 0;
    for (i = 0; i < components; i++) {
        const double q = w->q_normal[i * NAME_NC];
        a += q * q;
        b += 2.0 * w->p_normal[i] * q;
        c += w->p_normal[i] * w->p_normal[i];
    }
    if (c == 0.0) {
        w->N_slip[0] = 0.0;
        return 1;
    }
    d = b * b - 4.0 * a * c;
    if (d < 0.0)
        return 0;
    s = -0.5 * (b + (b < 0.0 ? -sqrt(d) : sqrt(d)));
    root[0] = c / s;
    root[1] = s / a;
    for (k = 0; k < 2; k++)
        if (root[k] >= 0.0 && root[k] - root[k] == 0.0 && !(found && root[k] == w->N_slip[0])) {
            w->N_slip[0] = root[k];
            found++;
        }
    return found;
}

/* Every choice of signs, where each normal force has one component: how many solutions there are. */
static int NAME_press_signs(NAME_work *w)
{
    const int count = w->sliding;
    double N[NAME_NC], a[NAME_NC * NAME_NC], first[NAME_NC];
    int signs, k, j, found = 0;
    for (signs = 0; signs < 1 << count; signs++) {
        int same = 1;
        for (k = 0; k < count; k++) {
            const double sign = signs >> k & 1 ? -1.0 : 1.0;
            N[k] = sign * w->p_normal[k];
            for (j = 0; j < count; j++)
                a[k * count + j] = (j == k) - sign * w->q_normal[k * NAME_NC + j];
        }
        if (!NAME_eliminate(a, count, N, 1e-14))
            continue;
        for (k = 0; k < count && N[k] >= 0.0; k++)
            same = same && found && N[k] == first[k];
        if (k < count || same)
            continue;
        if (!found)
            NAME_copy(N, first, count);
        found++;
    }
    if (found == 1)
        NAME_copy(first, w->N_slip, count);
    return found;
}

/* Normal forces with friction that acts back on them: N_k = |p_k + sum_j N_j q_kj|; 7 where there is not exactly one solution. */
static int NAME_normal_forces(NAME_work *w, const NAME_result *out)
{
    const int count = w->sliding;
    double size[NAME_NC * NAME_NC], weight[NAME_NC];
    int start[NAME_NC + 1], components = 0, k, j, i, found;
    double most = 0.0;
    for (k = 0; k < count; k++) {
        const int c = w->slides[k];
        start[k] = components;
        for (i = NAME_press_rows[c][0]; i < NAME_press_rows[c][1]; i++, components++) {
            w->p_normal[components] = NAME_dot(w->P + i * NAME_M, out->lambda, NAME_M);
            for (j = 0; j < count; j++)
                w->q_normal[components * NAME_NC + j] = NAME_dot(w->P + i * NAME_M, w->slip_lambda + j * NAME_ROWS, NAME_M);
        }
        if (components == start[k]) { /* the limit itself is given */
            NAME_fill(0.0, w->q_normal + components * NAME_NC, count);
            w->p_normal[components++] = 1.0;
        }
        start[k + 1] = components;
        w->N_slip[k] = NAME_norm(w->p_normal + start[k], components - start[k]);
    }
    for (i = 0; i < components; i++)
        most = fmax(most, NAME_largest(w->q_normal + i * NAME_NC, count));
    if (count == 0 || most < 1e-15)
        return 0;
    for (k = 0; k < count; k++) { /* |q| of spectral radius below one: one solution */
        weight[k] = 1.0;
        for (j = 0; j < count; j++) {
            double sum = 0.0;
            for (i = start[k]; i < start[k + 1]; i++)
                sum = hypot(sum, w->q_normal[i * NAME_NC + j]);
            size[k * count + j] = (j == k) - sum;
        }
    }
    if (NAME_eliminate(size, count, weight, 1e-12)) {
        for (k = 0; k < count && weight[k] > 0.0 && weight[k] - weight[k] == 0.0; k++)
            ;
        if (k == count) {
            NAME_press_iterate(w, components, start);
            return 0;
        }
    }
    if (count > 1 && (components != count || count > 10))
        return 7;
    found = count == 1 ? NAME_press_alone(w, components) : NAME_press_signs(w);
    return found == 1 ? 0 : 7;
}

/* Friction of the contacts that slide, with the normal forces that act, and the forces of all contacts. */
static int NAME_rub(NAME_work *w, NAME_result *out)
{
    const int n = NAME_N;
    int k, i, r, code;
    for (k = 0; k < w->sliding; k++)
        NAME_saddle(w, w->slip_force + k * n, w->zero, w->slip_z + k * n, w->slip_lambda + k * NAME_ROWS);
    NAME_relieve(w, out);
    code = NAME_normal_forces(w, out);
    if (code)
        return code;
    NAME_copy(w->unit_force, out->friction, NAME_NS);
    for (k = 0; k < w->sliding; k++) {
        const double N = w->N_slip[k];
        const double *z = w->slip_z + k * n;
        NAME_add(N, z, out->eta_dot, n);
        NAME_add(N, w->slip_lambda + k * NAME_ROWS, out->lambda, NAME_K);
        for (i = 0; i < n; i++)
            out->nonideal[i] += N * NAME_dot(w->M + i * n, z, n);
        for (i = NAME_slide[w->slides[k]][0]; i < NAME_slide[w->slides[k]][1]; i++)
            out->friction[i] *= N;
    }
    for (k = 0; k < NAME_NC; k++) {
        const int given = NAME_press_rows[k][0] == NAME_press_rows[k][1];
        out->normal[k] = given ? 1.0 : 0.0;
        for (i = NAME_press_rows[k][0]; i < NAME_press_rows[k][1]; i++)
            out->normal[k] = hypot(out->normal[k], NAME_dot(w->P + i * NAME_M, out->lambda, NAME_M));
    }
    for (r = 0; r < NAME_NS; r++)
        for (i = 0; i < NAME_NS; i++)
            out->friction[i] += w->part[r * NAME_NS + i] * out->lambda[NAME_M + r];
    return 0;
}

