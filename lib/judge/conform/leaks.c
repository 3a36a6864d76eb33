/* Nothing is left behind: memory, mappings, descriptors and threads do not grow from one instance to the next. This also
 * holds for instances that could not be made, because there was no memory. */
#include "judge/conform/calls.h"
#include "judge/conform/cells.h"
#include "judge/conform/memory.h"
#include "judge/conform/properties.h"

#include <dirent.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>

enum {
    WARM_UP = 8, /* cycles after which libraries hold what they keep */
    CYCLES = 8,  /* in each of the intervals that are compared */
    LOOKS = 4,
    FAILURES_MAX = 64 /* allocations that fail, one at a time */
};

/* What one process holds. */
struct held {
    uint64_t heap, mapped; /* bytes */
    uint64_t descriptors, threads;
};

static uint64_t count_entries(const struct test *test, const char *path)
{
    uint64_t count = 0;
    DIR *folder = opendir(path);
    REQUIRE(test, folder, "%s cannot be read", path);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

/* With a sanitizer, freed memory stays mapped for a while, and the sanitizer itself reports what is never freed. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
static void find_memory(const struct test *test, struct held *held)
{
    (void) test, (void) held;
}
#else
static void find_memory(const struct test *test, struct held *held)
{
    unsigned long long kib = 0;
    char line[128];
    FILE *status = fopen("/proc/self/status", "r");
    REQUIRE(test, status, "/proc/self/status cannot be read");
    while (fgets(line, sizeof line, status) && sscanf(line, "VmSize: %llu", &kib) != 1)
        ;
    fclose(status);
    const struct mallinfo2 heap = mallinfo2();
    held->mapped = kib * 1024;
    held->heap = heap.uordblks + heap.hblkhd;
}
#endif

static struct held held_now(const struct test *test)
{
    struct held held = {.descriptors = count_entries(test, "/proc/self/fd"),
                        .threads = count_entries(test, "/proc/self/task")};
    find_memory(test, &held);
    return held;
}

/* With setup.threads = 1, every instance allocates and frees the same. */
static void live_once(struct test *test, struct setup setup)
{
    double values[METRICS_MAX];
    struct fixture *fixture = cells_run(test, test->impl, setup, 61);
    fixture_advance(fixture, 1);
    fixture_measure(fixture, values);
    fixture_close(fixture);
}

/* An instance that is not made, because its nth allocation fails. */
static void fail_once(struct test *test, struct setup setup, uint64_t nth)
{
    struct fixture *fixture = fixture_open(test, test->impl, setup);
    struct engine_error error;
    REQUIRE(test, fixture, "size %s is refused when it is asked again: %s", SIZE_TEXT(test, &setup), test->refusal);
    memory_fail(test, nth);
    calls_plan_for(test, fixture->impl);
    engine_run_start(fixture->run, &error);
    memory_fail(test, 0);
    fixture_close(fixture);
}

struct lives {
    struct test *test;
    struct setup setup;
    int count;
    uint64_t apart; /* the first one fails for want of its first allocation, the second for that of one this far behind,
                       and so on; 0: none fails */
};

static void *live_in_turn(void *argument)
{
    const struct lives *lives = argument;
    calls_enter_thread(lives->test);
    for (int i = 0; i < lives->count; i++)
        if (lives->apart)
            fail_once(lives->test, lives->setup, 1 + (uint64_t) i * lives->apart);
        else
            live_once(lives->test, lives->setup);
    return NULL;
}

/* On the host in a thread of their own: the allocator then gives up what it keeps for the thread, which would grow the
 * heap a little. A device belongs to the thread that opened it. */
static void live(struct lives lives)
{
    pthread_t thread;
    if (lives.test->impl->memory != ENGINE_HOST_MEMORY) {
        live_in_turn(&lives);
        return;
    }
    REQUIRE(lives.test, pthread_create(&thread, NULL, live_in_turn, &lives) == 0, "no thread can be started");
    pthread_join(thread, NULL);
}

/* Fails the property if a number grew in every interval. */
static void check_growth(const struct test *test, const uint64_t numbers[LOOKS], const char *what, int instances,
                         const char *end)
{
    for (int i = 1; i < LOOKS; i++)
        if (numbers[i] <= numbers[i - 1])
            return;
    test_fails(test, "%llu %s stay behind after %d instances that %s, expected none",
               (unsigned long long) (numbers[LOOKS - 1] - numbers[0]), what, (LOOKS - 1) * instances, end);
}

void instances_leave_nothing(struct test *test)
{
    struct setup setup = fixture_middle(test);
    const bool on_host = test->impl->memory == ENGINE_HOST_MEMORY;
    static const char destroyed[] = "were created and destroyed";
    uint64_t heap[LOOKS], mapped[LOOKS], descriptors[LOOKS], threads[LOOKS];
    setup.threads = 1;
    for (int look = 0; look < LOOKS; look++) {
        live((struct lives){test, setup, look == 0 ? WARM_UP : CYCLES, 0});
        const struct held held = held_now(test);
        heap[look] = held.heap, mapped[look] = held.mapped;
        descriptors[look] = held.descriptors, threads[look] = held.threads;
    }
    check_growth(test, descriptors, "file descriptors", CYCLES, destroyed);
    check_growth(test, threads, "threads", CYCLES, destroyed);
    if (!on_host) /* the driver of a device keeps memory of its own */
        return;
    check_growth(test, heap, "bytes of the heap", CYCLES, destroyed);
    check_growth(test, mapped, "bytes of mapped memory", CYCLES, destroyed);
}

/* ---- A lack of memory --------------------------------------------------------------------------------------- */

/* Creates an instance whose nth allocation fails; 0: none does. Returns the number of its allocations. */
static uint64_t create_without(struct test *test, struct setup setup, uint64_t nth)
{
    struct fixture *fixture = fixture_open(test, test->impl, setup);
    struct engine_error error = {0};
    struct cells cells = cells_start(fixture, 2);
    cells_write(fixture, &cells);
    memory_fail(test, nth);
    calls_breach(test);
    calls_plan_for(test, fixture->impl);
    const int status = engine_run_start(fixture->run, &error);
    const uint64_t allocations = memory_allocations(test);
    memory_fail(test, 0);
    REQUIRE(test, status == 0 || (status == ENGINE_STATUS_DEVICE && error.text[0] && !calls_breach(test)),
            "without its allocation %llu create fails with status %d: %s", (unsigned long long) nth, status,
            error.text);
    if (status == 0)
        fixture_advance(fixture, 2);
    fixture_close(fixture);
    cells_free(&cells);
    memory_check_released(test);
    return allocations;
}

/* A create that fails leaves nothing behind. */
static void check_failures(struct test *test, struct setup setup, int failures, uint64_t apart)
{
    uint64_t heap[LOOKS];
    setup.threads = 1;
    for (int look = 0; look < LOOKS; look++) {
        live((struct lives){test, setup, failures, apart});
        heap[look] = held_now(test).heap;
    }
    check_growth(test, heap, "bytes of the heap", failures, "failed for want of memory");
}

/* Lets each allocation of create fail once, or some of very many. */
void create_survives_a_lack_of_memory(struct test *test)
{
    const struct setup setup = fixture_middle(test);
    const uint64_t count = create_without(test, setup, 0), apart = (count + FAILURES_MAX - 1) / FAILURES_MAX;
    SKIP_UNLESS(test, count, "create allocates nothing through the engine");
    for (uint64_t nth = 1; nth <= count; nth += apart)
        create_without(test, setup, nth);
    if (test->impl->memory == ENGINE_HOST_MEMORY)
        check_failures(test, setup, (int) ((count + apart - 1) / apart), apart);
}
