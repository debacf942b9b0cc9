// The files that `greenroom new` makes plugins from: plugins of the name `my-plugin`, which compile as
// they are.

#ifndef GREENROOM_CPLUGINTEMPLATES_H
#define GREENROOM_CPLUGINTEMPLATES_H

#include <stddef.h>
#include <stdint.h>

// The bytes of the file of a name, which live as long as the program; NULL if there is none.
const uint8_t *_Nullable greenroom_template(const char *_Nonnull name, size_t *_Nonnull size);

#endif
