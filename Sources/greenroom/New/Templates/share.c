/* my-plugin: A page of text that scrolls. */
#include <greenroom/plugin.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* What the next frame is made by. */
typedef struct plan {
  gr_capability row; /* size and frame rate */
  uint32_t revision; /* of the offer that they are from */
  uint32_t lines; /* the setting */
} plan;

typedef struct source {
  gr_plugin functions;
  const gr_host *host;
  gr_instance instance;
  gr_sender sender;
  const gr_video_functions *video;
  pthread_t thread;
  pthread_mutex_t lock; /* of the plan: the host changes it while the thread sends */
  plan plan;
} source;

/* Draws one frame in BGRA. A row may be followed by padding, so go by the stride. */
static void draw(const gr_mutable_frame *frame, uint64_t time_ms, uint32_t lines) {
  const size_t width = frame->width, height = frame->height, start = width / 10;
  const uint64_t scrolled = time_ms * height / 10000;
  for (size_t y = 0; y < height; y++) {
    uint8_t *row = frame->planes[0].data + y * frame->planes[0].stride_bytes;
    memset(row, 250, 4 * width); /* paper */
    const uint64_t half = 2 * lines * (y + scrolled) / height;
    if (half % 2 != 0) continue; /* between two lines */
    const size_t end = width * (50 + half * 37 % 40) / 100;
    memset(row + 4 * start, 60, 4 * (end - start)); /* ink */
  }
}

static plan current_plan(source *me) {
  pthread_mutex_lock(&me->lock);
  const plan now = me->plan;
  pthread_mutex_unlock(&me->lock);
  return now;
}

/* How long after the first one frame n is due: no rounding and no late frame adds up. */
static int64_t due_after_ns(int64_t n, const gr_capability *row) {
  const int64_t frames = row->fps_numerator, second_ns = 1000000000;
  const int64_t seconds_ns = row->fps_denominator * second_ns;
  return n / frames * seconds_ns + n % frames * seconds_ns / frames;
}

static void *send_frames(void *self) {
  source *me = self;
  const int64_t start_ns = me->host->now_ns(me->instance);
  int64_t first_ns = start_ns; /* when frame 0 of the present offer is due */
  int64_t n = 0;
  plan was = current_plan(me);
  for (;; n++) {
    const plan now = current_plan(me);
    if (now.revision != was.revision) { /* from here on at the rate of the new offer */
      first_ns += due_after_ns(n, &was.row);
      n = 0;
    }
    was = now;
    /* Late by a whole frame: nobody waits for that one any more. */
    while (first_ns + due_after_ns(n + 1, &now.row) <= me->host->now_ns(me->instance)) n++;
    const int64_t due_ns = first_ns + due_after_ns(n, &now.row);
    if (me->host->wait_until_ns(me->instance, due_ns) != GR_STATUS_OK)
      return NULL; /* stop_send has begun */
    gr_lease lease = {.struct_size = sizeof lease};
    if (me->video->acquire(me->sender, GR_FORMAT_BGRA, now.row.width, now.row.height,
                           &lease) != GR_STATUS_OK)
      continue; /* the host has no room: leave this frame out */
    draw(&lease.frame, (uint64_t)(due_ns - start_ns) / 1000000, now.lines);
    const gr_frame_info info = {.struct_size = sizeof info, .range = GR_RANGE_FULL,
                                .matrix = GR_MATRIX_BT601, .offer_revision = now.revision,
                                .pts_ns = due_ns};
    me->video->commit(me->sender, lease.id, &info);
  }
}

/* Takes the host's suggestion, which is what its answer says already. */
static gr_status follow(source *me, const gr_offer *offer) {
  if (offer->row_count == 0) {
    me->host->set_error(me->instance, "the session offers no size");
    return GR_STATUS_UNSUPPORTED;
  }
  pthread_mutex_lock(&me->lock);
  me->plan.row = offer->suggested;
  me->plan.revision = offer->revision;
  pthread_mutex_unlock(&me->lock);
  return GR_STATUS_OK;
}

static gr_status initialize(void *self, const gr_initialize *in) {
  source *me = self;
  me->sender = in->sender;
  me->video = in->video;
  return follow(me, in->offer);
}

static gr_status property_change(void *self, const gr_offer *offer, gr_answer *answer) {
  (void)answer;
  return follow(self, offer);
}

static gr_status start_send(void *self) {
  source *me = self;
  if (pthread_create(&me->thread, NULL, send_frames, me) == 0) return GR_STATUS_OK;
  me->host->set_error(me->instance, "no thread could be made; raise the limit on threads");
  return GR_STATUS_FAILED;
}

static void stop_send(void *self) { pthread_join(((source *)self)->thread, NULL); }

static void uninitialize(void *self) { ((source *)self)->sender = 0; }

static void destroy(void *self) {
  pthread_mutex_destroy(&((source *)self)->lock);
  free(self);
}

/* The host has checked the value. */
static gr_status set(void *self, const gr_setting *setting) {
  source *me = self;
  if (strcmp(setting->name, "lines") != 0) return GR_STATUS_BAD_SETTING;
  pthread_mutex_lock(&me->lock);
  me->plan.lines = (uint32_t)setting->value.integer;
  pthread_mutex_unlock(&me->lock);
  return GR_STATUS_OK;
}

static const void *get_extension(void *self, const char *id) {
  static const gr_live_parameters live = {.struct_size = sizeof live, .set = set};
  (void)self;
  return strcmp(id, GR_EXT_LIVE_PARAMETERS) == 0 ? &live : NULL;
}

static gr_status create(uint32_t index, const gr_create *in, const gr_plugin **plugin) {
  (void)index; /* there is one plugin in here */
  source *me = calloc(1, sizeof *me);
  if (me == NULL) return GR_STATUS_FAILED;
  me->functions = (gr_plugin){
      .struct_size = sizeof me->functions, .self = me, .destroy = destroy,
      .initialize = initialize, .property_change = property_change,
      .start_send = start_send, .stop_send = stop_send, .uninitialize = uninitialize,
      .get_extension = get_extension};
  me->host = in->host;
  me->instance = in->instance;
  pthread_mutex_init(&me->lock, NULL);
  for (uint32_t i = 0; i < in->setting_count; i++) set(me, &in->settings[i]);
  *plugin = &me->functions;
  return GR_STATUS_OK;
}

static const gr_descriptor *descriptor(uint32_t index) {
  static const gr_parameter lines = {
      .struct_size = sizeof lines, .type = GR_TYPE_INTEGER,
      .flags = GR_PARAMETER_LIVE | GR_PARAMETER_BOUNDED, .name = "lines",
      .title = "Lines on the page",
      .default_value = {.type = GR_TYPE_INTEGER, .integer = 30},
      .minimum = 5, .maximum = 100};
  static const gr_descriptor only = {
      .struct_size = sizeof only, .kind = GR_KIND_SHARE_SOURCE,
      .id = "com.example.my-plugin", .name = "my-plugin", .version = "0.1.0",
      .summary = "A page of text that scrolls",
      .parameters = &lines, .parameter_count = 1};
  return index == 0 ? &only : NULL;
}

GR_EXPORT const gr_entry *greenroom_plugin_entry(void) {
  static const gr_entry entry = {.struct_size = sizeof entry, .abi_major = GR_ABI_MAJOR,
                                 .abi_minor = GR_ABI_MINOR, .plugin_count = 1,
                                 .descriptor = descriptor, .create = create};
  return &entry;
}
