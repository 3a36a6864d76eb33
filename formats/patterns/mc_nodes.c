/* The squares of a macrocell file that is written: each stands in it once. */
#include "formats/patterns/mc_writer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int mc_write_error(const struct mc_writer *writer)
{
    return ENGINE_FAIL_FILE(writer->file, "cannot be written: %s", strerror(errno != 0 ? errno : EIO));
}

static uint64_t slot_of(const struct mc_writer *writer, const uint64_t content[2], uint32_t level)
{
    uint64_t mixed = (content[0] ^ level) * UINT64_C(0x9E3779B97F4A7C15);
    mixed = (mixed ^ mixed >> 29 ^ content[1]) * UINT64_C(0xBF58476D1CE4E5B9);
    uint64_t slot = (mixed ^ mixed >> 32) & (writer->slots - 1);
    for (;; slot = (slot + 1) & (writer->slots - 1)) {
        const struct mc_known *known = &writer->known[slot];
        if (known->number == 0 ||
            (known->level == level && known->content[0] == content[0] && known->content[1] == content[1]))
            return slot;
    }
}

/* Keeps at least half of the slots free. */
static int make_room(struct mc_writer *writer)
{
    if (writer->slots > 2 * (uint64_t) writer->count)
        return 0;
    const struct mc_writer old = *writer;
    writer->slots = old.slots != 0 ? 2 * old.slots : 1024;
    writer->known = io_new(writer->file, writer->slots * sizeof *writer->known);
    if (writer->known == NULL)
        return ENGINE_NO_MEMORY;
    for (uint64_t i = 0; i < old.slots; i++)
        if (old.known[i].number != 0)
            writer->known[slot_of(writer, old.known[i].content, old.known[i].level)] = old.known[i];
    writer->file->release(writer->file, old.known);
    return 0;
}

/* Writes the 8 x 8 cells without the dead ones at the ends of rows, and without empty rows at the end. */
static int put_raster(FILE *file, uint64_t bits)
{
    char line[80];
    size_t length = 0;
    for (; bits != 0; bits >>= 8) {
        for (unsigned row = bits & 0xFF; row != 0; row >>= 1)
            line[length++] = (row & 1) != 0 ? '*' : '.';
        line[length++] = '$';
    }
    line[length++] = '\n';
    return fwrite(line, 1, length, file) == length ? 1 : -1;
}

/* Returns the number of the square with this content, which it writes if it is new; 0 after an error. */
static uint32_t number_of(struct mc_writer *writer, const uint64_t content[2], uint32_t level)
{
    if (make_room(writer) != 0)
        return 0;
    struct mc_known *known = &writer->known[slot_of(writer, content, level)];
    if (known->number != 0)
        return known->number;
    if (writer->count == UINT32_MAX - 1) {
        ENGINE_FAIL_FILE(writer->file, "the pattern has more than 2^32 different squares");
        return 0;
    }
    const int written =
        level == MC_LEAF_TWO && !writer->many
            ? put_raster(writer->stream, content[0])
            : fprintf(writer->stream, "%u %u %u %u %u\n", level, (uint32_t) content[0], (uint32_t) (content[0] >> 32),
                      (uint32_t) content[1], (uint32_t) (content[1] >> 32));
    if (written <= 0) {
        mc_write_error(writer);
        return 0;
    }
    *known = (struct mc_known){{content[0], content[1]}, level, ++writer->count};
    return known->number;
}

int mc_join(struct mc_writer *writer, uint32_t level, const uint64_t quarters[4], uint64_t *value)
{
    const unsigned half = 1u << (level - 1);
    uint64_t content[2] = {quarters[0] | quarters[1] << 32, quarters[2] | quarters[3] << 32};
    if (!writer->many && level <= MC_LEAF_TWO) {
        content[0] = quarters[0] | quarters[1] << half | quarters[2] << 8 * half | quarters[3] << 9 * half;
        content[1] = 0;
    }
    *value = content[0];
    if (!writer->many && level < MC_LEAF_TWO)
        return 0;
    *value = number_of(writer, content, level);
    return *value != 0 ? 0 : ENGINE_INVALID;
}
