#include "judge/conform/calls.h"
#include "base/machine.h"
#include "judge/conform/memory.h"
#include "judge/conform/process.h"

#include <omp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char service_name[] = "engine.conform";

struct calls {
    struct test *test;
    const struct engine_impl *planned; /* of the plugin */
    struct process_look before;        /* the first call */
    char reason[1024];                 /* the last one */
    bool watches_sources;
};

/* The host that a function of the plugin gets: a copy of the engine's. */
struct guarded_host {
    struct engine_host table;
    const struct engine_host *own;
    struct calls *calls;
    bool creates; /* create is running */
};

/* An instance as the engine sees it. The host stays where it is, as the interface promises. */
struct guarded_instance {
    struct guarded_host host;
    const struct engine_impl *impl;
    void *self;
};

/* ---- Before and after a call ----------------------------------------------------------------------------------- */

struct guarded_task {
    const struct test *test;
    void (*task)(void *argument, uint64_t index);
    void *argument;
};

static void call_task(void *argument, uint64_t index)
{
    const struct guarded_task *guarded = argument;
    const struct thread_look before = thread_look();
    guarded->task(guarded->argument, index);
    thread_check(guarded->test, &before, "a task of host->parallel");
}

static void guarded_parallel(const struct engine_host *table, uint64_t count,
                             void (*task)(void *argument, uint64_t index), void *argument)
{
    const struct guarded_host *host = (const struct guarded_host *) table;
    struct guarded_task guarded = {host->calls->test, task, argument};
    host->own->parallel(host->own, count, call_task, &guarded);
}

static int guarded_fail(const struct engine_host *table, int code, const char *file, int line, const char *format, ...)
{
    const struct guarded_host *host = (const struct guarded_host *) table;
    char reason[sizeof host->calls->reason];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&host->calls->test->lock);
    memcpy(host->calls->reason, reason, sizeof reason);
    pthread_mutex_unlock(&host->calls->test->lock);
    return host->own->fail(host->own, code, file, line, "%s", reason);
}

static void *guarded_scratch(const struct engine_host *table, uint64_t bytes, uint32_t memory)
{
    const struct guarded_host *host = (const struct guarded_host *) table;
    REQUIRE(
        host->calls->test, host->creates,
        "takes scratch after create, where it would take more with each call; expected host->scratch in create alone");
    return host->own->scratch(host->own, bytes, memory);
}

/* The engine's functions find their host by its member `context`, which the copy has too. */
static struct guarded_host guard_host(const struct engine_host *own)
{
    struct calls *calls = (struct calls *) (uintptr_t) own->service(own, service_name, 1);
    struct guarded_host host = {.table = *own, .own = own, .calls = calls};
    host.table.fail = guarded_fail;
    host.table.parallel = guarded_parallel;
    host.table.scratch = guarded_scratch;
    calls->reason[0] = '\0';
    return host;
}

/* A process that the plugin made by fork returns here too, and ends. */
static void check_process(const struct calls *calls, const struct process_look *before, const char *function)
{
    if (getpid() != calls->test->process)
        _exit(0);
    calls->test->told->returned = machine_clock();
    process_check(calls->test, before, function);
}

static void end(const struct calls *calls, const char *function)
{
    check_process(calls, &calls->before, function);
}

/* ---- Calls with buffers ---------------------------------------------------------------------------------------- */

#define PLACE(member) #member, offsetof(struct engine_call, member), sizeof(((struct engine_call *) NULL)->member)

/* What the plugin must not change in its call. */
static const struct {
    const char *name;
    size_t offset, bytes;
} call_members[] = {
    {PLACE(size)},  {PLACE(flags)},      {PLACE(host)},  {PLACE(plan)},    {PLACE(buffers)}, {PLACE(stream)},
    {PLACE(begin)}, {PLACE(first_step)}, {PLACE(steps)}, {PLACE(current)}, {PLACE(end)},
};

struct around_call {
    struct calls *calls;
    struct engine_call given, copy; /* to the plugin */
    struct engine_plan plan;
    struct engine_buffer buffers[TEST_FIELDS_MAX];
    struct thread_look thread; /* the thread of a part handles no signals */
};

static struct around_call begin_call(const struct guarded_host *host, const struct engine_call *call)
{
    struct around_call around = {.calls = host->calls, .given = *call, .plan = *call->plan, .thread = thread_look()};
    around.given.host = &host->table;
    around.copy = around.given;
    memcpy(around.buffers, call->buffers.at, call->buffers.count * sizeof *call->buffers.at);
    return around;
}

