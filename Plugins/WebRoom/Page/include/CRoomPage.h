// The files of the room's page.

#ifndef GREENROOM_CROOMPAGE_H
#define GREENROOM_CROOMPAGE_H

#include <stddef.h>
#include <stdint.h>

// The bytes of the file of a name, which live as long as the program; NULL if there is none.
const uint8_t *_Nullable room_page_file(const char *_Nonnull name, size_t *_Nonnull size);

#endif
