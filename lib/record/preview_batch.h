/* Previews of batches: the universes as tiles. */
#ifndef LIB_RECORD_PREVIEW_BATCH_H
#define LIB_RECORD_PREVIEW_BATCH_H

#include "record/preview.h"

/* Makes a picture as preview_take does. Of a batch of grids of two axes it shows the universe that preview->how chooses
 * or, without a choice, all universes as tiles. If the tiles would be too small, it shows the first universes. */
int preview_batch_take(struct preview *preview, struct io_document *document, const struct preview_space *space,
                       struct engine_error *error);

#endif
