/* engine_convert: one document is read and written. Nothing that the new file cannot hold is lost without a word. */
#include "api/handles.h"
#include "base/text.h"
#include "files/beginning.h"
#include "files/file.h"
#include "files/file_self.h"
#include "files/formats.h"
#include "formats/patterns/golly.h"
#include "formats/patterns/mc_tree.h"
#include "record/section_output.h"
#include "record/spelling.h"
#include "tiles/tile_strip.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is converted, and how. */
struct conversion {
    struct engine_context *context;
    const char *in, *out;
    const struct io_format *format; /* of `out` */
    struct engine_conversion how;
    struct io_options options;
    uint64_t frames[3];             /* the range; 0 0 0: all */
    uint64_t before[IO_ARRAYS_MAX]; /* elements of each array before the universe that is written */
    struct io_squares squares;      /* of a macrocell file */
};

/* ---- Formats ------------------------------------------------------------------------------------------------ */

/* The caller's words for a member of struct engine_conversion. */
static const char *option_of(const struct conversion *conversion, const char *member, char words[CONTEXT_WORDS])
{
    return context_words(&conversion->context->context, ENGINE_WORDS_OPTION, member, words);
}

/* Refuses a format that is not known, or that is only read or only written. `subject` is what names it: an option, or the
 * file by its ending. */
static int refuse_format(const struct conversion *conversion, const char *subject, const char *name, const char *fault,
                         struct engine_error *error)
{
    const struct context *context = &conversion->context->context;
    char hint[128] = "", clause[CONTEXT_WORDS];
    if (fault == NULL && name != NULL)
        formats_hint(hint, context, name);
    return error_set(error, ENGINE_STATUS_USAGE, "%s: %s%s%s", subject,
                     fault                        ? fault
                     : subject == conversion->out ? "its ending is not the name of a format"
                                                  : "is not the name of a format",
                     hint, context_clause(context, ENGINE_WORDS_FORMATS, "", clause));
}

/* Finds the format that an option names. *format is NULL where there is none. */
static int find_named(const struct conversion *conversion, const char *member, const char *name, bool reads,
                      const struct io_format **format, struct engine_error *error)
{
    char words[CONTEXT_WORDS], subject[CONTEXT_WORDS + 64];
    if (formats_find(&conversion->context->context, name, format, error) != 0)
        return error->status;
    if (*format != NULL && (reads ? io_reads : io_is_written)(*format))
        return 0;
    snprintf(subject, sizeof subject, "%s %.40s", option_of(conversion, member, words), name);
    return refuse_format(conversion, subject, name,
                         *format == NULL ? NULL
                         : reads         ? "this format is only written"
                                         : "this format is only read",
                         error);
}

/* Opens the input in its format, which its content says, or the caller: a range of its frames, or as one frame. */
static int read_input(const struct conversion *conversion, const struct formats_range *range,
                      struct io_document **document, const struct io_format **format, struct engine_error *error)
{
    *document = NULL;
    *format = NULL;
    if (conversion->how.from != NULL &&
        (io_check_is_file(conversion->in, error) != 0 ||
         find_named(conversion, "from", conversion->how.from, true, format, error) != 0))
        return error->status;
    return range != NULL
               ? formats_read_range(&conversion->context->context, conversion->in, range, document, format, error)
               : formats_read(&conversion->context->context, conversion->in, false, document, format, error);
}

/* ---- Stopping ------------------------------------------------------------------------------------------------ */

static int check_stop(const struct conversion *conversion, struct engine_error *error)
{
    const int signal = context_stop(&conversion->context->context);
    return signal ? error_set(error, 128 + signal, "stopped by signal %d; %s is not written", signal, conversion->out)
                  : 0;
}

/* ---- The input ---------------------------------------------------------------------------------------------- */

static int open_range(const struct conversion *conversion, struct io_document **document,
                      const struct io_format **format, struct engine_error *error)
{
    char words[CONTEXT_WORDS], way[CONTEXT_WORDS + 8];
    snprintf(way, sizeof way, "give %s", option_of(conversion, "frames", words));
    const struct formats_range range = {conversion->frames, way};
    return read_input(conversion, &range, document, format, error);
}

