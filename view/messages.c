#include "messages.h"
#include "answer.h"
#include "message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD_MOST = 1 << 20, DEPTH_MOST = 8, LENGTH = 4 };

/* ---- Playing ---------------------------------------------------------------------------------------------------- */

static int answer_play(struct asked *asked, struct engine_error *error)
{
    (void) error;
    scene_set_playing(asked->scene, asked_flag(asked, "playing"), asked_number(asked, "speed", 0, 0, 1e9));
    return 0;
}

static int answer_step(struct asked *asked, struct engine_error *error)
{
    return scene_step(asked->scene, (uint64_t) asked_number(asked, "count", 1, 1, 1e15), error);
}

static int answer_mark(struct asked *asked, struct engine_error *error)
{
    const int status = scene_mark(asked->scene, "marked", error);
    answer_add_marks(asked);
    return status;
}

static int answer_back(struct asked *asked, struct engine_error *error)
{
    const int status = scene_back(asked->scene, (uint32_t) asked_number(asked, "id", 0, 0, 4e9), error);
    answer_add_marks(asked);
    return status;
}

/* ---- All requests ------------------------------------------------------------------------------------------------ */

static answer_function answer_all;

static const struct {
    const char *name;
    answer_function *answer;
    bool edits;
} requests[] = {
    {"hello", answer_all, false}, {"frame", answer_frame, false}, {"points", answer_points, false},
    {"read", answer_read, false},   {"play", answer_play, false},   {"step", answer_step, false},
    {"mark", answer_mark, false},   {"back", answer_back, false},   {"save", answer_save, false},
    {"draw", answer_draw, true},    {"fill", answer_fill, true},    {"paste", answer_paste, true},
    {"set", answer_set, true},      {"open", answer_open, true},
};

/* Says hello, and which requests are answered. */
static int answer_all(struct asked *asked, struct engine_error *error)
{
    struct json_object *can = json_object_new_array();
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++)
        if (!requests[i].edits || !asked->scene->read_only)
            json_object_array_add(can, json_object_new_string(requests[i].name));
    answer_add(asked->head, "can", can);
    return answer_hello(asked, error);
}

static int carry_out(struct asked *asked, struct engine_error *error)
{
    const char *name = asked_text(asked, "do");
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        if (strcmp(requests[i].name, name) != 0)
            continue;
        if (requests[i].edits && asked->scene->read_only)
            return fail(error, ENGINE_STATUS_USAGE, "this view only shows: the program was started with --read-only");
        return requests[i].answer(asked, error);
    }
    return fail(error, ENGINE_STATUS_USAGE, "there is no request '%.40s'", name);
}

static void describe(struct asked *asked)
{
    const struct scene *scene = asked->scene;
    answer_add_count(asked->head, "step", engine_run_step(scene->run));
    answer_add(asked->head, "playing", json_object_new_boolean(scene->playing));
    answer_add_number(asked->head, "speed", scene->speed);
    answer_add_number(asked->head, "rate", scene->rate);
    if (scene->edited == UINT64_MAX)
        answer_add(asked->head, "edited", NULL);
    else
        answer_add_count(asked->head, "edited", scene->edited);
    answer_add_count(asked->head, "state", scene->state);
    answer_add_count(asked->head, "scene", scene->number);
    if (scene->trouble.status != 0)
        answer_add_text(asked->head, "trouble", scene->trouble.text);
}

/* ---- Framing ------------------------------------------------------------------------------------------------------ */

static uint32_t length_of(const uint8_t *bytes)
{
    return (uint32_t) bytes[0] | (uint32_t) bytes[1] << 8 | (uint32_t) bytes[2] << 16 | (uint32_t) bytes[3] << 24;
}

/* Parses the head of a message. Returns NULL if it is none. */
static struct json_object *parse(const struct message *message, size_t *head)
{
    if (message->request_bytes < LENGTH)
        return NULL;
    *head = length_of(message->request);
    if (*head > HEAD_MOST || *head > message->request_bytes - LENGTH)
        return NULL;
    struct json_tokener *reader = json_tokener_new_ex(DEPTH_MOST);
    if (!reader)
        return NULL;
    json_tokener_set_flags(reader, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    struct json_object *request =
        json_tokener_parse_ex(reader, (const char *) message->request + LENGTH, (int) *head);
    const bool whole = json_tokener_get_error(reader) == json_tokener_success;
    json_tokener_free(reader);
    if (whole && json_object_is_type(request, json_type_object))
        return request;
    json_object_put(request);
    return NULL;
}

static void put_answer(struct message *message, const struct asked *asked)
{
    size_t length = 0;
    const char *text = json_object_to_json_string_length(asked->head, JSON_C_TO_STRING_PLAIN, &length);
    message->answer = text ? malloc(LENGTH + length + asked->count) : NULL;
    if (!message->answer)
        return;
    for (int i = 0; i < LENGTH; i++)
        message->answer[i] = (uint8_t) (length >> 8 * i);
    memcpy(message->answer + LENGTH, text, length);
    if (asked->count > 0)
        memcpy(message->answer + LENGTH + length, asked->bytes, asked->count);
    message->answer_bytes = LENGTH + length + asked->count;
}

void message_answer(struct scene *scene, struct message *message)
{
    struct engine_error error;
    size_t head = 0;
    struct asked asked = {.scene = scene, .request = parse(message, &head), .head = json_object_new_object()};
    message->answer = NULL;
    if (asked.request) {
        asked.with = message->request + LENGTH + head;
        asked.with_bytes = message->request_bytes - LENGTH - head;
    }
    const int status = asked.request ? carry_out(&asked, &error)
                                     : fail(&error, ENGINE_STATUS_USAGE, "the request is not a message of a view");
    if (status != 0) {
        answer_add_text(asked.head, "error", error.text);
        asked.count = 0;
    }
    if (scene->run)
        describe(&asked);
    put_answer(message, &asked);
    free(asked.bytes);
    json_object_put(asked.head);
    json_object_put(asked.request);
}

bool message_is_patient(const struct message *message)
{
    size_t head;
    const struct asked asked = {.request = parse(message, &head)};
    const char *name = asked.request ? asked_text(&asked, "do") : "";
    const bool patient = strcmp(name, "frame") == 0 || strcmp(name, "points") == 0;
    json_object_put(asked.request);
    return patient;
}
