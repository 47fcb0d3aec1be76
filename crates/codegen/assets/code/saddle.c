/* ---- the saddle system  M z - A^T lambda = r1,  A z = r2  (U1, U3, U9) -------------------- */

typedef struct {
    double t;
    const double *x, *eta, *p;
    int singular; /* M has no Cholesky factor (U9) */
    double M[NAME_N * NAME_N], Q[NAME_N], A[NAME_ROWS * NAME_N], b[NAME_ROWS];
    double L[NAME_N * NAME_N]; /* L L^T = M; with U9, rows that span ker A */
    double R[NAME_N * NAME_N]; /* with U9, the mass on ker A, factored */
    int exchange[NAME_N];
    NAME_cod rows; /* rows of A L^-T (with U9, of A) of unit length */
    double length[NAME_ROWS];
    double reference[NAME_ROWS], grain[NAME_ROWS]; /* length and right side of a row by what rounding makes of them */
    double y[NAME_N], r[NAME_N], v[NAME_N], e[NAME_ROWS], d[NAME_ROWS], zero[NAME_ROWS];
    double force[NAME_N], a[NAME_N], change[NAME_N], C[NAME_N];
    double allowed; /* residual of a row that is not a contradiction */
    int most; /* rank that the rows have on the constraints: near them redundant rows seem independent */
//@if contacts
    const NAME_modes *modes;
    double V[NAME_NS], J[NAME_NS * NAME_N], drift[NAME_NS], mu[NAME_NC], mu_static[NAME_NC], P[NAME_PRESSED];
    double part[NAME_NS * NAME_NS]; /* what each component of V has in the rows of contacts that stick */
    int active, sliding, slides[NAME_NC]; /* rows in use; contacts that slide */
    double unit_force[NAME_NS], slip_force[NAME_NC * NAME_N], slip_z[NAME_NC * NAME_N], slip_lambda[NAME_NC * NAME_ROWS];
    double p_normal[NAME_NN + NAME_NC], q_normal[(NAME_NN + NAME_NC) * NAME_NC], N_slip[NAME_NC];
//@end
//@if control
    double Ac[NAME_REQUIREMENTS * NAME_N], bc[NAME_REQUIREMENTS], S[NAME_N * NAME_INPUTS];
    double W[NAME_INPUTS * NAME_INPUTS], cost[NAME_INPUTS * NAME_INPUTS], reach[NAME_INPUTS * NAME_N];
    double scale[NAME_REQUIREMENTS], left[NAME_REQUIREMENTS], step[NAME_INPUTS];
    double natural[NAME_N]; /* accelerations without inputs */
    double row_change[NAME_REQUIREMENTS], right_change[NAME_REQUIREMENTS]; /* by what a change of the state makes of them */
    int redundant; /* fewer directions than requirements */
    NAME_cod grip; /* what the inputs do to the requirements */
//@end
} NAME_work;

/* Dimension of ker A. The bounds are for compilers: they cannot know that 0 <= rank <= N, and warn. */
static int NAME_free(const NAME_work *w)
{
    const int free = NAME_N - w->rows.rank;
    return free < 0 ? 0 : free > NAME_N ? NAME_N : free;
}

/* U9: the mass on ker A, by elimination with row exchange; 0 if a direction has no inertia. */
static int NAME_factor_null_space(NAME_work *w)
{
    const int n = NAME_N, free = NAME_free(w);
    int i, j, k;
    for (j = 0; j < free; j++) {
        double *z = w->L + j * n;
        NAME_fill(0.0, z, n);
        z[w->rows.rank + j] = 1.0;
        NAME_rotate(&w->rows, z);
    }
    for (k = 0; k < free; k++) {
        const double *z = w->L + k * n;
        double possible = 0.0, most = 0.0;
        for (i = 0; i < n; i++) {
            double sum = 0.0;
            for (j = 0; j < n; j++)
                sum += fabs(w->M[i * n + j] * z[j]);
            w->v[i] = NAME_dot(w->M + i * n, z, n);
            possible += fabs(z[i]) * sum;
        }
        for (j = 0; j < free; j++) {
            w->R[j * free + k] = NAME_dot(w->L + j * n, w->v, n);
            if (fabs(w->R[j * free + k]) > most)
                most = fabs(w->R[j * free + k]);
        }
        if (!(most > NAME_MASS_TOLERANCE * possible))
            return 0;
    }
    for (k = 0; k < free; k++) {
        double scale = 0.0, s;
        int best = k;
        for (i = 0; i < free; i++)
            if (fabs(w->R[i * free + k]) > scale)
                scale = fabs(w->R[i * free + k]);
        for (i = k + 1; i < free; i++)
            if (fabs(w->R[i * free + k]) > fabs(w->R[best * free + k]))
                best = i;
        if (!(fabs(w->R[best * free + k]) > NAME_MASS_TOLERANCE * scale))
            return 0;
        w->exchange[k] = best;
        for (j = 0; best != k && j < free; j++) {
            s = w->R[k * free + j];
            w->R[k * free + j] = w->R[best * free + j];
            w->R[best * free + j] = s;
        }
        for (i = k + 1; i < free; i++) {
            s = w->R[i * free + k] /= w->R[k * free + k];
            NAME_add(-s, w->R + k * free + k + 1, w->R + i * free + k + 1, free - k - 1);
        }
    }
    return 1;
}

