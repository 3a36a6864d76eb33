#include "ensemble/deal.h"
#include "files/run_folder.h"
#include "parts/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void deal_lock_text(const struct folder *folder, char text[DEAL_LOCK_TEXT])
{
    struct engine_error ignored;
    char *found = NULL;
    size_t bytes;
    *text = '\0';
    if (folder_read(folder, LOCK_NAME, DEAL_LOCK_TEXT, &found, &bytes, &ignored) == 0)
        snprintf(text, DEAL_LOCK_TEXT, "%s", found);
    free(found);
}

int deal_checksums(const struct ensemble *ensemble, char text[2][40], struct engine_error *error)
{
    text[1][0] = '\0';
    for (int p = 0; p < 2 && ensemble->measured[p].path; p++)
        if (ranks_checksum(ensemble->measured[p].path, text[p], error) != 0)
            return error->status;
    return 0;
}
