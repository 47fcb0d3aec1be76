/* Reads states (t, x, eta) from standard input and prints what the exported function makes of them. */
#include <stdio.h>

static void print(const double *values, int n)
{
    int i;
    for (i = 0; i < n; i++)
        printf(" %.17g", values[i]);
}

int main(void)
{
    static double state[1 + NAME_NX + NAME_N];
    static NAME_result r;
    int i, code;
    for (;;) {
        for (i = 0; i < 1 + NAME_NX + NAME_N; i++)
            if (scanf("%lf", &state[i]) != 1)
                return 0;
        code = NAME_evaluate(state[0], state + 1, state + 1 + NAME_NX, NAME_default_parameters, &r);
        printf("%d %d", code, r.rank);
        print(r.x_dot, NAME_NX);
        print(r.eta_dot, NAME_N);
        print(r.ideal, NAME_N);
        print(r.nonideal, NAME_N);
        print(r.control, NAME_N);
        print(r.lambda, NAME_M);
        print(r.u, NAME_NU);
        printf("\n");
    }
}
