
/* ---- FMI 3.0: model exchange and co-simulation ----------------------------------------------- */

#include <stdbool.h>

enum { NAME_OK = 0, NAME_ERROR = 3 };

NAME_EXPORT const char *fmi3GetVersion(void) { return "3.0"; }
NAME_EXPORT int fmi3SetDebugLogging(void *w, bool on, size_t n, const char *const *c)
{
    (void)w; (void)on; (void)n; (void)c;
    return NAME_OK;
}

static void *NAME_instantiate(const char *token)
{
    NAME_instance *w;
    if (!token || strcmp(token, NAME_TOKEN))
        return NULL;
    w = (NAME_instance *)calloc(1, sizeof *w);
    if (w)
        NAME_begin(w);
    return w;
}

NAME_EXPORT void *fmi3InstantiateModelExchange(const char *name, const char *token, const char *path, bool visible,
    bool logging, void *environment, void *log)
{
    (void)name; (void)path; (void)visible; (void)logging; (void)environment; (void)log;
    return NAME_instantiate(token);
}

NAME_EXPORT void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *path, bool visible,
    bool logging, bool events, bool early, const unsigned int *required, size_t n, void *environment, void *log, void *update)
{
    (void)name; (void)path; (void)visible; (void)logging; (void)events; (void)early; (void)required; (void)n;
    (void)environment; (void)log; (void)update;
    return NAME_instantiate(token);
}

NAME_EXPORT void *fmi3InstantiateScheduledExecution(const char *name, const char *token, const char *path, bool visible,
    bool logging, void *environment, void *log, void *update, void *lock, void *unlock)
{
    (void)name; (void)token; (void)path; (void)visible; (void)logging; (void)environment; (void)log; (void)update;
    (void)lock; (void)unlock;
    return NULL;
}

NAME_EXPORT void fmi3FreeInstance(void *w) { free(w); }

NAME_EXPORT int fmi3EnterInitializationMode(void *instance, bool has_tolerance, double tolerance, double start,
    bool has_stop, double stop)
{
    NAME_instance *w = (NAME_instance *)instance;
    (void)has_stop; (void)stop;
//@if hybrid
    w->stop = has_stop ? stop : HUGE_VAL;
//@end
    w->t = start;
    if (has_tolerance && tolerance > 0.0)
        w->tolerance = fmax(0.1 * tolerance, 1e-13);
    w->fresh = 0;
    return NAME_OK;
}

NAME_EXPORT int fmi3ExitInitializationMode(void *w) { return NAME_set_out((NAME_instance *)w) ? NAME_ERROR : NAME_OK; }
NAME_EXPORT int fmi3EnterEventMode(void *w) { (void)w; return NAME_OK; }
NAME_EXPORT int fmi3Terminate(void *w) { (void)w; return NAME_OK; }
NAME_EXPORT int fmi3Reset(void *w) { NAME_begin((NAME_instance *)w); return NAME_OK; }
NAME_EXPORT int fmi3EnterConfigurationMode(void *w) { (void)w; return NAME_ERROR; }
NAME_EXPORT int fmi3ExitConfigurationMode(void *w) { (void)w; return NAME_ERROR; }
NAME_EXPORT int fmi3EnterContinuousTimeMode(void *w) { (void)w; return NAME_OK; }
NAME_EXPORT int fmi3EnterStepMode(void *w) { (void)w; return NAME_OK; }
NAME_EXPORT int fmi3EvaluateDiscreteStates(void *w) { (void)w; return NAME_OK; }

NAME_EXPORT int fmi3GetFloat64(void *instance, const unsigned int *references, size_t n, double *values, size_t m)
{
    size_t k;
    int wrong = n != m;
    for (k = 0; k < n && !wrong; k++)
        wrong = NAME_get((NAME_instance *)instance, references[k], &values[k]);
    return wrong ? NAME_ERROR : NAME_OK;
}

NAME_EXPORT int fmi3SetFloat64(void *instance, const unsigned int *references, size_t n, const double *values, size_t m)
{
    size_t k;
    int wrong = n != m;
    for (k = 0; k < n && !wrong; k++)
        wrong = NAME_set((NAME_instance *)instance, references[k], values[k]);
    return wrong ? NAME_ERROR : NAME_OK;
}

