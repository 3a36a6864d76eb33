#include "files/frames.h"
#include "plan/section.h"

/* ---- The section -------------------------------------------------------------------------------------------- */

enum { MOLECULES, MOLECULE_SIZE, CENTRE, MASSES, REPEAT, MOST };
enum { REPEAT_MAX = 1000 };

static const char *const centres[] = {"mass", "geometry", NULL};

static const struct engine_param keys[] = {
    [MOLECULES] = KEY_TEXT("molecules", KEY_SUBJECT | KEY_PATH, "",
                           "file whose residues, molecules or groups each become one particle, at their centre"),
    [MOLECULE_SIZE] = KEY_INTEGER("molecule_size", KEY_SUBJECT, "0", 0, 1000000,
                                  "each so many consecutive particles become one, at their centre; 0: not given"),
    [CENTRE] = KEY_CHOICE("centre", KEY_SUBJECT, "mass", centres,
                          "mass: the centre of mass; geometry: the mean of the positions"),
    [MASSES] = KEY_TEXT("masses", KEY_SUBJECT, "",
                        "masses of particles by name, such as OW 15.999, HW* 1.008; or a mass for each particle of "
                        "molecule_size, in order"),
    [REPEAT] =
        KEY_TEXT("repeat", KEY_SUBJECT, "", "copies of the periodic box along each of its three edges, such as 2 2 2"),
    [MOST] = KEY_INTEGER("most", KEY_SUBJECT, "0", 0, 2147483646,
                         "the largest number of particles that a frame has, if the number varies; 0: it does not"),
};

static int read_repeat(const struct reading *reading, const char *text, uint32_t repeat[3])
{
    double numbers[3];
    bool good = section_reals(*text ? text : "1 1 1", numbers, 3) == 3;
    for (int axis = 0; axis < 3 && good; axis++) {
        good = numbers[axis] >= 1 && numbers[axis] <= REPEAT_MAX;
        repeat[axis] = good ? (uint32_t) numbers[axis] : 1;
        good = good && repeat[axis] == numbers[axis];
    }
    return good ? 0
                : REFUSE(reading, "frames", "repeat", "'%s' is not three whole numbers from 1 to %d, as in 2 2 2", text,
                         REPEAT_MAX);
}

static int read_frames(const struct reading *reading, const struct engine_value *values, void *own)
{
    struct frames_settings *settings = own;
    *settings = (struct frames_settings){.molecules = values[MOLECULES].text,
                                         .masses = values[MASSES].text,
                                         .molecule_size = (uint64_t) values[MOLECULE_SIZE].integer,
                                         .by_mass = values[CENTRE].integer == 0,
                                         .most = (uint64_t) values[MOST].integer};
    if (*settings->molecules && settings->molecule_size > 0)
        return REFUSE(reading, "frames", "molecule_size", "cannot be used with molecules; leave one of them out");
    return read_repeat(reading, values[REPEAT].text, settings->repeat);
}

static bool reads_particles(const struct plan *run, const struct plan *analysis)
{
    const struct engine_field_array *fields = &run->plugin->about.fields;
    const bool files = run->settings.source == INIT_FILE || run->settings.source == INIT_ARRAYS;
    bool particles = false;
    (void) analysis;
    for (uint32_t i = 0; i < fields->count; i++)
        particles = particles || fields->at[i].kind == ENGINE_PARTICLES;
    return files && particles;
}

static bool makes_molecules(const struct plan *run, const struct plan *analysis)
{
    const struct frames_settings *settings = settings_section(&run->settings, &frames_section);
    return reads_particles(run, analysis) && (*settings->molecules || settings->molecule_size > 0);
}

static const struct key_use uses[] = {{"frames",
                                       "molecules molecule_size repeat most",
                                       reads_particles,
                                       "the run reads no particles from a file",
                                       {NULL, NULL},
                                       0},
                                      {"frames",
                                       "centre masses",
                                       makes_molecules,
                                       "neither molecules nor molecule_size is given",
                                       {"molecules", "molecule_size"},
                                       0},
                                      {.keys = NULL}};

const struct section frames_section = {
    .about = {"frames", "what becomes of the particles of files before a run gets them", ENGINE_ARRAY(keys)},
    .bytes = sizeof(struct frames_settings),
    .read = read_frames,
    .uses = uses,
};

int frames_apply(const struct plan *plan, const char *path, struct io_document **document, struct engine_error *error)
{
    const struct frames_settings *settings = settings_section(&plan->settings, &frames_section);
    const uint32_t *repeat = settings ? settings->repeat : NULL;
    const struct engine_file_array *first = &(*document)->arrays[0];
    int status = 0;
    const bool field = plan->settings.source == INIT_ARRAYS && first->values == 0;
    if (!settings || !reads_particles(plan, NULL) ||
        (first->kind != ENGINE_PARTICLES && !layer_is_position(first) && !field))
        return 0;
    if (settings->most > 0)
        status = absent_open(plan, settings, path, document, error);
    if (status == 0 && (*settings->molecules || settings->molecule_size > 0))
        status = molecules_open(plan, settings, path, document, error);
    if (status == 0 && (repeat[0] > 1 || repeat[1] > 1 || repeat[2] > 1))
        status = repeat_open(plan, settings, path, document, error);
    return status;
}
