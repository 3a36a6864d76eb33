#ifndef CORE_VERSION_H
#define CORE_VERSION_H

#define ENGINE_VERSION "0.1.0"

/* What `git describe` said when the program was linked, or "". Set once, by main. */
extern const char *version_commit;

#endif
