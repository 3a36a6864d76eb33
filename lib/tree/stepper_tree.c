/* The steps of a tree. */
#include "run/caller.h"
#include "tree/tree.h"

#include <stdlib.h>

static int create(struct stepper *stepper, struct engine_error *error)
{
    (void) error;
    stepper->state->fresh = true;
    return 0;
}

static void destroy(struct stepper *stepper)
{
    (void) stepper;
}

static void close(struct stepper *stepper)
{
    free(stepper);
}

static struct host *host(struct stepper *stepper)
{
    return &tree_of(stepper->state)->host;
}

/* The error of a call that returned `code`. */
static int failed(const struct state *state, const char *function, int code, struct engine_error *error)
{
    char text[CALLER_TEXT];
    const struct caller caller = {.state = (struct state *) state};
    return host_error(&tree_of(state)->host, code, caller_name(&caller, function, text), error);
}

static int advance(struct stepper *stepper, uint64_t steps, bool *lost, struct engine_error *error)
{
    struct state *state = stepper->state;
    struct tree *tree = tree_of(state);
    (void) lost;
    if (tree_flush(tree, error) != 0)
        return error->status;
    struct engine_tree_root root = tree->root;
    const struct engine_call call = tree_call(tree, steps);
    host_enter(&tree->host, "advance");
    const int code = tree->table->advance(tree->self, &call, &root);
    host_leave(&tree->host);
    if (code != 0)
        return failed(state, "advance", code, error);
    if (tree_set_root(tree, root, error) != 0)
        return error->status;
    state->step += steps;
    state->fresh = false;
    return 0;
}

static int measure(struct stepper *stepper, double *values, struct engine_error *error)
{
    struct tree *tree = tree_of(stepper->state);
    if (tree_flush(tree, error) != 0)
        return error->status;
    const struct engine_call call = tree_call(tree, 0);
    host_enter(&tree->host, "measure");
    const int code = tree->table->measure(tree->self, &call, &tree->root, values);
    host_leave(&tree->host);
    return code != 0 ? failed(stepper->state, "measure", code, error) : 0;
}

static const struct stepper_table table = {
    .create = create, .destroy = destroy, .close = close, .advance = advance, .measure = measure, .host = host};

int stepper_tree_open(struct state *state, struct stepper **out, struct engine_error *error)
{
    *out = stepper_new(sizeof(struct stepper), &table, state, error);
    return *out ? 0 : error->status;
}
