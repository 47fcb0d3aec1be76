/* y = (matrix)^+ e: least squares of minimum norm */
static void NAME_least(NAME_cod *c, const double *e, double *y)
{
    int m = c->rows, j, k;
    NAME_copy(e, c->work, m);
    for (k = 0; k < c->rank; k++)
        NAME_reflect_work(c, k);
    NAME_fill(0.0, y, c->cols);
    for (k = c->rank - 1; k >= 0; k--) {
        double sum = c->work[k];
        for (j = k + 1; j < c->rank; j++)
            sum -= c->t[j * m + k] * y[j];
        y[k] = sum / c->diagonal[k];
    }
    NAME_rotate(c, y);
}

