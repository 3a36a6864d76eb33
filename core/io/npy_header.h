/* The header of a .npy file: a Python dictionary such as
 *
 *     {'descr': '<f4', 'fortran_order': False, 'shape': (100, 3), }
 */
#ifndef CORE_IO_NPY_HEADER_H
#define CORE_IO_NPY_HEADER_H

#include "io/document.h"

#define NPY_MAGIC "\x93NUMPY"
enum { NPY_HEADER_MAX = 65535 };

/* Fills in type, values and shape of the array from a dictionary of `length` characters, ended by '\0'. The axes of the
 * file are (y, x) or (z, y, x); a fourth axis numbers components. Errors come without the file's name.
 * ENGINE_STATUS_INPUT. */
int npy_parse_header(const char *header, uint64_t length, struct io_array *array, struct engine_error *error);

/* Writes everything before the elements, in version 1.0, as NumPy does. Returns its bytes. `size` is 512 or more. */
uint64_t npy_make_header(const struct engine_shape *shape, char *out, uint64_t size);

#endif
