#include "files/unpacked.h"
#include "files/gzip.h"
#include "files/zip.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 30 }; /* zlib counts bytes of a call with 32 bits */

struct unpacked {
    gzFile file;
    struct zip *zip; /* the file is in an archive; NULL: `file` is read */
    char *path;
    int why; /* errno of the last read that failed: zlib repeats an error without it */
};

/* ---- Opening ------------------------------------------------------------------------------------------------ */

/* The file is an archive: the pattern in it is read. */
static int enter_archive(struct unpacked *unpacked, struct engine_error *error)
{
    if (zip_open(&unpacked->zip, unpacked->path, error) != 0)
        return error->status;
    const size_t size = strlen(unpacked->path) + strlen(zip_name(unpacked->zip)) + 2;
    char *path = malloc(size);
    if (path == NULL)
        return error_memory(error, size, "a file's name");
    snprintf(path, size, "%s/%s", unpacked->path, zip_name(unpacked->zip));
    free(unpacked->path);
    unpacked->path = path;
    return 0;
}

static int begin(struct unpacked *unpacked, struct engine_error *error)
{
    char mark[4] = "";
    unpacked->file = gzip_open_input(unpacked->path);
    if (unpacked->file == NULL)
        return error_set(error, ENGINE_STATUS_INPUT, "%s: %s", unpacked->path, strerror(errno ? errno : ENOMEM));
    const int bytes = gzip_read(&unpacked->file, unpacked->path, mark, sizeof mark);
    unpacked->why = errno;
    if (bytes == sizeof mark && gzdirect(unpacked->file) && memcmp(mark, "PK\x03\x04", sizeof mark) == 0)
        return enter_archive(unpacked, error);
    if (gzip_trouble(unpacked->file) == NULL && gzrewind(unpacked->file) != 0)
        return error_set(error, ENGINE_STATUS_INPUT, "%s: cannot be read twice", unpacked->path);
    return 0;
}

int unpacked_open(struct unpacked **unpacked, const char *path, struct engine_error *error)
{
    *unpacked = NULL;
    struct unpacked *made = calloc(1, sizeof *made);
    if (made == NULL || (made->path = strdup(path)) == NULL) {
        free(made);
        return error_memory(error, sizeof *made, "reading a file");
    }
    if (begin(made, error) != 0) {
        unpacked_close(made);
        return error->status;
    }
    *unpacked = made;
    return 0;
}

void unpacked_close(struct unpacked *unpacked)
{
    if (unpacked == NULL)
        return;
    if (unpacked->file != NULL)
        gzclose(unpacked->file); /* unpacked_next has reported every error of reading */
    zip_close(unpacked->zip);
    free(unpacked->path);
    free(unpacked);
}

const char *unpacked_path(const struct unpacked *unpacked)
{
    return unpacked->path;
}

bool unpacked_is_gzip(const struct unpacked *unpacked)
{
    return !gzdirect(unpacked->file);
}

bool unpacked_is_zip(const struct unpacked *unpacked)
{
    return unpacked->zip != NULL;
}

/* ---- Reading ------------------------------------------------------------------------------------------------ */

/* Returns the number of bytes, and the reason if there are no more because of an error. */
static int read_piece(struct unpacked *unpacked, void *out, unsigned wanted, const char **trouble)
{
    if (unpacked->zip != NULL) {
        const int bytes = zip_read(unpacked->zip, out, wanted);
        *trouble = zip_trouble(unpacked->zip);
        return bytes;
    }
    const int bytes = gzip_read(&unpacked->file, unpacked->path, out, wanted);
    unpacked->why = errno != 0 ? errno : unpacked->why;
    errno = unpacked->why;
    *trouble = bytes < (int) wanted ? gzip_trouble(unpacked->file) : NULL;
    if (!gzip_is_bomb(unpacked->file))
        return bytes;
    *trouble = GZIP_REFUSAL;
    return 0;
}

uint64_t unpacked_next(struct unpacked *unpacked, void *out, uint64_t count, const char **trouble)
{
    uint64_t done = 0;
    *trouble = NULL;
    while (done < count && *trouble == NULL) {
        const unsigned wanted = count - done < PIECE ? (unsigned) (count - done) : (unsigned) PIECE;
        const int bytes = read_piece(unpacked, (char *) out + done, wanted, trouble);
        done += bytes > 0 ? (uint64_t) bytes : 0;
        if (bytes < (int) wanted)
            break;
    }
    return done;
}

/* Skips the first bytes of an archive's file. */
static bool skip(struct unpacked *unpacked, uint64_t bytes)
{
    char piece[1 << 14];
    const char *trouble = NULL;
    zip_rewind(unpacked->zip);
    while (bytes > 0 && trouble == NULL) {
        const uint64_t wanted = bytes < sizeof piece ? bytes : sizeof piece,
                       got = unpacked_next(unpacked, piece, wanted, &trouble);
        bytes -= got;
        if (got < wanted)
            break;
    }
    return bytes == 0;
}

bool unpacked_seek(struct unpacked *unpacked, uint64_t offset)
{
    return unpacked->zip != NULL ? skip(unpacked, offset)
                                 : gzseek(unpacked->file, (z_off_t) offset, SEEK_SET) == (z_off_t) offset;
}
