/* Messages between the judge and the process in which an implementation runs. The judge asks, and the process answers
 * each question in order. Both are of the same build. The judge believes no answer but a hash that is right. */
#ifndef LIB_JUDGE_WIRE_H
#define LIB_JUDGE_WIRE_H

#include <engine/engine.h>

#include <stdbool.h>

/* Questions, each with what follows it and what follows the answer. The answer to each may be an error's text. */
enum wire_kind {
    WIRE_CONFIG,  /* texts: folders of plugins, ""; the path of plugins; sweeps with one value, ""; the configuration of
                     config_pack. Nothing */
    WIRE_SURVEY,  /* text: names with commas between them. Texts: what bench_set_subject takes; the steps of a repeat;
                     names of rows */
    WIRE_OPEN,    /* texts: the seed of the initial state, or ""; a name, "": the reference. struct wire_about */
    WIRE_READY,   /* nothing: a new instance takes one step from the initial state of its configuration. Nothing */
    WIRE_RUN,     /* uint64_t steps, and the arrays of the problem. The hash after these steps */
    WIRE_PROBLEM, /* nothing. The arrays of the problem */
    WIRE_RESULT,  /* nothing. The arrays that the hash covers */
    WIRE_END,     /* nothing. struct wire_end */
    WIRE_KINDS,
    WIRE_MESSAGE = WIRE_KINDS /* from the process, at any time, with the level as its status: a text */
};

/* Precedes each message. */
struct wire_head {
    uint32_t kind;
    int32_t status; /* of an answer: 0, or ENGINE_STATUS_… */
    uint64_t bytes; /* that follow */
};

enum { WIRE_FIELDS = 64, WIRE_TEXT = 1 << 24 };

/* The canonical array of a field. */
struct wire_field {
    char name[64];
    uint64_t elements;
    uint32_t type, components;
    uint32_t in_problem, in_result; /* not 0: it is among the arrays that a run gets, or among those of its hash */
};

/* What a process tells about its implementation. */
struct wire_about {
    char impl[128], unit[64], problem[512];
    uint32_t reference, exact, batch, fields;
    double tolerance, work_per_step;
    struct engine_cost cost;
    uint32_t threads, devices, parts, memory;
    int32_t device_number;
    uint32_t reserved;
    uint64_t bytes, kept_bytes;
    struct wire_field field[WIRE_FIELDS];
};

/* The same after the last repeat. */
struct wire_end {
    double exchange_per_step, skipped;
    char notes[512];
};

/* Send and receive everything, and wait as long as it takes. They return false if the other side is gone. */
bool wire_send(int socket, uint32_t kind, int status, const void *data, uint64_t bytes);
bool wire_send_more(int socket, const void *data, uint64_t bytes);
bool wire_receive(int socket, void *data, uint64_t bytes);

/* Is a field among the arrays of WIRE_PROBLEM or WIRE_RESULT, and how many bytes have these arrays? */
bool wire_has(const struct wire_field *field, enum wire_kind kind);
uint64_t wire_bytes(const struct wire_about *about, enum wire_kind kind);

#endif
