// The cart with two links as in cart2.c, over 256 states at once, arrays by component; gcc -O3 -march=native -ffast-math
// -fopenmp-simd, so that sin and cos come from libmvec. Prints nanoseconds a state, the best of many batches.
#include <math.h>
#include <stdio.h>
#include <time.h>

#define COUNT 256
static const double M = 2, g = 9.81, m1 = 0.5, m2 = 0.5, l1 = 0.4, l2 = 0.4;
static double s[6][COUNT] __attribute__((aligned(64))), a[6][COUNT] __attribute__((aligned(64)));

static double sn[2][COUNT] __attribute__((aligned(64))), cs[2][COUNT] __attribute__((aligned(64)));

__attribute__((noinline)) void accelerations(void) {
    // Sines and cosines in loops of their own: of a pair gcc makes sincos, which it does not vectorise.
    for (int i = 0; i < 2; i++) {
#pragma omp simd
        for (int k = 0; k < COUNT; k++) sn[i][k] = sin(s[i + 1][k]);
#pragma omp simd
        for (int k = 0; k < COUNT; k++) cs[i][k] = cos(s[i + 1][k]);
    }
#pragma omp simd
    for (int k = 0; k < COUNT; k++) {
        double s1 = sn[0][k], c1 = cs[0][k], s2 = sn[1][k], c2 = cs[1][k];
        double w1 = s[4][k], w2 = s[5][k], c12 = c1 * c2 + s1 * s2, s12 = s1 * c2 - c1 * s2;
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
        a[0][k] = s[3][k], a[1][k] = w1, a[2][k] = w2;
        a[3][k] = (b0 - a01 * z1 - a02 * z2) * i0, a[4][k] = z1, a[5][k] = z2;
    }
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

int main(void) {
    double best = 1e300;
    for (int k = 0; k < COUNT; k++) s[1][k] = 0.3 + 0.001 * k, s[2][k] = 0.6 + 0.001 * k;
    for (int k = 0; k < 400; k++) {
        double begin = now();
        for (int i = 0; i < 50; i++) {
            accelerations();
            __asm__ volatile("" : : "r"(a) : "memory");
        }
        double ns = (now() - begin) / 50 / COUNT;
        if (ns < best) best = ns;
    }
    printf("%.17g %.17g\n", best, a[3][0]);
}
