/* my-plugin: a call with one participant, who has a camera and a microphone. A call over a network
 * receives these, and sends what it takes. */
#include <greenroom/base.h>
#include <greenroom/call.h>
#include <math.h>

#define RATE_HZ 48000
#define BLOCK (RATE_HZ / 100) /* samples in 10 ms */
#define WIDTH 640
#define HEIGHT 360

typedef struct call {
  gr_plugin plugin;
  const gr_host *host;
  const gr_call_host *people;
  const gr_output_host *requests;
  gr_instance instance;
  int64_t frequency_hz; /* atomic: the host changes it while the thread sends */
  int32_t has_watchers;  /* atomic: whether any output wants the camera */
  int32_t has_listeners; /* atomic: whether any output wants the microphone */
  gr_open_track camera;
  gr_open_track microphone;
  pthread_t thread;
  int16_t peak;
} call;

/* ---- What the participant sends ---- */

/* Sends a frame: a bar that moves. */
static void send_frame(call *me, int64_t number, int64_t pts_ns) {
  const uint32_t left = (uint32_t)(number % 75) * 8;
  gr_video_frame frame;
  gr_lease lease;
  memset(&lease, 0, sizeof lease);
  lease.struct_size = (uint32_t)sizeof lease;
  lease.frame.struct_size = (uint32_t)sizeof lease.frame;
  if (me->camera.video->acquire(me->camera.sender, GR_FORMAT_I420, WIDTH, HEIGHT, &lease) !=
      GR_STATUS_OK)
    return; /* the host has no room */
  gr_fill_plane(&lease.frame, 0, 60);
  gr_fill_plane(&lease.frame, 1, 110);
  gr_fill_plane(&lease.frame, 2, 150);
  for (uint32_t y = 0; y < HEIGHT; y++) memset(gr_row(&lease.frame, 0, y) + left, 200, 40);
  (void)gr_packed_frame(&frame, GR_FORMAT_I420, WIDTH, HEIGHT, NULL, 0); /* for its info */
  frame.info.offer_revision = GR_TRACK_REVISION;
  frame.info.pts_ns = pts_ns;
  me->camera.video->commit(me->camera.sender, lease.id, &frame.info);
}

/* Sends 10 ms of a sine. It continues from its phase, 0 to 1, when the frequency changes, so that
 * nothing clicks. */
static gr_status send_block(call *me, double *phase, int64_t pts_ns) {
  const double turn = 6.283185307179586;
  const double step = (double)__atomic_load_n(&me->frequency_hz, __ATOMIC_RELAXED) / RATE_HZ;
  int16_t samples[BLOCK];
  gr_audio_block block;
  for (int i = 0; i < BLOCK; i++) {
    samples[i] = (int16_t)(6000 * sin(turn * *phase));
    *phase = fmod(*phase + step, 1);
  }
  block = gr_block(samples, BLOCK, RATE_HZ, 1);
  block.pts_ns = pts_ns;
  /* It waits for the clock, and so never for room in the queue. */
  return me->microphone.audio->send(me->microphone.sender, &block, 0);
}

/* Runs from start_send to stop_send: a block every 10 ms, a frame every 40 ms. */
static void *send_media(void *self) {
  call *const me = (call *)self;
  const int64_t start_ns = me->host->now_ns(me->instance);
  double phase = 0;
  for (int64_t number = 0;; number++) {
    const int64_t due_ns = start_ns + number * INT64_C(10000000);
    if (me->host->wait_until_ns(me->instance, due_ns) != GR_STATUS_OK) return NULL;
    if (number % 4 == 0 && __atomic_load_n(&me->has_watchers, __ATOMIC_RELAXED))
      send_frame(me, number / 4, due_ns);
    if (__atomic_load_n(&me->has_listeners, __ATOMIC_RELAXED) &&
        send_block(me, &phase, due_ns) == GR_STATUS_STOPPED)
      return NULL;
  }
}

/* The session's need for a track. Send a track only while an output wants it. */
static void demand(void *self, const gr_demand *demand) {
  call *const me = (call *)self;
  const int32_t is_wanted = (int32_t)demand->is_wanted;
  if (demand->sender == me->camera.sender)
    __atomic_store_n(&me->has_watchers, is_wanted, __ATOMIC_RELAXED);
  if (demand->sender == me->microphone.sender)
    __atomic_store_n(&me->has_listeners, is_wanted, __ATOMIC_RELAXED);
}

/* ---- What the participant hears ---- */

/* Requests, for each participant, the audio that this person hears. A call over a network also
 * requests the session's camera and share. */
static gr_status track(void *self, const gr_track *track, gr_want *want) {
  (void)self;
  want->is_wanted = track->kind == GR_TRACK_MIX_MINUS;
  return GR_STATUS_OK;
}

