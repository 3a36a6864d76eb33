#include "watch.h"
#include "message.h"
#include "watch_text.h"
#include "watch_writer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const double SHARE = 0.01;           /* of the time of the steps, for frames */
static const double FRAMES_PER_SECOND = 20; /* at most */

struct watch {
    struct engine_run *run;
    struct engine_picture picture;
    struct writer *writer;
    struct winsize size; /* of the terminal when the last frame was drawn */
    uint32_t lines;      /* of that frame, above the line of the cursor; 0: no frame has been drawn */
    double due;          /* when the next frame is due, in seconds of stepping */
    struct engine_progress progress;
    bool failed;               /* a frame could not be drawn; no more frames are drawn */
    struct engine_error error; /* the reason of the failure */
};

int watch_check(struct engine_error *error)
{
    const char *term = getenv("TERM");
    if (!isatty(STDERR_FILENO))
        return fail(error, ENGINE_STATUS_USAGE,
                    "--watch: stderr is not a terminal; leave --watch out, or write pictures into files with [output] "
                    "formats = png and every = N");
    if (term == NULL || *term == '\0' || strcmp(term, "dumb") == 0)
        return fail(error, ENGINE_STATUS_USAGE,
                    "--watch: TERM is '%s', a terminal that cannot move its cursor; leave --watch out, or set TERM to "
                    "the type of your terminal, such as xterm-256color",
                    term != NULL ? term : "");
    return 0;
}

static struct winsize terminal_size(void)
{
    struct winsize size = {0};
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0)
        size = (struct winsize){.ws_col = 80, .ws_row = 24};
    return size;
}

/* Begins a frame: moves the cursor back to the start of the last frame, or clears the screen if the terminal was
 * resized, because resizing moves lines. In terminals that know mode 2026, a whole frame appears at once. */
static void begin_frame(FILE *text, struct watch *watch, const struct winsize *size)
{
    fputs("\033[?2026h", text);
    if (watch->lines > 0 && (size->ws_col != watch->size.ws_col || size->ws_row != watch->size.ws_row))
        fputs("\033[H\033[2J", text);
    else if (watch->lines > 0)
        fprintf(text, "\r\033[%uA", watch->lines);
    watch->size = *size;
}

static char *frame_of(struct watch *watch, const struct winsize *size, size_t *length)
{
    char *bytes = NULL, line[PROGRESS_LINE];
    size_t picture_length = 0;
    uint32_t lines = 0;
    FILE *text = open_memstream(&bytes, length);
    char *picture = text != NULL ? text_of_picture(&watch->picture, &picture_length, &lines) : NULL;
    if (text == NULL)
        return NULL;
    if (picture != NULL) {
        begin_frame(text, watch, size);
        format_progress(line, &watch->progress);
        fwrite(picture, 1, picture_length, text);
        fprintf(text, "\r%.*s\033[J\033[?2026l", size->ws_col - 1, line);
        watch->lines = lines;
    }
    free(picture);
    if (fclose(text) == 0 && picture != NULL)
        return bytes;
    free(bytes);
    return NULL;
}

static int draw(struct watch *watch, struct engine_error *error)
{
    const struct winsize size = terminal_size();
    size_t length = 0;
    text_fit(&watch->picture, size.ws_col, size.ws_row);
    if (engine_run_picture(watch->run, &watch->picture, error) != 0)
        return error->status;
    char *frame = frame_of(watch, &size, &length);
    if (frame == NULL)
        return fail(error, ENGINE_STATUS_DEVICE, "no memory for a picture for the terminal");
    writer_give(watch->writer, frame, length);
    return 0;
}

/* Draws a frame and decides when the next one is due. */
static int draw_timed(struct watch *watch, struct engine_error *error)
{
    const double begin = seconds_now();
    const int status = draw(watch, error);
    watch->due = watch->progress.seconds + fmax(1 / FRAMES_PER_SECOND, (seconds_now() - begin) / SHARE);
    return status;
}

void watch_show(struct watch *watch, const struct engine_progress *progress)
{
    watch->progress = *progress;
    if (!watch->failed && progress->seconds >= watch->due && !writer_busy(watch->writer))
        watch->failed = draw_timed(watch, &watch->error) != 0;
}

int watch_open(struct engine_run *run, struct watch **out, struct engine_error *error)
{
    struct watch *watch = calloc(1, sizeof *watch);
    *out = NULL;
    if (watch == NULL || (watch->writer = writer_open(STDERR_FILENO)) == NULL) {
        free(watch);
        return fail(error, ENGINE_STATUS_DEVICE, "no memory for --watch");
    }
    watch->run = run;
    watch->picture.size = sizeof watch->picture;
    watch->progress = (struct engine_progress){.step = engine_run_step(run), .steps = engine_run_steps(run)};
    if (draw_timed(watch, error) != 0) {
        char reason[sizeof error->text];
        snprintf(reason, sizeof reason, "%s", error->text);
        writer_close(watch->writer);
        engine_picture_release(&watch->picture);
        free(watch);
        return fail(error, error->status, "--watch: %.2000s", reason);
    }
    *out = watch;
    return 0;
}

void watch_close(struct watch *watch)
{
    if (watch == NULL)
        return;
    if (!watch->failed)
        watch->failed = draw(watch, &watch->error) != 0;
    writer_close(watch->writer);
    fprintf(stderr, "\n");
    if (watch->failed)
        fprintf(stderr, "engine: warning: --watch: a picture failed: %s\n", watch->error.text);
    engine_picture_release(&watch->picture);
    free(watch);
}
