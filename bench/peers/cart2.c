// The cart with two links as a careful person writes it: closed-form mass matrix, Cholesky-free 3x3 elimination, libm.
// Prints nanoseconds an acceleration, the best of many batches, one state at a time.
#include <math.h>
#include <stdio.h>
#include <time.h>

static const double M = 2, g = 9.81, m1 = 0.5, m2 = 0.5, l1 = 0.4, l2 = 0.4;

__attribute__((noinline)) void acceleration(const double *restrict s, double *restrict a) {
    double s1 = sin(s[1]), c1 = cos(s[1]), s2 = sin(s[2]), c2 = cos(s[2]);
    double w1 = s[4], w2 = s[5], c12 = c1 * c2 + s1 * s2, s12 = s1 * c2 - c1 * s2;
    double m = m1 + m2;
    double a00 = M + m, a01 = m * l1 * c1, a02 = m2 * l2 * c2;
    double a11 = m * l1 * l1, a12 = m2 * l1 * l2 * c12, a22 = m2 * l2 * l2;
    double b0 = m * l1 * w1 * w1 * s1 + m2 * l2 * w2 * w2 * s2;
    double b1 = -m * g * l1 * s1 - m2 * l1 * l2 * w2 * w2 * s12;
    double b2 = -m2 * g * l2 * s2 + m2 * l1 * l2 * w1 * w1 * s12;
    double i0 = 1 / a00, f1 = a01 * i0, f2 = a02 * i0;
    double d1 = a11 - f1 * a01, d12 = a12 - f1 * a02, d2 = a22 - f2 * a02;
    double r1 = b1 - f1 * b0, r2 = b2 - f2 * b0;
    double i1 = 1 / d1, f3 = d12 * i1;
    double z2 = (r2 - f3 * r1) / (d2 - f3 * d12);
    double z1 = (r1 - d12 * z2) * i1;
    a[0] = s[3], a[1] = s[4], a[2] = s[5];
    a[3] = (b0 - a01 * z1 - a02 * z2) * i0, a[4] = z1, a[5] = z2;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

int main(void) {
    double s[6] = {0, 0.3, 0.6, 0, 0, 0}, a[6], best = 1e300;
    for (int k = 0; k < 200; k++) {
        double begin = now();
        for (int i = 0; i < 2000; i++) {
            acceleration(s, a);
            __asm__ volatile("" : : "r"(a) : "memory");
        }
        double ns = (now() - begin) / 2000;
        if (ns < best) best = ns;
    }
    printf("%.17g %.17g\n", best, a[3]);
}
