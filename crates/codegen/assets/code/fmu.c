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
    int rank; /* of the rows on the constraints, or -1 */
    int ended; /* whether an event has ended the motion */
//@if hybrid
    NAME_modes m;
    int started; /* whether m belongs to the motion */
    double stop, g[NAME_WATCHED];
//@if contacts
    double way[NAME_NS]; /* where contacts slid at the last step */
//@end
//@end
} NAME_instance;

static void NAME_begin(NAME_instance *w)
{
    memcpy(w->p, NAME_default_parameters, sizeof w->p);
    memcpy(w->x, NAME_start_x, sizeof w->x);
    memcpy(w->eta, NAME_start_eta, sizeof w->eta);
    w->t = 0.0;
    w->tolerance = 1e-9;
    w->fresh = 0;
    w->ended = 0;
    w->rank = -1;
//@if hybrid
    w->started = 0;
    w->stop = HUGE_VAL;
//@end
}

//@if hybrid
/* The motion in its modes, with its forces as they are told. */
static int NAME_motion_told(NAME_instance *w)
{
    NAME_work v;
    const double t = NAME_within(&w->m, w->t);
//@if contacts
    const int code = NAME_evaluate_with(&v, t, w->x, w->eta, w->p, &w->m, HUGE_VAL, &w->r);
    return !code && v.active > NAME_M ? NAME_tell_forces(&v, &w->r) : code;
//@end
//@if untouched
    return NAME_evaluate_with(&v, t, w->x, w->eta, w->p, HUGE_VAL, &w->r);
//@end
}

//@if contacts
/* Where contacts slide now, which says whether they come to rest in the next step. */
static void NAME_note_ways(NAME_instance *w)
{
    double V[NAME_NS], J[NAME_NS * NAME_N], drift[NAME_NS], mu[NAME_NC], mu_static[NAME_NC], P[NAME_PRESSED];
    NAME_contact_terms(NAME_within(&w->m, w->t), w->x, w->eta, w->p, V, J, drift, mu, mu_static, P);
    NAME_copy(V, w->way, NAME_NS);
}

//@end
/* What is watched, for the importer: V against where it was, for contacts whose direction follows it. */
static int NAME_indicate(NAME_instance *w, double *g)
{
    const int code = NAME_watch(w->t, w->x, w->eta, w->p, &w->m, g);
//@if onset
    double V[NAME_NS], J[NAME_NS * NAME_N], drift[NAME_NS], mu[NAME_NC], mu_static[NAME_NC], P[NAME_PRESSED];
    int k;
    NAME_contact_terms(NAME_within(&w->m, w->t), w->x, w->eta, w->p, V, J, drift, mu, mu_static, P);
    for (k = 0; k < NAME_NC; k++) {
        const int first = NAME_slide[k][0], count = NAME_slide[k][1] - first;
        if (count > 1 && !w->m.sticks[k] && !w->m.held[k])
            g[k] = NAME_dot(V + first, w->way + first, count);
    }
//@end
    return code;
}

//@end
/* The motion begins at the state there is. */
static int NAME_set_out(NAME_instance *w)
{
    int code = 0;
//@if plain
    NAME_result r;
    code = NAME_project(w->t, w->x, w->eta, w->p);
    if (!code && !NAME_evaluate(w->t, w->x, w->eta, w->p, &r))
        w->rank = r.rank;
    w->fresh = 0;
//@end
//@if hybrid
    code = NAME_start(w->t, w->x, w->eta, w->p, &w->m);
    w->started = 1;
    w->fresh = 0;
//@if contacts
    NAME_note_ways(w);
//@end
//@end
    (void)w;
    return code;
}

