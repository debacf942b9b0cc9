/* What GStreamer takes for the job of frames.sh: frames of a source on their way to a descriptor, as I420.
   Prints the processor time of the process for each frame, in microseconds.

     gstreamer_frames i420|bgra leased|borrowed FPS SECONDS > /dev/null */
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { width = 1920, height = 1080, warm_up_seconds = 1 };

static double processor_us(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 +
         (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

int main(int argc, char **argv) {
  if (argc != 5) return 2;
  gst_init(NULL, NULL);
  const gboolean is_bgra = strcmp(argv[1], "bgra") == 0, is_leased = strcmp(argv[2], "leased") == 0;
  const int fps = atoi(argv[3]), seconds = atoi(argv[4]);
  const size_t size = (size_t)width * height * (is_bgra ? 8 : 3) / 2;
  char caps[200], text[500];
  snprintf(caps, sizeof caps, "video/x-raw,format=%s,width=%d,height=%d,framerate=%d/1",
           is_bgra ? "BGRA" : "I420", width, height, fps);
  snprintf(text, sizeof text,
           "appsrc name=source format=time is-live=true caps=%s ! queue max-size-buffers=4 max-size-bytes=0 "
           "max-size-time=0 ! %s queue max-size-buffers=8 max-size-bytes=0 max-size-time=0 ! "
           "fdsink fd=1 sync=true",
           caps, is_bgra ? "videoconvert ! video/x-raw,format=I420 !" : "");
  GstElement *pipeline = gst_parse_launch(text, NULL);
  if (!pipeline) return 1;
  GstAppSrc *source = GST_APP_SRC(gst_bin_get_by_name(GST_BIN(pipeline), "source"));
  GstBufferPool *pool = gst_buffer_pool_new();
  GstStructure *config = gst_buffer_pool_get_config(pool);
  GstCaps *described = gst_caps_from_string(caps);
  gst_buffer_pool_config_set_params(config, described, (guint)size, 16, 0);
  gst_buffer_pool_set_config(pool, config);
  gst_buffer_pool_set_active(pool, TRUE);
  uint8_t *pixels = malloc(size);
  memset(pixels, 128, size);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  struct timespec start;
  clock_gettime(CLOCK_MONOTONIC, &start);
  const long frames = (long)fps * (seconds + warm_up_seconds);
  double before = 0;
  for (long n = 0; n < frames; n++) {
    const long long due = (long long)n * 1000000000 / fps + start.tv_nsec;
    const struct timespec moment = {start.tv_sec + due / 1000000000, due % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, NULL);
    if (n == (long)fps * warm_up_seconds) before = processor_us();
    GstBuffer *frame = NULL;
    if (gst_buffer_pool_acquire_buffer(pool, &frame, NULL) != GST_FLOW_OK) return 1;
    if (!is_leased) gst_buffer_fill(frame, 0, pixels, size);
    GST_BUFFER_PTS(frame) = (GstClockTime)n * GST_SECOND / (GstClockTime)fps;
    if (gst_app_src_push_buffer(source, frame) != GST_FLOW_OK) return 1;
  }
  fprintf(stderr, "%.1f\n", (processor_us() - before) / ((double)fps * seconds));
  gst_element_set_state(pipeline, GST_STATE_NULL);
  return 0;
}
