/* ---- an instance: parameters, inputs, state, and what follows from them --------------------- */

#include <stdlib.h>
#include <string.h>

#if defined _WIN32
#define NAME_EXPORT __declspec(dllexport)
#else
#define NAME_EXPORT __attribute__((visibility("default")))
#endif

typedef struct {
    double t, p[NAME_ROOM_P], x[NAME_ROOM_X], eta[NAME_N], y[NAME_ROOM_Y], tolerance;
    NAME_result r;
    int fresh; /* whether r and y belong to the state */
    int code;
} NAME_instance;

static void NAME_begin(NAME_instance *w)
{
    memcpy(w->p, NAME_default_parameters, sizeof w->p);
    memcpy(w->x, NAME_start_x, sizeof w->x);
    memcpy(w->eta, NAME_start_eta, sizeof w->eta);
    w->t = 0.0;
    w->tolerance = 1e-9;
    w->fresh = 0;
}

/* Accelerations and outputs of the state; 0 if all is well. */
static int NAME_refresh(NAME_instance *w)
{
    if (!w->fresh) {
        w->code = NAME_evaluate(w->t, w->x, w->eta, w->p, &w->r);
//@if outputs
        if (!w->code)
            NAME_outputs(w->t, w->x, w->eta, w->p, &w->r, w->y);
//@end
        w->fresh = 1;
    }
    return w->code;
}

static int NAME_get(NAME_instance *w, unsigned int reference, double *value)
{
    const double *from[NAME_PLACES];
    int k;
    if (reference >= NAME_FIRST_COMPUTED && NAME_refresh(w))
        return 1;
    from[0] = &w->t;
    from[1] = w->p;
    from[2] = w->x;
    from[3] = w->eta;
    from[4] = w->r.x_dot;
    from[5] = w->r.eta_dot;
    from[6] = w->y;
    for (k = 0; k < NAME_PLACES; k++) {
        if (reference < NAME_sizes[k]) {
            *value = from[k][reference];
            return 0;
        }
        reference -= NAME_sizes[k];
    }
    return 1;
}

static int NAME_set(NAME_instance *w, unsigned int reference, double value)
{
    double *to[4];
    int k;
    to[0] = &w->t;
    to[1] = w->p;
    to[2] = w->x;
    to[3] = w->eta;
    w->fresh = 0;
    for (k = 0; k < 4; k++) {
        if (reference < NAME_sizes[k]) {
            to[k][reference] = value;
            return 0;
        }
        reference -= NAME_sizes[k];
    }
    return 1;
}

static void NAME_get_states(const NAME_instance *w, double *z)
{
    memcpy(z, w->x, NAME_NX * sizeof *z);
    memcpy(z + NAME_NX, w->eta, NAME_N * sizeof *z);
}

static void NAME_set_states(NAME_instance *w, const double *z)
{
    memcpy(w->x, z, NAME_NX * sizeof *z);
    memcpy(w->eta, z + NAME_NX, NAME_N * sizeof *z);
    w->fresh = 0;
}

/* How far the state is from the constraints, against its own size; the state on them if `keep`. */
static double NAME_distance(NAME_instance *w, int keep)
{
    double x[NAME_ROOM_X], eta[NAME_N], far = 0.0;
    int i;
    memcpy(x, w->x, sizeof x);
    memcpy(eta, w->eta, sizeof eta);
    if (NAME_project(w->t, x, eta, w->p))
        return 0.0;
    for (i = 0; i < NAME_NX; i++)
        far = fmax(far, fabs(x[i] - w->x[i]) / (1.0 + fabs(x[i])));
    for (i = 0; i < NAME_N; i++)
        far = fmax(far, fabs(eta[i] - w->eta[i]) / (1.0 + fabs(eta[i])));
    if (keep) {
        memcpy(w->x, x, sizeof x);
        memcpy(w->eta, eta, sizeof eta);
        w->fresh = 0;
    }
    return far;
}

/* Whether the state has left the constraints by more than the integrator is asked to keep. */
static int NAME_drifted(NAME_instance *w)
{
    return NAME_distance(w, 0) > fmax(NAME_DRIFT, 100.0 * w->tolerance);
}

static int NAME_do_step(NAME_instance *w, double from, double step)
{
    w->t = from;
    w->fresh = 0;
    return NAME_advance(&w->t, w->x, w->eta, w->p, from + step, w->tolerance);
}
