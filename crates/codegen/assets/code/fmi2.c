
/* ---- FMI 2.0: model exchange and co-simulation ----------------------------------------------- */

enum { NAME_OK = 0, NAME_DISCARD = 2, NAME_ERROR = 3 };

typedef struct {
    int newDiscreteStatesNeeded, terminateSimulation, nominalsOfContinuousStatesChanged, valuesOfContinuousStatesChanged;
    int nextEventTimeDefined;
    double nextEventTime;
} NAME_event_info;

NAME_EXPORT const char *fmi2GetTypesPlatform(void) { return "default"; }
NAME_EXPORT const char *fmi2GetVersion(void) { return "2.0"; }
NAME_EXPORT int fmi2SetDebugLogging(void *w, int on, size_t n, const char *const *c)
{ (void)w; (void)on; (void)n; (void)c; return NAME_OK; }

NAME_EXPORT void *fmi2Instantiate(const char *name, int type, const char *guid, const char *path, const void *functions,
    int visible, int logging)
{
    NAME_instance *w;
    (void)name; (void)type; (void)path; (void)functions; (void)visible; (void)logging;
    if (!guid || strcmp(guid, NAME_TOKEN))
        return NULL;
    w = (NAME_instance *)calloc(1, sizeof *w);
    if (w)
        NAME_begin(w);
    return w;
}

NAME_EXPORT void fmi2FreeInstance(void *w) { free(w); }
NAME_EXPORT int fmi2SetupExperiment(void *instance, int has_tolerance, double tolerance, double start, int has_stop, double stop)
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
NAME_EXPORT int fmi2EnterInitializationMode(void *w) { (void)w; return NAME_OK; }
NAME_EXPORT int fmi2ExitInitializationMode(void *w) { return NAME_set_out((NAME_instance *)w) ? NAME_ERROR : NAME_OK; }
NAME_EXPORT int fmi2Terminate(void *w) { (void)w; return NAME_OK; }
NAME_EXPORT int fmi2Reset(void *w) { NAME_begin((NAME_instance *)w); return NAME_OK; }

NAME_EXPORT int fmi2GetReal(void *instance, const unsigned int *references, size_t n, double *values)
{
    size_t k;
    int wrong = 0;
    for (k = 0; k < n && !wrong; k++)
        wrong = NAME_get((NAME_instance *)instance, references[k], &values[k]);
    return wrong ? NAME_ERROR : NAME_OK;
}

NAME_EXPORT int fmi2SetReal(void *instance, const unsigned int *references, size_t n, const double *values)
{
    size_t k;
    int wrong = 0;
    for (k = 0; k < n && !wrong; k++)
        wrong = NAME_set((NAME_instance *)instance, references[k], values[k]);
    return wrong ? NAME_ERROR : NAME_OK;
}

/* All variables are Real. */
#define NAME_NONE(TYPE) \
    NAME_EXPORT int fmi2Get##TYPE(void *w, const unsigned int *r, size_t n, void *v) \
    { (void)w; (void)r; (void)v; return n ? NAME_ERROR : NAME_OK; } \
    NAME_EXPORT int fmi2Set##TYPE(void *w, const unsigned int *r, size_t n, const void *v) \
    { (void)w; (void)r; (void)v; return n ? NAME_ERROR : NAME_OK; }
NAME_NONE(Integer) NAME_NONE(Boolean) NAME_NONE(String)

NAME_EXPORT int fmi2GetFMUstate(void *instance, void **state)
{
    if (!*state)
        *state = malloc(sizeof(NAME_instance));
    if (!*state)
        return NAME_ERROR;
    memcpy(*state, instance, sizeof(NAME_instance));
    return NAME_OK;
}
NAME_EXPORT int fmi2SetFMUstate(void *w, void *state) { memcpy(w, state, sizeof(NAME_instance)); return NAME_OK; }
NAME_EXPORT int fmi2FreeFMUstate(void *w, void **state) { (void)w; free(*state); *state = NULL; return NAME_OK; }
NAME_EXPORT int fmi2SerializedFMUstateSize(void *w, void *s, size_t *n) { (void)w; (void)s; *n = sizeof(NAME_instance); return NAME_OK; }
NAME_EXPORT int fmi2SerializeFMUstate(void *w, void *s, char *bytes, size_t n)
{ (void)w; if (n < sizeof(NAME_instance)) return NAME_ERROR; memcpy(bytes, s, sizeof(NAME_instance)); return NAME_OK; }
NAME_EXPORT int fmi2DeSerializeFMUstate(void *w, const char *bytes, size_t n, void **s)
{ (void)w; return n == sizeof(NAME_instance) ? fmi2GetFMUstate((void *)bytes, s) : NAME_ERROR; }
NAME_EXPORT int fmi2GetDirectionalDerivative(void *w, const unsigned int *u, size_t nu, const unsigned int *k, size_t nk,
    const double *s, double *r)
{ (void)w; (void)u; (void)nu; (void)k; (void)nk; (void)s; (void)r; return NAME_ERROR; }

