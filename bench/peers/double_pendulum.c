/* Double pendulums as one writes them by hand: Tsitouras 5(4), proportional-integral control, one after the other.
   Arguments: tolerance, repetitions. Standard input: theta1 theta2 theta1' theta2' a line. Output: CPU seconds of one
   repetition, mean steps, then the states at t = 10. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define N 4

static void f(const double *y, double *d)
{
    const double g = 9.81;
    double s1, c1, s2, c2;
    sincos(y[0], &s1, &c1);
    sincos(y[1], &s2, &c2);
    double sd = s1 * c2 - c1 * s2, cd = c1 * c2 + s1 * s2;
    double q1 = -sd * y[3] * y[3] - 2 * g * s1, q2 = sd * y[2] * y[2] - g * s2;
    double det = 1 / (2 - cd * cd);
    d[0] = y[2];
    d[1] = y[3];
    d[2] = (q1 - cd * q2) * det;
    d[3] = (2 * q2 - cd * q1) * det;
}

static const double A[6][6] = {
    {0},
    {0.161},
    {-0.008480655492356989, 0.335480655492357},
    {2.8971530571054935, -6.359448489975075, 4.3622954328695815},
    {5.325864828439257, -11.748883564062828, 7.4955393428898365, -0.09249506636175525},
    {5.86145544294642, -12.92096931784711, 8.159367898576159, -0.071584973281401, -0.028269050394068383}};
static const double B[6] = {0.09646076681806523, 0.01, 0.4798896504144996, 1.379008574103742, -3.290069515436081, 2.324710524099774};
static const double E[7] = {-0.001780011052225777, -0.0008164344596567469, 0.007880878010261995, -0.1447110071732629,
                            0.5823571654525552, -0.45808210592918697, 0.015151515151515152};

static long solve(double *y, double tol)
{
    double t = 0, h = 1e-3, before = 1e-4, k[7][N], s[N], z[N];
    long steps = 0;
    int rejected = 0;
    f(y, k[0]);
    while (t < 10) {
        if (t + h > 10)
            h = 10 - t;
        for (int i = 1; i < 6; i++) {
            for (int n = 0; n < N; n++) {
                double sum = 0;
                for (int j = 0; j < i; j++)
                    sum += A[i][j] * k[j][n];
                s[n] = y[n] + h * sum;
            }
            f(s, k[i]);
        }
        for (int n = 0; n < N; n++) {
            double sum = 0;
            for (int j = 0; j < 6; j++)
                sum += B[j] * k[j][n];
            z[n] = y[n] + h * sum;
        }
        f(z, k[6]);
        double error = 0;
        for (int n = 0; n < N; n++) {
            double sum = 0;
            for (int j = 0; j < 7; j++)
                sum += E[j] * k[j][n];
            error = fmax(error, fabs(h * sum) / (tol + tol * fmax(fabs(y[n]), fabs(z[n]))));
        }
        steps++;
        if (error <= 1) {
            t = t + h >= 10 ? 10 : t + h;
            memcpy(y, z, sizeof z);
            memcpy(k[0], k[6], sizeof z);
            error = fmax(error, 1e-10);
            double factor = 0.9 * pow(error, -0.7 / 5) * pow(before, 0.4 / 5);
            h *= fmin(rejected ? 1 : 5, fmax(0.2, factor));
            before = fmax(error, 1e-4);
            rejected = 0;
        } else {
            h *= fmin(0.9, fmax(0.2, 0.9 * pow(error, -0.2)));
            rejected = 1;
        }
    }
    return steps;
}

int main(int argc, char **argv)
{
    double tol = argc > 1 ? atof(argv[1]) : 1e-6;
    int repetitions = argc > 2 ? atoi(argv[2]) : 1;
    size_t count = 0, room = 1 << 16;
    double *start = malloc(room * sizeof *start);
    while (scanf("%lf", &start[count]) == 1)
        if (++count == room)
            start = realloc(start, (room *= 2) * sizeof *start);
    double *end = malloc(count * sizeof *end);
    long steps = 0;
    clock_t began = clock();
    for (int r = 0; r < repetitions; r++) {
        memcpy(end, start, count * sizeof *end);
        steps = 0;
        for (size_t i = 0; i + N <= count; i += N)
            steps += solve(end + i, tol);
    }
    printf("%.9g %.3f\n", (double)(clock() - began) / CLOCKS_PER_SEC / repetitions, (double)steps / (count / N));
    for (size_t i = 0; i < count; i++)
        printf("%.17g%c", end[i], i % N == N - 1 ? '\n' : ' ');
    return 0;
}
