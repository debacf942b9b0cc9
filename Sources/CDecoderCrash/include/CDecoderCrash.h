// The file and the time that a plugin's process decodes, for a crash report.

/// Has a crash of this process write a file's name and the time in it to standard error, before the handlers that
/// were there. In a host's process it does nothing.
void decoder_crash_tell(const char *name);

/// Notes the time in the file that is decoded next.
void decoder_crash_note(long milliseconds);
