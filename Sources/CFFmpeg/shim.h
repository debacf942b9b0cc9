#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/cpu.h>
#include <libavutil/opt.h>

// Macros that Swift does not see.
enum {
  CFFMPEG_AGAIN = AVERROR(EAGAIN),
  CFFMPEG_END = AVERROR_EOF,
  CFFMPEG_NO_MEMORY = AVERROR(ENOMEM),
};