/* 1/length of a row, by the length that it has nearby where that is known; 0 for a row that has vanished. */
static double NAME_unit(const NAME_work *w, int i)
{
    const double length = w->length[i], reference = w->reference[i] > length ? w->reference[i] : length;
    return length > 0.0 && length > NAME_RANK_TOLERANCE * reference ? 1.0 / reference : 0.0;
}

/* Factors M and the rows; 0 if M leaves a direction undecided. */
static int NAME_factor(NAME_work *w)
{
    const int n = NAME_N, m = NAME_K;
    double ratio, weight[NAME_ROWS];
    int i, j;
    NAME_copy(w->M, w->L, n * n);
    w->singular =
        !(NAME_cholesky(w->L, n, &ratio) && NAME_pivot_share(w->L, n, w->v) > NAME_MASS_TOLERANCE);
    NAME_copy(w->A, w->rows.a, m * n);
    NAME_fill(0.0, w->length, NAME_ROWS);
    NAME_fill(0.0, weight, NAME_ROWS);
    for (i = 0; i < m; i++) {
        double *row = w->rows.a + i * n, unit;
        if (!w->singular)
            NAME_lower(w->L, n, row);
        w->length[i] = NAME_norm(row, n);
        weight[i] = w->reference[i] > w->length[i] ? w->reference[i] : w->length[i];
        unit = NAME_unit(w, i);
        for (j = 0; j < n; j++)
            row[j] = unit > 0.0 ? row[j] * unit : 0.0;
    }
    NAME_reveal(&w->rows, m, n, NAME_RANK_TOLERANCE);
    if (w->rows.rank > w->most)
        w->rows.rank = w->most;
    NAME_complete(&w->rows, weight);
    return w->singular ? NAME_factor_null_space(w) : 1;
}

/* y = B^+ e for e in w->e; the multipliers of the original rows with it. */
static void NAME_answer_rows(NAME_work *w, double *lambda)
{
    int k;
    NAME_fill(0.0, w->y, NAME_N);
    for (k = 0; k < w->rows.rank; k++) {
        const double *row = w->rows.a + k * NAME_N;
        const int i = w->rows.row[k];
        w->y[k] = (w->e[i] * NAME_unit(w, i) - NAME_dot(row, w->y, k)) / row[k];
    }
    NAME_multipliers(&w->rows, w->y, lambda);
    NAME_rotate(&w->rows, w->y);
}

static void NAME_solve_null_space(NAME_work *w, const double *r1, const double *r2, double *z, double *lambda)
{
    const int n = NAME_N, free = NAME_free(w);
    double s;
    int i, k;
    NAME_copy(r2, w->e, NAME_K);
    NAME_answer_rows(w, lambda);
    NAME_copy(w->y, z, n);
    for (i = 0; i < n; i++)
        w->r[i] = r1[i] - NAME_dot(w->M + i * n, z, n);
    for (i = 0; i < free; i++)
        w->v[i] = NAME_dot(w->L + i * n, w->r, n);
    for (k = 0; k < free; k++) {
        s = w->v[k];
        w->v[k] = w->v[w->exchange[k]];
        w->v[w->exchange[k]] = s;
    }
    for (i = 0; i < free; i++)
        w->v[i] -= NAME_dot(w->R + i * free, w->v, i);
    for (i = free - 1; i >= 0; i--)
        w->v[i] = (w->v[i] - NAME_dot(w->R + i * free + i + 1, w->v + i + 1, free - i - 1)) / w->R[i * free + i];
    for (i = 0; i < free; i++)
        NAME_add(w->v[i], w->L + i * n, z, n);
    for (i = 0; i < n; i++)
        w->r[i] = NAME_dot(w->M + i * n, z, n) - r1[i];
    NAME_rotate_back(&w->rows, w->r);
    NAME_multipliers(&w->rows, w->r, lambda);
}

/* z and lambda (of minimum norm) for right sides r1 and r2. */
static void NAME_saddle(NAME_work *w, const double *r1, const double *r2, double *z, double *lambda)
{
    const int n = NAME_N;
    int i;
    if (w->singular) {
        NAME_solve_null_space(w, r1, r2, z, lambda);
        return;
    }
    NAME_copy(r1, z, n);
    NAME_lower(w->L, n, z);
    NAME_lower_transposed(w->L, n, z);
    for (i = 0; i < NAME_K; i++)
        w->e[i] = r2[i] - NAME_dot(w->A + i * n, z, n);
    NAME_answer_rows(w, lambda);
    NAME_copy(w->y, w->r, n);
    NAME_lower_transposed(w->L, n, w->r);
    NAME_add(1.0, w->r, z, n);
}

/* A^T lambda of the last solution: L y (U2), or M z - r1 (U9). */
static void NAME_reaction(NAME_work *w, const double *r1, const double *z, double *force)
{
    const int n = NAME_N;
    int i;
    for (i = 0; i < n; i++)
        force[i] = w->singular ? NAME_dot(w->M + i * n, z, n) - r1[i] : NAME_dot(w->L + i * n, w->y, i + 1);
}

