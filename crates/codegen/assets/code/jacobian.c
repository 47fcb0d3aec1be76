/* ---- derivatives of the motion (S2) --------------------------------------------------------- */

/* a - B z + D^T lambda, what the first rows of the saddle system leave. */
static void NAME_left_over(const double *a, const double *B, const double *z, const double *D, const double *lambda, double *r)
{
    const int n = NAME_N;
    int i, j;
    for (j = 0; j < n; j++) {
        r[j] = a[j] - NAME_dot(B + j * n, z, n);
        for (i = 0; i < NAME_M; i++)
            r[j] += D[i * n + j] * lambda[i];
    }
}

int NAME_jacobian(double t, const double *x, const double *eta, const double *p, NAME_derivatives *out)
{
    const int n = NAME_N, nx = NAME_NX, np = NAME_NP, all = NAME_NX + NAME_N + NAME_NP;
    double seed[NAME_NX + NAME_N + NAME_NP + 1], x_dot[NAME_NX], M[NAME_N * NAME_N], Q[NAME_N];
    double A[NAME_ROWS * NAME_N], b[NAME_ROWS], r1[NAME_N], r2[NAME_ROWS], z[NAME_N], lambda[NAME_ROWS];
    double ideal[NAME_N]; /* accelerations under ideal forces alone */
//@if nonideal
    double rest[NAME_N], answer[NAME_ROWS], moved[NAME_N], unused[NAME_ROWS], C[NAME_N];
//@end
    NAME_work w;
    NAME_result at;
    int i, j, k, code;
    w.t = t;
    w.x = x;
    w.eta = eta;
    w.p = p;
    at.rank = 0;
    w.allowed = NAME_CONSISTENCY;
    w.most = NAME_K;
    code = NAME_move(&w, &at);
    NAME_copy(at.eta_dot, ideal, n);
//@if nonideal
    if (code == 0) { /* C moves by rest and is answered by rows */
        NAME_nonideal(t, x, eta, p, w.A, at.lambda, C);
        NAME_saddle(&w, C, w.zero, rest, answer);
        NAME_add(-1.0, rest, ideal, n);
    }
//@end
    NAME_fill(0.0, seed, all + 1);
    NAME_fill(0.0, r2, NAME_ROWS);
    NAME_fill(0.0, lambda, NAME_ROWS);
    for (k = 0; k < all; k++) {
        const int width = k < nx ? nx : k < nx + n ? n : np, column = k < nx ? k : k < nx + n ? k - nx : k - nx - n;
        double *rates = k < nx ? out->x_dot_x : k < nx + n ? out->x_dot_eta : out->x_dot_p;
        double *accelerations = k < nx ? out->eta_dot_x : k < nx + n ? out->eta_dot_eta : out->eta_dot_p;
        double *multipliers = k < nx ? out->lambda_x : k < nx + n ? out->lambda_eta : out->lambda_p;
        const double nothing = NAN;
        if (code) { /* no number that could be taken for an answer */
            NAME_fill(nothing, x_dot, nx);
            NAME_fill(nothing, z, n);
            NAME_fill(nothing, lambda, NAME_M);
        } else {
            seed[k] = 1.0;
            NAME_terms_along(t, x, eta, p, seed, seed + nx, seed + nx + n, x_dot, M, Q, A, b);
            NAME_left_over(Q, M, ideal, A, at.lambda, r1);
            for (i = 0; i < NAME_M; i++)
                r2[i] = b[i] - NAME_dot(A + i * n, ideal, n);
            NAME_saddle(&w, r1, r2, z, lambda);
//@if nonideal
            NAME_nonideal_along(t, x, eta, p, w.A, at.lambda, seed, seed + nx, seed + nx + n, A, lambda, C);
            NAME_left_over(C, M, rest, A, answer, r1);
            for (i = 0; i < NAME_M; i++)
                r2[i] = -NAME_dot(A + i * n, rest, n);
            NAME_saddle(&w, r1, r2, moved, unused);
            NAME_add(1.0, moved, z, n);
//@end
            seed[k] = 0.0;
            if (at.rank < NAME_M)
                NAME_fill(nothing, lambda, NAME_M); /* redundant rows share forces: no derivative */
        }
        for (j = 0; j < nx; j++)
            rates[j * width + column] = x_dot[j];
        for (j = 0; j < n; j++)
            accelerations[j * width + column] = z[j];
        for (i = 0; i < NAME_M; i++)
            multipliers[i * width + column] = lambda[i];
    }
    return code;
}