/* Takes 10 ms of it: 48000 Hz stereo. */
static gr_status audio(void *self, const gr_output_block *block) {
  call *const me = (call *)self;
  const uint32_t count = block->block.frame_count * block->block.channels;
  for (uint32_t i = 0; i < count; i++)
    if (block->block.samples[i] > me->peak) me->peak = block->block.samples[i];
  if (me->requests != NULL) me->requests->report(me->instance, "peak", me->peak);
  return GR_STATUS_OK;
}

/* The plugin wants no video, and so gets none. */
static gr_status video(void *self, const gr_output_frame *frame) {
  (void)self, (void)frame;
  return GR_STATUS_OK;
}

/* ---- Lifecycle ---- */

static gr_status initialize(void *self, const gr_initialize *in) {
  (void)self, (void)in;
  return GR_STATUS_OK;
}

static gr_open_track new_track(uint32_t participant, uint32_t kind) {
  gr_open_track track;
  memset(&track, 0, sizeof track);
  track.struct_size = (uint32_t)sizeof track;
  track.participant = participant;
  track.kind = kind;
  return track;
}

/* The session begins: the participant joins, and sends. */
static gr_status start_send(void *self) {
  call *const me = (call *)self;
  const gr_capability capability = {WIDTH, HEIGHT, 25, 1};
  uint32_t guest = 0;
  gr_status status = GR_STATUS_UNSUPPORTED;
  if (me->people == NULL) return status; /* the host knows no calls */
  status = me->people->joined(me->instance, "Guest", &guest);
  if (status != GR_STATUS_OK) return status;
  me->camera = new_track(guest, GR_TRACK_CAMERA);
  me->camera.capability = capability;
  me->microphone = new_track(guest, GR_TRACK_MICROPHONE);
  status = me->people->open_track(me->instance, &me->camera);
  if (status == GR_STATUS_OK) status = me->people->open_track(me->instance, &me->microphone);
  if (status != GR_STATUS_OK) return status;
  me->has_watchers = me->has_listeners = 1;
  if (pthread_create(&me->thread, NULL, send_media, me) == 0) return GR_STATUS_OK;
  me->host->set_error(me->instance, "no thread could be made; raise the limit on threads");
  return GR_STATUS_FAILED;
}

/* The session ends. The host closes the tracks, and the participant leaves. */
static void stop_send(void *self) { pthread_join(((call *)self)->thread, NULL); }

static void uninitialize(void *self) { (void)self; }

static void destroy(void *self) { free(self); }

/* ---- What the library exports ---- */

/* The host has checked the value. */
static gr_status set(void *self, const gr_setting *setting) {
  if (strcmp(setting->name, "frequency") != 0) return GR_STATUS_BAD_SETTING;
  __atomic_store_n(&((call *)self)->frequency_hz, setting->value.integer, __ATOMIC_RELAXED);
  return GR_STATUS_OK;
}

static const void *get_extension(void *self, const char *id) {
  static const gr_output media = {sizeof(gr_output), 0, track, video, audio, NULL};
  static const gr_call demands = {sizeof(gr_call), 0, demand};
  static const gr_live_parameters live = {sizeof(gr_live_parameters), 0, set};
  (void)self;
  if (strcmp(id, GR_EXT_OUTPUT) == 0) return &media;
  if (strcmp(id, GR_EXT_CALL) == 0) return &demands;
  return strcmp(id, GR_EXT_LIVE_PARAMETERS) == 0 ? &live : NULL;
}

static const gr_parameter parameters[] = {
    GR_LIVE_INTEGER("frequency", "The participant's tone", "Hz", 440, 20, 20000),
};

static const gr_descriptor description =
    GR_DESCRIPTION(GR_KIND_CALL, "com.example.my-plugin", "my-plugin", "0.1.0",
                   "A call with one participant", parameters);

static gr_status gr_exported_create(uint32_t index, const gr_create *in,
                                    const gr_plugin **plugin) {
  static const gr_plugin functions = {sizeof(gr_plugin), 0, NULL, destroy, initialize, NULL,
                                      start_send, stop_send, uninitialize, get_extension};
  call *const made = (call *)calloc(1, sizeof *made);
  (void)index; /* there is one plugin in here */
  if (made == NULL) return GR_STATUS_FAILED;
  made->host = in->host;
  made->people = (const gr_call_host *)in->host->get_extension(in->instance, GR_EXT_CALL_HOST);
  made->instance = in->instance;
  made->requests =
      (const gr_output_host *)in->host->get_extension(in->instance, GR_EXT_OUTPUT_HOST);
  made->frequency_hz = 440;
  for (uint32_t i = 0; i < in->setting_count; i++) set(made, &in->settings[i]);
  made->plugin = functions;
  made->plugin.self = made;
  *plugin = &made->plugin;
  return GR_STATUS_OK;
}

GR_EXPORT_ONE(description)
