#include "base/machine.h"
#include <engine/engine.h>

#include <stdio.h>
#include <sys/utsname.h>
#include <time.h>

const char *machine_processor(char text[128])
{
    FILE *cpus = fopen("/proc/cpuinfo", "re");
    char line[256];
    struct utsname about; /* on Arm, the kernel does not name the processor */
    snprintf(text, 128, "%s processor", uname(&about) == 0 ? about.machine : "unknown");
    while (cpus && fgets(line, sizeof line, cpus) && sscanf(line, "model name : %127[^\n]", text) != 1)
        continue;
    if (cpus)
        fclose(cpus);
    return text;
}

const char *machine_date(char text[32])
{
    const time_t now = time(NULL);
    struct tm utc;
    if (!gmtime_r(&now, &utc) || strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0)
        snprintf(text, 32, "unknown");
    return text;
}

const char *machine_version(void)
{
#ifdef ENGINE_COMMIT
    return ENGINE_VERSION " (" ENGINE_COMMIT ")";
#else
    return ENGINE_VERSION;
#endif
}

double machine_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}
