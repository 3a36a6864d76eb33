/* A correct plugin, until the variable UNRULY says what it does in which of its functions: "exit advance" ends the
 * program with status 0 there, as if all were well. */
#define NAME "unruly"
#include "base.h"

#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *end_in_thread(void *status)
{
    exit(*(int *) status);
}

/* The thread ends the program while the main thread waits for it in a function of the plugin. */
static void end_by_thread(void)
{
    pthread_t thread;
    int status = 3;
    if (pthread_create(&thread, NULL, end_in_thread, &status) == 0)
        pthread_join(thread, NULL);
}

/* The child process may end as it likes. */
static void end_child(void)
{
    const pid_t child = fork();
    if (child == 0)
        exit(0);
    waitpid(child, NULL, 0);
}

/* The locale is kept, because the leak checker of the sanitizers would report one that is lost. */
static void change_thread_locale(void)
{
    static locale_t comma;
    if (comma == (locale_t) 0)
        comma = newlocale(LC_ALL_MASK, "comma", (locale_t) 0);
    uselocale(comma);
}

static void misbehave(const char *what)
{
    if (strcmp(what, "exit") == 0)
        exit(0);
    else if (strcmp(what, "quit-thread") == 0)
        pthread_exit(NULL);
    else if (strcmp(what, "thread") == 0)
        end_by_thread();
    else if (strcmp(what, "child") == 0)
        end_child();
    else if (strcmp(what, "locale") == 0)
        setlocale(LC_ALL, "comma");
    else if (strcmp(what, "thread-locale") == 0)
        change_thread_locale();
    else if (strcmp(what, "rounding") == 0)
        fesetround(FE_UPWARD);
}

static void called(const char *function)
{
    const char *unruly = getenv("UNRULY"), *blank = unruly ? strchr(unruly, ' ') : NULL;
    char what[32] = "";
    if (!blank || strcmp(blank + 1, function) != 0 || (size_t) (blank - unruly) >= sizeof what)
        return;
    memcpy(what, unruly, (size_t) (blank - unruly));
    misbehave(what);
}

static void __attribute__((constructor)) loaded(void)
{
    called("constructor");
}

static int check_width(const struct engine_host *host, const struct engine_value *value)
{
    (void) host, (void) value;
    called("check");
    return ENGINE_OK;
}

static int shape(const struct engine_host *host, const struct engine_plan *plan, uint32_t field, uint64_t step,
                 struct engine_shape *out)
{
    (void) host, (void) plan, (void) field, (void) step, (void) out;
    called("shape");
    return ENGINE_OK;
}

static int work(const struct engine_host *host, const struct engine_plan *plan, struct engine_work *out)
{
    (void) host, (void) plan, (void) out;
    called("work");
    return ENGINE_OK;
}

static int generate(const struct engine_host *host, const struct engine_plan *plan, uint32_t generator, uint32_t field,
                    uint64_t begin, uint64_t count, void *out)
{
    (void) host, (void) plan, (void) generator, (void) field;
    called("generate");
    for (uint64_t i = 0; i < count; i++)
        ((uint8_t *) out)[i] = (begin + i) % 3 == 0;
    return ENGINE_OK;
}

static int probe(const struct engine_host *host, const struct engine_plan *plan)
{
    (void) host, (void) plan;
    called("probe");
    return ENGINE_OK;
}

static int layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                  struct engine_layout *out)
{
    (void) host, (void) plan, (void) field, (void) out;
    called("layout");
    return ENGINE_OK;
}

static int cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *out)
{
    (void) host, (void) plan;
    called("cost");
    out->bytes = 2;
    return ENGINE_OK;
}

static int create(const struct engine_call *call, void **self)
{
    (void) call, (void) self;
    called("create");
    return ENGINE_OK;
}

static int advance(void *self, struct engine_call *call)
{
    called("advance");
    call->host->message(call->host, ENGINE_LOG_DEBUG, "step %llu", (unsigned long long) call->first_step);
    return base_advance(self, call);
}

/* The 17 digits of 0.2 are 0.20000000000000001; rounded upward, they are 0.20000000000000002. */
static int measure(void *self, const struct engine_call *call, double *values)
{
    (void) self, (void) call;
    called("measure");
    values[0] = 0.2;
    return ENGINE_OK;
}

static void destroy(void *self)
{
    (void) self;
    called("destroy");
}

BASE_FIELDS

static const struct engine_param params[] = {
    {.name = "width",
     .help = "is checked",
     .type = ENGINE_PARAM_INTEGER,
     .initial = "4",
     .min = 1,
     .max = 9,
     .check = check_width},
};

static const struct engine_metric metrics[] = {{.name = "level", .help = "a number with a fraction"}};

static const struct engine_generator generators[] = {{.name = "thirds", .help = "every third cell is 1"}};

static const struct engine_impl impls[] = {
    {.name = "cpu",
     .help = "one loop",
     .flags = ENGINE_EXACT | ENGINE_REFERENCE,
     .probe = probe,
     .layout = layout,
     .create = create,
     .advance = advance,
     .measure = measure,
     .destroy = destroy,
     .cost = cost},
};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    .abi = ENGINE_ABI(0),
    .name = NAME,
    .version = "1.0",
    .summary = "left XOR above",
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(base_fields),
    .metrics = ENGINE_ARRAY(metrics),
    .generators = ENGINE_ARRAY(generators),
    .impls = ENGINE_ARRAY(impls),
    .shape = shape,
    .work = work,
    .generate = generate,
};