/* Opens the input. A .npy file of three axes may be a grid or frames of particles: it is frames where a range is given,
 * and where the new file cannot hold it as a grid. */
static int open_input(const struct conversion *conversion, struct io_document **document, struct engine_error *error)
{
    const struct io_format *format;
    if (open_range(conversion, document, &format, error) != 0)
        return error->status;
    if ((*document)->frames == 0 || (*document)->arrays[0].kind == ENGINE_PARTICLES || conversion->how.frames ||
        !io_has(format, ENGINE_FORMAT_AXIS))
        return 0;
    struct io_document *frames = *document;
    if (read_input(conversion, NULL, document, &format, error) == 0 &&
        !io_writes(conversion->format, &(*document)->arrays[0], &conversion->options)) {
        (*document)->close(*document);
        *document = frames;
        return 0;
    }
    frames->close(frames);
    return *document ? 0 : error->status;
}

/* Finds the number of values of a cell. Some formats of bytes do not store it; then the largest cell decides, so that
 * cells of 0 and 1 become a pattern or a black-and-white picture. */
static int count_values(const struct conversion *conversion, uint32_t *values, struct engine_error *error)
{
    enum { PIECE = 1 << 16 };
    const struct io_format *format;
    struct io_document *document;
    uint8_t cells[PIECE], highest = 1;
    uint64_t count;
    if (read_input(conversion, NULL, &document, &format, error) != 0)
        return error->status;
    int status = 0;
    if (!shape_elements(&document->arrays[0].shape, &count))
        count = 0;
    for (uint64_t begin = 0; status == 0 && begin < count && (status = check_stop(conversion, error)) == 0;
         begin += PIECE) {
        uint64_t n = count - begin < PIECE ? count - begin : PIECE;
        status = document->read(document, 0, begin, n, cells, error);
        for (uint64_t i = 0; status == 0 && i < n; i++)
            highest = cells[i] > highest ? cells[i] : highest;
    }
    document->close(document);
    *values = highest + 1u;
    return status;
}

/* Refuses huge patterns where converting visits every cell: a pattern of a few bytes can declare cells for hours of
 * work. Arrays cannot: their files hold every cell. */
static int check_size(const struct conversion *conversion, const struct io_document *document,
                      struct engine_error *error)
{
    enum { CELLS_OF_BYTE = 1 << 14 };
    const struct engine_file_array *cells = &document->arrays[0];
    const uint64_t always = (uint64_t) 1 << 32;
    struct stat info;
    uint64_t count;
    char have[32], take[32];
    if (cells->values == 0 || (document->seek && io_has(conversion->format, ENGINE_FORMAT_SPARSE)) ||
        TEMP_FAILURE_RETRY(stat(conversion->in, &info)) != 0)
        return 0;
    const uint64_t by_bytes = (uint64_t) info.st_size * CELLS_OF_BYTE, most = by_bytes > always ? by_bytes : always;
    if (!shape_elements(&cells->shape, &count))
        count = UINT64_MAX;
    if (count <= most)
        return 0;
    return error_set(error, ENGINE_STATUS_INPUT,
                     "%s: the pattern has %llu x %llu x %llu cells, that is %s cells in a file of %llu bytes; the "
                     "converter visits each cell and takes at most %s cells for a file of this size; cut out the part "
                     "that you need with Golly",
                     conversion->in, (unsigned long long) cells->shape.extent[0],
                     (unsigned long long) cells->shape.extent[1], (unsigned long long) cells->shape.extent[2],
                     text_si((double) count, have), (unsigned long long) info.st_size, text_si((double) most, take));
}

/* Shows the squares of a macrocell file to the writer of another one. Other formats list the live cells. */
static int take_squares(struct conversion *conversion, struct io_document *document, struct engine_error *error)
{
    const uint64_t most = (uint64_t) 1 << 32;
    const struct mc *mc = file_self(document, &mc_file_format);
    char have[32], take[32];
    if (mc && io_takes_squares(conversion->format)) {
        document->squares = mc_squares(mc, &conversion->squares) ? &conversion->squares : NULL;
        return 0;
    }
    const uint64_t live = mc ? mc_count(mc, 0) : 0;
    if (mc && !mc->wide && live > most)
        return error_set(
            error, ENGINE_STATUS_INPUT,
            "%s: the pattern has %s live cells; the converter visits each of them for a %s file, and takes "
            "at most %s; convert to mc or mc.gz, or write a part of the pattern: run it for 0 steps in "
            "a tree, with [output] region",
            conversion->in, text_si((double) live, have), conversion->format->about->name,
            text_si((double) most, take));
    return 0;
}

