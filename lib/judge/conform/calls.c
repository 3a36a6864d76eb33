#include "judge/conform/calls.h"
#include "judge/conform/memory.h"
#include "judge/conform/process.h"
#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct calls {
    struct test *test;
    struct engine_plugin about; /* the plugin's own functions */
    struct engine_impl *impls;
    const struct engine_impl *planned; /* of them */
    struct process_look before;        /* the first call */
    void (*parallel)(const struct engine_host *host, uint64_t count, void (*task)(void *argument, uint64_t index),
                     void *argument);
};

/* An instance as the engine sees it. */
struct guarded_instance {
    struct calls *calls;
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

static struct calls *calls_of(const struct engine_host *table)
{
    const struct host *host = table->context;
    return memory_test(host->context)->calls;
}

static void guarded_parallel(const struct engine_host *table, uint64_t count,
                             void (*task)(void *argument, uint64_t index), void *argument)
{
    const struct calls *calls = calls_of(table);
    struct guarded_task guarded = {calls->test, task, argument};
    calls->parallel(table, count, call_task, &guarded);
}

/* Begins a call that gets a host. Its tasks are guarded from here on. */
static struct calls *begin(const struct engine_host *table)
{
    struct host *host = table->context;
    host->table.parallel = guarded_parallel;
    return calls_of(table);
}

/* A process that the plugin made by fork returns here too, and ends. */
static void check_process(const struct calls *calls, const struct process_look *before, const char *function)
{
    if (getpid() != calls->test->process)
        _exit(0);
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
    const struct engine_call *call;
    struct engine_call copy;
    struct engine_plan plan;
    struct engine_buffer buffers[PLAN_FIELDS_MAX];
    struct thread_look thread; /* the thread of a part handles no signals */
};

static struct around_call begin_call(const struct engine_call *call)
{
    struct around_call around = {
        .calls = begin(call->host), .call = call, .copy = *call, .plan = *call->plan, .thread = thread_look()};
    memcpy(around.buffers, call->buffers.at, call->buffers.count * sizeof *call->buffers.at);
    return around;
}

static void end_call(struct around_call *around, const char *function)
{
    const struct test *test = around->calls->test;
    const struct engine_call *call = around->call;
    struct process_look before = around->calls->before;
    before.thread = around->thread;
    check_process(around->calls, &before, function);
    for (size_t i = 0; i < sizeof call_members / sizeof call_members[0]; i++)
        REQUIRE(test,
                memcmp((const char *) call + call_members[i].offset,
                       (const char *) &around->copy + call_members[i].offset, call_members[i].bytes) == 0,
                "%s changes call->%s; it may change call->result alone", function, call_members[i].name);
    REQUIRE(test, memcmp((const char *) call->plan, (const char *) &around->plan, sizeof around->plan) == 0,
            "%s changes the plan, which belongs to the engine", function);
    REQUIRE(test, memcmp(call->buffers.at, around->buffers, call->buffers.count * sizeof *call->buffers.at) == 0,
            "%s changes a member of call->buffers, which belong to the engine", function);
}

/* The functions of the implementation that a plan has chosen. */
static const struct engine_impl *chosen(const struct calls *calls, const struct engine_plan *for_plugin)
{
    const struct plan *plan =
        (const struct plan *) (const void *) ((const char *) for_plugin - offsetof(struct plan, for_plugin));
    return &calls->impls[plan->impl - calls->test->plugin->about.impls.at];
}

/* ---- The functions in the tables ------------------------------------------------------------------------------- */

static int check(const struct engine_host *host, const struct engine_plan *plan)
{
    struct calls *calls = begin(host);
    const int code = calls->about.check(host, plan);
    end(calls, "check");
    return code;
}

static int shape(const struct engine_host *host, const struct engine_plan *plan, uint32_t field, uint64_t step,
                 struct engine_shape *result)
{
    struct calls *calls = begin(host);
    const int code = calls->about.shape(host, plan, field, step, result);
    end(calls, "shape");
    return code;
}

static int work(const struct engine_host *host, const struct engine_plan *plan, struct engine_work *result)
{
    struct calls *calls = begin(host);
    const int code = calls->about.work(host, plan, result);
    end(calls, "work");
    return code;
}

static int generate(const struct engine_host *host, const struct engine_plan *plan, uint32_t generator, uint32_t field,
                    uint64_t first, uint64_t count, void *out)
{
    struct calls *calls = begin(host);
    const int code = calls->about.generate(host, plan, generator, field, first, count, out);
    end(calls, "generate");
    return code;
}

static int probe(const struct engine_host *host, const struct engine_plan *plan)
{
    struct calls *calls = begin(host);
    const int code = calls->planned->probe(host, plan);
    end(calls, "probe");
    return code;
}

static int layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                  struct engine_layout *result)
{
    struct calls *calls = begin(host);
    const int code = calls->planned->layout(host, plan, field, result);
    end(calls, "layout");
    return code;
}