/* All variables are Float64. */
#define NAME_NONE(TYPE) \
    NAME_EXPORT int fmi3Get##TYPE(void *w, const unsigned int *r, size_t n, void *v, size_t m) \
    { (void)w; (void)r; (void)v; (void)m; return n ? NAME_ERROR : NAME_OK; } \
    NAME_EXPORT int fmi3Set##TYPE(void *w, const unsigned int *r, size_t n, const void *v, size_t m) \
    { (void)w; (void)r; (void)v; (void)m; return n ? NAME_ERROR : NAME_OK; }
NAME_NONE(Float32) NAME_NONE(Int8) NAME_NONE(UInt8) NAME_NONE(Int16) NAME_NONE(UInt16) NAME_NONE(Int32)
NAME_NONE(UInt32) NAME_NONE(Int64) NAME_NONE(UInt64) NAME_NONE(Boolean) NAME_NONE(String)

NAME_EXPORT int fmi3GetBinary(void *w, const unsigned int *r, size_t n, size_t *s, void *v, size_t m)
{ (void)w; (void)r; (void)s; (void)v; (void)m; return n ? NAME_ERROR : NAME_OK; }
NAME_EXPORT int fmi3SetBinary(void *w, const unsigned int *r, size_t n, const size_t *s, const void *v, size_t m)
{ (void)w; (void)r; (void)s; (void)v; (void)m; return n ? NAME_ERROR : NAME_OK; }
#define NAME_CLOCK(FUNCTION) \
    NAME_EXPORT int FUNCTION(void *w, const unsigned int *r, size_t n, void *v, void *u, void *s) \
    { (void)w; (void)r; (void)v; (void)u; (void)s; return n ? NAME_ERROR : NAME_OK; }
NAME_CLOCK(fmi3GetClock) NAME_CLOCK(fmi3SetClock) NAME_CLOCK(fmi3GetIntervalDecimal) NAME_CLOCK(fmi3GetIntervalFraction)
NAME_CLOCK(fmi3GetShiftDecimal) NAME_CLOCK(fmi3GetShiftFraction) NAME_CLOCK(fmi3SetIntervalDecimal)
NAME_CLOCK(fmi3SetIntervalFraction) NAME_CLOCK(fmi3SetShiftDecimal) NAME_CLOCK(fmi3SetShiftFraction)

NAME_EXPORT int fmi3GetNumberOfVariableDependencies(void *w, unsigned int r, size_t *n)
{ (void)w; (void)r; *n = 0; return NAME_ERROR; }
NAME_EXPORT int fmi3GetVariableDependencies(void *w, unsigned int r, size_t *e, unsigned int *i, size_t *f, int *k, size_t n)
{ (void)w; (void)r; (void)e; (void)i; (void)f; (void)k; (void)n; return NAME_ERROR; }

NAME_EXPORT int fmi3GetFMUState(void *instance, void **state)
{
    if (!*state)
        *state = malloc(sizeof(NAME_instance));
    if (!*state)
        return NAME_ERROR;
    memcpy(*state, instance, sizeof(NAME_instance));
    return NAME_OK;
}
NAME_EXPORT int fmi3SetFMUState(void *instance, void *state)
{ memcpy(instance, state, sizeof(NAME_instance)); return NAME_OK; }
NAME_EXPORT int fmi3FreeFMUState(void *w, void **state) { (void)w; free(*state); *state = NULL; return NAME_OK; }
NAME_EXPORT int fmi3SerializedFMUStateSize(void *w, void *s, size_t *n) { (void)w; (void)s; *n = sizeof(NAME_instance); return NAME_OK; }
NAME_EXPORT int fmi3SerializeFMUState(void *w, void *s, unsigned char *bytes, size_t n)
{ (void)w; if (n < sizeof(NAME_instance)) return NAME_ERROR; memcpy(bytes, s, sizeof(NAME_instance)); return NAME_OK; }
NAME_EXPORT int fmi3DeserializeFMUState(void *w, const unsigned char *bytes, size_t n, void **s)
{
    (void)w;
    if (n != sizeof(NAME_instance))
        return NAME_ERROR;
    return fmi3GetFMUState((void *)bytes, s);
}