/* ---- Frames ------------------------------------------------------------------------------------------------- */

static int refuse_frames(const struct conversion *conversion, const struct io_document *document, uint64_t there,
                         struct engine_error *error)
{
    char words[CONTEXT_WORDS];
    const char *option = option_of(conversion, "frames", words);
    const unsigned long long last = conversion->frames[0] + (document->frames - 1) * document->stride;
    return error_set(error, ENGINE_STATUS_USAGE,
                     "%s: a %s file holds one frame, and %s has %llu; choose one with %s: %s %llu:%llu is the last one",
                     conversion->out, conversion->format->about->name, conversion->in, (unsigned long long) there,
                     option, option, last, last + 1);
}

/* io_write refuses a document of which the new file can hold nothing. */
static bool holds_any(const struct conversion *conversion, const struct io_document *document)
{
    bool any = false;
    for (uint32_t i = 0; i < document->count; i++)
        any = any || io_holds(conversion->format, document, i, &conversion->options);
    return any;
}

/* Moves to the first frame of the range, and tells the writer of the others. */
static int choose_frames(const struct conversion *conversion, struct io_document *document, struct engine_error *error)
{
    const uint64_t there = document->frames > 1 ? document->frames : 1, *frames = conversion->frames;
    const uint64_t wanted = io_count_frames(frames, there);
    char words[CONTEXT_WORDS];
    const char *option = option_of(conversion, "frames", words);
    if (conversion->how.frames && document->frames == 0)
        return error_set(error, ENGINE_STATUS_USAGE, "%s: %s has no frames; leave it out", option, conversion->in);
    if (wanted == 0)
        return error_set(error, ENGINE_STATUS_INPUT,
                         "%s: has %llu frame%s, but %s starts at frame %llu; frame 0 is the first", conversion->in,
                         (unsigned long long) there, there == 1 ? "" : "s", option, (unsigned long long) frames[0]);
    document->frames = wanted;
    document->stride = frames[2] ? frames[2] : 1;
    if (wanted > 1 && !io_has(conversion->format, ENGINE_FORMAT_FRAMES) && holds_any(conversion, document))
        return refuse_frames(conversion, document, there, error);
    document->varies = true;
    return frames[0] == 0 ? 0 : document->next(document, frames[0], error);
}

/* ---- Universes ---------------------------------------------------------------------------------------------- */

/* Takes one universe of a batch: a grid with one axis less. Returns false where the batch does not have it. */
static bool take_universe(uint64_t universe, struct engine_file_array *array, uint64_t *before)
{
    struct engine_shape *shape = &array->shape;
    uint64_t *universes = &shape->extent[shape->rank - 1], each;
    if (universe >= *universes)
        return false;
    *universes = 1;
    shape->rank--;
    array->batch = false;
    const bool fits = shape_elements(shape, &each);
    *before = universe * each;
    return fits;
}

static int refuse_universe(const struct conversion *conversion, const struct engine_file_array *array,
                           struct engine_error *error)
{
    const unsigned long long count = array->batch ? array->shape.extent[array->shape.rank - 1] : 0;
    char words[CONTEXT_WORDS];
    const char *option = option_of(conversion, "universe", words);
    return array->batch
               ? error_set(error, ENGINE_STATUS_USAGE, "%s %u: %s has %llu universes; expected a number from 0 to %llu",
                           option, conversion->how.universe - 1, conversion->in, count, count - 1)
               : error_set(error, ENGINE_STATUS_USAGE,
                           "%s %u: %s does not state that it holds a batch; expected a snapshot of a run with "
                           "several universes; leave it out for other files",
                           option, conversion->how.universe - 1, conversion->in);
}

