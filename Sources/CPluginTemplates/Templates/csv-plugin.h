/* ---- Lifecycle ---- */

static gr_status initialize(void *self, const gr_initialize *in) {
  (void)self, (void)in;
  return GR_STATUS_OK;
}

/* The session begins. */
static gr_status start_send(void *self) {
  csv_log *const output = (csv_log *)self;
  char text[512];
  if (output->path[0] == 0) return GR_STATUS_OK;
  output->file = fopen(output->path, "w");
  if (output->file == NULL) {
    output->host->set_error(output->instance, reason(output, text, sizeof text));
    return GR_STATUS_UNAVAILABLE;
  }
  return write_line(output, first_line);
}

/* Every frame and block was delivered. */
static void stop_send(void *self) {
  csv_log *const output = (csv_log *)self;
  if (output->file != NULL) fclose(output->file);
  output->file = NULL;
}

static void uninitialize(void *self) { (void)self; }

static void destroy(void *self) {
  free(((csv_log *)self)->path);
  free(self);
}

/* ---- What the library exports ---- */

/* The host has checked the value. */
static gr_status set(void *self, const gr_setting *setting) {
  if (strcmp(setting->name, "every") != 0) return GR_STATUS_BAD_SETTING;
  __atomic_store_n(&((csv_log *)self)->every, setting->value.integer, __ATOMIC_RELAXED);
  return GR_STATUS_OK;
}

static char *copy(const char *text) {
  const size_t size = strlen(text) + 1;
  char *const copied = (char *)malloc(size);
  return copied == NULL ? NULL : (char *)memcpy(copied, text, size);
}

static const void *get_extension(void *self, const char *id) {
  static const gr_live_parameters live = {sizeof(gr_live_parameters), 0, set};
  (void)self;
  if (strcmp(id, GR_EXT_OUTPUT) == 0) return &media;
  return strcmp(id, GR_EXT_LIVE_PARAMETERS) == 0 ? &live : NULL;
}

static gr_status gr_exported_create(uint32_t index, const gr_create *in,
                                    const gr_plugin **plugin) {
  static const gr_plugin functions = {sizeof(gr_plugin), 0, NULL, destroy, initialize, NULL,
                                      start_send, stop_send, uninitialize, get_extension};
  csv_log *const made = (csv_log *)calloc(1, sizeof *made);
  (void)index; /* there is one plugin in here */
  if (made == NULL) return GR_STATUS_FAILED;
  made->host = in->host;
  made->instance = in->instance;
  made->requests =
      (const gr_output_host *)in->host->get_extension(in->instance, GR_EXT_OUTPUT_HOST);
  made->every = USUAL_EVERY;
  for (uint32_t i = 0; i < in->setting_count; i++) {
    const gr_setting *const setting = &in->settings[i];
    if (strcmp(setting->name, "file") == 0 && made->path == NULL)
      made->path = copy(setting->value.string);
    else
      set(made, setting);
  }
  if (made->path == NULL) {
    free(made);
    return GR_STATUS_FAILED;
  }
  made->plugin = functions;
  made->plugin.self = made;
  *plugin = &made->plugin;
  return GR_STATUS_OK;
}

GR_EXPORT_ONE(description)
