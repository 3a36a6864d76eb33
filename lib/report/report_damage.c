/* PNG files, and the films that are PNG files too, consist of chunks, each with a checksum
 * (https://www.w3.org/TR/png-3, section 5). */
#include "report/report_damage.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>

enum { SIGNATURE = 8, HEAD = 8, CHECKSUM = 4 };

static const char cut[] = "is empty or cut short";

static uint32_t word_at(const char *bytes)
{
    const unsigned char *at = (const unsigned char *) bytes;
    return (uint32_t) at[0] << 24 | (uint32_t) at[1] << 16 | (uint32_t) at[2] << 8 | at[3];
}

static const char *damage_of_png(const char *bytes, size_t count)
{
    bool ended = false;
    if (count < SIGNATURE)
        return cut;
    if (memcmp(bytes, "\x89PNG\r\n\x1a\n", SIGNATURE) != 0)
        return "is no PNG file";
    for (size_t at = SIGNATURE; !ended;) {
        if (count - at < HEAD + CHECKSUM || count - at - HEAD - CHECKSUM < word_at(bytes + at))
            return cut;
        const size_t length = word_at(bytes + at);
        const uLong sum = crc32_z(0, (const Bytef *) bytes + at + 4, length + 4);
        if (sum != word_at(bytes + at + HEAD + length))
            return "is damaged: the checksum of a chunk is wrong";
        ended = memcmp(bytes + at + 4, "IEND", 4) == 0;
        at += HEAD + length + CHECKSUM;
    }
    return NULL;
}

const char *report_damage(const char *type, const char *bytes, size_t count)
{
    if (strcmp(type, "png") == 0)
        return damage_of_png(bytes, count);
    return strstr(bytes, "</svg>") ? NULL : cut;
}
