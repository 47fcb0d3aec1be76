/* ---- sine and cosine ------------------------------------------------------------------------ */

/* Products are fused with the sum they belong to where the machine does it at once: the bits of the engine. */
#if defined(FP_FAST_FMA) || defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define NAME_FUSED 1
#define NAME_fused(a, b, c) fma(a, b, c)
#else
#define NAME_FUSED 0
#define NAME_fused(a, b, c) ((a) * (b) + (c))
#endif

typedef struct {
    double s, c;
} NAME_turn;

/* Takes a if the lowest bit of which is 0, else b, with the sign of bit 1: no branch. */
static double NAME_chosen(double a, double b, uint64_t which)
{
    uint64_t first, second;
    memcpy(&first, &a, sizeof first);
    memcpy(&second, &b, sizeof second);
    first ^= (first ^ second) & (0 - (which & 1));
    first ^= (which & 2) << 62;
    memcpy(&a, &first, sizeof a);
    return a;
}

/* sin x and cos x within 1 ulp up to 1e3, 2.3e-16 up to 1e6: x = n pi/2 + y + low (Cody and Waite), polynomials of fdlibm in
   y, exchanged and signed by n mod 4. Beyond 1e6 those of the library. */
static NAME_turn NAME_sincos(double x)
{
    const double rounder = 6755399441055744.0; /* 3 * 2^51: a rounded integer is left in the low bits */
    double shifted, n, first, y, low, z, zz, half, w, sine, cosine;
    uint64_t quadrant;
    NAME_turn turn;
    if (!(fabs(x) <= 1e6)) {
        turn.s = sin(x);
        turn.c = cos(x);
        return turn;
    }
    shifted = NAME_fused(x, 0.6366197723675814, rounder);
    memcpy(&quadrant, &shifted, sizeof quadrant);
    n = shifted - rounder;
#if NAME_FUSED
    first = fma(-n, 1.5707963267948966, x);
    y = fma(-n, 6.123233995736766e-17, first);
    low = fma(-n, 6.123233995736766e-17, first - y);
#else
    { /* pi/2 in parts of 33 bits, whose products with n are exact */
        const double middle = n * 6.077100506303966e-11, last = n * 2.0222662487959506e-21;
        double y0, rest;
        first = x - n * 1.5707963267341256;
        y0 = first - middle;
        rest = ((first - y0) - middle) - last;
        y = y0 + rest;
        low = (y0 - y) + rest;
    }
#endif
    z = y * y;
    zz = z * z;
    half = 0.5 * z;
    sine = y + NAME_fused(z * y,
        NAME_fused(zz, NAME_fused(zz, NAME_fused(z, 1.58969099521155e-10, -2.5050760253406834e-8),
            NAME_fused(z, 2.7557313707070068e-6, -1.984126982985795e-4)),
            NAME_fused(z, 8.33333333332249e-3, -1.6666666666666632e-1)),
        NAME_fused(-half, low, low));
    w = 1.0 - half;
    cosine = w + NAME_fused(zz,
        NAME_fused(zz, NAME_fused(zz, NAME_fused(z, -1.1359647557788195e-11, 2.087572321298175e-9),
            NAME_fused(z, -2.7557314351390663e-7, 2.480158728947673e-5)),
            NAME_fused(z, -1.388888888887411e-3, 4.16666666666666e-2)),
        NAME_fused(-y, low, (1.0 - w) - half));
    turn.s = NAME_chosen(sine, cosine, quadrant);
    turn.c = NAME_chosen(cosine, sine, (quadrant & 1) | ((quadrant + 1) & 2));
    return turn;
}

