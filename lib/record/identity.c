#include "record/identity.h"
#include "files/frames.h"
#include "files/json.h"
#include "files/plan_use.h"
#include "record/section_analyse.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- Keys and their words -------------------------------------------------------------------------------------- */

enum { KEY = 256 }; /* bytes of a key, and of its words in a message */

/* Keys are "section.key" of the configuration, "plugin.note", and these; their words are for messages. A key that ends
 * with a colon stands before the name of a field. */
#define INIT         "init."
#define SOURCE       INIT "source"
#define FRAMES_TAKEN "analyse.from_every"
#define SIZE         "size:"

static const struct {
    const char *key, *words;
} special[] = {{FRAMES_TAKEN, "[analyse] from and every"}, {SIZE, "size of field "}};

enum { SPECIAL = sizeof special / sizeof special[0] };

static bool begins(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* "[nbody] softening" of "nbody.softening" */
static const char *words_of(const char *key, char words[KEY])
{
    const size_t section = strcspn(key, ".");
    for (int i = 0; i < SPECIAL; i++)
        if (begins(key, special[i].key)) {
            snprintf(words, KEY, "%s%s", special[i].words, key + strlen(special[i].key));
            return words;
        }
    snprintf(words, KEY, "[%.*s] %s", (int) section, key, key + section + (key[section] == '.'));
    return words;
}

/* "nbody.softening" of "[nbody] softening" */
static const char *key_of(const char *words, char key[KEY])
{
    const size_t section = strcspn(words, "]");
    for (int i = 0; i < SPECIAL; i++)
        if (begins(words, special[i].words)) {
            snprintf(key, KEY, "%s%s", special[i].key, words + strlen(special[i].words));
            return key;
        }
    if (*words != '[' || !begins(words + section, "] "))
        snprintf(key, KEY, "%s", words);
    else
        snprintf(key, KEY, "%.*s.%s", (int) section - 1, words + 1, words + section + 2);
    return key;
}

struct json_object *identity_of_sentences(struct json_object *sentences)
{
    struct json_object *identity = json_new_object();
    char key[KEY];
    json_object_object_foreach(sentences, words, value)
    {
        json_add(identity, key_of(words, key), json_object_get(value));
    }
    return identity;
}

/* ---- Making one ------------------------------------------------------------------------------------------------ */

static const char *param_key(const struct plan *plan, const struct engine_param *param, char key[KEY])
{
    snprintf(key, KEY, "%.100s.%.100s", plan->plugin->about.name, param->name);
    return key;
}

/* Tuning parameters may change, and so may the paths of files. */
static void add_params(struct json_object *identity, const struct plan *plan)
{
    const struct engine_param_array *params = &plan->plugin->about.params;
    char key[KEY];
    for (uint32_t i = 0; i < params->count; i++)
        if (!(params->at[i].flags & (ENGINE_PARAM_TUNING | ENGINE_PARAM_PATH)))
            json_add_text(identity, param_key(plan, &params->at[i], key), plan->values[i].text);
}

static const char *note_key(const struct plan *plan, uint32_t note, char key[KEY])
{
    snprintf(key, KEY, "%.100s.%s", plan->plugin->about.name, plan->host.notes[note].key);
    return key;
}

/* Adds what the plugin's check has noted, such as the checksum of a file that it read. */
static void add_notes(struct json_object *identity, const struct plan *plan)
{
    char key[KEY];
    for (uint32_t i = 0; i < plan->host.note_count; i++)
        json_add_text(identity, note_key(plan, i, key), plan->host.notes[i].text);
}

static void add_shapes(struct json_object *identity, const struct plan *plan)
{
    char key[KEY], text[160];
    for (uint32_t i = 0; i < plan->plugin->about.fields.count; i++) {
        const struct engine_shape whole = plan_whole_shape(plan, i), *shape = &whole;
        snprintf(key, sizeof key, SIZE "%.100s", plan->plugin->about.fields.at[i].name);
        snprintf(text, sizeof text, "%" PRIu64 " x %" PRIu64 " x %" PRIu64 ", %u of %s", shape->extent[0],
                 shape->extent[1], shape->extent[2], shape->components, type_name(shape->type));
        json_add_text(identity, key, text);
    }
}

static void add_analysis(struct json_object *identity, const struct plan *plan)
{
    char text[64];
    json_add_text(identity, "analyse.plugin", plan->plugin->about.name);
    snprintf(text, sizeof text, "from %" PRIu64 " every %" PRIu64, analyse_settings(plan)->from,
             analyse_settings(plan)->every);
    json_add_text(identity, FRAMES_TAKEN, text);
    add_params(identity, plan);
    add_notes(identity, plan);
    add_shapes(identity, plan);
}

/* Adds the source of the initial state. The path of its file may change. */
static void add_source(struct json_object *identity, const struct plan *plan)
{
    static const char *const names[] = {
        [INIT_DEFAULTS] = "defaults", [INIT_FILE] = "file", [INIT_RANDOM] = "random", [INIT_ARRAYS] = "arrays"};
    const struct settings *settings = &plan->settings;
    char text[96];
    json_add_text(identity, SOURCE,
                  settings->source == INIT_GENERATOR ? plan->plugin->about.generators.at[settings->generator].name
                                                     : names[settings->source]);
    snprintf(text, sizeof text, "%.17g", settings->density);
    if (settings->source == INIT_RANDOM)
        json_add_text(identity, INIT "density", text);
    snprintf(text, sizeof text, "%" PRId64 " %" PRId64 " %" PRId64, settings->at[0], settings->at[1], settings->at[2]);
    if (settings->at_given && plan_uses_init(plan, KEY_INIT_AT))
        json_add_text(identity, INIT "at", settings->centred ? "center" : text);
    snprintf(text, sizeof text, "%" PRIu64, settings->seed);
    if (plan_uses_init(plan, KEY_INIT_SEED))
        json_add_text(identity, INIT "seed", text);
    const uint64_t *frames = settings->frames;
    snprintf(text, sizeof text, "%" PRIu64 ":%" PRIu64 ":%" PRIu64, frames[0], frames[1], frames[2]);
    json_add_text(identity, INIT "frames", text);
}

/* Adds what becomes of the particles of files. The path of the file with the molecules may change. */
static void add_frames(struct json_object *identity, const struct plan *plan)
{
    const struct engine_param_array *keys = &frames_section.about.keys;
    char key[KEY];
    for (uint32_t i = 0; i < keys->count; i++) {
        const char *text = config_get(plan->config, "frames", keys->at[i].name);
        snprintf(key, sizeof key, "frames.%s", keys->at[i].name);
        if (text && *text && !(keys->at[i].flags & KEY_PATH))
            json_add_text(identity, key, text);
    }
}

static void add_run(struct json_object *identity, const struct plan *plan)
{
    char text[256];
    json_add_text(identity, "run.plugin", plan->plugin->about.name);
    add_source(identity, plan);
    add_frames(identity, plan);
    const double *box =
        plan->frames > 1 ? plan->settings.box : plan->for_plugin.box; /* frames have boxes of their own */
    snprintf(text, sizeof text, "%.17g %.17g %.17g %.17g %.17g %.17g", box[0], box[1], box[2], box[3], box[4], box[5]);
    json_add_text(identity, "particles.box", text);
    add_params(identity, plan);
    add_notes(identity, plan);
    add_shapes(identity, plan);
}

int identity_make(const struct plan *plan, const struct plan *analysis, struct json_object **identity,
                  struct engine_error *error)
{
    *identity = json_new_object();
    add_run(*identity, plan);
    if (analysis)
        add_analysis(*identity, analysis);
    return json_check(identity, error);
}

/* ---- Comparing ------------------------------------------------------------------------------------------------- */

static const char *text_of(struct json_object *object, const char *key)
{
    struct json_object *text;
    return json_object_object_get_ex(object, key, &text) ? json_object_get_string(text) : "none";
}

/* Does the key stand for a parameter that decides the bits of results alone? */
static bool decides_bits(const struct plan *plan, const char *key)
{
    const struct engine_param_array *params = &plan->plugin->about.params;
    char name[KEY];
    for (uint32_t i = 0; i < params->count; i++)
        if (plugin_param_decides_bits(plan->impl, &params->at[i]) &&
            strcmp(key, param_key(plan, &params->at[i], name)) == 0)
            return true;
    return false;
}

/* Has a plugin a parameter that it lacked when the checkpoint was written, with its default, which changes nothing? */
static bool is_new_default(const struct plan *plan, const char *key, struct json_object *then, const char *is)
{
    const struct engine_param_array *params = &plan->plugin->about.params;
    char name[KEY];
    for (uint32_t i = 0; i < params->count; i++)
        if (!json_object_object_get(then, key) && strcmp(key, param_key(plan, &params->at[i], name)) == 0 &&
            strcmp(is, params->at[i].initial) == 0)
            return true;
    return false;
}

/* Is it a note that the plugin did not make when the checkpoint was written, because it was an older version? No, if the
 * user gives a file with `engine resume`: such a file makes new notes, too. */
static bool is_new_note(const struct plan *plan, const char *key, struct json_object *then)
{
    const struct engine_plugin *about = &plan->plugin->about;
    char name[KEY];
    bool found = false;
    for (uint32_t i = 0; i < about->params.count; i++)
        if (about->params.at[i].flags & ENGINE_PARAM_PATH &&
            config_is_assigned(plan->config, about->name, about->params.at[i].name))
            return false;
    for (uint32_t i = 0; i < plan->host.note_count && !found; i++)
        found = strcmp(key, note_key(plan, i, name)) == 0;
    return found && !json_object_object_get(then, key);
}

static int check_key(const char *key, struct json_object *then, struct json_object *now, struct engine_error *error)
{
    const char *was = text_of(then, key), *is = text_of(now, key);
    /* Checkpoints of older engines lack the source of the initial state, and have a seed that nothing uses. */
    const bool known =
        !begins(key, INIT) || json_member(then, SOURCE, json_type_string) || json_member(then, key, json_type_string);
    const bool unused = strcmp(key, INIT "seed") == 0 && !json_object_object_get(now, key);
    char words[KEY];
    if (!known || unused || strcmp(was, is) == 0)
        return 0;
    return error_set(error, ENGINE_STATUS_USAGE,
                     "%s: was %s when the checkpoint was written, and is %s now; a resumed run cannot change this; "
                     "start a new run",
                     words_of(key, words), was, is);
}

int identity_check(struct json_object *then, const struct plan *plan, const struct plan *analysis,
                   struct engine_error *error)
{
    struct json_object *now;
    int status = identity_make(plan, analysis, &now, error);
    struct json_object *const both[] = {now, then};
    for (int i = 0; i < 2 && status == 0; i++) {
        json_object_object_foreach(both[i], key, value)
        {
            (void) value;
            if (status == 0 && !decides_bits(plan, key) && !(analysis && decides_bits(analysis, key)) &&
                !is_new_default(plan, key, then, text_of(now, key)) &&
                !(analysis && is_new_default(analysis, key, then, text_of(now, key))) &&
                !is_new_note(plan, key, then) && !(analysis && is_new_note(analysis, key, then)))
                status = check_key(key, then, now, error);
        }
    }
    json_object_put(now);
    return status;
}
