/* my-plugin: all cameras and shares side by side. */
#include <greenroom/base.h>
#include <greenroom/output.h>

enum { TILES = 8, TILE_WIDTH = 320, TILE_HEIGHT = 180 };

/* The newest luma of a track. */
typedef struct tile {
  uint32_t track; /* 0: free */
  uint8_t luma[TILE_WIDTH * TILE_HEIGHT];
} tile;

typedef struct composer {
  gr_source source;   /* first */
  int64_t brightness; /* the setting; atomic: the host changes it while the thread sends */
  tile tiles[TILES];  /* under the source's lock: two threads use them */
} composer;

/* ---- What the plugin takes ---- */

static tile *find(composer *me, uint32_t track) {
  for (int i = 0; i < TILES; i++)
    if (me->tiles[i].track == track) return &me->tiles[i];
  return NULL;
}

/* Small frames of all video, at once; the host scales. */
static gr_status track(void *self, const gr_track *track, gr_want *want) {
  composer *const me = (composer *)self;
  tile *found;
  if (track->capability.width == 0) return GR_STATUS_OK; /* audio */
  pthread_mutex_lock(&me->source.lock);
  found = find(me, track->id);
  if (found == NULL) found = find(me, 0);
  if (found != NULL) found->track = track->id;
  pthread_mutex_unlock(&me->source.lock);
  want->is_wanted = found != NULL;
  want->format = GR_FORMAT_I420;
  want->fit = GR_FIT_CROP;
  want->capability.width = TILE_WIDTH;
  want->capability.height = TILE_HEIGHT;
  want->pace = GR_PACE_COMPLETE;
  return GR_STATUS_OK;
}

/* Copies a frame: it is valid until the function returns. */
static gr_status video(void *self, const gr_output_frame *frame) {
  composer *const me = (composer *)self;
  const gr_plane *const plane = &frame->frame.planes[0];
  tile *found;
  pthread_mutex_lock(&me->source.lock);
  found = find(me, frame->track);
  if (found != NULL)
    for (uint32_t y = 0; y < TILE_HEIGHT; y++)
      memcpy(found->luma + y * TILE_WIDTH, plane->data + (uint64_t)y * plane->stride_bytes,
             TILE_WIDTH);
  pthread_mutex_unlock(&me->source.lock);
  return GR_STATUS_OK;
}

/* The plugin wants no audio, and so gets none. */
static gr_status audio(void *self, const gr_output_block *block) {
  (void)self, (void)block;
  return GR_STATUS_OK;
}

/* A participant's track has ended. */
static void gone(void *self, uint32_t track) {
  composer *const me = (composer *)self;
  tile *found;
  pthread_mutex_lock(&me->source.lock);
  found = find(me, track);
  if (found != NULL) memset(found, 0, sizeof *found);
  pthread_mutex_unlock(&me->source.lock);
}

/* ---- What it sends ---- */

/* Draws one frame in I420: the tiles from the left, in shades of grey. */
static void draw(composer *me, const gr_mutable_frame *frame) {
  const int64_t brightness = __atomic_load_n(&me->brightness, __ATOMIC_RELAXED);
  uint32_t height = TILE_HEIGHT;
  uint32_t left = 0;
  if (frame->height < height) height = frame->height;
  gr_fill_plane(frame, 0, 16);
  gr_fill_plane(frame, 1, 128);
  gr_fill_plane(frame, 2, 128);
  pthread_mutex_lock(&me->source.lock);
  for (int i = 0; i < TILES && left + TILE_WIDTH <= frame->width; i++) {
    if (me->tiles[i].track == 0) continue;
    for (uint32_t y = 0; y < height; y++) {
      uint8_t *const row = gr_row(frame, 0, y) + left;
      for (uint32_t x = 0; x < TILE_WIDTH; x++) {
        const int64_t luma = me->tiles[i].luma[y * TILE_WIDTH + x];
        row[x] = (uint8_t)(16 + (luma > 16 ? luma - 16 : 0) * brightness / 100);
      }
    }
    left += TILE_WIDTH;
  }
  pthread_mutex_unlock(&me->source.lock);
}

/* Runs on a separate thread from start_send to stop_send. */
static void send_frames(gr_source *source) {
  gr_frame_time time;
  gr_lease lease;
  while (gr_next_frame(source, &time) == GR_STATUS_OK) {
    if (gr_acquire_frame(source, &time, GR_FORMAT_I420, &lease) != GR_STATUS_OK)
      continue; /* the host has no room: leave this frame out */
    draw((composer *)source, &lease.frame);
    gr_commit_frame(source, &time, &lease);
  }
}

/* ---- What the library exports ---- */

/* The host has checked the value. */
static gr_status set(void *self, const gr_setting *setting) {
  if (strcmp(setting->name, "brightness") != 0) return GR_STATUS_BAD_SETTING;
  __atomic_store_n(&((composer *)self)->brightness, setting->value.integer, __ATOMIC_RELAXED);
  return GR_STATUS_OK;
}

static const void *get_extension(void *self, const char *id) {
  static const gr_output media = {sizeof(gr_output), 0, track, video, audio, gone};
  static const gr_live_parameters live = {sizeof(gr_live_parameters), 0, set};
  (void)self;
  if (strcmp(id, GR_EXT_OUTPUT) == 0) return &media;
  return strcmp(id, GR_EXT_LIVE_PARAMETERS) == 0 ? &live : NULL;
}

static const gr_parameter parameters[] = {
    GR_LIVE_INTEGER("brightness", "Brightness of the pictures", "%", 100, 0, 100),
};

static const gr_descriptor description =
    GR_DESCRIPTION(GR_KIND_COMPOSER, "com.example.my-plugin", "my-plugin", "0.1.0",
                   "All cameras and shares side by side", parameters);

static gr_status gr_exported_create(uint32_t index, const gr_create *in,
                                    const gr_plugin **plugin) {
  (void)index; /* there is one plugin in here */
  return gr_source_create((gr_source *)calloc(1, sizeof(composer)), send_frames, set,
                          get_extension, in, plugin);
}

GR_EXPORT_ONE(description)
