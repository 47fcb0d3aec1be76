/* ---- small dense linear algebra, row-major, on fixed arrays ------------------------------- */

static double NAME_dot(const double *a, const double *b, int n)
{
    double sum = 0.0;
    int i;
    for (i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* y += s x */
static void NAME_add(double s, const double *x, double *y, int n)
{
    int i;
    for (i = 0; i < n; i++)
        y[i] += s * x[i];
}

static void NAME_fill(double value, double *y, int n)
{
    int i;
    for (i = 0; i < n; i++)
        y[i] = value;
}

static void NAME_copy(const double *x, double *y, int n)
{
    int i;
    for (i = 0; i < n; i++)
        y[i] = x[i];
}

/* Largest absolute entry; NaN if there is one. */
static double NAME_largest(const double *a, int n)
{
    double most = 0.0;
    int i;
    for (i = 0; i < n; i++)
        if (most == most && !(fabs(a[i]) <= most))
            most = fabs(a[i]);
    return most;
}

static int NAME_finite(const double *a, int n)
{
    double none = 0.0;
    int i;
    for (i = 0; i < n; i++)
        none += 0.0 * a[i];
    return none == 0.0;
}

/* Euclidean length, safe against overflow. */
static double NAME_norm(const double *a, int n)
{
    double plain = NAME_dot(a, a, n), most, sum = 0.0;
    int i;
    if (plain > 1e-280 && plain - plain == 0.0)
        return sqrt(plain);
    most = NAME_largest(a, n);
    if (most == 0.0 || !(most - most == 0.0))
        return most;
    for (i = 0; i < n; i++)
        sum += (a[i] / most) * (a[i] / most);
    return most * sqrt(sum);
}

/* L L^T = a in the lower triangle; 0 if a is not positive definite. *ratio: smallest pivot over its diagonal entry. */
static int NAME_cholesky(double *a, int n, double *ratio)
{
    int i, j;
    *ratio = 1.0;
    for (j = 0; j < n; j++) {
        double *row = a + j * n, pivot;
        for (i = 0; i < j; i++)
            row[i] = (row[i] - NAME_dot(a + i * n, row, i)) / a[i * n + i];
        pivot = row[j] - NAME_dot(row, row, j);
        if (!(pivot > 0.0 && pivot - pivot == 0.0))
            return 0;
        if (pivot / row[j] < *ratio)
            *ratio = pivot / row[j];
        row[j] = sqrt(pivot);
    }
    return 1;
}

/* The smallest share of a squared pivot of L in what its rounding grows with: near 1e-16 where L L^T is singular to
   rounding, in whatever order its rows stand. `grown` has n numbers. */
static double NAME_pivot_share(const double *l, int n, double *grown)
{
    double least = 1.0;
    int j, k;
    for (k = 0; k < n; k++) {
        const double *row = l + k * n;
        double pivot = row[k] * row[k], sum = pivot;
        for (j = 0; j < k; j++)
            sum += row[j] * row[j] * (1.0 + grown[j]);
        grown[k] = sum / pivot;
        if (!(1.0 / grown[k] > least))
            least = 1.0 / grown[k];
    }
    return least;
}

/* v <- L^-1 v */
static void NAME_lower(const double *l, int n, double *v)
{
    int i;
    for (i = 0; i < n; i++)
        v[i] = (v[i] - NAME_dot(l + i * n, v, i)) / l[i * n + i];
}

/* v <- L^-T v */
static void NAME_lower_transposed(const double *l, int n, double *v)
{
    int i;
    for (i = n - 1; i >= 0; i--) {
        v[i] /= l[i * n + i];
        NAME_add(-v[i], l + i * n, v, i);
    }
}

/* Complete orthogonal decomposition of `rows` rows: a = L Q^T with row pivoting, then the leading columns of L, with
   weights on the rows, onto a triangle. Gives pseudo-inverses for any rank. */
typedef struct {
    int rows, cols, rank;
    double a[NAME_CELLS]; /* in: the matrix; out: L on and below the diagonal, reflectors above it */
    double t[NAME_CELLS]; /* second factorisation, by columns */
    double tau[NAME_LONGEST], diagonal[NAME_LONGEST], work[NAME_LONGEST];
    int row[NAME_LONGEST]; /* original index of each factored row */
} NAME_cod;

/* Directions not longer than `tolerance` are dropped. */
static void NAME_reveal(NAME_cod *c, int m, int n, double tolerance)
{
    int i, j, k, swap;
    c->rows = m;
    c->cols = n;
    c->rank = 0;
    for (i = 0; i < m; i++)
        c->row[i] = i;
    for (k = 0; k < m && k < n; k++) {
        double *head, longest = -1.0, beta, scale, s;
        int best = k;
        for (i = k; i < m; i++) {
            double length = NAME_norm(c->a + i * n + k, n - k);
            if (length > longest) {
                longest = length;
                best = i;
            }
        }
        if (!(longest > tolerance))
            break;
        for (j = 0; best != k && j < n; j++) {
            s = c->a[k * n + j];
            c->a[k * n + j] = c->a[best * n + j];
            c->a[best * n + j] = s;
        }
        swap = c->row[k];
        c->row[k] = c->row[best];
        c->row[best] = swap;
        head = c->a + k * n + k;
        beta = head[0] > 0.0 ? -longest : longest;
        c->tau[k] = (beta - head[0]) / beta;
        scale = 1.0 / (head[0] - beta);
        for (j = 1; j < n - k; j++)
            head[j] *= scale;
        head[0] = beta;
        for (i = k + 1; i < m; i++) {
            double *other = c->a + i * n + k;
            s = c->tau[k] * (other[0] + NAME_dot(head + 1, other + 1, n - k - 1));
            other[0] -= s;
            NAME_add(-s, head + 1, other + 1, n - k - 1);
        }
        c->rank = k + 1;
    }
}

static void NAME_reflect(const NAME_cod *c, int k, double *v)
{
    const double *head = c->a + k * c->cols + k;
    double s = c->tau[k] * (v[k] + NAME_dot(head + 1, v + k + 1, c->cols - k - 1));
    v[k] -= s;
    NAME_add(-s, head + 1, v + k + 1, c->cols - k - 1);
}

/* v <- Q v */
static void NAME_rotate(const NAME_cod *c, double *v)
{
    int k;
    for (k = c->rank - 1; k >= 0; k--)
        NAME_reflect(c, k, v);
}

/* v <- Q^T v */
static void NAME_rotate_back(const NAME_cod *c, double *v)
{
    int k;
    for (k = 0; k < c->rank; k++)
        NAME_reflect(c, k, v);
}

static void NAME_reflect_work(NAME_cod *c, int k)
{
    const double *column = c->t + k * c->rows + k;
    double s = NAME_dot(column, c->work + k, c->rows - k);
    NAME_add(-s, column, c->work + k, c->rows - k);
}

/* The second factorisation; weights are by original row, none if NULL. */
static void NAME_complete(NAME_cod *c, const double *weight)
{
    int m = c->rows, n = c->cols, i, j, k;
    for (k = 0; k < c->rank; k++)
        for (i = 0; i < m; i++) {
            int row = c->row[i];
            c->t[k * m + row] = i >= k ? c->a[i * n + k] * (weight ? weight[row] : 1.0) : 0.0;
        }
    for (k = 0; k < c->rank; k++) {
        double *column = c->t + k * m + k;
        double length = NAME_norm(column, m - k), size, scale;
        c->diagonal[k] = column[0] > 0.0 ? -length : length;
        column[0] -= c->diagonal[k];
        size = NAME_norm(column, m - k);
        scale = size > 0.0 ? sqrt(2.0) / size : 0.0;
        for (i = 0; i < m - k; i++)
            column[i] *= scale;
        for (j = k + 1; j < c->rank; j++) {
            double *other = c->t + j * m + k;
            NAME_add(-NAME_dot(column, other, m - k), column, other, m - k);
        }
    }
}

/* lambda of minimum norm with (weighted leading columns)^T lambda = z */
static void NAME_multipliers(NAME_cod *c, const double *z, double *lambda)
{
    int m = c->rows, j, k;
    NAME_fill(0.0, c->work, m);
    for (k = 0; k < c->rank; k++) {
        double sum = z[k];
        for (j = 0; j < k; j++)
            sum -= c->t[k * m + j] * c->work[j];
        c->work[k] = sum / c->diagonal[k];
    }
    for (k = c->rank - 1; k >= 0; k--)
        NAME_reflect_work(c, k);
    NAME_copy(c->work, lambda, m);
}