/* Takes the universe that is asked for. Refuses a batch that the new file cannot hold. */
static int choose_universe(struct conversion *conversion, struct io_document *document, struct engine_error *error)
{
    const struct engine_file_array *first = &document->arrays[0];
    const uint32_t universe = conversion->how.universe, axis = first->shape.rank - 1;
    char words[CONTEXT_WORDS];
    const char *option = option_of(conversion, "universe", words);
    if (universe == 0 && first->batch && !holds_any(conversion, document))
        return error_set(error, ENGINE_STATUS_OUTPUT,
                         "%s: a %s file holds one universe, and %s has %llu; choose one with %s 0 to %s %llu",
                         conversion->out, conversion->format->about->name, conversion->in,
                         (unsigned long long) first->shape.extent[axis], option, option,
                         (unsigned long long) first->shape.extent[axis] - 1);
    for (uint32_t i = 0; universe > 0 && i < document->count; i++)
        if (!document->arrays[i].batch || !take_universe(universe - 1, &document->arrays[i], &conversion->before[i]))
            return refuse_universe(conversion, &document->arrays[i], error);
    if (universe > 0)
        document->header.pattern.grid[axis] = 1;
    return 0;
}

/* ---- Options that nothing uses ------------------------------------------------------------------------------ */

/* Refuses an option that has no effect on the new file. */
static int check_options(const struct conversion *conversion, const struct io_document *document,
                         struct engine_error *error)
{
    const struct engine_conversion *how = &conversion->how;
    const struct {
        const char *name;
        bool given;
    } options[] = {
        {"scale", how->scale != 0},
        {"axis", how->axis != 0},
        {"slice", how->slice != 0},
        {"range", how->range[0] != how->range[1]},
        {"colours", how->colours != IO_GREY && how->colours != IO_AUTO},
        {"component", how->component != 0},
        {"lines", how->lines != 0},
        {"captions", how->captions != 0},
        {"depth", how->deep != 0},
    };
    char words[CONTEXT_WORDS];
    uint32_t shown = 0;
    for (uint32_t i = 0; io_is_picture(conversion->format) && i < document->count; i++)
        shown |= picture_shows(&document->arrays[i]);
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        const uint32_t uses = keys_flags(&conversion->context->context, "output", options[i].name);
        if (options[i].given && !(uses & shown))
            return error_set(
                error, ENGINE_STATUS_USAGE,
                "%s: this option is for %s (such as png, apng and gif), and %s is no such picture; leave it out",
                option_of(conversion, options[i].name, words), picture_name(uses), conversion->out);
    }
    return 0;
}

/* ---- What is lost ------------------------------------------------------------------------------------------- */

static void add_lost(char *list, size_t size, const char *what)
{
    const size_t length = strlen(list);
    snprintf(list + length, size - length, "%s%s", length > 0 ? ", " : "", what);
}

static bool any_of(const double *numbers, int count)
{
    bool any = false;
    for (int i = 0; i < count; i++)
        any = any || numbers[i] != 0;
    return any;
}

/* Does the grid of a pattern differ from a torus of the pattern's size? */
static bool has_grid(const struct io_document *document)
{
    const struct engine_file_pattern *pattern = &document->header.pattern;
    const uint64_t *extent = document->arrays[0].shape.extent;
    bool differs = pattern->shift[0] != 0 || pattern->shift[1] != 0;
    for (int axis = 0; axis < 3; axis++)
        differs = differs || pattern->grid[axis] != extent[axis] || pattern->edges[axis] != ENGINE_EDGE_TORUS;
    return pattern->grid[0] != 0 && differs;
}