NAME_EXPORT int fmi2EnterEventMode(void *w) { (void)w; return NAME_OK; }
NAME_EXPORT int fmi2NewDiscreteStates(void *instance, NAME_event_info *info)
{
    int changed, timed;
    double next;
    const int code = NAME_update((NAME_instance *)instance, &changed, &timed, &next);
    memset(info, 0, sizeof *info);
    info->terminateSimulation = ((NAME_instance *)instance)->ended;
    info->valuesOfContinuousStatesChanged = changed;
    info->nextEventTimeDefined = timed;
    if (timed)
        info->nextEventTime = next;
    return code ? NAME_ERROR : NAME_OK;
}
NAME_EXPORT int fmi2EnterContinuousTimeMode(void *w) { (void)w; return NAME_OK; }
NAME_EXPORT int fmi2CompletedIntegratorStep(void *instance, int no_return, int *event, int *end)
{
    (void)no_return;
    *event = NAME_wants_event((NAME_instance *)instance);
    *end = 0;
    return NAME_OK;
}
NAME_EXPORT int fmi2SetTime(void *instance, double t)
{
    NAME_instance *w = (NAME_instance *)instance;
    w->t = t;
    w->fresh = 0;
    return NAME_OK;
}
NAME_EXPORT int fmi2SetContinuousStates(void *w, const double *z, size_t n)
{ (void)n; NAME_set_states((NAME_instance *)w, z); return NAME_OK; }
NAME_EXPORT int fmi2GetContinuousStates(void *w, double *z, size_t n)
{ (void)n; NAME_get_states((NAME_instance *)w, z); return NAME_OK; }
NAME_EXPORT int fmi2GetDerivatives(void *instance, double *z, size_t n)
{
    NAME_instance *w = (NAME_instance *)instance;
    (void)n;
    if (NAME_refresh(w))
        return NAME_ERROR;
    memcpy(z, w->r.x_dot, NAME_NX * sizeof *z);
    memcpy(z + NAME_NX, w->r.eta_dot, NAME_N * sizeof *z);
    return NAME_OK;
}
NAME_EXPORT int fmi2GetEventIndicators(void *instance, double *z, size_t n)
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
NAME_EXPORT int fmi2GetNominalsOfContinuousStates(void *w, double *z, size_t n)
{ size_t k; (void)w; for (k = 0; k < n; k++) z[k] = 1.0; return NAME_OK; }

NAME_EXPORT int fmi2SetRealInputDerivatives(void *w, const unsigned int *r, size_t n, const int *o, const double *v)
{ (void)w; (void)r; (void)n; (void)o; (void)v; return NAME_ERROR; }
NAME_EXPORT int fmi2GetRealOutputDerivatives(void *w, const unsigned int *r, size_t n, const int *o, double *v)
{ (void)w; (void)r; (void)n; (void)o; (void)v; return NAME_ERROR; }
NAME_EXPORT int fmi2DoStep(void *instance, double from, double step, int no_return)
{
    NAME_instance *w = (NAME_instance *)instance;
    (void)no_return;
    if (NAME_do_step(w, from, step))
        return NAME_ERROR;
    return w->ended && w->t < from + step ? NAME_DISCARD : NAME_OK;
}
NAME_EXPORT int fmi2CancelStep(void *w) { (void)w; return NAME_ERROR; }
NAME_EXPORT int fmi2GetStatus(void *w, int k, int *v) { (void)w; (void)k; (void)v; return NAME_ERROR; }
NAME_EXPORT int fmi2GetRealStatus(void *instance, int k, double *v)
{ (void)k; *v = ((NAME_instance *)instance)->t; return NAME_OK; }
NAME_EXPORT int fmi2GetIntegerStatus(void *w, int k, int *v) { (void)w; (void)k; (void)v; return NAME_ERROR; }
NAME_EXPORT int fmi2GetBooleanStatus(void *instance, int k, int *v)
{ (void)k; *v = ((NAME_instance *)instance)->ended; return NAME_OK; }
NAME_EXPORT int fmi2GetStringStatus(void *w, int k, const char **v) { (void)w; (void)k; (void)v; return NAME_ERROR; }
