/* Targets for the formats of formats/, which are linked with the program. */
#include "fuzz.h"

#include "files/file.h"

extern const struct engine_file_format xtc_file_format, gro_file_format, trr_file_format, pdb_file_format,
    gsd_file_format, nc_file_format, g96_file_format, lammpsdata_file_format;

static const struct io_format formats[] = {{.about = &xtc_file_format}, {.about = &gro_file_format},
                                           {.about = &trr_file_format}, {.about = &pdb_file_format},
                                           {.about = &gsd_file_format}, {.about = &nc_file_format},
                                           {.about = &g96_file_format}, {.about = &lammpsdata_file_format}};
static const struct io_format *used;

static int open_last(const char *path, struct io_document **document, struct engine_error *error)
{
    return file_open(used, path, false, document, error);
}

static int open_frames(const char *path, struct io_document **document, struct engine_error *error)
{
    return file_open(used, path, true, document, error);
}

static int open_unfinished(const char *path, struct io_document **document, struct engine_error *error)
{
    const struct file_opening how = {.frames = true, .unfinished = true};
    return file_open_as(used, path, &how, document, error);
}

bool fuzz_library(const struct fuzz_target *target, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(formats[i].about->name, target->name) == 0)
            used = &formats[i];
    const char *path = fuzz_file(bytes, size);
    file_probe(used, path, bytes, size, size);
    const bool taken = fuzz_open(open_last, path);
    fuzz_open(open_unfinished, path);
    return fuzz_open(open_frames, path) && taken;
}
