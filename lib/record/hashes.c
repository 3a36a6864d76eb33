#include "record/hashes.h"
#include "files/run_folder.h"
#include "record/section_output.h"
#include "run/state_hash.h"

int hashes_open(struct hashes *hashes, const struct state *state, const struct folder *folder, uint64_t bytes,
                struct engine_error *error)
{
    *hashes = (struct hashes){.state = state};
    return folder && (bytes > 0 || output_settings(state->plan)->hash_every > 0)
               ? rows_open(&hashes->table, folder, FOLDER_HASHES, "step,hash\n", bytes, error)
               : 0;
}

void hashes_close(struct hashes *hashes)
{
    rows_close(&hashes->table);
}

uint64_t hashes_every(const struct hashes *hashes)
{
    return hashes->table.file ? output_settings(hashes->state->plan)->hash_every : 0;
}

int hashes_write(struct hashes *hashes, struct engine_error *error)
{
    char hash[HASH_TEXT], row[HASH_TEXT + 32];
    if (state_hash(hashes->state, HASH_RESULTS, hash, error) != 0)
        return error->status;
    snprintf(row, sizeof row, "%llu,%s\n", (unsigned long long) hashes->state->step, hash);
    return rows_add(&hashes->table, row, error);
}
