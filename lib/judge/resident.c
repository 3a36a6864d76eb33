#include "judge/resident.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

uint64_t resident_bytes(int64_t process)
{
    char path[64], text[128] = "";
    unsigned long long pages = 0;
    snprintf(path, sizeof path, "/proc/%lld/statm", (long long) process);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return 0;
    if (read(file, text, sizeof text - 1) > 0)
        sscanf(text, "%*u %llu", &pages);
    close(file);
    return pages * (uint64_t) sysconf(_SC_PAGESIZE);
}

uint64_t resident_limit(void)
{
    return (uint64_t) sysconf(_SC_PHYS_PAGES) / 10 * 9 * (uint64_t) sysconf(_SC_PAGESIZE);
}
