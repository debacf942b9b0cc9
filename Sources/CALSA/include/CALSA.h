// ALSA's library, and the text that it would print.

#ifndef GREENROOM_CALSA_H
#define GREENROOM_CALSA_H

#include <alsa/asoundlib.h>

// ALSA returns a bare errno and prints the reason to standard error. Between the two calls it
// keeps the first reason of the calling thread instead: the first is the cause, what follows are
// complaints of the callers of what failed.
void greenroom_alsa_capture_text(void);
void greenroom_alsa_end_capture(void);

// The reason kept last for the calling thread; empty for none.
const char *_Nonnull greenroom_alsa_text(void);

#endif
