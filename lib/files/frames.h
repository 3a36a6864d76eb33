/* The section [frames]: what becomes of the particles of files before a run gets them. Their molecules become particles,
 * frames with few particles get absent ones, and boxes are repeated. Each of the three is a layer (layer.h). */
#ifndef LIB_FILES_FRAMES_H
#define LIB_FILES_FRAMES_H

#include "config/keys.h"
#include "files/layer.h"
#include "plan/plan.h"

extern const struct section frames_section;

struct frames_settings {
    const char *molecules, *masses; /* "": not given */
    uint64_t molecule_size;         /* 0: not given */
    bool by_mass;
    uint32_t repeat[3]; /* at least 1 */
    uint64_t most;      /* 0: all frames have the particles of the first one */
};

/* Puts the layers that [frames] asks for upon a document that the plan has opened. Files of grids and matrices stay as they
 * are. The layers close the document, and the caller closes *document also after an error. ENGINE_STATUS_INPUT,
 * ENGINE_STATUS_USAGE. */
int frames_apply(const struct plan *plan, const char *path, struct io_document **document, struct engine_error *error);

/* The kinds of layers (frames_molecules.c, frames_absent.c, frames_repeat.c). */
int molecules_open(const struct plan *plan, const struct frames_settings *settings, const char *path,
                   struct io_document **document, struct engine_error *error);
int absent_open(const struct plan *plan, const struct frames_settings *settings, const char *path,
                struct io_document **document, struct engine_error *error);
int repeat_open(const struct plan *plan, const struct frames_settings *settings, const char *path,
                struct io_document **document, struct engine_error *error);

#endif
