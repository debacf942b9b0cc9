/*
 * Sources that make something of every new offer, as the setting `mode` says. What they were
 * offered, and what became of the frame that they send from inside property_change, is told in
 * the host's log.
 */
#include <greenroom/plugin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct instance {
  gr_plugin functions;
  const gr_host *host;
  gr_instance handle;
  gr_sender sender;
  const gr_video_functions *video;
  char mode[64];
} instance;

static void say(const instance *me, const char *text) {
  me->host->log(me->handle, GR_LOG_INFO, text);
}

static int is(const instance *me, const char *mode) { return strcmp(me->mode, mode) == 0; }

static void send_grey(const instance *me, const gr_offer *offer, const char *when) {
  gr_lease lease = {.struct_size = sizeof lease};
  char text[200];
  gr_status status = me->video->acquire(me->sender, GR_FORMAT_I420, offer->suggested.width,
                                        offer->suggested.height, &lease);
  if (status == GR_STATUS_OK) {
    for (int plane = 0; plane < 3; plane++)
      memset(lease.frame.planes[plane].data, 128, lease.frame.planes[plane].size_bytes);
    snprintf(text, sizeof text, "lent for %u", lease.frame.info.offer_revision);
    say(me, text);
    lease.frame.info.offer_revision = offer->revision;
    status = me->video->commit(me->sender, lease.id, &lease.frame.info);
  }
  snprintf(text, sizeof text, "%s %d", when, status);
  say(me, text);
}

static gr_status initialize(void *self, const gr_initialize *in) {
  instance *me = self;
  me->sender = in->sender;
  me->video = in->video;
  return GR_STATUS_OK;
}

static gr_status property_change(void *self, const gr_offer *offer, gr_answer *answer) {
  instance *me = self;
  char text[200];
  snprintf(text, sizeof text, "offer %u reason %u rows %u %ux%u@%u answer %u %u", offer->revision,
           offer->reason, offer->row_count, offer->suggested.width, offer->suggested.height,
           offer->suggested.fps_numerator, answer->kind, answer->capability.width);
  say(me, text);
  if (is(me, "counter")) {
    answer->kind = GR_ANSWER_COUNTER;
    answer->capability = offer->rows[offer->row_count - 1];
  } else if (is(me, "outside")) {
    answer->kind = GR_ANSWER_COUNTER;
    answer->capability = (gr_capability){999, 998, 1, 1};
  } else if (is(me, "fixed")) {
    answer->kind = GR_ANSWER_FIXED;
    answer->capability = (gr_capability){1024, 768, 60, 1};
  } else if (is(me, "unknown")) {
    answer->kind = 77;
  } else if (is(me, "fail")) {
    me->host->set_error(me->handle, "the lens is stuck");
    return GR_STATUS_FAILED;
  } else {
    send_grey(me, offer, "sent inside");
  }
  return GR_STATUS_OK;
}

static gr_status start_send(void *self) {
  (void)self;
  return GR_STATUS_OK;
}

static void nothing(void *self) { (void)self; }

static void destroy(void *self) { free(self); }

static gr_status set(void *self, const gr_setting *setting) {
  instance *me = self;
  if (strcmp(setting->value.string, "refuse") == 0) {
    me->host->set_error(me->handle, "not that");
    return GR_STATUS_FAILED;
  }
  snprintf(me->mode, sizeof me->mode, "%s", setting->value.string);
  return GR_STATUS_OK;
}

static const void *get_extension(void *self, const char *id) {
  static const gr_live_parameters live = {.struct_size = sizeof live, .set = set};
  static const gr_capability good[] = {{640, 360, 30, 1}, {1280, 720, 30000, 1001}};
  static const gr_capability wide[] = {{640, 360, 30, 1}, {8193, 720, 30, 1}};
  static const gr_capability still[] = {{640, 360, 0, 1}};
  static const gr_video_capabilities none = {.struct_size = sizeof none};
  static const gr_video_capabilities two = {sizeof two, 2, good};
  static const gr_video_capabilities size = {sizeof size, 2, wide};
  static const gr_video_capabilities rate = {sizeof rate, 1, still};
  static const gr_video_capabilities null = {sizeof null, 3, NULL};
  static const gr_video_capabilities many = {sizeof many, GR_MAX_CAPABILITIES + 1, good};
  static const gr_video_capabilities small = {8, 2, good};
  const instance *me = self;
  if (strcmp(id, GR_EXT_LIVE_PARAMETERS) == 0) return &live;
  if (strcmp(id, GR_EXT_VIDEO_CAPABILITIES) != 0) return NULL;
  return is(me, "makes none")   ? &none
         : is(me, "makes two")  ? &two
         : is(me, "bad size")   ? &size
         : is(me, "bad rate")   ? &rate
         : is(me, "null rows")  ? &null
         : is(me, "many rows")  ? &many
         : is(me, "small size") ? &small
                                : NULL;
}

static const gr_parameter parameters[] = {
    {.struct_size = sizeof(gr_parameter), .type = GR_TYPE_STRING, .flags = GR_PARAMETER_LIVE,
     .name = "mode", .title = "Mode", .default_value = {.type = GR_TYPE_STRING, .string = ""}},
    {.struct_size = sizeof(gr_parameter), .type = GR_TYPE_STRING, .name = "name",
     .title = "Name", .default_value = {.type = GR_TYPE_STRING, .string = ""}},
};

static const gr_descriptor described[] = {
    {.struct_size = sizeof(gr_descriptor), .kind = GR_KIND_VIDEO_SOURCE,
     .id = "org.example.negotiates", .name = "Negotiates", .version = "1.0.0",
     .summary = "Answers every offer", .parameters = parameters, .parameter_count = 2},
    {.struct_size = sizeof(gr_descriptor), .kind = GR_KIND_VIDEO_SOURCE,
     .id = "org.example.deaf", .name = "Deaf", .version = "1.0.0",
     .summary = "Takes no new offers", .parameters = parameters, .parameter_count = 2},
};

static const gr_descriptor *descriptor(uint32_t index) { return &described[index]; }

static gr_status create(uint32_t index, const gr_create *in, const gr_plugin **plugin) {
  instance *me = calloc(1, sizeof *me);
  me->functions = (gr_plugin){
      .struct_size = sizeof me->functions, .self = me, .destroy = destroy,
      .initialize = initialize, .start_send = start_send, .stop_send = nothing,
      .uninitialize = nothing, .get_extension = get_extension,
      .property_change = index == 0 ? property_change : NULL};
  me->host = in->host;
  me->handle = in->instance;
  snprintf(me->mode, sizeof me->mode, "%s", in->settings[0].value.string);
  *plugin = &me->functions;
  return GR_STATUS_OK;
}

GR_EXPORT const gr_entry *greenroom_plugin_entry(void);

const gr_entry *greenroom_plugin_entry(void) {
  static const gr_entry entry = {.struct_size = sizeof entry, .abi_major = GR_ABI_MAJOR,
                                 .abi_minor = GR_ABI_MINOR, .plugin_count = 2,
                                 .descriptor = descriptor, .create = create};
  return &entry;
}