NAME_EXPORT int fmi3GetDirectionalDerivative(void *w, const unsigned int *u, size_t nu, const unsigned int *k, size_t nk,
    const double *s, size_t ns, double *r, size_t nr)
{ (void)w; (void)u; (void)nu; (void)k; (void)nk; (void)s; (void)ns; (void)r; (void)nr; return NAME_ERROR; }
NAME_EXPORT int fmi3GetAdjointDerivative(void *w, const unsigned int *u, size_t nu, const unsigned int *k, size_t nk,
    const double *s, size_t ns, double *r, size_t nr)
{ (void)w; (void)u; (void)nu; (void)k; (void)nk; (void)s; (void)ns; (void)r; (void)nr; return NAME_ERROR; }

NAME_EXPORT int fmi3UpdateDiscreteStates(void *instance, bool *again, bool *end, bool *nominals, bool *values,
    bool *has_time, double *time)
{
    NAME_instance *w = (NAME_instance *)instance;
    int changed, timed;
    const int code = NAME_update(w, &changed, &timed, time);
    *again = *nominals = false;
    *end = w->ended;
    *values = changed;
    *has_time = timed;
    if (!timed)
        *time = 0.0;
    return code ? NAME_ERROR : NAME_OK;
}

NAME_EXPORT int fmi3CompletedIntegratorStep(void *instance, bool no_return, bool *event, bool *end)
{
    (void)no_return;
    *event = NAME_wants_event((NAME_instance *)instance);
    *end = false;
    return NAME_OK;
}

NAME_EXPORT int fmi3SetTime(void *instance, double t)
{
    NAME_instance *w = (NAME_instance *)instance;
    w->t = t;
    w->fresh = 0;
    return NAME_OK;
}

NAME_EXPORT int fmi3SetContinuousStates(void *w, const double *z, size_t n)
{ (void)n; NAME_set_states((NAME_instance *)w, z); return NAME_OK; }
NAME_EXPORT int fmi3GetContinuousStates(void *w, double *z, size_t n)
{ (void)n; NAME_get_states((NAME_instance *)w, z); return NAME_OK; }
NAME_EXPORT int fmi3GetContinuousStateDerivatives(void *instance, double *z, size_t n)
{
    NAME_instance *w = (NAME_instance *)instance;
    (void)n;
    if (NAME_refresh(w))
        return NAME_ERROR;
    memcpy(z, w->r.x_dot, NAME_NX * sizeof *z);
    memcpy(z + NAME_NX, w->r.eta_dot, NAME_N * sizeof *z);
    return NAME_OK;
}
NAME_EXPORT int fmi3GetEventIndicators(void *instance, double *z, size_t n)
{
    NAME_instance *w = (NAME_instance *)instance;
    (void)w; (void)z; (void)n;
//@if hybrid
    if (NAME_refresh(w))
        return NAME_ERROR;
    if (n)
        memcpy(z, w->g, n * sizeof *z);
//@end
    return NAME_OK;
}
NAME_EXPORT int fmi3GetNominalsOfContinuousStates(void *w, double *z, size_t n)
{ size_t k; (void)w; for (k = 0; k < n; k++) z[k] = 1.0; return NAME_OK; }
NAME_EXPORT int fmi3GetNumberOfEventIndicators(void *w, size_t *n) { (void)w; *n = NAME_INDICATORS; return NAME_OK; }
NAME_EXPORT int fmi3GetNumberOfContinuousStates(void *w, size_t *n) { (void)w; *n = NAME_NX + NAME_N; return NAME_OK; }
NAME_EXPORT int fmi3GetOutputDerivatives(void *w, const unsigned int *r, size_t n, const int *o, double *v, size_t m)
{ (void)w; (void)r; (void)n; (void)o; (void)v; (void)m; return NAME_ERROR; }

NAME_EXPORT int fmi3DoStep(void *instance, double from, double step, bool no_return, bool *event, bool *end, bool *early,
    double *last)
{
    NAME_instance *w = (NAME_instance *)instance;
    int code = NAME_do_step(w, from, step);
    (void)no_return;
    *event = *early = false;
    *end = w->ended;
    if (w->ended && w->t < from + step)
        *early = true;
    *last = w->t;
    return code ? NAME_ERROR : NAME_OK;
}

NAME_EXPORT int fmi3ActivateModelPartition(void *w, unsigned int c, double t) { (void)w; (void)c; (void)t; return NAME_ERROR; }