static void end_call(const struct around_call *around, const char *function)
{
    const struct test *test = around->calls->test;
    const struct engine_call *call = &around->given;
    struct process_look before = around->calls->before;
    before.thread = around->thread;
    check_process(around->calls, &before, function);
    for (size_t i = 0; i < sizeof call_members / sizeof call_members[0]; i++)
        REQUIRE(test,
                memcmp((const char *) call + call_members[i].offset,
                       (const char *) &around->copy + call_members[i].offset, call_members[i].bytes) == 0,
                "%s changes call->%s; it may change call->result alone", function, call_members[i].name);
    call = &around->copy;
    REQUIRE(test, memcmp((const char *) call->plan, (const char *) &around->plan, sizeof around->plan) == 0,
            "%s changes the plan, which belongs to the engine", function);
    REQUIRE(test, memcmp(call->buffers.at, around->buffers, call->buffers.count * sizeof *call->buffers.at) == 0,
            "%s changes a member of call->buffers, which belong to the engine", function);
}

/* ---- Sources --------------------------------------------------------------------------------------------------- */

/* Copies the bytes of all buffers that a call only reads. Skips the property where there are none. */
static uint8_t *copy_sources(const struct guarded_instance *instance, const struct engine_call *call, uint64_t *bytes)
{
    const struct test *test = instance->host.calls->test;
    uint8_t *copy = NULL;
    *bytes = 0;
    for (uint32_t i = 0; i < call->buffers.count; i++) {
        const uint32_t role = test->plugin->fields.at[i].role;
        const void *origin = call->buffers.at[i].origin[role == ENGINE_STATE ? call->current : 0];
        const bool read = role == ENGINE_INPUT ||
                          (role == ENGINE_STATE && !(instance->impl->flags & (ENGINE_OVERWRITES | ENGINE_IN_PLACE)));
        if (!read || !origin)
            continue;
        uint64_t more;
        const uint8_t *from = memory_around(test, origin, &more);
        copy = realloc(copy, *bytes + more);
        REQUIRE(test, copy, "no memory for a copy of what is read");
        memcpy(copy + *bytes, from, more);
        *bytes += more;
    }
    SKIP_UNLESS(test, copy, "declares that it may change its source");
    return copy;
}

static int advance_watched(const struct guarded_instance *instance, struct engine_call *call)
{
    uint64_t bytes;
    uint8_t *before = copy_sources(instance, call, &bytes);
    const struct engine_call given = *call;
    const int code = instance->impl->advance(instance->self, call);
    uint8_t *after = copy_sources(instance, &given, &bytes);
    REQUIRE(instance->host.calls->test, memcmp(before, after, bytes) == 0,
            "%llu steps changed the buffer that they start from, or an input, and ENGINE_OVERWRITES is not declared",
            (unsigned long long) given.steps);
    free(before), free(after);
    return code;
}

/* ---- The functions in the tables ------------------------------------------------------------------------------- */

static int check(const struct engine_host *host, const struct engine_plan *plan)
{
    const struct guarded_host guarded = guard_host(host);
    const int code = guarded.calls->test->plugin->check(&guarded.table, plan);
    end(guarded.calls, "check");
    return code;
}

static int shape(const struct engine_host *host, const struct engine_plan *plan, uint32_t field, uint64_t step,
                 struct engine_shape *result)
{
    const struct guarded_host guarded = guard_host(host);
    const int code = guarded.calls->test->plugin->shape(&guarded.table, plan, field, step, result);
    end(guarded.calls, "shape");
    return code;
}

static int work(const struct engine_host *host, const struct engine_plan *plan, struct engine_work *result)
{
    const struct guarded_host guarded = guard_host(host);
    const int code = guarded.calls->test->plugin->work(&guarded.table, plan, result);
    end(guarded.calls, "work");
    return code;
}

static int generate(const struct engine_host *host, const struct engine_plan *plan, uint32_t generator, uint32_t field,
                    uint64_t first, uint64_t count, void *out)
{
    const struct guarded_host guarded = guard_host(host);
    const int code = guarded.calls->test->plugin->generate(&guarded.table, plan, generator, field, first, count, out);
    end(guarded.calls, "generate");
    return code;
}

static int probe(const struct engine_host *host, const struct engine_plan *plan)
{
    const struct guarded_host guarded = guard_host(host);
    const int code = guarded.calls->planned->probe(&guarded.table, plan);
    end(guarded.calls, "probe");
    return code;
}

static int layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                  struct engine_layout *result)
{
    const struct guarded_host guarded = guard_host(host);
    const int code = guarded.calls->planned->layout(&guarded.table, plan, field, result);
    end(guarded.calls, "layout");
    return code;
}

static int cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *result)
{
    const struct guarded_host guarded = guard_host(host);
    const int code = guarded.calls->planned->cost(&guarded.table, plan, result);
    end(guarded.calls, "cost");
    return code;
}

