#include <libavcodec/avcodec.h>
#include <libavdevice/avdevice.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/cpu.h>
#include <libavutil/display.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>

// Macros that Swift does not see.
enum {
  CFFMPEG_AGAIN = AVERROR(EAGAIN),
  CFFMPEG_END = AVERROR_EOF,
  CFFMPEG_EXIT = AVERROR_EXIT,
  CFFMPEG_INVALID = AVERROR_INVALIDDATA,
  CFFMPEG_NO_MEMORY = AVERROR(ENOMEM),
};

/// The time of a packet or frame that has none.
static const int64_t CFFMPEG_NO_TIME = AV_NOPTS_VALUE;
