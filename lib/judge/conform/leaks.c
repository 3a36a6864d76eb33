/* Nothing is left behind: memory, mappings, descriptors and threads do not grow from one instance to the next. */
#include "judge/conform/calls.h"
#include "judge/conform/cells.h"
#include "judge/conform/properties.h"

#include <dirent.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>

enum {
    WARM_UP = 8, /* cycles after which libraries hold what they keep */
    CYCLES = 8,  /* in each of the intervals that are compared */
    LOOKS = 4
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

struct lives {
    struct test *test;
    struct setup setup;
    int count;
};

static void *live_in_turn(void *argument)
{
    const struct lives *lives = argument;
    calls_enter_thread(lives->test);
    for (int i = 0; i < lives->count; i++)
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
static void check_growth(const struct test *test, const uint64_t numbers[LOOKS], const char *what)
{
    for (int i = 1; i < LOOKS; i++)
        if (numbers[i] <= numbers[i - 1])
            return;
    test_fails(test, "%llu %s stay behind after %d instances that were created and destroyed, expected none",
               (unsigned long long) (numbers[LOOKS - 1] - numbers[0]), what, (LOOKS - 1) * CYCLES);
}

void instances_leave_nothing(struct test *test)
{
    struct setup setup = fixture_middle(test);
    const bool on_host = test->impl->memory == ENGINE_HOST_MEMORY;
    uint64_t heap[LOOKS], mapped[LOOKS], descriptors[LOOKS], threads[LOOKS];
    setup.threads = 1;
    for (int look = 0; look < LOOKS; look++) {
        live((struct lives){test, setup, look == 0 ? WARM_UP : CYCLES});
        const struct held held = held_now(test);
        heap[look] = held.heap, mapped[look] = held.mapped;
        descriptors[look] = held.descriptors, threads[look] = held.threads;
    }
    check_growth(test, descriptors, "file descriptors");
    check_growth(test, threads, "threads");
    if (!on_host) /* the driver of a device keeps memory of its own */
        return;
    check_growth(test, heap, "bytes of the heap");
    check_growth(test, mapped, "bytes of mapped memory");
}
