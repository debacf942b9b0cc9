/* The reason why the file can't be written. */
static const char *reason(const csv_log *output, char *text, size_t size) {
  snprintf(text, size, "%s: %s", output->path, strerror(errno));
  return text;
}

static gr_status write_line(csv_log *output, const char *line) {
  char text[512];
  if (output->file == NULL) return GR_STATUS_OK;
  /* Flushed, so that a full disk shows now and not at the end. */
  if (fputs(line, output->file) >= 0 && fflush(output->file) == 0) return GR_STATUS_OK;
  output->host->log(output->instance, GR_LOG_ERROR, reason(output, text, sizeof text));
  return GR_STATUS_FAILED;
}
