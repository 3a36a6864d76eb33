/* Measures how fast the positions of an XTC file are decoded on one thread, in processor time:
 * build/tests/bench/xtc FILE.xtc [REPEATS]. */
#include "files/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

extern const struct engine_file_format xtc_file_format;

/* Reads all frames, and returns the bytes of their positions; 0: an error was printed. */
static double read_all(const char *path)
{
    const struct io_format loaded = {.about = &xtc_file_format};
    struct io_document *document;
    struct engine_error error = {0};
    int status = file_open(&loaded, path, true, &document, &error);
    uint64_t elements = 0;
    double bytes = 0;
    if (status == 0) {
        shape_elements(&document->arrays[0].shape, &elements);
        float *positions = malloc(elements * sizeof *positions);
        for (uint64_t frame = 0; positions != NULL && status == 0 && frame < document->frames; frame++) {
            status = frame > 0 ? document->next(document, 1, &error) : 0;
            if (status == 0)
                status = document->read(document, 0, 0, elements, positions, &error);
            bytes += (double) (elements * sizeof *positions);
        }
        free(positions);
        document->close(document);
    }
    if (status != 0)
        fprintf(stderr, "%s\n", error.text);
    return status == 0 ? bytes : 0;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

int main(int count, char **words)
{
    const int repeats = count > 2 ? atoi(words[2]) : 5;
    double best = 0;
    if (count < 2) {
        fprintf(stderr, "usage: xtc FILE.xtc [REPEATS]\n");
        return 2;
    }
    for (int i = 0; i < repeats; i++) {
        const double begin = seconds(), bytes = read_all(words[1]), rate = bytes / (seconds() - begin);
        if (bytes == 0)
            return 1;
        best = rate > best ? rate : best;
    }
    printf("%.0f MB of coordinates a second on one thread\n", best / 1e6);
    return 0;
}
