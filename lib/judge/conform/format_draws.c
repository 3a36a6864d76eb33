#include "judge/conform/format_draws.h"
#include "api/handles.h"
#include "base/machine.h"
#include "base/type.h"
#include "files/file.h"
#include "files/formats.h"
#include "judge/conform/apart.h"
#include "judge/conform/file_draw.h"
#include "judge/conform/shrink.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char property[] = "what is drawn and written is read again";

/* ---- Reading it again ------------------------------------------------------------------------------------------ */

/* The cells of a grid without what is empty around them: formats of patterns may leave that out. */
struct live {
    uint64_t begin[3], end[3];
};

static double number_at(uint32_t type, const void *elements, uint64_t at)
{
    return type == ENGINE_F32 || type == ENGINE_C64    ? (double) ((const float *) elements)[at]
           : type == ENGINE_F64 || type == ENGINE_C128 ? ((const double *) elements)[at]
                                                       : (double) integer_at(type, elements, at);
}

static struct live find_live(const struct engine_shape *shape, const void *elements)
{
    struct live live = {.begin = {UINT64_MAX, UINT64_MAX, UINT64_MAX}};
    uint64_t element = 0, at[3];
    for (at[2] = 0; at[2] < shape->extent[2]; at[2]++)
        for (at[1] = 0; at[1] < shape->extent[1]; at[1]++)
            for (at[0] = 0; at[0] < shape->extent[0]; at[0]++, element++)
                for (int axis = 0; axis < 3 && number_at(shape->type, elements, element) != 0; axis++) {
                    live.begin[axis] = at[axis] < live.begin[axis] ? at[axis] : live.begin[axis];
                    live.end[axis] = at[axis] >= live.end[axis] ? at[axis] + 1 : live.end[axis];
                }
    return live;
}

static uint64_t element_at(const struct engine_shape *shape, const struct live *live, const uint64_t at[3])
{
    return ((live->begin[2] + at[2]) * shape->extent[1] + live->begin[1] + at[1]) * shape->extent[0] + live->begin[0] +
           at[0];
}

static void compare_live(struct test *test, const struct engine_shape *read, const void *is,
                         const struct engine_shape *written, const void *should)
{
    const struct live a = find_live(read, is), b = find_live(written, should);
    uint64_t at[3], size[3];
    for (int axis = 0; axis < 3; axis++) {
        size[axis] = b.end[axis] > 0 ? b.end[axis] - b.begin[axis] : 0;
        REQUIRE(test, (a.end[axis] > 0 ? a.end[axis] - a.begin[axis] : 0) == size[axis],
                "the cells that are not 0 have another extent along axis %d: %llu, expected %llu", axis,
                (unsigned long long) (a.end[axis] - a.begin[axis]), (unsigned long long) size[axis]);
    }
    for (at[2] = 0; at[2] < size[2]; at[2]++)
        for (at[1] = 0; at[1] < size[1]; at[1]++)
            for (at[0] = 0; at[0] < size[0]; at[0]++) {
                const double got = number_at(read->type, is, element_at(read, &a, at)),
                             expected = number_at(written->type, should, element_at(written, &b, at));
                REQUIRE(test, got == expected, "cell %llu %llu %llu of the pattern, %g, became %g",
                        (unsigned long long) at[0], (unsigned long long) at[1], (unsigned long long) at[2], expected,
                        got);
            }
}

/* Formats may round to a hundredth, and to single precision. */
static void compare_numbers(struct test *test, const struct io_format *format, const struct engine_file_array *array,
                            uint32_t read_type, const void *is, const void *should, uint64_t count)
{
    const uint32_t type = array->shape.type;
    const bool exact = format->about->bytes == ENGINE_SIZE_EXACT || type < ENGINE_F32;
    for (uint64_t e = 0; e < count; e++) {
        const double got = number_at(read_type, is, e), expected = number_at(type, should, e);
        REQUIRE(test, got == expected || (!exact && fabs(got - expected) < 0.0051 + 1e-6 * fabs(expected)),
                "element %llu of %s, %.17g, became %.17g", (unsigned long long) e, array->name, expected, got);
    }
}

static void *read_array(struct test *test, struct io_document *document, uint32_t array, uint64_t *numbers)
{
    struct engine_error error;
    uint64_t elements = 0, bytes = 0;
    const struct engine_shape *shape = &document->arrays[array].shape;
    REQUIRE(test, shape_elements(shape, &elements) && shape_bytes(shape, &bytes), "%s has an impossible shape",
            document->arrays[array].name);
    void *out = malloc(bytes + 1);
    REQUIRE(test, out, "no memory for the test");
    REQUIRE(test, document->read(document, array, 0, elements, out, &error) == 0, "%s", error.text);
    *numbers = elements * (shape->type >= ENGINE_C64 ? 2 : 1);
    return out;
}

