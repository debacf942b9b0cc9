#include <libyuv.h>

/* libyuv reads its constants with instructions that fault on addresses that are not a multiple
 * of 16 or 32, and the type does not say so: Swift, which may pass the address of a copy, must
 * be handed the address of the original. */

/** Constants for converting YUV to RGB, blue first in memory. */
static inline const struct YuvConstants *_Nonnull greenroom_yuv_constants(int is_full, int is_709) {
  return is_709 ? (is_full ? &kYuvF709Constants : &kYuvH709Constants)
                : (is_full ? &kYuvJPEGConstants : &kYuvI601Constants);
}

/** The same mirrored: with U and V changed against each other, red first in memory. */
static inline const struct YuvConstants *_Nonnull greenroom_yvu_constants(int is_full, int is_709) {
  return is_709 ? (is_full ? &kYvuF709Constants : &kYvuH709Constants)
                : (is_full ? &kYvuJPEGConstants : &kYvuI601Constants);
}
