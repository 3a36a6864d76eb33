/* Runs that several processes share, the side of process 0.
 *
 * Process 0, rank 0, is the program: it plans, loops, writes and prints. Every other rank serves it (parts/serve.h): it
 * has the memory of its parts and carries out the commands that rank 0 sends. A command goes to all ranks of a run;
 * each rank then does its share, and answers with a status. The parts of the ranks exchange their margins among
 * themselves (halo_exchange).
 *
 * All functions below do nothing, and return the status that they were given, where the run is not shared: `ranks` is
 * NULL. They also do nothing on a rank that serves, so that both sides run the same code. */
#ifndef LIB_PARTS_RANKS_H
#define LIB_PARTS_RANKS_H

#include "parts/device_transport.h"
#include "parts/link.h"
#include "plan/plan.h"

enum ranks_kind {
    RANKS_OPEN,    /* plan, allocate; texts follow (ranks_texts) */
    RANKS_INIT,    /* make the initial state of the own parts */
    RANKS_CREATE,  /* create the instances; the box of particles follows */
    RANKS_ADVANCE, /* take `count` steps; the box follows */
    RANKS_MEASURE, /* values follow, and come back after the answer */
    RANKS_READ,    /* elements [begin, begin + count) of `field`, which come back after the answer */
    RANKS_WRITE,   /* the same elements follow */
    RANKS_DESTROY, /* destroy the instances */
    RANKS_CLOSE,   /* free the memory; there is no answer */
    RANKS_END,     /* serve no longer; its number is the same in all versions */

    RANKS_MEASURE_ALL, /* measure at the same time as all others: parts that share their work; the box follows */
    RANKS_ENSEMBLE,    /* open an ensemble (ensemble/deal.h), whose description follows */
    RANKS_MEMBERS,     /* execute members of it; there is no answer */
    RANKS_TIME,        /* exchange margins as often as all others do, to time it */
    RANKS_HASH,        /* reduce the own share of the fields of `count`, roles; it comes back before the answer */

    RANKS_SAVE_OPEN,  /* open a snapshot's file (parts/save.h), whose path follows; `begin`: compressed */
    RANKS_SAVE_PACK,  /* compress round `begin` of `field`; descriptions of the blocks come back after the answer */
    RANKS_SAVE_PLACE, /* write round `begin`; the places of all ranks in the file follow */
    RANKS_SAVE_CLOSE, /* close the file; `count`: synchronise it to disk before */

    RANKS_LOAD_OPEN, /* open a snapshot to read it (parts/load.h); its hash and its path follow */
    RANKS_LOAD,      /* read round `begin` of the own share of `field` */
    RANKS_LOAD_CLOSE /* close the file */
};

/* The first message of a command. */
struct ranks_command {
    uint32_t kind, field;
    uint64_t run; /* the number of an open run */
    uint64_t step, begin, count;
    uint64_t fresh; /* the state was changed from outside since the last steps */
    uint64_t bytes; /* of the data that follow the command */
    uint64_t reserved;
};

/* An answer. What comes back after it also comes after an error. */
struct ranks_answer {
    int32_t status; /* 0, or an error, with its sentence */
    double exchange_seconds;
    char text[2048];
};

struct ranks {
    struct link *link;
    uint32_t count; /* of the ranks that have parts */
    bool serves;    /* this process serves rank 0 */
    uint64_t run;
    double patience;
    double exchange_seconds, slowest;   /* that this rank, and the slowest of all, have spent in exchanges so far */
    uint64_t exchanges;                 /* so far */
    struct halo_transfers *halo;        /* parts/halo_transfers.h; or NULL */
    struct device_transport *transport; /* NULL: messages through the link carry the margins, or it is not opened yet */
    bool opened;                        /* the ranks have decided about the transport */
    bool apart;                         /* the ranks did not reach the last file that rank 0 wrote */
    bool agreed;                        /* the error of this rank is that of all ranks */
    struct ranks_command command;
    struct ranks_answer *answers; /* of ranks 1 … count - 1 */
    char *texts;                  /* of RANKS_OPEN; NULL on a rank that serves */
    uint64_t texts_bytes;
    uint8_t *encoded; /* elements as bits */
};

/* *ranks is NULL where the plan's parts are all in this process. ranks_do_open then opens the run on all ranks. */
int ranks_open(const struct plan *plan, struct ranks **ranks, struct engine_error *error);
void ranks_close(struct ranks *ranks);

/* The share of one rank in what a command asks of all. Returns 0 or a status, with its error. */
typedef int ranks_share(void *argument, struct engine_error *error);

/* Lets all ranks carry out a command at the same time: sends it to the others, and `bytes` of data after it; calls
 * share(argument), the share of this rank, or nothing where it is NULL; and waits for the answers of the others, also
 * after an error of the share. Returns the error of the lowest rank that has one. On a rank that serves, and where
 * `ranks` is NULL, it only calls share(argument). */
int ranks_do(struct ranks *ranks, struct ranks_command command, const void *data, uint64_t bytes, ranks_share *share,
             void *argument, struct engine_error *error);

/* The same for RANKS_OPEN, with the texts of the run. */
int ranks_do_open(struct ranks *ranks, ranks_share *share, void *argument, struct engine_error *error);

/* Adds the metrics of the parts of other ranks, one rank after the other. */
int ranks_measure(struct ranks *ranks, uint64_t step, double *values, uint64_t count, struct engine_error *error);

/* Moves elements of a field out of or (out NULL) into a part that another rank has (parts/encoding.h). */
int ranks_move(struct ranks *ranks, const struct plan *plan, uint32_t rank, uint64_t step, uint32_t field,
               uint64_t begin, uint64_t count, void *out, const void *in, struct engine_error *error);

/* The texts that follow RANKS_OPEN, each with its final 0: the version of the engine, the name of the plugin and the
 * checksum of its file, the implementation, a number for the layouts of all parts, a 0 or 1 for each field that says
 * whether it is absent, the number of symbols of species and the symbols, and the configuration as assignments. The
 * caller frees *texts. */
int ranks_texts(const struct plan *plan, char **texts, uint64_t *bytes, struct engine_error *error);

/* The checksum of a plugin's file, and the number for the layouts. */
int ranks_checksum(const struct plugin *plugin, char text[40], struct engine_error *error);
void ranks_layouts(const struct plan *plan, char text[40]);

/* Compares what rank 0 has told with what this rank has. ENGINE_STATUS_PLUGIN, with what to do. */
int ranks_check_same(const char *what, const char *theirs, const char *own, const char *todo,
                     struct engine_error *error);

/* Returns the error of an answer, which names the rank; 0: there is none. */
int ranks_error(const struct ranks_answer *answer, uint32_t rank, struct engine_error *error);

/* Ends all other ranks: those that serve return. */
void ranks_end(struct link *link);

#endif
