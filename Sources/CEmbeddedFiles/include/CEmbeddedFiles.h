// Files that are compiled into a program or a plugin by C's #embed. SwiftPM would do this as an array
// of Swift, a literal a byte: that took a third of the release build.

#ifndef GREENROOM_CEMBEDDEDFILES_H
#define GREENROOM_CEMBEDDEDFILES_H

#include <stddef.h>
#include <stdint.h>

struct greenroom_embedded_file {
    const char *_Nonnull name;
    const uint8_t *_Nonnull bytes;
    size_t size;
};

// The bytes of a file, by its name, and their number; NULL if the file does not exist.
const uint8_t *_Nullable greenroom_embedded_file(
    const struct greenroom_embedded_file *_Nonnull files, size_t count, const char *_Nonnull name,
    size_t *_Nonnull size);

#endif