static void compare_array(struct test *test, const struct io_format *format, struct drawn_file *file, uint32_t array,
                          struct io_document *read)
{
    const struct engine_file_array *about = &file->document.arrays[array];
    uint64_t count, should_count;
    uint32_t k = 0;
    while (k < read->count && strcmp(read->arrays[k].name, about->name) != 0 &&
           !(read->count == 1 && !*read->arrays[k].name))
        k++;
    REQUIRE(test, k < read->count, "array %s was written and not read", about->name);
    const struct engine_shape *shape = &read->arrays[k].shape;
    void *is = read_array(test, read, k, &count), *should = read_array(test, &file->document, array, &should_count);
    const bool same = (!*read->arrays[k].name && count == should_count) || /* rows of numbers, in which axis they lie */
                      (shape->components == about->shape.components &&
                       memcmp(shape->extent, about->shape.extent, sizeof shape->extent) == 0);
    if (!same && about->kind == ENGINE_GRID && about->shape.type == ENGINE_U8)
        compare_live(test, shape, is, &about->shape, should);
    else {
        REQUIRE(test, same && count == should_count,
                "array %s of %llu x %llu x %llu with %u components has %llu x %llu x %llu with %u when it is read",
                about->name, (unsigned long long) about->shape.extent[0], (unsigned long long) about->shape.extent[1],
                (unsigned long long) about->shape.extent[2], about->shape.components,
                (unsigned long long) shape->extent[0], (unsigned long long) shape->extent[1],
                (unsigned long long) shape->extent[2], shape->components);
        compare_numbers(test, format, about, shape->type, is, should, count);
    }
    free(is), free(should);
}

/* Does the rule hold for the cells that were written? "B3/S23" has a second spelling. */
static bool is_rule(const char *is, const char *should)
{
    return !*should || strcmp(is, should) == 0 || (strcmp(should, "B3/S23") == 0 && strcmp(is, "23/3") == 0);
}

/* A format that states the steps of two frames alone holds no others, and no time of a single frame: dcd in
 * docs/reference/formats-particles.md. */
static void compare_head(struct test *test, const struct io_format *format, const struct drawn_file *file,
                         const struct io_document *read)
{
    const struct engine_file_frame *is = &read->header.frame, *should = &file->document.header.frame;
    const uint32_t keeps = format->about->keeps;
    const bool particles = file->draw->at[KIND] == 0, even = io_has(format, ENGINE_FORMAT_EVEN);
    REQUIRE(test, !(keeps & ENGINE_HAS_STEP) || is->step == should->step || (even && should->step > INT32_MAX),
            "step %llu became %llu", (unsigned long long) should->step, (unsigned long long) is->step);
    REQUIRE(test,
            !particles || !(keeps & ENGINE_HAS_TIME) || (even && (read->frames < 2 || should->step > INT32_MAX)) ||
                fabs(is->time - should->time) < 0.01 + 1e-6 * should->time,
            "time %g became %g", should->time, is->time);
    for (int i = 0; particles && keeps & ENGINE_HAS_BOX && i < 6; i++)
        REQUIRE(test, fabs(is->box[i] - should->box[i]) < 0.01, "number %d of the box, %g, became %g", i,
                should->box[i], is->box[i]);
    REQUIRE(test, !(keeps & ENGINE_HAS_RULE) || is_rule(read->header.rule, file->document.header.rule),
            "the rule '%s' became '%s'", file->document.header.rule, read->header.rule);
}

/* Which arrays the file holds is asked before it is written. */
static void compare_frames(struct test *test, const struct io_format *format, struct drawn_file *file, uint32_t held,
                           struct io_document *read)
{
    struct engine_error error;
    const uint64_t frames = file->document.frames;
    file_document_rewind(file);
    REQUIRE(test, read->frames == frames || (read->frames == 0 && frames == 1),
            "%llu frames were written and %llu read", (unsigned long long) frames, (unsigned long long) read->frames);
    for (uint64_t frame = 0; frame < frames; frame++) {
        if (frame > 0) {
            REQUIRE(test, read->next(read, 1, &error) == 0, "%s", error.text);
            file->document.next(&file->document, 1, &error);
        }
        compare_head(test, format, file, read);
        for (uint32_t i = 0; i < file->document.count; i++)
            if (held >> i & 1)
                compare_array(test, format, file, i, read);
    }
}

/* Writes the symbols of species 0, 1, … behind each other. */
static void compare_labels(struct test *test, const struct io_format *format, const struct drawn_file *file,
                           uint32_t held, const struct io_document *read)
{
    for (uint32_t i = 0; i < file->document.count; i++)
        if (held >> i & 1 && strcmp(file->document.arrays[i].name, "species") == 0 &&
            format->about->keeps & ENGINE_HAS_LABELS)
            for (uint32_t s = 0; s < file->document.symbols && s < file->draw->at[PARTICLES]; s++)
                REQUIRE(test, s < read->symbols && strcmp(read->symbol[s], file->labels[s]) == 0,
                        "the name '%s' of species %u became '%s'", file->labels[s], s,
                        s < read->symbols ? read->symbol[s] : "");
}