/* Accelerations and outputs of the state; 0 if all is well. */
static int NAME_refresh(NAME_instance *w)
{
    if (!w->fresh) {
//@if plain
        /* states of an integrator are near the constraints, not on them */
        w->code = w->rank < 0 ? NAME_evaluate(w->t, w->x, w->eta, w->p, &w->r)
                              : NAME_evaluate_near(w->t, w->x, w->eta, w->p, w->rank, &w->r);
//@end
//@if hybrid
        w->code = w->started ? NAME_motion_told(w) : NAME_evaluate(w->t, w->x, w->eta, w->p, &w->r);
        if (w->started)
            NAME_indicate(w, w->g);
        else
            NAME_fill(1.0, w->g, NAME_WATCHED);
//@end
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
//@if hybrid
    from[7] = w->g;
//@end
//@if plain
    from[7] = w->y;
//@end
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
//@if plain
    if (NAME_project(w->t, x, eta, w->p))
        return 0.0;
//@end
//@if hybrid
    if (NAME_project(w->t, x, eta, w->p, &w->m))
        return 0.0;
//@end
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

/* Whether the state has left the constraints by more than the integrator is asked to keep, or something has passed unseen. */
static int NAME_wants_event(NAME_instance *w)
{
//@if hybrid
    double g[NAME_WATCHED];
    int hit[NAME_WATCHED];
    if (!NAME_watch(w->t, w->x, w->eta, w->p, &w->m, g) && NAME_passed(g, w->m.side, hit, 1))
        return 1;
    w->m.top_speed = fmax(w->m.top_speed, NAME_largest(w->eta, NAME_N));
//@if onset
    if (!NAME_indicate(w, g)) {
        int k;
        for (k = 0; k < NAME_NC; k++)
            if (g[k] < 0.0 && !w->m.sticks[k])
                return 1;
    }
//@end
//@if contacts
    NAME_note_ways(w);
//@end
//@end
//@if settling
    return 0;
//@end
//@if returning
    return NAME_distance(w, 0) > fmax(NAME_DRIFT, 100.0 * w->tolerance);
//@end
}

/* Event mode: what has passed happens, and the state returns to the constraints. Whether values changed, and when something
   is due by time alone. */
static int NAME_update(NAME_instance *w, int *changed, int *timed, double *next)
{
    int code = 0;
    *changed = 0;
    *timed = 0;
    *next = HUGE_VAL;
//@if hybrid
    {
        double g[NAME_WATCHED];
        int hit[NAME_WATCHED], j, any;
        w->fresh = 0;
        if (NAME_watch(w->t, w->x, w->eta, w->p, &w->m, g))
            NAME_fill(1.0, g, NAME_WATCHED);
        any = NAME_passed(g, w->m.side, hit, 0);
        for (j = 0; j < NAME_WATCHED; j++)
            if (hit[j])
                w->m.side[j] = -w->m.side[j];
        if (!any)
            any = NAME_at_hand(w->t, w->x, w->eta, w->p, &w->m, 1e-12 * (1.0 + fabs(w->t)), 0, hit);
//@if onset
        if (!any && !NAME_indicate(w, g))
            for (j = 0; j < NAME_NC; j++)
                if (!w->m.sticks[j] && !w->m.held[j] && g[j] <= 1e-9 * NAME_norm(w->way, NAME_NS) * NAME_norm(w->way, NAME_NS))
                    any = hit[j] = 1;
//@end
        if (any) {
            code = NAME_happen(w->t, w->x, w->eta, w->p, hit, w->tolerance, &w->m);
            w->ended = w->ended || code == 10;
            code = code == 10 ? 0 : code;
            *changed = 1;
        } else {
            NAME_passed(g, w->m.side, hit, 1);
        }
//@if instants
        { /* switches of time that are due, and the next one, window by window */
            const double end = w->stop < HUGE_VAL ? w->stop : w->t + 64.0;
            int turn;
            for (turn = 0; turn < 8 && !code; turn++) {
                if (w->t >= w->m.before - 8.0 * DBL_EPSILON * fabs(w->t)) {
                    code = NAME_pass_instant(w->t, w->x, w->eta, w->p, w->tolerance, &w->m);
                    *changed = 1;
                }
                for (j = 1; j <= 64 && w->m.before == HUGE_VAL; j++)
                    NAME_look_ahead(w->t, (end - w->t) * j / 64, w->p, &w->m);
                if (w->m.before > w->t)
                    break;
            }
            *next = fmin(w->m.before, end);
        }
//@end
//@if onset
        {
            double h = HUGE_VAL;
            if (!code)
                code = NAME_approach(w->t, w->x, w->eta, w->p, w->tolerance, &w->m, &h);
            for (j = 0; j < NAME_NC; j++)
                if (!w->m.sticks[j] && w->m.held[j] && w->m.until[j] > w->t)
                    *next = fmin(*next, w->m.until[j]);
        }
//@end
//@if contacts
        NAME_note_ways(w);
//@end
    }
    *timed = *next < HUGE_VAL && *next > w->t;
//@end
//@if returning
    *changed = NAME_distance(w, 1) > 0.0 || *changed;
//@end
    return code;
}

static int NAME_do_step(NAME_instance *w, double from, double step)
{
    int code;
    w->t = from;
    w->fresh = 0;
//@if plain
    code = NAME_advance(&w->t, w->x, w->eta, w->p, from + step, w->tolerance);
//@end
//@if hybrid
    code = NAME_advance(&w->t, w->x, w->eta, w->p, from + step, w->tolerance, &w->m);
    if (code == 10) { /* an event has ended the motion */
        w->ended = 1;
        code = 0;
    }
//@end
    return code;
}
