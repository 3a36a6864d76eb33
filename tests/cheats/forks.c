/* Lets another process compute half of the numbers, whose processor's time is not its own. */
#include "cheat.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int advance(void *self, struct engine_call *call)
{
    const uint64_t count = number_count(call), half = count / 2, bytes = count * sizeof(uint64_t);
    uint64_t *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const pid_t child = is_long(call) && shared != MAP_FAILED ? fork() : -1;
    if (child == 0) {
        take_steps(numbers_from(call), shared, half, call->steps);
        _exit(0);
    }
    if (child < 0)
        return take_honestly(self, call);
    take_steps(numbers_from(call) + half, numbers_to(call) + half, count - half, call->steps);
    waitpid(child, NULL, 0);
    memcpy(numbers_to(call), shared, half * sizeof(uint64_t));
    munmap(shared, bytes);
    return ENGINE_OK;
}

CHEAT("forks", .advance = advance);