/* Lists what the document has and a file of the format cannot hold. */
static void list_lost(const struct conversion *conversion, const struct io_document *document, char *list, size_t size)
{
    const struct io_header *header = &document->header;
    const uint32_t lost = ~conversion->format->about->keeps;
    *list = '\0';
    if (io_is_picture(conversion->format) || io_has(conversion->format, ENGINE_FORMAT_TABLES))
        return; /* a picture or a plot shows a part of its file, and everybody knows that */
    for (uint32_t i = 0; i < document->count; i++)
        if (!io_holds(conversion->format, document, i, &conversion->options))
            add_lost(list, size, document->arrays[i].name);
    if (*header->skipped)
        add_lost(list, size, header->skipped);
    if (header->notes > 0 && !io_has(conversion->format, ENGINE_FORMAT_NOTES))
        add_lost(list, size, "the comments");
    if ((lost & ENGINE_HAS_PLACE) && header->pattern.placed)
        add_lost(list, size, "the position");
    if ((lost & ENGINE_HAS_LABELS) && document->symbols > 0)
        add_lost(list, size, "the symbols of the species");
    if ((lost & ENGINE_HAS_BOX) && any_of(header->frame.box, 6))
        add_lost(list, size, "the box");
    if ((lost & ENGINE_HAS_CORNER) && any_of(header->frame.corner, 3))
        add_lost(list, size, "the corner of the box");
    if (!io_keeps_length(conversion->format) && length_name(header->length)) {
        char unit[64];
        snprintf(unit, sizeof unit, "the unit of lengths (%s)", length_name(header->length));
        add_lost(list, size, unit);
    }
    if ((lost & ENGINE_HAS_STEP) && (header->frame.has & ENGINE_HAS_STEP) &&
        (header->frame.step > 0 || document->frames > 1))
        add_lost(list, size, document->frames > 1 ? "the steps" : "the step");
    if ((lost & ENGINE_HAS_TIME) && (header->frame.has & ENGINE_HAS_TIME))
        add_lost(list, size, "the time");
    if ((lost & ENGINE_HAS_RULE) && *header->rule)
        add_lost(list, size, "the rule");
    if ((lost & ENGINE_HAS_GRID) && has_grid(document))
        add_lost(list, size, "the size and the edges of the grid");
}

/* ---- Reading while the caller may stop it ------------------------------------------------------------------- */

/* A document that asks the caller whether to stop, and looks at the steps of the frames. */
struct watched {
    struct io_document document;
    struct io_document *of;
    const struct conversion *conversion;
    uint64_t frame, first, every; /* of the steps of the frames; every = 0: not known yet */
    bool uneven, numbered;        /* numbered: all steps in the input are equal */
};

static int read_watched(struct io_document *document, uint32_t array, uint64_t begin, uint64_t count, void *out,
                        struct engine_error *error)
{
    struct watched *watched = document->context;
    begin += watched->conversion->before[array];
    return check_stop(watched->conversion, error) != 0
               ? error->status
               : watched->of->read(watched->of, array, begin, count, out, error);
}

static int seek_watched(struct io_document *document, uint32_t array, uint64_t begin, uint64_t *at,
                        struct engine_error *error)
{
    struct watched *watched = document->context;
    const uint64_t before = watched->conversion->before[array];
    if (check_stop(watched->conversion, error) != 0 ||
        watched->of->seek(watched->of, array, begin + before, at, error) != 0)
        return error->status;
    *at -= *at == UINT64_MAX ? 0 : before;
    return 0;
}

/* A frame without a step, or with the step of all others, gets its number in the input, because files that need steps need
 * different ones. */
static void number_frame(struct watched *watched)
{
    const uint64_t *frames = watched->conversion->frames;
    struct engine_file_frame *frame = &watched->document.header.frame;
    if (!(frame->has & ENGINE_HAS_STEP) || watched->numbered)
        frame->step = frames[0] + watched->frame * (frames[2] ? frames[2] : 1);
}

/* Copies what a frame decides. */
static void show_frame(struct watched *watched)
{
    struct io_document *document = &watched->document;
    const struct io_document *of = watched->of;
    document->count = of->count;
    memcpy(document->arrays, of->arrays, sizeof document->arrays);
    document->header = of->header;
    document->symbols = of->symbols;
    document->symbol = of->symbol;
    number_frame(watched);
}

static int next_watched(struct io_document *document, uint64_t by, struct engine_error *error)
{
    struct watched *watched = document->context;
    if (check_stop(watched->conversion, error) != 0 || watched->of->next(watched->of, by, error) != 0)
        return error->status;
    watched->frame++;
    show_frame(watched);
    const uint64_t step = document->header.frame.step;
    if (watched->frame == 1)
        watched->every = step - watched->first;
    watched->uneven = watched->uneven || step != watched->first + watched->frame * watched->every;
    return 0;
}

