#ifndef CORE_VERSION_H
#define CORE_VERSION_H

#define ENGINE_VERSION "0.1.0"

#endif
