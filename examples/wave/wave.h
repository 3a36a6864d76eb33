/* The wave equation: the rule for the headers of the engine, and the names that all files share. wave.f90 has the same
 * rule in Fortran, and wave.py has it in Triton. */
#ifndef WAVE_H
#define WAVE_H

#define STENCIL_AXES  2
#define STENCIL_REACH 1
#define STENCIL_STAR
#define STENCIL_DIVISIBLE
#define STENCIL_CELL(member) member(float, height) member(float, velocity)
#define STENCIL_OPERATIONS   8
#include <engine/stencil.h>

enum { HEIGHT, VELOCITY }; /* fields */
enum { SPEED };            /* parameter */

struct rule {
    float square; /* of the speed */
};

static inline struct rule rule_of(const struct engine_plan *plan)
{
    const double speed = engine_param_real(plan, SPEED);
    const struct rule rule = {(float) (speed * speed)};
    return rule;
}

/* The order of the additions is the same in all languages, because it decides the last bits. */
ENGINE_INLINE void next(const struct rule *rule, const struct engine_near *near, struct engine_cell *cell)
{
    const float around = (engine_at(near, -1, 0).height + engine_at(near, 1, 0).height) +
                         (engine_at(near, 0, -1).height + engine_at(near, 0, 1).height);
    cell->velocity += rule->square * (around - 4 * cell->height);
    cell->height += cell->velocity;
}

/* fortran.c calls wave.f90, and triton.cu launches the kernel of wave.py. */
#ifdef __cplusplus
extern "C" {
#endif
int fortran_advance(void *self, struct engine_call *call);
int triton_create(const struct engine_call *call, void **self);
int triton_advance(void *self, struct engine_call *call);
void triton_destroy(void *self);
#ifdef __cplusplus
}
#endif

#endif
