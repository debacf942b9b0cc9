/* A broadcast with the behaviour in its second argument. Prints the results:
 * "broadcaster SOCKET still|pause|finish|crash|refuse|idle". */
#include <greenroom/broadcast.h>
#include <greenroom/client.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct broadcaster {
  gr_plugin functions;
  const gr_host *host;
  gr_instance instance;
  gr_sender sender;
  const gr_video_functions *video;
  gr_capability size;
  uint32_t revision;
  pthread_t thread;
} broadcaster;

static const char *mode;

static int is(const char *name) { return strcmp(mode, name) == 0; }

static void say(const char *what) {
  printf("%s\n", what);
  fflush(stdout);
}

/* A flat frame. */
static gr_status send_flat(const broadcaster *me, int luma) {
  gr_lease lease = {.struct_size = sizeof lease};
  const gr_status status =
      me->video->acquire(me->sender, GR_FORMAT_I420, me->size.width, me->size.height, &lease);
  if (status != GR_STATUS_OK) return status;
  memset(lease.frame.planes[0].data, luma, lease.frame.planes[0].size_bytes);
  memset(lease.frame.planes[1].data, 128, lease.frame.planes[1].size_bytes);
  memset(lease.frame.planes[2].data, 128, lease.frame.planes[2].size_bytes);
  const gr_frame_info info = {.struct_size = sizeof info, .range = GR_RANGE_LIMITED,
                              .matrix = GR_MATRIX_BT709, .offer_revision = me->revision,
                              .pts_ns = GR_PTS_UNSTAMPED};
  return me->video->commit(me->sender, lease.id, &info);
}

static gr_status wait_ms(const broadcaster *me, int64_t milliseconds) {
  return me->host->wait_until_ns(
      me->instance, me->host->now_ns(me->instance) + milliseconds * 1000000);
}

static void *run(void *self) {
  const broadcaster *me = self;
  const gr_broadcast *share = me->host->get_extension(me->instance, GR_EXT_BROADCAST);
  if (!share || me->host->get_extension(me->instance, "greenroom.unknown/1")) {
    say("wrong extensions");
    return NULL;
  }
  const int most = is("still") ? 1 : is("idle") ? 0 : is("pause") ? 1 << 30 : 10;
  for (int n = 0; n < most; n++) {
    if (is("pause") && n == 10) {
      /* Said twice, and once without a listener. */
      if (share->paused(me->instance) || share->paused(me->instance)) say("not paused");
      if (share->paused(me->instance + 1000) != GR_STATUS_GONE) say("who was paused?");
      if (wait_ms(me, 1000)) return NULL;
      share->resumed(me->instance);
    }
    /* stop_send may begin between a wait and a send. */
    const gr_status sent = send_flat(me, n < 10 ? 200 : 100);
    if (sent == GR_STATUS_STOPPED) return NULL;
    if (sent != GR_STATUS_OK) say("not sent");
    if (wait_ms(me, 33)) return NULL;
  }
  if (is("finish")) share->finished(me->instance, "all is shown");
  if (is("crash")) abort();
  return NULL;
}

static gr_status initialize(void *self, const gr_initialize *in) {
  broadcaster *me = self;
  me->sender = in->sender;
  me->video = in->video;
  me->size = in->offer->suggested;
  me->revision = in->offer->revision;
  say("initialize");
  return GR_STATUS_OK;
}

static gr_status start_send(void *self) {
  broadcaster *me = self;
  say("start-send");
  return pthread_create(&me->thread, NULL, run, me) ? GR_STATUS_FAILED : GR_STATUS_OK;
}

static void stop_send(void *self) {
  pthread_join(((broadcaster *)self)->thread, NULL);
  say("stop-send");
}

static void uninitialize(void *self) {
  broadcaster *me = self;
  say("uninitialize");
  if (send_flat(me, 0) != GR_STATUS_GONE) say("sent after its end");
}

static void destroy(void *self) {
  free(self);
  say("destroy");
}

static gr_status create(uint32_t index, const gr_create *in, const gr_plugin **plugin) {
  (void)index;
  if (is("refuse")) {
    in->host->set_error(in->instance, "it will not be made");
    return GR_STATUS_UNSUPPORTED;
  }
  broadcaster *me = calloc(1, sizeof *me);
  if (me == NULL) return GR_STATUS_FAILED;
  me->functions = (gr_plugin){.struct_size = sizeof me->functions, .self = me, .destroy = destroy,
                              .initialize = initialize, .start_send = start_send,
                              .stop_send = stop_send, .uninitialize = uninitialize};
  me->host = in->host;
  me->instance = in->instance;
  *plugin = &me->functions;
  say("create");
  return GR_STATUS_OK;
}

static const gr_descriptor *descriptor(uint32_t index) {
  static const gr_descriptor only = {
      .struct_size = sizeof only, .kind = GR_KIND_SHARE_SOURCE, .id = "org.example.broadcaster",
      .name = "Broadcaster", .version = "1.0.0", .summary = "Does as it is told"};
  return index == 0 ? &only : NULL;
}

int main(int count, char **words) {
  static const gr_entry entry = {.struct_size = sizeof entry, .abi_major = GR_ABI_MAJOR,
                                 .abi_minor = GR_ABI_MINOR, .plugin_count = 1,
                                 .descriptor = descriptor, .create = create};
  if (count != 3) return 64;
  mode = words[2];
  char text[200];
  const gr_status status = greenroom_client_run(words[1], &entry, text, sizeof text);
  printf("status %d %s\n", status, text);
  return 0;
}
