/* Exports a function where the descriptor should be. */
#include <engine/plugin.h>

ENGINE_EXPORT int not_a_descriptor(void) __asm__("engine_plugin");

int not_a_descriptor(void)
{
    return 0;
}
