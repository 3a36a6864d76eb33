/* Lets the program's clock go at a hundredth of its speed. */
#include "cheat.h"
#include "patch.h"

#include <sys/syscall.h>
#include <time.h>

static int slow_clock(clockid_t clock, struct timespec *out)
{
    const int status = (int) syscall(SYS_clock_gettime, clock, out);
    const int64_t now = ((int64_t) out->tv_sec * 1000000000 + out->tv_nsec) / 100;
    *out = (struct timespec){(time_t) (now / 1000000000), (long) (now % 1000000000)};
    return status;
}

__attribute__((constructor)) static void patch(void)
{
    patch_program("clock_gettime", (void (*)(void)) slow_clock);
}

CHEAT("clock", .advance = take_honestly);
