/* The messages between a page and the simulation that it shows.
 *
 * A request and an answer have the same form: a little-endian number of four bytes, so many bytes of JSON, an object,
 * and other bytes behind it up to the end of the message. The member "do" names what a request asks for. Numbers of
 * cells and steps are JSON numbers. An answer with the member "error", a sentence, says that nothing was done.
 *
 * Every other answer has these members, which describe the simulation after the request:
 *
 *     step      the present step
 *     playing   true: it takes steps
 *     speed     steps a second that it tries to take; 0: as many as it can
 *     rate      steps a second that it takes
 *     edited    the step of the first edit, or null
 *     state     a number that is another one whenever the state is another one
 *     trouble   the sentence of the error that ended the playing; absent if there is none
 *     scene     a number that is another one whenever what "hello" describes is another one
 *
 * Requests, and what their answers have besides:
 *
 *     hello     title, plugin, implementation, device, config (its text), read_only, can [the requests that are
 *               answered], parameters [{key, help, unit, value, choices or null, changes}], implementations [names],
 *               fields [{name, help, kind: grid, particles, matrix or bins, role: state, input or output, type,
 *               components, extent [x, y, z], rank, batch, values, unbounded}], metrics [{name, unit, help}], marks [{id, step,
 *               name}], formats [{name, endings, help}], which can be saved
 *     frame     a picture: field (its number), box [x0, y0, z0, x1, y1, z1] of cells (grids), axis 0 … 3 and plane as
 *               in struct engine_sight, bounds [left, right, bottom, top] (particles), columns, rows (at most so many),
 *               measure (true: also metrics), seen (the `state` of the last picture of the same view, or -1).
 *               Answer: columns, rows, block (cells along a side of a pixel; 0: it is no grid), coloured, bounds (the box
 *               of the cells that are not background, of an unbounded grid), metrics [numbers or null]; bytes: a pixel is a byte, 0 black … 255 white, or, if coloured, red, green and blue. If the
 *               state is the one that was seen, the answer has `same` true and no picture
 *     points    the positions of particles: field, most (so many at most, evenly chosen). Answer: count, of (all), low
 *               [x, y, z], high [x, y, z], masses (true: there are any); bytes: x, y, z, mass of each as little-endian 32-bit floats
 *     read      the values of a box of a grid of at most 65,536 elements: field, box. Answer: type, components; bytes:
 *               its canonical array
 *     play      playing, speed
 *     step      count
 *     mark      remembers the state. Answer: marks
 *     back      id of a mark. Answer: marks
 *     draw      field, cells [x, y, z, x, y, z, …], value (a number)
 *     fill      field, box, value
 *     paste     x, y, over (true: dead cells replace, too); bytes: a pattern file. Answer: box
 *     set       key ("run.implementation", or the key of a parameter), value (a text). Answer: marks
 *     open      name; bytes: a file with a pattern, a snapshot, particles or arrays, never a configuration
 *     save      format, box or null (all). Answer: name; bytes: the file
 *
 * Requests from "draw" to "open" change the simulation. With --read-only they are refused. */
#ifndef VIEW_MESSAGES_H
#define VIEW_MESSAGES_H

#include "scene.h"

#include <stddef.h>

enum { MESSAGE_MOST = 64 << 20 }; /* bytes of a request */

/* A request, and the answer. */
struct message {
    const uint8_t *request; /* the whole */
    size_t request_bytes;
    bool patient;    /* message_is_patient(the request) */
    uint8_t *answer; /* the whole; the caller frees it. NULL: there is no memory */
    size_t answer_bytes;
};

/* Answers a request. Whatever it holds, there is an answer. */
void message_answer(struct scene *scene, struct message *message);

/* Does the request only look, so that it may wait until the simulation has had its share of the time? Any thread may
 * ask. */
bool message_is_patient(const struct message *message);

#endif