static void check_draw(struct test *test)
{
    static const struct io_options options;
    const struct io_format *format = formats_named(&test->context->context, test->name), *found = NULL;
    struct drawn_file file;
    struct io_document *read;
    struct engine_error error;
    char path[256];
    REQUIRE(test, format, "the format does not load");
    SKIP_UNLESS(test, format->about->create, "the format is not written");
    file_document_make(format, test->file, &file);
    const uint32_t held = file_document_held(format, &file);
    SKIP_UNLESS(test, held, "a file of the format cannot hold the array");
    snprintf(path, sizeof path, "%s/drawn%.*s%s", test->folder, (int) strcspn(format->about->endings, " "),
             format->about->endings, io_has(format, ENGINE_FORMAT_PACKED) && test->file->at[PACKED] ? ".gz" : "");
    const int status = io_write(format, path, &file.document, &options, &error);
    REQUIRE(test, status == 0 || (status == ENGINE_STATUS_OUTPUT && *error.text), "writing fails with status %d: %s",
            status, error.text);
    SKIP_UNLESS(test, status == 0, "%s", error.text);
    if (!format->about->open)
        return;
    REQUIRE(test,
            formats_read(&test->context->context, path, file.document.frames > 1 || !io_has(format, ENGINE_FORMAT_AXIS),
                         &read, &found, &error) == 0,
            "a written file is refused: %s", error.text);
    REQUIRE(test, found == format, "a written file is recognised as %s", found->about->name);
    compare_frames(test, format, &file, held, read);
    compare_labels(test, format, &file, held, read);
    read->close(read);
}

/* ---- The draws ------------------------------------------------------------------------------------------------- */

static int run_draw(struct conform_request *request, const struct file_draw *draw)
{
    struct test *test = &request->test;
    char *written;
    test->file = draw;
    apart_run(test, check_draw, request->seconds, &written);
    free(written);
    for (char *c = test->told->reason; *c; c++)
        *c = *c == '\n' ? ' ' : *c;
    return test->told->outcome;
}

static bool try_member(struct conform_request *request, struct file_draw *best, uint32_t member, uint64_t number)
{
    struct file_draw candidate = *best;
    candidate.at[member] = file_members[member].least + (uint32_t) number;
    if (run_draw(request, &candidate) != ENGINE_BROKEN)
        return false;
    *best = candidate;
    return true;
}

static void shrink_file(struct conform_request *request, struct file_draw *draw)
{
    const double deadline = machine_clock() + request->seconds;
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t m = 0; m < MEMBERS; m++) {
            uint64_t with;
            for (uint32_t i = 0; (with = shrink_smaller(draw->at[m] - file_members[m].least, i)) != UINT64_MAX; i++)
                if (machine_clock() < deadline && try_member(request, draw, m, with)) {
                    changed = true;
                    break;
                }
        }
    }
    run_draw(request, draw);
}

/* The members that are not the simplest. */
static void describe(const struct file_draw *draw, char *text, size_t size)
{
    *text = '\0';
    for (uint32_t m = 0; m < MEMBERS; m++)
        if (draw->at[m] != file_members[m].least)
            snprintf(text + strlen(text), size - strlen(text), "%s%s %u", *text ? ", " : "", file_members[m].name,
                     draw->at[m]);
}

static void report(const struct conform_request *request, uint64_t number, int outcome, const char *reason)
{
    request->report(
        request->user,
        &(struct engine_property){
            .plugin = request->test.name, .property = property, .outcome = outcome, .reason = reason, .draw = number});
}

static void report_broken(struct conform_request *request, struct file_draw *draw)
{
    char text[512], reason[TEST_REASON_MAX + sizeof text + 64];
    shrink_file(request, draw);
    describe(draw, text, sizeof text);
    snprintf(reason, sizeof reason, "%s; the smallest file: %s", request->test.told->reason,
             *text ? text : "one particle");
    report(request, draw->number, ENGINE_BROKEN, reason);
}

void format_draws_examine(struct conform_request *request)
{
    const struct io_format *format = formats_named(&request->test.context->context, request->test.name);
    uint64_t held = 0;
    char refusal[TEST_REASON_MAX] = "", reason[TEST_REASON_MAX + 256];
    for (uint64_t i = 0; format && i < request->draws; i++) {
        struct file_draw draw = file_draw(format, request->seed + i);
        const int outcome = run_draw(request, &draw);
        if (outcome == ENGINE_BROKEN) {
            report_broken(request, &draw);
            return;
        }
        held += outcome == ENGINE_HOLDS;
        if (outcome != ENGINE_HOLDS)
            snprintf(refusal, sizeof refusal, ", the last one: %.*s", TEST_REASON_MAX - 32, request->test.told->reason);
    }
    snprintf(reason, sizeof reason, "%llu of %llu files were written and read, and the format refused %llu%s",
             (unsigned long long) held, (unsigned long long) request->draws,
             (unsigned long long) (request->draws - held), refusal);
    report(request, 0, held ? ENGINE_HOLDS : ENGINE_NOT_APPLICABLE, reason);
}
