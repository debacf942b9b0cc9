/* A camera whose frames are drawn in Python: calls draw() of drawing.py, which lies in
   camera.resources beside camera.so: that folder the plugin's process may read. */
#define PY_SSIZE_T_CLEAN
#define _GNU_SOURCE
#include <Python.h>
#include <ctype.h>
#include <dlfcn.h>
#include <greenroom/base.h>
#include <limits.h>

enum { FAILURE_SIZE = 512 };

typedef struct camera {
  gr_source source; /* first */
  int64_t speed;    /* the setting; atomic: the host changes it while the thread sends */
} camera;

static pthread_once_t is_begun = PTHREAD_ONCE_INIT;
static PyObject *draw; /* the function; NULL without one, and then import_failure says why */
static char import_failure[FAILURE_SIZE];

/* Copies a text that may be too long: then its begin, and its last line, where the cause is. */
static void shorten(char failure[FAILURE_SIZE], const char *text) {
  static const char head[] = "drawing.py: ", gap[] = " ... ";
  const size_t room = FAILURE_SIZE - sizeof head - (sizeof gap - 1);
  size_t size = strlen(text);
  while (size > 0 && isspace((unsigned char)text[size - 1])) size--;
  if (size <= room) {
    snprintf(failure, FAILURE_SIZE, "%s%.*s", head, (int)size, text);
    return;
  }
  size_t line = size;
  while (line > 0 && text[line - 1] != '\n') line--;
  if (size - line > room * 3 / 4) line = size - room * 3 / 4;
  size_t begin = room - (size - line);
  /* Whole characters of UTF-8: no byte that continues one follows a cut. */
  while (begin > 0 && ((unsigned char)text[begin] & 0xc0) == 0x80) begin--;
  while (line < size && ((unsigned char)text[line] & 0xc0) == 0x80) line++;
  snprintf(failure, FAILURE_SIZE, "%s%.*s%s%.*s", head, (int)begin, text, gap, (int)(size - line),
           text + line);
}

/* Takes the text of Python's error, and clears it. */
static void take_failure(char failure[FAILURE_SIZE]) {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  PyObject *text = value == NULL ? NULL : PyObject_Str(value);
  const char *utf8 = text == NULL ? NULL : PyUnicode_AsUTF8(text);
  shorten(failure, utf8 == NULL || *utf8 == 0 ? "an error" : utf8);
  Py_XDECREF(text), Py_XDECREF(type), Py_XDECREF(value), Py_XDECREF(trace);
  PyErr_Clear();
}

/* Lets extension modules such as NumPy find the interpreter's symbols: they link no libpython, and a
   host loads plugins with RTLD_LOCAL. Sets `home` to the prefix that libpython is installed in, which
   PATH may not name. */
static void share_libpython(char home[PATH_MAX]) {
  Dl_info library;
  *home = 0;
  if (dladdr((void *)&PyType_Type, &library) == 0 ||
      realpath(library.dli_fname, home) == NULL ||
      dlopen(home, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD) == NULL) {
    *home = 0;
    return;
  }
  for (char *slash = strrchr(home, '/'); slash != NULL; slash = strrchr(home, '/')) {
    char landmark[PATH_MAX + 32];
    *slash = 0;
    snprintf(landmark, sizeof landmark, "%s/lib/python%d.%d/os.py", home, PY_MAJOR_VERSION,
             PY_MINOR_VERSION);
    if (access(landmark, R_OK) == 0) return;
  }
}

