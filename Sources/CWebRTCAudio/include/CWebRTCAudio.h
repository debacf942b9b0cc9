// WebRTC's audio processing, for blocks of 10 ms of 48 kHz.
#ifndef GREENROOM_CWEBRTCAUDIO_H
#define GREENROOM_CWEBRTCAUDIO_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

/// The parts of the processing.
typedef struct {
  /// The strength of noise suppression: 0 to 3; -1 turns it off.
  int32_t noise;
  /// Whether the level of speech is kept even.
  bool gain;
  /// Whether rumble is taken out.
  bool high_pass;
  /// Whether the echo of the reference is taken out.
  bool echo;
} greenroom_audio_options;

typedef struct greenroom_audio greenroom_audio;

/// Makes a processor; NULL if the library can't.
greenroom_audio *_Nullable greenroom_audio_make(greenroom_audio_options options, int32_t channels);
void greenroom_audio_free(greenroom_audio *_Nonnull audio);

/// Changes what is done. Not while a block is processed.
bool greenroom_audio_set(greenroom_audio *_Nonnull audio, greenroom_audio_options options);

/// Processes 480 samples of each channel, interleaved, in place.
///
/// \param reference As many samples of the audio that loudspeakers play, up to 80 ms before its echo is in
///   the block; NULL for none.
/// \returns 0, or the library's error.
int32_t greenroom_audio_process(greenroom_audio *_Nonnull audio, int16_t *_Nonnull samples,
                                const int16_t *_Nullable reference);

#if defined(__cplusplus)
}
#endif

#endif