/* Have the first two frames and the last one the same step? Then all have, as in files of programs that know no steps. An
 * error is found again when the frames are written. */
static bool has_equal_steps(const struct conversion *conversion, const struct io_document *document)
{
    const struct engine_file_frame *first = &document->header.frame;
    const uint64_t stride = document->stride,
                   ways[] = {conversion->frames[0] + stride, (document->frames - 2) * stride};
    const struct io_format *format;
    struct io_document *again;
    struct engine_error ignored;
    struct engine_context silent = *conversion->context; /* what is odd about the file has been said */
    struct conversion look = *conversion;
    look.context = &silent;
    silent.context.hooks.message = NULL;
    bool equal = document->frames > 1 && (first->has & conversion->format->about->keeps & ENGINE_HAS_STEP);
    if (!equal || open_range(&look, &again, &format, &ignored) != 0)
        return false;
    again->varies = true;
    for (int i = 0; i < 2 && equal; i++)
        equal = again->next(again, ways[i], &ignored) == 0 && (again->header.frame.has & ENGINE_HAS_STEP) &&
                again->header.frame.step == first->step;
    again->close(again);
    return equal;
}

static int write_watched(const struct conversion *conversion, struct io_document *document, struct engine_error *error)
{
    struct watched watched = {.document = *document, .of = document, .conversion = conversion};
    watched.document.context = &watched;
    watched.document.read = read_watched;
    watched.document.read_region = NULL;
    watched.document.seek = document->seek ? seek_watched : NULL;
    watched.document.next = next_watched;
    watched.numbered = has_equal_steps(conversion, document);
    number_frame(&watched);
    watched.first = watched.document.header.frame.step;
    if (io_write(conversion->format, conversion->out, &watched.document, &conversion->options, error) != 0)
        return error->status;
    if (watched.numbered)
        context_message(&conversion->context->context, ENGINE_LOG_WARNING,
                        "%s: all frames of %s have the step %llu; each frame gets its number as its step",
                        conversion->out, conversion->in, (unsigned long long) document->header.frame.step);
    if (watched.uneven && io_has(conversion->format, ENGINE_FORMAT_EVEN))
        context_message(&conversion->context->context, ENGINE_LOG_WARNING,
                        "%s: the steps of the frames of %s are not evenly spaced, and a %s file holds only the first "
                        "and the second",
                        conversion->out, conversion->in, conversion->format->about->name);
    return 0;
}

/* ---- Converting --------------------------------------------------------------------------------------------- */

static int check_output(struct conversion *conversion, struct engine_error *error)
{
    struct stat there;
    char words[CONTEXT_WORDS];
    const char *ending = strrchr(conversion->out, '.');
    const int status =
        conversion->how.to != NULL
            ? find_named(conversion, "to", conversion->how.to, false, &conversion->format, error)
            : formats_find_ending(&conversion->context->context, conversion->out, &conversion->format, error);
    if (status != 0)
        return error->status;
    if (!conversion->format || !io_is_written(conversion->format))
        return refuse_format(conversion, conversion->out, ending ? ending + 1 : NULL,
                             conversion->format ? "this format is only read" : NULL, error);
    const bool free = TEMP_FAILURE_RETRY(stat(conversion->out, &there)) != 0;
    if (free && errno != ENOENT && errno != ENOTDIR)
        return error_set(error, ENGINE_STATUS_OUTPUT, "%s: cannot be looked up: %s", conversion->out, strerror(errno));
    if (!conversion->how.force && !free)
        return error_set(error, ENGINE_STATUS_OUTPUT, "%s: already exists; give another name, or %s", conversion->out,
                         option_of(conversion, "force", words));
    return 0;
}

/* Tiles without their places are no pattern. */
static int check_tiles(const struct conversion *conversion, const struct io_document *document,
                       struct engine_error *error)
{
    for (uint32_t i = 0; i < document->count; i++)
        if (strcmp(document->arrays[i].name, TILE_PLACES) == 0 &&
            !io_holds(conversion->format, document, i, &conversion->options))
            return error_set(
                error, ENGINE_STATUS_USAGE,
                "%s: holds a grid in tiles; %s files do not hold the places of the tiles; let the run write "
                "such files ([output] formats)",
                conversion->in, conversion->format->about->name);
    return 0;
}

