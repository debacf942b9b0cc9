// ALSA's library, and its error messages.

#ifndef GREENROOM_CALSA_H
#define GREENROOM_CALSA_H

#include <alsa/asoundlib.h>

// ALSA returns only an errno, and prints the reason to standard error. Between these two calls, the
// first message of the calling thread is kept instead: the first one is the cause, later ones are
// from its callers.
void greenroom_alsa_capture_text(void);
void greenroom_alsa_end_capture(void);

// The last kept message of the calling thread; empty for none.
const char *_Nonnull greenroom_alsa_text(void);

#endif