static int create(const struct engine_call *call, void **self)
{
    struct guarded_instance *instance = malloc(sizeof *instance);
    const struct guarded_host host = guard_host(call->host);
    REQUIRE(host.calls->test, instance, "no memory for an instance");
    *instance = (struct guarded_instance){host, host.calls->planned, NULL};
    instance->host.creates = true;
    const struct around_call around = begin_call(&instance->host, call);
    const int code = instance->impl->create ? instance->impl->create(&around.given, &instance->self) : 0;
    end_call(&around, "create");
    instance->host.creates = false;
    if (code == 0)
        *self = instance;
    else
        free(instance);
    return code;
}

static int advance(void *self, struct engine_call *call)
{
    const struct guarded_instance *instance = self;
    struct around_call around = begin_call(&instance->host, call);
    const int code = instance->host.calls->watches_sources ? advance_watched(instance, &around.given)
                                                           : instance->impl->advance(instance->self, &around.given);
    end_call(&around, "advance");
    call->result = around.given.result;
    return code;
}

static int settle(void *self, const struct engine_call *call)
{
    const struct guarded_instance *instance = self;
    const struct around_call around = begin_call(&instance->host, call);
    const int code = instance->impl->settle(instance->self, &around.given);
    end_call(&around, "settle");
    return code;
}

static int measure(void *self, const struct engine_call *call, double *values)
{
    const struct guarded_instance *instance = self;
    const struct around_call around = begin_call(&instance->host, call);
    const int code = instance->impl->measure(instance->self, &around.given, values);
    end_call(&around, "measure");
    return code;
}

static void destroy(void *self)
{
    struct guarded_instance *instance = self;
    if (instance->impl->destroy)
        instance->impl->destroy(instance->self);
    end(instance->host.calls, "destroy");
    free(instance);
}

/* ---- The tables ------------------------------------------------------------------------------------------------ */

/* An instance is always made, because advance finds its functions there. */
static void guard_impl(struct engine_impl *impl)
{
    impl->probe = impl->probe ? probe : NULL;
    impl->layout = impl->layout ? layout : NULL;
    impl->cost = impl->cost ? cost : NULL;
    impl->measure = impl->measure ? measure : NULL;
    impl->advance = impl->advance ? advance : NULL;
    impl->settle = impl->settle ? settle : NULL;
    impl->create = create;
    impl->destroy = destroy;
}

void calls_add(struct test *test, struct engine_context *context)
{
    if (!test->plugin)
        return;
    struct engine_plugin about = *test->plugin;
    struct engine_error error;
    struct engine_impl *impls = calloc(about.impls.count, sizeof *impls);
    REQUIRE(test, impls, "no memory for the test");
    memcpy(impls, about.impls.at, about.impls.count * sizeof *impls);
    about.check = about.check ? check : NULL;
    about.shape = about.shape ? shape : NULL;
    about.work = about.work ? work : NULL;
    about.generate = about.generate ? generate : NULL;
    about.impls.at = impls;
    for (uint32_t i = 0; i < about.impls.count; i++)
        guard_impl(&impls[i]);
    REQUIRE(test, about.fields.count <= TEST_FIELDS_MAX, "has more than %d fields", TEST_FIELDS_MAX);
    REQUIRE(test, engine_plugin_add(context, &about, &error) == 0, "%s", error.text);
    free(impls);
}

void calls_guard(struct test *test)
{
    struct calls *calls = calloc(1, sizeof *calls);
    REQUIRE(test, calls, "no memory for the test");
    calls->test = test;
    calls->before = process_look(test, NULL);
    test->calls = calls;
    calls_add(test, test->context);
}

const void *calls_service(void *user, const char *name, uint32_t version)
{
    return strcmp(name, service_name) == 0 && version == 1 ? ((struct test *) user)->calls : NULL;
}

void calls_enter_thread(const struct test *test)
{
    uselocale(test->calls->before.thread.locale);
    omp_set_num_threads(test->calls->before.thread.openmp_threads);
}

void calls_plan_for(struct test *test, const struct engine_impl *impl)
{
    test->calls->planned = impl;
}

void calls_check(struct test *test, const char *who)
{
    end(test->calls, who);
}

bool calls_breach(struct test *test)
{
    const uint32_t before = test->breaches;
    test->breaches = engine_breaches(test->context);
    return test->breaches != before;
}

const char *calls_reason(const struct test *test)
{
    return test->calls->reason;
}

void calls_watch_sources(struct test *test)
{
    test->calls->watches_sources = true;
}

void calls_check_end(struct test *test)
{
    process_check_end(test, &test->calls->before);
}