static int convert_document(struct conversion *conversion, struct io_document *document, struct engine_error *error)
{
    struct engine_file_array *first = &document->arrays[0];
    if (check_tiles(conversion, document, error) != 0)
        return error->status;
    if (take_squares(conversion, document, error) != 0 || check_size(conversion, document, error) != 0 ||
        choose_frames(conversion, document, error) != 0 || choose_universe(conversion, document, error) != 0 ||
        check_options(conversion, document, error) != 0)
        return error->status;
    if (first->values == 0 && first->shape.type == ENGINE_U8 && first->kind != ENGINE_PARTICLES &&
        count_values(conversion, &first->values, error) != 0)
        return error->status;
    char lost[1024];
    if (conversion->format->about->keeps & ENGINE_HAS_RULE || io_has(conversion->format, ENGINE_FORMAT_NOTES))
        spelling_change(conversion->context, document);
    list_lost(conversion, document, lost, sizeof lost);
    if (write_watched(conversion, document, error) != 0)
        return error->status;
    const char *rule = (conversion->format->about->keeps & ENGINE_HAS_RULE) ? document->header.rule : "";
    const char *difference =
        golly_difference_of(conversion->format->about->name, rule, document->header.frame.step % 2 == 1);
    if (first->shape.rank == 2 && difference && !strstr(document->remarks, difference))
        context_message(&conversion->context->context, ENGINE_LOG_WARNING, "%s: %s", conversion->out, difference);
    if (length_name(conversion->format->about->length) && !length_name(document->header.length) &&
        document->arrays[0].kind == ENGINE_PARTICLES)
        context_message(&conversion->context->context, ENGINE_LOG_WARNING,
                        "%s: %s states no unit of lengths; its numbers are taken as %s, the unit of %s files",
                        conversion->out, conversion->in, length_name(conversion->format->about->length),
                        conversion->format->about->name);
    if (*lost)
        context_message(&conversion->context->context, ENGINE_LOG_WARNING,
                        "%s: %s files do not hold all that %s has: %s", conversion->out,
                        conversion->format->about->name, conversion->in, lost);
    return 0;
}

int engine_convert(struct engine_context *context, const char *in, const char *out,
                   const struct engine_conversion *given, struct engine_error *error)
{
    API_NUMBERS;
    struct conversion conversion = {.context = context, .in = in, .out = out, .format = NULL};
    struct engine_conversion *how = &conversion.how;
    struct io_document *document;
    char words[CONTEXT_WORDS];
    if (given)
        memcpy(how, given, given->size < sizeof *how ? given->size : sizeof *how);
    conversion.options = (struct io_options){.scale = how->scale,
                                             .axis = how->axis,
                                             .view = how->slice ? IO_SLICE : IO_PROJECTION,
                                             .slice = how->plane,
                                             .range = {how->range[0], how->range[1]},
                                             .colours = (enum io_colours) how->colours,
                                             .component = how->component,
                                             .lines = how->lines != 0,
                                             .captions = how->captions != 0,
                                             .deep = how->deep != 0,
                                             .slab = how->deep != 0 && how->depth[0] != how->depth[1],
                                             .depth = {how->depth[0], how->depth[1]}};
    if (how->deep && how->slice)
        return error_set(error, ENGINE_STATUS_USAGE, "%s: a slice has no depth; leave one of them out",
                         option_of(&conversion, "depth", words));
    if (how->frames && !text_frames(how->frames, conversion.frames))
        return error_set(error, ENGINE_STATUS_USAGE,
                         "%s: '%s' is not a range of frames; expected first:end:stride, as in 100:500:10 or 100: "
                         "(frame 0 is the first)",
                         option_of(&conversion, "frames", words), how->frames);
    if (check_output(&conversion, error) != 0)
        return error->status;
    int status = open_input(&conversion, &document, error);
    if (status == 0) {
        if (*document->remarks)
            context_message(&context->context, ENGINE_LOG_WARNING, "%s: %s", in, document->remarks);
        status = convert_document(&conversion, document, error);
        document->close(document);
    }
    return status != 0 && check_stop(&conversion, error) != 0 ? error->status : status;
}
