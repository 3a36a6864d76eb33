/* Exports a descriptor under another name. */
#include <engine/plugin.h>

extern ENGINE_EXPORT const struct engine_plugin engine_plugins[1];
const struct engine_plugin engine_plugins[1] = {{.abi = ENGINE_ABI(0), .name = "missing_symbol"}};