/* Begins the interpreter, once in a process, and never ends it: libraries are never unloaded. */
static void begin(void) {
  Dl_info here;
  char folder[PATH_MAX] = ".", home[PATH_MAX];
  if (dladdr((void *)&is_begun, &here) != 0) {
    const char *ending = strrchr(here.dli_fname, '.');
    if (ending != NULL)
      snprintf(folder, sizeof folder, "%.*s.resources", (int)(ending - here.dli_fname),
               here.dli_fname);
  }
  /* Isolated: signals, locale and environment are the host's. */
  PyPreConfig before;
  PyPreConfig_InitIsolatedConfig(&before);
  before.utf8_mode = 1;
  PyConfig config;
  PyConfig_InitIsolatedConfig(&config);
  config.write_bytecode = 0; /* the sandbox lets nothing be written */
  share_libpython(home);
  PyStatus status = Py_PreInitialize(&before);
  if (!PyStatus_Exception(status) && *home != 0)
    status = PyConfig_SetBytesString(&config, &config.home, home);
  if (!PyStatus_Exception(status)) status = Py_InitializeFromConfig(&config);
  if (PyStatus_Exception(status)) {
    snprintf(import_failure, sizeof import_failure,
             "Python can't be initialized: %s. Does the session file grant read access to the "
             "prefix of Python?",
             status.err_msg == NULL ? "unknown" : status.err_msg);
    return;
  }
  PyConfig_Clear(&config);
  PyObject *path = PySys_GetObject("path"), *own = PyUnicode_FromString(folder);
  PyObject *module = NULL;
  if (path != NULL && own != NULL && PyList_Insert(path, 0, own) == 0)
    module = PyImport_ImportModule("drawing");
  if (module != NULL) draw = PyObject_GetAttrString(module, "draw");
  if (draw == NULL) take_failure(import_failure);
  Py_XDECREF(own);
  Py_XDECREF(module);
  PyEval_SaveThread(); /* each thread takes the lock for a frame */
}

/* Draws a frame and sends it. Returns 0 if Python failed, with its text. */
static int send_frame(camera *me, const gr_frame_time *time, char failure[FAILURE_SIZE]) {
  const int64_t speed = __atomic_load_n(&me->speed, __ATOMIC_RELAXED);
  const PyGILState_STATE state = PyGILState_Ensure();
  PyObject *frame =
      PyObject_CallFunction(draw, "IIdL", time->width, time->height,
                            (double)time->elapsed_ns / 1e9, (long long)speed);
  char *bytes = NULL;
  Py_ssize_t size = 0;
  const int is_drawn = frame != NULL && PyBytes_AsStringAndSize(frame, &bytes, &size) == 0;
  if (!is_drawn) take_failure(failure);
  PyGILState_Release(state);
  if (is_drawn) /* copied before it returns; what is refused is counted by the host */
    (void)gr_send_packed(me->source.video, me->source.sender, GR_FORMAT_I420, time->width,
                         time->height, bytes, (uint64_t)size, time->offer_revision, time->pts_ns);
  const PyGILState_STATE again = PyGILState_Ensure();
  Py_XDECREF(frame);
  PyGILState_Release(again);
  return is_drawn;
}

/* Runs on a thread of its own from start_send to stop_send. */
static void send_frames(gr_source *source) {
  gr_frame_time time;
  char failure[FAILURE_SIZE];
  pthread_once(&is_begun, begin);
  if (draw == NULL) {
    source->host->give_up(source->instance, GR_STATUS_UNAVAILABLE, import_failure);
    return;
  }
  while (gr_next_frame(source, &time) == GR_STATUS_OK) {
    if (send_frame((camera *)source, &time, failure)) continue;
    source->host->give_up(source->instance, GR_STATUS_FAILED, failure);
    return;
  }
}

/* The host has checked the value. */
static gr_status set(void *self, const gr_setting *setting) {
  if (strcmp(setting->name, "speed") != 0) return GR_STATUS_BAD_SETTING;
  __atomic_store_n(&((camera *)self)->speed, setting->value.integer, __ATOMIC_RELAXED);
  return GR_STATUS_OK;
}

static const gr_parameter parameters[] = {
    GR_LIVE_INTEGER("speed", "Speed", "px/s", 60, 0, 1000),
};

static const gr_descriptor description =
    GR_DESCRIPTION(GR_KIND_VIDEO_SOURCE, "org.example.python-camera", "PythonCamera", "1.0.0",
                   "Stripes that drift across the frame", parameters);

GR_EXPORT_SOURCE(camera, description, send_frames, set)
