// Tells which file a plugin's process decodes when it crashes or hangs. In a host's process these functions do nothing.

/// Has a crash of this process write a file's name and the time in it to standard error, before the handlers that
/// were there, and a decoder that hangs write them once.
void decoder_crash_tell(const char *name);

enum { DECODER_CRASH_TRACKS = 2 };

/// A track's part of the file is decoded from now on.
///
/// @param track 0 or 1. Each has one thread at a time.
/// @param milliseconds The time in the file.
void decoder_crash_begin(int track, long milliseconds);

/// The part has been decoded.
void decoder_crash_end(int track);