static int cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *result)
{
    struct calls *calls = begin(host);
    const int code = calls->planned->cost(host, plan, result);
    end(calls, "cost");
    return code;
}

static int create(const struct engine_call *call, void **self)
{
    struct calls *calls = calls_of(call->host);
    struct guarded_instance *instance = malloc(sizeof *instance);
    REQUIRE(calls->test, instance, "no memory for an instance");
    *instance = (struct guarded_instance){calls, chosen(calls, call->plan), NULL};
    struct around_call around = begin_call(call);
    const int code = instance->impl->create ? instance->impl->create(call, &instance->self) : 0;
    end_call(&around, "create");
    if (code == 0)
        *self = instance;
    else
        free(instance);
    return code;
}

static int advance(void *self, struct engine_call *call)
{
    const struct guarded_instance *instance = self;
    struct around_call around = begin_call(call);
    const int code = instance->impl->advance(instance->self, call);
    end_call(&around, "advance");
    return code;
}

static int settle(void *self, const struct engine_call *call)
{
    const struct guarded_instance *instance = self;
    struct around_call around = begin_call(call);
    const int code = instance->impl->settle(instance->self, call);
    end_call(&around, "settle");
    return code;
}

static int measure(void *self, const struct engine_call *call, double *values)
{
    const struct guarded_instance *instance = self;
    struct around_call around = begin_call(call);
    const int code = instance->impl->measure(instance->self, call, values);
    end_call(&around, "measure");
    return code;
}

static void destroy(void *self)
{
    struct guarded_instance *instance = self;
    if (instance->impl->destroy)
        instance->impl->destroy(instance->self);
    end(instance->calls, "destroy");
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

void calls_guard(struct test *test)
{
    struct calls *calls = calloc(1, sizeof *calls);
    REQUIRE(test, calls, "no memory for the test");
    calls->test = test;
    calls->before = process_look(test, NULL);
    test->calls = calls;
    test->context->running = &test->running;
    if (!test->plugin)
        return;
    struct engine_plugin *about = (struct engine_plugin *) (uintptr_t) &test->plugin->about; /* the engine's copy */
    struct engine_impl *impls = (struct engine_impl *) (uintptr_t) about->impls.at;
    struct host host;
    host_init(&host, test->context, test->name, 1, NULL);
    calls->parallel = host.table.parallel;
    host_release(&host);
    calls->about = *about;
    calls->impls = calloc(about->impls.count, sizeof *impls);
    REQUIRE(test, calls->impls, "no memory for the test");
    memcpy(calls->impls, impls, about->impls.count * sizeof *impls);
    about->check = about->check ? check : NULL;
    about->shape = about->shape ? shape : NULL;
    about->work = about->work ? work : NULL;
    about->generate = about->generate ? generate : NULL;
    for (uint32_t i = 0; i < about->impls.count; i++)
        guard_impl(&impls[i]);
}

void calls_enter_thread(const struct test *test)
{
    uselocale(test->calls->before.thread.locale);
}

void calls_plan_for(struct test *test, const struct engine_impl *impl)
{
    test->calls->planned = &test->calls->impls[impl - test->plugin->about.impls.at];
}

void calls_check(struct test *test, const char *who)
{
    end(test->calls, who);
}

bool calls_breach(struct test *test)
{
    return atomic_exchange(&test->running.breaches, 0) > 0;
}

void calls_check_end(struct test *test)
{
    process_check_end(test, &test->calls->before);
}
