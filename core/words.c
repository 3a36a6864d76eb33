#include "words.h"

#include <string.h>

uint32_t split_at(char separator, char *text, char **parts, uint32_t most)
{
    uint32_t count = 0;
    for (char *next = text; next; count++) {
        char *part = next + strspn(next, " ");
        next = strchr(part, separator);
        if (next)
            *next++ = '\0';
        for (char *end = part + strlen(part); end > part && end[-1] == ' ';)
            *--end = '\0';
        if (count == most || *part == '\0')
            return 0;
        parts[count] = part;
    }
    return count;
}
