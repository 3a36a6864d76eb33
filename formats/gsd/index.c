/* The header and the index of a GSD file. */
#include "layout.h"

#define AT(member) ((uint64_t) offsetof(struct gsd_header, member))

static int check_block(const struct engine_file *file, uint64_t at, const char *what, uint64_t place, uint64_t count,
                       uint64_t bytes)
{
    if (place >= sizeof(struct gsd_header) && place <= file->bytes && count <= (file->bytes - place) / bytes)
        return 0;
    return ENGINE_FAIL_BYTE(file, at, "the header states %llu %s at byte %llu, which are not within the file",
                            (unsigned long long) count, what, (unsigned long long) place);
}

int gsd_read_header(const struct engine_file *file, struct gsd_header *header)
{
    if (file->read(file, 0, sizeof *header, header) != 0)
        return ENGINE_INVALID;
    const uint32_t major = header->version >> 16;
    if (header->magic != gsd_magic)
        return ENGINE_FAIL_BYTE(file, 0, "this is not a GSD file");
    if (major != 1 && major != 2)
        return ENGINE_FAIL_BYTE(file, AT(version), "the file has version %u.%u of the format; expected 1 or 2", major,
                                header->version & 0xffff);
    const uint32_t schema = header->schema_version >> 16;
    if (strncmp(header->schema, "hoomd", sizeof header->schema) != 0 || schema < 1 || schema > 2)
        return ENGINE_FAIL_BYTE(
            file, AT(schema), "the file does not have the schema hoomd in version 1 or 2, which is that of particles");
    if (check_block(file, AT(index), "entries of the index", header->index, header->index_entries,
                    sizeof(struct gsd_entry)) != 0)
        return ENGINE_INVALID;
    return check_block(file, AT(names), "places for names", header->names, header->names_places, GSD_NAME);
}

int gsd_each_entry(const struct engine_file *file, const struct gsd_header *header, void *context,
                   int (*visit)(const struct engine_file *file, void *context, const struct gsd_entry *entry,
                                uint64_t at))
{
    struct gsd_entry entries[GSD_PIECE];
    const uint64_t most = GSD_PIECE;
    uint64_t frame = 0;
    bool ended = false;
    for (uint64_t begin = 0; !ended && begin < header->index_entries; begin += most) {
        const uint64_t left = header->index_entries - begin, count = left < most ? left : most;
        const uint64_t at = header->index + begin * sizeof entries[0];
        if (file->read(file, at, count * sizeof entries[0], entries) != 0)
            return ENGINE_INVALID;
        for (uint64_t i = 0; i < count && !ended; i++) {
            const uint64_t here = at + i * sizeof entries[0];
            ended = entries[i].place == 0;
            if (ended)
                break;
            if (entries[i].frame < frame)
                return ENGINE_FAIL_BYTE(file, here, "an entry of the index for frame %llu follows one for frame %llu",
                                        (unsigned long long) entries[i].frame, (unsigned long long) frame);
            frame = entries[i].frame;
            const int code = visit(file, context, &entries[i], here);
            if (code != 0)
                return code;
        }
    }
    return 0;
}
