/* Takes the steps when somebody looks at the result: reading its pages raises a signal, whose handler computes. That is
 * the lazy output of gpu-mode's reference kernels, issue 162. */
#include "cheat.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

static struct {
    const uint64_t *from;
    uint64_t *to, count, steps;
} owed;
static char *pages;
static size_t bytes;

static void compute(int number, siginfo_t *info, void *unused)
{
    (void) unused;
    const char *address = info->si_addr;
    if (!pages || address < pages || address >= pages + bytes) {
        signal(number, SIG_DFL);
        return;
    }
    mprotect(pages, bytes, PROT_READ | PROT_WRITE);
    pages = NULL;
    take_steps(owed.from, owed.to, owed.count, owed.steps);
}

static int advance(void *self, struct engine_call *call)
{
    const size_t page = (size_t) sysconf(_SC_PAGESIZE);
    struct sigaction action = {.sa_sigaction = compute, .sa_flags = SA_SIGINFO};
    uint64_t *const to = numbers_to(call);
    if (!is_long(call) || (uintptr_t) to % page != 0 || pages)
        return take_honestly(self, call);
    owed.from = numbers_from(call);
    owed.to = to;
    owed.count = number_count(call);
    owed.steps = call->steps;
    sigaction(SIGSEGV, &action, NULL);
    bytes = (owed.count * sizeof(uint64_t) + page - 1) / page * page;
    pages = (char *) to;
    mprotect(pages, bytes, PROT_NONE);
    return ENGINE_OK;
}

CHEAT("pages", .advance = advance);
