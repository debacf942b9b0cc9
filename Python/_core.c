/* The border between Python and libgreenroom-client: a plugin's functions call methods of a Python
 * object, and that object calls the host. The limited API of CPython 3.11: one build serves every newer
 * version.
 *
 * Threads: the host's callbacks arrive on threads of the client library, which take the interpreter lock
 * for the callback only. Every call of the host releases the lock. */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>
#include <dlfcn.h>
#include <greenroom/base.h>
#include <greenroom/broadcast.h>
#include <greenroom/client.h>
#include <greenroom/control.h>
#include <greenroom/output.h>
#include <greenroom/send.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <structmember.h>

enum { TEXT_SIZE = 16384 };

static PyObject *refused; /* greenroom.Refused */

/* ------------------------------------------------------------------------------------
 * The client library
 * ---------------------------------------------------------------------------------- */

static gr_status (*client_run)(const char *, const gr_entry *, char *, uint64_t);
static gr_status (*client_serve)(gr_client_load, void *, char *, uint64_t);
static void (*client_finish)(void);
static void (*client_keep_memory)(void);
static int is_forked; /* since the library was opened */
static pthread_key_t state_key; /* the interpreter's state of a thread of the client library */

static void on_fork(void) { is_forked = 1; }

/* A thread that asks for the interpreter's lock during finalization exits or hangs there, which a key's
   destructor must not do. Therefore, the interpreter waits at its exit for the deletions that have begun,
   and later ones leave the state to it. */
static pthread_mutex_t deletion_lock = PTHREAD_MUTEX_INITIALIZER; /* of the next two */
static pthread_cond_t deletion_ended = PTHREAD_COND_INITIALIZER;
static int deletions, is_exiting;

/* Deletes the state of a thread that ends. PyGILState has forgotten it, as its own key has a lower number. */
static void delete_state(void *state) {
  if (is_forked) return;
  pthread_mutex_lock(&deletion_lock);
  const int deletes = !is_exiting;
  deletions += deletes;
  pthread_mutex_unlock(&deletion_lock);
  if (!deletes) return;
  const PyGILState_STATE lock = PyGILState_Ensure();
  PyThreadState_Clear(state);
  PyGILState_Release(lock);
  PyThreadState_Delete(state);
  pthread_mutex_lock(&deletion_lock);
  deletions--;
  pthread_cond_signal(&deletion_ended);
  pthread_mutex_unlock(&deletion_lock);
}

/* Runs at the interpreter's exit, before finalization. */
static PyObject *end_deletions(PyObject *module, PyObject *unused) {
  (void)module, (void)unused;
  if (is_forked) Py_RETURN_NONE;
  Py_BEGIN_ALLOW_THREADS
  pthread_mutex_lock(&deletion_lock);
  is_exiting = 1;
  while (deletions > 0) pthread_cond_wait(&deletion_ended, &deletion_lock);
  pthread_mutex_unlock(&deletion_lock);
  Py_END_ALLOW_THREADS
  Py_RETURN_NONE;
}

static PyObject *open_library(PyObject *module, PyObject *path) {
  (void)module;
  PyObject *bytes = NULL;
  if (!PyUnicode_FSConverter(path, &bytes)) return NULL;
  void *library = dlopen(PyBytes_AsString(bytes), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  Py_DECREF(bytes);
  if (library == NULL) return PyErr_Format(PyExc_OSError, "%s", dlerror());
  *(void **)&client_run = dlsym(library, "greenroom_client_run");
  *(void **)&client_serve = dlsym(library, "greenroom_client_serve");
  *(void **)&client_finish = dlsym(library, "greenroom_client_finish");
  *(void **)&client_keep_memory = dlsym(library, "greenroom_client_keep_memory");
  if (client_run == NULL || client_serve == NULL || client_finish == NULL ||
      client_keep_memory == NULL) {
    client_run = NULL;
    return PyErr_Format(PyExc_OSError,
                        "%U is of another version than this package: reinstall both", path);
  }
  static int is_prepared;
  if (!is_prepared)
    is_prepared = pthread_key_create(&state_key, delete_state) == 0 &&
                  pthread_atfork(NULL, NULL, on_fork) == 0;
  if (!is_prepared) return PyErr_NoMemory();
  Py_RETURN_NONE;
}

static void set_forked_error(void) {
  PyErr_SetString(PyExc_RuntimeError,
                  "this process was forked from a process that uses Greenroom, and does not have a "
                  "connection: start it with subprocess or multiprocessing's \"spawn\" instead");
}

static int is_open(void) {
  if (client_run == NULL) {
    PyErr_SetString(PyExc_RuntimeError, "the client library is not open");
    return 0;
  }
  if (is_forked) set_forked_error();
  return !is_forked;
}

/* ------------------------------------------------------------------------------------
 * Planes: memory with a shape
 * ---------------------------------------------------------------------------------- */

typedef struct plane {
  PyObject_HEAD
  uint8_t *data;
  PyObject *owner; /* of the memory; NULL: the host's, until end() */
  Py_ssize_t shape[3], strides[3], itemsize, exports;
  int ndim, is_readonly, has_ended;
  char format[2];
} plane;

static PyTypeObject *plane_type;

static plane *make_plane(const void *data, int ndim, const Py_ssize_t *shape, Py_ssize_t stride,
                         char format, int is_readonly, PyObject *owner) {
  plane *made = PyObject_New(plane, plane_type);
  if (made == NULL) return NULL;
  made->data = (uint8_t *)data;
  made->owner = owner;
  Py_XINCREF(owner);
  made->itemsize = format == 'B' ? 1 : 2;
  made->ndim = ndim;
  made->is_readonly = is_readonly;
  made->has_ended = 0;
  made->exports = 0;
  made->format[0] = format;
  made->format[1] = 0;
  for (int i = 0; i < ndim; i++) made->shape[i] = shape[i];
  made->strides[ndim - 1] = made->itemsize;
  for (int i = ndim - 1; i > 0; i--) made->strides[i - 1] = made->strides[i] * shape[i];
  if (stride > 0) made->strides[0] = stride;
  return made;
}

static void plane_dealloc(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  Py_XDECREF(((plane *)object)->owner);
  PyObject_Free(object);
  Py_DECREF(type);
}

static int is_alive(const plane *me) {
  if (me->owner == NULL && is_forked) { /* the host's memory, which the process shares with its parent */
    set_forked_error();
    return 0;
  }
  if (!me->has_ended) return 1;
  PyErr_SetString(PyExc_BufferError,
                  "the frame or block has ended with its callback: use it there, or keep "
                  "frame.copy()");
  return 0;
}

static int is_writable(const plane *me, PyObject *error) {
  if (!is_alive(me)) return 0;
  if (me->is_readonly)
    PyErr_SetString(error, "this frame or block is read-only; use frame.copy() or block.copy()");
  return !me->is_readonly;
}

static int plane_getbuffer(PyObject *object, Py_buffer *view, int flags) {
  plane *me = (plane *)object;
  Py_ssize_t length = me->itemsize, packed = me->itemsize;
  view->obj = NULL;
  const int writes = (flags & PyBUF_WRITABLE) == PyBUF_WRITABLE;
  if (!(writes ? is_writable(me, PyExc_BufferError) : is_alive(me))) return -1;
  int is_packed = 1;
  for (int i = me->ndim - 1; i >= 0; i--) {
    if (me->strides[i] != packed) is_packed = 0;
    packed *= me->shape[i];
    length *= me->shape[i];
  }
  if (!is_packed && (flags & PyBUF_STRIDES) != PyBUF_STRIDES) {
    PyErr_SetString(PyExc_BufferError,
                    "the rows of this plane have padding between them: use memoryview(plane) or "
                    "numpy.asarray(plane), which know strides");
    return -1;
  }
  Py_INCREF(object);
  view->obj = object;
  view->buf = me->data;
  view->len = length;
  view->readonly = me->is_readonly;
  view->itemsize = me->itemsize;
  view->format = (flags & PyBUF_FORMAT) == PyBUF_FORMAT ? me->format : NULL;
  view->ndim = me->ndim;
  view->shape = (flags & PyBUF_ND) == PyBUF_ND ? me->shape : NULL;
  view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? me->strides : NULL;
  view->suboffsets = NULL;
  view->internal = NULL;
  me->exports++;
  return 0;
}

static void plane_releasebuffer(PyObject *object, Py_buffer *view) {
  (void)view;
  ((plane *)object)->exports--;
}

/* Ends the access. Returns how many views are still held. */
static Py_ssize_t end_plane(plane *me) {
  if (me->owner != NULL) return 0; /* of a test */
  me->has_ended = 1;
  if (me->exports > 0 && client_keep_memory != NULL) client_keep_memory();
  return me->exports;
}

static PyObject *plane_end(PyObject *object, PyObject *unused) {
  (void)unused;
  return PyLong_FromSsize_t(end_plane((plane *)object));
}

/* fill(value, top=0, left=0, height=all, width=all): sets a rectangle, in elements of the plane. */
static PyObject *plane_fill(PyObject *object, PyObject *args, PyObject *keywords) {
  static char *names[] = {"value", "top", "left", "height", "width", NULL};
  plane *me = (plane *)object;
  int value;
  Py_ssize_t top = 0, left = 0, height = PY_SSIZE_T_MAX, width = PY_SSIZE_T_MAX;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "i|nnnn", names, &value, &top, &left, &height,
                                   &width))
    return NULL;
  if (!is_writable(me, PyExc_ValueError)) return NULL;
  const int most = me->itemsize == 1 ? 255 : 65535;
  if (value < 0 || value > most)
    return PyErr_Format(PyExc_ValueError, "value is %d, and 0 to %d are possible", value, most);
  const Py_ssize_t rows = me->shape[0], columns = me->ndim > 1 ? me->shape[1] : 1;
  if (top < 0 || left < 0) return PyErr_Format(PyExc_ValueError, "top and left begin at 0");
  if (top > rows) top = rows;
  if (left > columns) left = columns;
  if (height > rows - top) height = rows - top;
  if (width > columns - left) width = columns - left;
  const Py_ssize_t element = me->ndim > 1 ? me->strides[1] : me->itemsize;
  for (Py_ssize_t y = 0; y < height; y++) {
    uint8_t *row = me->data + (top + y) * me->strides[0] + left * element;
    if (me->itemsize == 1) {
      memset(row, value, (size_t)(width > 0 ? width * element : 0));
    } else {
      for (Py_ssize_t x = 0; x < width * element / 2; x++) ((uint16_t *)row)[x] = (uint16_t)value;
    }
  }
  Py_RETURN_NONE;
}

/* write_row(y, data): copies a row's bytes. */
static PyObject *plane_write_row(PyObject *object, PyObject *args) {
  plane *me = (plane *)object;
  Py_ssize_t y;
  Py_buffer view;
  if (!PyArg_ParseTuple(args, "ny*", &y, &view)) return NULL;
  PyObject *result = NULL;
  const Py_ssize_t bytes =
      me->ndim > 2 ? me->shape[1] * me->strides[1] : me->ndim > 1 ? me->shape[1] * me->itemsize : 0;
  if (!is_writable(me, PyExc_ValueError)) {
  } else if (y < 0 || y >= me->shape[0]) {
    PyErr_Format(PyExc_IndexError, "row %zd of a plane with %zd rows", y, me->shape[0]);
  } else if (view.len != bytes) {
    PyErr_Format(PyExc_ValueError, "the row has %zd bytes, and %zd are given", bytes, view.len);
  } else {
    memcpy(me->data + y * me->strides[0], view.buf, (size_t)bytes);
    Py_INCREF(Py_None);
    result = Py_None;
  }
  PyBuffer_Release(&view);
  return result;
}

static PyObject *dimensions(const Py_ssize_t *numbers, int count) {
  PyObject *tuple = PyTuple_New(count);
  for (int i = 0; tuple != NULL && i < count; i++) {
    PyObject *number = PyLong_FromSsize_t(numbers[i]);
    if (number == NULL || PyTuple_SetItem(tuple, i, number) != 0) Py_CLEAR(tuple);
  }
  return tuple;
}

static PyObject *plane_shape(PyObject *object, void *unused) {
  (void)unused;
  return dimensions(((plane *)object)->shape, ((plane *)object)->ndim);
}

static PyObject *plane_strides(PyObject *object, void *unused) {
  (void)unused;
  return dimensions(((plane *)object)->strides, ((plane *)object)->ndim);
}

/* A copy whose memory is Python's. */
static PyObject *plane_copy(PyObject *object, PyObject *unused) {
  (void)unused;
  plane *me = (plane *)object;
  if (!is_alive(me)) return NULL;
  Py_ssize_t row = me->itemsize;
  for (int i = 1; i < me->ndim; i++) row *= me->shape[i];
  PyObject *memory = PyByteArray_FromStringAndSize(NULL, row * me->shape[0]);
  if (memory == NULL) return NULL;
  uint8_t *to = (uint8_t *)PyByteArray_AsString(memory);
  for (Py_ssize_t y = 0; y < me->shape[0]; y++)
    memcpy(to + y * row, me->data + y * me->strides[0], (size_t)row);
  PyObject *made =
      (PyObject *)make_plane(to, me->ndim, me->shape, 0, me->format[0], 0, memory);
  Py_DECREF(memory);
  return made;
}

/* __array__(dtype=None, copy=None): NumPy calls it if the buffer is refused, and would else make an array
   of objects. */
static PyObject *plane_array(PyObject *object, PyObject *args, PyObject *keywords) {
  static char *names[] = {"dtype", "copy", NULL};
  PyObject *dtype = Py_None, *copy = Py_None, *result = NULL;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "|OO", names, &dtype, &copy) ||
      !is_alive((plane *)object))
    return NULL;
  PyObject *view = PyMemoryView_FromObject(object);
  PyObject *media = view == NULL ? NULL : PyImport_ImportModule("greenroom._media");
  if (media != NULL) result = PyObject_CallMethod(media, "array_of", "OOO", view, dtype, copy);
  Py_XDECREF(media);
  Py_XDECREF(view);
  return result;
}

static PyMethodDef plane_methods[] = {
    {"__array__", (PyCFunction)(void (*)(void))plane_array, METH_VARARGS | METH_KEYWORDS, NULL},
    {"end", plane_end, METH_NOARGS, NULL},
    {"copy", plane_copy, METH_NOARGS, "A plane with the same content in memory of Python."},
    {"fill", (PyCFunction)(void (*)(void))plane_fill, METH_VARARGS | METH_KEYWORDS,
     "Sets a rectangle to a value, by default the whole plane."},
    {"write_row", plane_write_row, METH_VARARGS, "Copies the bytes of a row."},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef plane_attributes[] = {
    {"shape", plane_shape, NULL, "Rows, columns and, where they interleave, components.", NULL},
    {"strides", plane_strides, NULL, "Bytes from one row, column and component to the next.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyType_Slot plane_slots[] = {
    {Py_tp_doc, "A plane of a frame, or the samples of a block: a buffer with shape and strides."},
    {Py_tp_dealloc, plane_dealloc},
    {Py_tp_methods, plane_methods},
    {Py_tp_getset, plane_attributes},
    {Py_bf_getbuffer, plane_getbuffer},
    {Py_bf_releasebuffer, plane_releasebuffer},
    {0, NULL}};

static PyType_Spec plane_spec = {"greenroom._core.Plane", sizeof(plane), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                 plane_slots};

/* The bytes from one element of a dimension to the next. Buffers of ctypes have no strides. */
static Py_ssize_t stride_of(const Py_buffer *view, int dimension) {
  if (view->strides != NULL) return view->strides[dimension];
  Py_ssize_t stride = view->itemsize;
  for (int i = view->ndim - 1; i > dimension; i--) stride *= view->shape[i];
  return stride;
}

/* The shape of a plane of a format. Returns the number of dimensions. */
static int plane_shape_of(gr_pixel_format format, uint32_t index, uint32_t width, uint32_t height,
                          Py_ssize_t shape[3], char *letter) {
  const int is_16_bit = format == GR_FORMAT_I010 || format == GR_FORMAT_P010;
  const Py_ssize_t row = (Py_ssize_t)gr_row_bytes(format, index, width) / (is_16_bit ? 2 : 1);
  *letter = is_16_bit ? 'H' : 'B';
  shape[0] = (Py_ssize_t)gr_plane_rows(format, index, height);
  Py_ssize_t components = 1;
  if (format == GR_FORMAT_YUY2 || format == GR_FORMAT_UYVY) components = 4;
  else if (format == GR_FORMAT_RGB24) components = 3;
  else if (gr_is_rgb(format)) components = 4;
  else if (gr_plane_count(format) == 2 && index == 1) components = 2;
  shape[1] = row / components;
  shape[2] = components;
  return components == 1 ? 2 : 3;
}

/* ------------------------------------------------------------------------------------
 * Frames
 * ---------------------------------------------------------------------------------- */

typedef struct frame {
  PyObject_HEAD
  PyObject *planes;
  uint32_t format, width, height, rotation, range, matrix, revision;
  long long pts_ns, index;
  double time;
} frame;

static PyTypeObject *frame_class; /* greenroom.Frame, which derives from the type below */

/* planes: a reference that it takes, or NULL with an exception. */
static PyObject *make_frame(const gr_video_frame *seen, PyObject *planes) {
  frame *made = planes == NULL ? NULL : (frame *)PyType_GenericAlloc(frame_class, 0);
  if (made == NULL) {
    Py_XDECREF(planes);
    return NULL;
  }
  made->planes = planes;
  made->format = seen->format;
  made->width = seen->width;
  made->height = seen->height;
  made->rotation = seen->info.rotation;
  made->range = seen->info.range;
  made->matrix = seen->info.matrix;
  made->revision = seen->info.offer_revision;
  made->pts_ns = seen->info.pts_ns;
  return (PyObject *)made;
}

/* A frame in the host's memory, or with an owner in Python's. */
static PyObject *frame_of(const gr_video_frame *seen, int is_readonly, PyObject *owner) {
  const uint32_t count = gr_plane_count(seen->format);
  PyObject *planes = PyTuple_New(count);
  for (uint32_t i = 0; planes != NULL && i < count; i++) {
    Py_ssize_t shape[3];
    char letter;
    const int ndim = plane_shape_of(seen->format, i, seen->width, seen->height, shape, &letter);
    PyObject *one = (PyObject *)make_plane(seen->planes[i].data, ndim, shape,
                                           seen->planes[i].stride_bytes, letter, is_readonly, owner);
    if (one == NULL || PyTuple_SetItem(planes, i, one) != 0) Py_CLEAR(planes);
  }
  return make_frame(seen, planes);
}

static PyObject *mutable_frame_of(const gr_mutable_frame *leased) {
  gr_video_frame seen; /* the same layout, with readable planes */
  memcpy(&seen, leased, sizeof seen);
  return frame_of(&seen, 0, NULL);
}

static void frame_dealloc(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  Py_XDECREF(((frame *)object)->planes);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

/* Ends the access to the host's memory. Returns how many views are still held. */
static Py_ssize_t end_frame(frame *me) {
  Py_ssize_t held = 0;
  for (Py_ssize_t i = 0; i < PyTuple_Size(me->planes); i++)
    held += end_plane((plane *)PyTuple_GetItem(me->planes, i));
  return held;
}

static PyObject *frame_end(PyObject *object, PyObject *unused) {
  (void)unused;
  return PyLong_FromSsize_t(end_frame((frame *)object));
}

static PyObject *frame_copy(PyObject *object, PyObject *unused) {
  (void)unused;
  const frame *me = (frame *)object;
  const Py_ssize_t count = PyTuple_Size(me->planes);
  PyObject *planes = PyTuple_New(count);
  for (Py_ssize_t i = 0; planes != NULL && i < count; i++) {
    PyObject *one = plane_copy(PyTuple_GetItem(me->planes, i), NULL);
    if (one == NULL || PyTuple_SetItem(planes, i, one) != 0) Py_CLEAR(planes);
  }
  const gr_video_frame seen = {
      .format = me->format, .width = me->width, .height = me->height,
      .info = {.rotation = me->rotation, .range = me->range, .matrix = me->matrix,
               .offer_revision = me->revision, .pts_ns = me->pts_ns}};
  frame *made = (frame *)make_frame(&seen, planes);
  if (made == NULL) return NULL;
  made->time = me->time;
  made->index = me->index;
  return (PyObject *)made;
}

static PyObject *frame_planes(PyObject *object, void *unused) {
  (void)unused;
  Py_INCREF(((frame *)object)->planes);
  return ((frame *)object)->planes;
}

static int frame_set_planes(PyObject *object, PyObject *value, void *unused) {
  (void)object, (void)value, (void)unused;
  PyErr_SetString(PyExc_AttributeError,
                  "frame.planes is read-only: edit in place, such as "
                  "numpy.asarray(frame.planes[0])[:] = edited");
  return -1;
}

static PyMethodDef frame_methods[] = {
    {"end", frame_end, METH_NOARGS, NULL},
    {"copy", frame_copy, METH_NOARGS,
     "A frame with the same content in Python's memory, which stays after the callback."},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef frame_attributes[] = {
    {"planes", frame_planes, frame_set_planes,
     "One plane for each component that is stored apart, such as Y, U and V of ``i420``, to edit in place.",
     NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyMemberDef frame_members[] = {
    {"_format", T_UINT, offsetof(frame, format), READONLY, NULL},
    {"width", T_UINT, offsetof(frame, width), READONLY, NULL},
    {"height", T_UINT, offsetof(frame, height), READONLY, NULL},
    {"rotation", T_UINT, offsetof(frame, rotation), READONLY,
     "The clockwise turn that makes the frame upright: 0, 90, 180 or 270 degrees."},
    {"_range", T_UINT, offsetof(frame, range), READONLY, NULL},
    {"_matrix", T_UINT, offsetof(frame, matrix), READONLY, NULL},
    {"revision", T_UINT, offsetof(frame, revision), READONLY, NULL},
    {"pts_ns", T_LONGLONG, offsetof(frame, pts_ns), READONLY,
     "The time at which the frame shows, in nanoseconds on the session's clock."},
    {"time", T_DOUBLE, offsetof(frame, time), 0,
     "The time at which the frame shows, in seconds from the start of the source or of the track."},
    {"index", T_LONGLONG, offsetof(frame, index), 0, "The number of the frame, from 0."},
    {NULL, 0, 0, 0, NULL}};

static PyType_Slot frame_slots[] = {{Py_tp_dealloc, frame_dealloc},
                                    {Py_tp_methods, frame_methods},
                                    {Py_tp_getset, frame_attributes},
                                    {Py_tp_members, frame_members},
                                    {0, NULL}};

static PyType_Spec frame_spec = {"greenroom._core.Frame", sizeof(frame), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE |
                                     Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                 frame_slots};

/* ------------------------------------------------------------------------------------
 * Colors
 * ---------------------------------------------------------------------------------- */

typedef struct weights {
  int y, y_offset, v_red, u_green, v_green, u_blue; /* to RGB, 16 bits of fraction */
  int ry, gy, by, ru, gu, rv_g, bv, half;           /* from RGB */
} weights;

static weights weights_of(uint32_t range, uint32_t matrix) {
  const double kr = matrix == GR_MATRIX_BT709 ? 0.2126 : 0.299;
  const double kb = matrix == GR_MATRIX_BT709 ? 0.0722 : 0.114, kg = 1 - kr - kb;
  const double luma = range == GR_RANGE_FULL ? 1 : 219.0 / 255;
  const double chroma = range == GR_RANGE_FULL ? 1 : 224.0 / 255, one = 65536;
  weights w;
  w.y = (int)(one / luma + 0.5);
  w.y_offset = range == GR_RANGE_FULL ? 0 : 16;
  w.v_red = (int)(one * 2 * (1 - kr) / chroma + 0.5);
  w.u_blue = (int)(one * 2 * (1 - kb) / chroma + 0.5);
  w.u_green = (int)(one * 2 * (1 - kb) * kb / kg / chroma + 0.5);
  w.v_green = (int)(one * 2 * (1 - kr) * kr / kg / chroma + 0.5);
  w.ry = (int)(one * kr * luma + 0.5);
  w.gy = (int)(one * kg * luma + 0.5);
  w.by = (int)(one * kb * luma + 0.5);
  w.half = (int)(one * chroma / 2 + 0.5);
  w.ru = (int)(one * chroma * kr / (2 * (1 - kb)) + 0.5);
  w.gu = w.half - w.ru;
  w.bv = (int)(one * chroma * kb / (2 * (1 - kr)) + 0.5);
  w.rv_g = w.half - w.bv;
  return w;
}

/* Has the planes count as exported while a loop uses them without the interpreter's lock, so that the memory
   of a frame that ends meanwhile is kept. change: 1 or -1. */
static void hold_planes(plane *const planes[3], int change) {
  for (int i = 0; i < 3; i++) planes[i]->exports += change;
}

static inline uint8_t clamp(int value) { return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value); }

/* to_rgb(planes, width, height, range, matrix, is_bgr): a copy of an I420 frame with 3 bytes a pixel. */
static PyObject *to_rgb(PyObject *module, PyObject *args) {
  (void)module;
  plane *p[3];
  uint32_t range, matrix;
  Py_ssize_t width, height;
  int is_bgr;
  if (!PyArg_ParseTuple(args, "(O!O!O!)nnIIp", plane_type, &p[0], plane_type, &p[1], plane_type,
                        &p[2], &width, &height, &range, &matrix, &is_bgr))
    return NULL;
  for (int i = 0; i < 3; i++)
    if (!is_alive(p[i])) return NULL;
  PyObject *memory = PyByteArray_FromStringAndSize(NULL, width * height * 3);
  if (memory == NULL) return NULL;
  uint8_t *to = (uint8_t *)PyByteArray_AsString(memory);
  const weights w = weights_of(range, matrix);
  const int first = is_bgr ? 2 : 0;
  hold_planes(p, 1);
  Py_BEGIN_ALLOW_THREADS
  for (Py_ssize_t y = 0; y < height; y++) {
    const uint8_t *luma = p[0]->data + y * p[0]->strides[0];
    const uint8_t *us = p[1]->data + y / 2 * p[1]->strides[0];
    const uint8_t *vs = p[2]->data + y / 2 * p[2]->strides[0];
    uint8_t *row = to + y * width * 3;
    for (Py_ssize_t x = 0; x < width; x++) {
      const int l = (luma[x] - w.y_offset) * w.y + 32768, u = us[x / 2] - 128, v = vs[x / 2] - 128;
      row[3 * x + first] = clamp((l + v * w.v_red) >> 16);
      row[3 * x + 1] = clamp((l - u * w.u_green - v * w.v_green) >> 16);
      row[3 * x + 2 - first] = clamp((l + u * w.u_blue) >> 16);
    }
  }
  Py_END_ALLOW_THREADS
  hold_planes(p, -1);
  const Py_ssize_t shape[3] = {height, width, 3};
  PyObject *made = (PyObject *)make_plane(to, 3, shape, 0, 'B', 0, memory);
  Py_DECREF(memory);
  return made;
}

/* from_rgb(planes, width, height, range, matrix, is_bgr, pixels): writes pixels into an I420 frame. */
static PyObject *from_rgb(PyObject *module, PyObject *args) {
  (void)module;
  plane *p[3];
  uint32_t range, matrix;
  Py_ssize_t width, height;
  int is_bgr;
  PyObject *source;
  if (!PyArg_ParseTuple(args, "(O!O!O!)nnIIpO", plane_type, &p[0], plane_type, &p[1], plane_type,
                        &p[2], &width, &height, &range, &matrix, &is_bgr, &source))
    return NULL;
  Py_buffer view; /* first, as it may run the code of a class */
  if (PyObject_GetBuffer(source, &view, PyBUF_STRIDED_RO | PyBUF_FORMAT) != 0) return NULL;
  for (int i = 0; i < 3; i++) {
    if (!is_writable(p[i], PyExc_ValueError)) {
      PyBuffer_Release(&view);
      return NULL;
    }
  }
  if (view.ndim != 3 || view.shape[0] != height || view.shape[1] != width ||
      (view.shape[2] != 3 && view.shape[2] != 4) || view.itemsize != 1 ||
      (view.format != NULL && strcmp(view.format, "B") != 0)) {
    PyErr_Format(PyExc_ValueError,
                 "the pixels need the shape (%zd, %zd, 3) and the type uint8 of this frame; "
                 "use cv2.resize or astype(numpy.uint8)",
                 height, width);
    PyBuffer_Release(&view);
    return NULL;
  }
  const weights w = weights_of(range, matrix);
  const Py_ssize_t red = is_bgr ? 2 : 0;
  const Py_ssize_t down = stride_of(&view, 0), right = stride_of(&view, 1), next = stride_of(&view, 2);
  hold_planes(p, 1);
  Py_BEGIN_ALLOW_THREADS
  for (Py_ssize_t y = 0; y < height; y += 2) {
    for (Py_ssize_t x = 0; x < width; x += 2) {
      int r = 0, g = 0, b = 0, count = 0;
      for (Py_ssize_t dy = 0; dy < 2 && y + dy < height; dy++) {
        for (Py_ssize_t dx = 0; dx < 2 && x + dx < width; dx++) {
          const uint8_t *pixel = (const uint8_t *)view.buf + (y + dy) * down + (x + dx) * right;
          const int pr = pixel[red * next], pg = pixel[next], pb = pixel[(2 - red) * next];
          p[0]->data[(y + dy) * p[0]->strides[0] + x + dx] =
              clamp(((pr * w.ry + pg * w.gy + pb * w.by + 32768) >> 16) + w.y_offset);
          r += pr, g += pg, b += pb, count++;
        }
      }
      r /= count, g /= count, b /= count;
      p[1]->data[y / 2 * p[1]->strides[0] + x / 2] =
          clamp(((b * w.half - r * w.ru - g * w.gu + 32768) >> 16) + 128);
      p[2]->data[y / 2 * p[2]->strides[0] + x / 2] =
          clamp(((r * w.half - g * w.rv_g - b * w.bv + 32768) >> 16) + 128);
    }
  }
  Py_END_ALLOW_THREADS
  hold_planes(p, -1);
  PyBuffer_Release(&view);
  Py_RETURN_NONE;
}

/* ------------------------------------------------------------------------------------
 * Instances
 * ---------------------------------------------------------------------------------- */

typedef struct instance {
  PyObject_HEAD
  gr_source source;
  gr_audio_pre_processor audio_editing;
  gr_video_capabilities capabilities;
  const gr_broadcast *share;
  const gr_output_host *output;
  const gr_control_host *control;
  const gr_audio_queue *queue;
  const gr_hold *hold;
  const gr_captions_host *captions;
  uint32_t kind;
  PyObject *plugin; /* with the methods that the host's callbacks call */
} instance;

static PyTypeObject *instance_type;

static PyObject *raise_refusal(const instance *me, gr_status status) {
  char text[2048] = "";
  me->source.host->refusal_text(text, sizeof text);
  PyObject *arguments = Py_BuildValue("(is)", status, text);
  if (arguments != NULL) PyErr_SetObject(refused, arguments);
  Py_XDECREF(arguments);
  return NULL;
}

static PyObject *unsupported(const char *what) {
  PyObject *arguments = Py_BuildValue("(is)", GR_STATUS_UNSUPPORTED, what);
  if (arguments != NULL) PyErr_SetObject(refused, arguments);
  Py_XDECREF(arguments);
  return NULL;
}

static PyObject *instance_log(PyObject *object, PyObject *args) {
  instance *me = (instance *)object;
  int level;
  const char *text;
  if (!PyArg_ParseTuple(args, "is", &level, &text) || !is_open()) return NULL;
  Py_BEGIN_ALLOW_THREADS
  me->source.host->log(me->source.instance, (uint32_t)level, text);
  Py_END_ALLOW_THREADS
  Py_RETURN_NONE;
}

static PyObject *instance_set_error(PyObject *object, PyObject *args) {
  instance *me = (instance *)object;
  const char *text;
  if (!PyArg_ParseTuple(args, "s", &text) || !is_open()) return NULL;
  me->source.host->set_error(me->source.instance, text);
  Py_RETURN_NONE;
}

static PyObject *instance_give_up(PyObject *object, PyObject *args) {
  instance *me = (instance *)object;
  int status;
  const char *text;
  if (!PyArg_ParseTuple(args, "is", &status, &text) || !is_open()) return NULL;
  Py_BEGIN_ALLOW_THREADS
  me->source.host->give_up(me->source.instance, status, text);
  Py_END_ALLOW_THREADS
  Py_RETURN_NONE;
}

static PyObject *instance_now(PyObject *object, PyObject *unused) {
  (void)unused;
  instance *me = (instance *)object;
  int64_t now;
  if (!is_open()) return NULL;
  Py_BEGIN_ALLOW_THREADS
  now = me->source.host->now_ns(me->source.instance);
  Py_END_ALLOW_THREADS
  return PyLong_FromLongLong(now);
}

/* Returns whether the time was reached: False when the sender has stopped. */
static PyObject *instance_wait_until(PyObject *object, PyObject *time) {
  instance *me = (instance *)object;
  const long long deadline = PyLong_AsLongLong(time);
  gr_status status;
  if ((deadline == -1 && PyErr_Occurred()) || !is_open()) return NULL;
  Py_BEGIN_ALLOW_THREADS
  status = me->source.host->wait_until_ns(me->source.instance, deadline);
  Py_END_ALLOW_THREADS
  return PyBool_FromLong(status == GR_STATUS_OK);
}

/* A frame in a plugin's memory, and the buffers that it refers to. */
typedef struct given_frame {
  gr_video_frame frame;
  Py_buffer views[GR_MAX_PLANES];
  Py_ssize_t taken;
} given_frame;

static void release_frame(given_frame *me) {
  while (me->taken > 0) PyBuffer_Release(&me->views[--me->taken]);
}

/* Reads (format, width, height, planes, rotation, range, matrix, revision, pts): planes are buffers whose
   rows are in one piece. The caller releases the frame, even after an exception. */
static int take_frame(given_frame *me, PyObject *args) {
  PyObject *planes;
  long long pts;
  gr_video_frame *frame = &me->frame;
  memset(me, 0, sizeof *me);
  frame->struct_size = sizeof *frame;
  frame->info.struct_size = sizeof frame->info;
  if (!PyArg_ParseTuple(args, "IIIOIIIIL", &frame->format, &frame->width, &frame->height, &planes,
                        &frame->info.rotation, &frame->info.range, &frame->info.matrix,
                        &frame->info.offer_revision, &pts))
    return 0;
  frame->info.pts_ns = pts;
  frame->plane_count = gr_plane_count(frame->format);
  const Py_ssize_t count = PySequence_Size(planes);
  if (count < 0) return 0;
  if (count != (Py_ssize_t)frame->plane_count) {
    PyErr_Format(PyExc_ValueError, "the format has %u planes, and %zd are given", frame->plane_count,
                 count);
    return 0;
  }
  for (; me->taken < count; me->taken++) {
    const Py_ssize_t taken = me->taken;
    Py_buffer *view = &me->views[taken];
    PyObject *one = PySequence_GetItem(planes, taken);
    if (one == NULL) return 0;
    const int got = PyObject_GetBuffer(one, view, PyBUF_STRIDED_RO | PyBUF_FORMAT);
    Py_DECREF(one);
    if (got != 0) return 0;
    Py_ssize_t shape[3];
    char letter;
    const int ndim = plane_shape_of(frame->format, (uint32_t)taken, frame->width, frame->height,
                                    shape, &letter);
    const Py_ssize_t row = (Py_ssize_t)gr_row_bytes(frame->format, (uint32_t)taken, frame->width);
    Py_ssize_t stride = row;
    int fits;
    if (view->ndim == 1) { /* bytes: rows without padding */
      fits = view->len == row * shape[0] && stride_of(view, 0) == view->itemsize;
    } else {
      fits = view->ndim == ndim && view->itemsize == (letter == 'B' ? 1 : 2);
      for (int i = 0; fits && i < ndim; i++) fits = view->shape[i] == shape[i];
      Py_ssize_t packed = view->itemsize;
      for (int i = ndim - 1; fits && i > 0; i--) {
        fits = stride_of(view, i) == packed;
        packed *= shape[i];
      }
      if (fits && shape[0] > 1) {
        stride = stride_of(view, 0);
        fits = stride >= row && stride <= UINT32_MAX;
      }
    }
    if (fits && view->format != NULL && view->ndim > 1) { /* maybe after a byte order */
      const size_t length = strlen(view->format);
      fits = length > 0 && view->format[length - 1] == letter;
    }
    if (!fits) {
      if (ndim == 2)
        PyErr_Format(PyExc_ValueError,
                     "plane %zd needs the shape (%zd, %zd), the type %s and rows in one piece: "
                     "use numpy.ascontiguousarray(plane, dtype=numpy.%s)",
                     taken, shape[0], shape[1], letter == 'B' ? "uint8" : "uint16",
                     letter == 'B' ? "uint8" : "uint16");
      else
        PyErr_Format(PyExc_ValueError,
                     "plane %zd needs the shape (%zd, %zd, %zd), the type %s and rows in one piece: "
                     "use numpy.ascontiguousarray(plane, dtype=numpy.%s)",
                     taken, shape[0], shape[1], shape[2], letter == 'B' ? "uint8" : "uint16",
                     letter == 'B' ? "uint8" : "uint16");
      PyBuffer_Release(view);
      return 0;
    }
    frame->planes[taken].data = view->buf;
    frame->planes[taken].stride_bytes = (uint32_t)stride;
    frame->planes[taken].size_bytes = shape[0] > 0 ? (uint64_t)(stride * (shape[0] - 1) + row) : 0;
  }
  return 1;
}

static PyObject *instance_send_video(PyObject *object, PyObject *args) {
  instance *me = (instance *)object;
  if (!is_open()) return NULL;
  if (me->source.video == NULL) return unsupported("only cameras, shares and composers send video");
  given_frame given;
  PyObject *result = NULL;
  if (take_frame(&given, args)) {
    gr_status status;
    Py_BEGIN_ALLOW_THREADS
    status = me->source.video->send(me->source.sender, &given.frame);
    Py_END_ALLOW_THREADS
    if (status == GR_STATUS_OK) {
      Py_INCREF(Py_None);
      result = Py_None;
    } else {
      raise_refusal(me, status);
    }
  }
  release_frame(&given);
  return result;
}

/* sent_frame(what send_video receives): a copy of the frame, for tests. */
static PyObject *sent_frame(PyObject *module, PyObject *args) {
  (void)module;
  given_frame given;
  PyObject *copy = NULL;
  if (take_frame(&given, args)) {
    PyObject *seen = frame_of(&given.frame, 1, NULL);
    if (seen != NULL) copy = frame_copy(seen, NULL);
    Py_XDECREF(seen);
  }
  release_frame(&given);
  return copy;
}

/* send_audio(samples, rate, channels, pts or None, timeout): 16-bit samples, interleaved. */
static PyObject *instance_send_audio(PyObject *object, PyObject *args) {
  instance *me = (instance *)object;
  Py_buffer view;
  uint32_t rate, channels;
  PyObject *pts;
  long long timeout;
  gr_status status;
  if (!PyArg_ParseTuple(args, "y*IIOL", &view, &rate, &channels, &pts, &timeout)) return NULL;
  PyObject *result = NULL;
  if (!is_open()) goto end;
  if (me->source.audio == NULL) {
    unsupported("only microphones and the audio of shares send audio");
    goto end;
  }
  if (channels == 0 || view.len % (2 * (Py_ssize_t)channels) != 0) {
    PyErr_Format(PyExc_ValueError, "%zd bytes are no whole number of 16-bit samples for %u channels",
                 view.len, channels);
    goto end;
  }
  gr_audio_block block =
      gr_block(view.buf, (uint32_t)(view.len / 2 / channels), rate, channels);
  if (pts != Py_None) {
    block.pts_ns = PyLong_AsLongLong(pts);
    if (PyErr_Occurred()) goto end;
  }
  Py_BEGIN_ALLOW_THREADS
  status = me->source.audio->send(me->source.sender, &block, timeout);
  Py_END_ALLOW_THREADS
  if (status != GR_STATUS_OK) {
    raise_refusal(me, status);
    goto end;
  }
  Py_INCREF(Py_None);
  result = Py_None;
end:
  PyBuffer_Release(&view);
  return result;
}

static PyObject *audio_queue_call(PyObject *object, int clears) {
  instance *me = (instance *)object;
  int64_t nanoseconds = 0;
  gr_status status;
  if (!is_open()) return NULL;
  if (me->queue == NULL) return unsupported("the host is older than minor 3 of the interface");
  Py_BEGIN_ALLOW_THREADS
  status = (clears ? me->queue->clear : me->queue->queued)(me->source.sender, &nanoseconds);
  Py_END_ALLOW_THREADS
  if (status != GR_STATUS_OK) return raise_refusal(me, status);
  return PyLong_FromLongLong(nanoseconds);
}

static PyObject *instance_clear_audio(PyObject *object, PyObject *unused) {
  (void)unused;
  return audio_queue_call(object, 1);
}

static PyObject *instance_queued_audio(PyObject *object, PyObject *unused) {
  (void)unused;
  return audio_queue_call(object, 0);
}

static PyObject *hold_call(
    instance *me, gr_status (*function)(gr_instance, uint32_t), uint32_t number) {
  gr_status status;
  Py_BEGIN_ALLOW_THREADS
  status = function(me->source.instance, number);
  Py_END_ALLOW_THREADS
  if (status != GR_STATUS_OK) return raise_refusal(me, status);
  Py_RETURN_NONE;
}

static PyObject *instance_set_held(PyObject *object, PyObject *is_held) {
  instance *me = (instance *)object;
  const int holds = PyObject_IsTrue(is_held);
  if (holds < 0 || !is_open()) return NULL;
  if (me->hold == NULL) return unsupported("only sources hold, on hosts since minor 3 of the interface");
  return hold_call(me, me->hold->held, (uint32_t)holds);
}

static PyObject *instance_count_damaged(PyObject *object, PyObject *number) {
  instance *me = (instance *)object;
  const unsigned long count = PyLong_AsUnsignedLong(number);
  if ((count == (unsigned long)-1 && PyErr_Occurred()) || !is_open()) return NULL;
  if (me->hold == NULL) return unsupported("only sources hold, on hosts since minor 3 of the interface");
  return hold_call(me, me->hold->damaged, count > UINT32_MAX ? UINT32_MAX : (uint32_t)count);
}

static PyObject *instance_pause(PyObject *object, PyObject *is_paused) {
  instance *me = (instance *)object;
  const int pauses = PyObject_IsTrue(is_paused);
  gr_status status;
  if (pauses < 0 || !is_open()) return NULL;
  if (me->share == NULL) return unsupported("only shares pause");
  Py_BEGIN_ALLOW_THREADS
  status = (pauses ? me->share->paused : me->share->resumed)(me->source.instance);
  Py_END_ALLOW_THREADS
  if (status != GR_STATUS_OK) return raise_refusal(me, status);
  Py_RETURN_NONE;
}

static PyObject *instance_report_value(PyObject *object, PyObject *args) {
  instance *me = (instance *)object;
  const char *name;
  double value;
  gr_status status;
  if (!PyArg_ParseTuple(args, "sd", &name, &value) || !is_open()) return NULL;
  if (me->output == NULL) return unsupported("only outputs report values");
  Py_BEGIN_ALLOW_THREADS
  status = me->output->report(me->source.instance, name, value);
  Py_END_ALLOW_THREADS
  if (status != GR_STATUS_OK) return raise_refusal(me, status);
  Py_RETURN_NONE;
}

static PyObject *instance_set_state(PyObject *object, PyObject *args) {
  instance *me = (instance *)object;
  uint32_t state;
  const char *text;
  gr_status status;
  if (!PyArg_ParseTuple(args, "Is", &state, &text) || !is_open()) return NULL;
  if (me->output == NULL) return unsupported("only outputs have a state");
  Py_BEGIN_ALLOW_THREADS
  status = me->output->state(me->source.instance, state, text);
  Py_END_ALLOW_THREADS
  if (status != GR_STATUS_OK) return raise_refusal(me, status);
  Py_RETURN_NONE;
}

static PyObject *instance_wants_changed(PyObject *object, PyObject *unused) {
  (void)unused;
  instance *me = (instance *)object;
  gr_status status;
  if (!is_open()) return NULL;
  if (me->output == NULL) return unsupported("only outputs choose tracks");
  Py_BEGIN_ALLOW_THREADS
  status = me->output->wants_changed(me->source.instance);
  Py_END_ALLOW_THREADS
  if (status != GR_STATUS_OK) return raise_refusal(me, status);
  Py_RETURN_NONE;
}

/* add_caption(text, speaker, start, end): times on the session's clock. */
static PyObject *instance_add_caption(PyObject *object, PyObject *args) {
  instance *me = (instance *)object;
  gr_caption caption = {.struct_size = sizeof caption};
  long long start, end;
  gr_status status;
  if (!PyArg_ParseTuple(args, "szLL", &caption.text, &caption.speaker, &start, &end) || !is_open())
    return NULL;
  if (me->captions == NULL) return unsupported("the host is too old for captions: update it");
  caption.start_ns = start;
  caption.end_ns = end;
  Py_BEGIN_ALLOW_THREADS
  status = me->captions->add(me->source.instance, &caption);
  Py_END_ALLOW_THREADS
  if (status != GR_STATUS_OK) return raise_refusal(me, status);
  Py_RETURN_NONE;
}

static const char *const no_control =
    "the session file grants no control to this plugin: add allow: { control: true }";

static PyObject *instance_command(PyObject *object, PyObject *args) {
  instance *me = (instance *)object;
  const char *text;
  uint32_t number = 0;
  gr_status status;
  if (!PyArg_ParseTuple(args, "s", &text) || !is_open()) return NULL;
  if (me->control == NULL) return unsupported(no_control);
  Py_BEGIN_ALLOW_THREADS
  status = me->control->command(me->source.instance, text, &number);
  Py_END_ALLOW_THREADS
  if (status != GR_STATUS_OK) return raise_refusal(me, status);
  return PyLong_FromUnsignedLong(number);
}

/* session_text(is_report): the session's description or report, as JSON. */
static PyObject *instance_session_text(PyObject *object, PyObject *is_report) {
  instance *me = (instance *)object;
  uint64_t length = 0;
  gr_status status;
  const int reports = PyObject_IsTrue(is_report);
  if (reports < 0 || !is_open()) return NULL;
  if (me->control == NULL) return unsupported(no_control);
  char *buffer = malloc(GR_MAX_CONTROL_TEXT);
  if (buffer == NULL) return PyErr_NoMemory();
  Py_BEGIN_ALLOW_THREADS
  status = (reports ? me->control->report : me->control->describe)(me->source.instance, buffer,
                                                                   GR_MAX_CONTROL_TEXT, &length);
  Py_END_ALLOW_THREADS
  PyObject *text = status == GR_STATUS_OK ? PyUnicode_FromStringAndSize(buffer, (Py_ssize_t)length)
                                          : raise_refusal(me, status);
  free(buffer);
  return text;
}

/* The frames that a source draws, each at its time. */
typedef struct frames {
  PyObject_HEAD
  instance *owner;
  frame *drawn; /* since the last one was returned; else NULL */
  gr_pixel_format format;
  gr_frame_time time;
  gr_lease lease;
  long long count;
} frames;

static PyTypeObject *frames_type;

/* Ends the access to the frame that is drawn, and warns of views of it. Returns whether there was one. */
static int end_drawn(frames *me) {
  if (me->drawn == NULL) return 0;
  if (end_frame(me->drawn) > 0 && me->owner->plugin != NULL) {
    PyObject *result = PyObject_CallMethod(me->owner->plugin, "warn_of_views", NULL);
    if (result == NULL) PyErr_WriteUnraisable(NULL);
    Py_XDECREF(result);
  }
  Py_CLEAR(me->drawn);
  return 1;
}

/* Gives the frame that is drawn back to the host, unless the host has destroyed the instance. */
static void give_back(frames *me) {
  const gr_source *source = &me->owner->source;
  if (!end_drawn(me) || is_forked || me->owner->plugin == NULL) return;
  Py_BEGIN_ALLOW_THREADS
  source->video->abandon(source->sender, me->lease.id);
  Py_END_ALLOW_THREADS
}

/* Sends the frame that is drawn, and waits for the next one. One call, because the interpreter's lock
   costs more than the rest. */
static PyObject *frames_next(PyObject *object) {
  frames *me = (frames *)object;
  gr_source *source = &me->owner->source;
  gr_status status = GR_STATUS_OK;
  int is_leased = 0;
  if (!is_open()) return NULL;
  const int is_drawn = end_drawn(me);
  Py_BEGIN_ALLOW_THREADS
  if (is_drawn) status = gr_commit_frame(source, &me->time, &me->lease);
  while (!is_leased && status != GR_STATUS_STOPPED && status != GR_STATUS_GONE &&
         status != GR_STATUS_NOT_STARTED && gr_next_frame(source, &me->time) == GR_STATUS_OK) {
    status = gr_acquire_frame(source, &me->time, me->format, &me->lease);
    is_leased = status == GR_STATUS_OK;
  }
  Py_END_ALLOW_THREADS
  if (!is_leased) return NULL;
  me->lease.frame.info.offer_revision = me->time.offer_revision;
  me->lease.frame.info.pts_ns = me->time.pts_ns;
  me->drawn = (frame *)mutable_frame_of(&me->lease.frame);
  if (me->drawn == NULL) {
    Py_BEGIN_ALLOW_THREADS
    source->video->abandon(source->sender, me->lease.id);
    Py_END_ALLOW_THREADS
    return NULL;
  }
  me->drawn->time = (double)me->time.elapsed_ns / 1e9;
  me->drawn->index = me->count++;
  Py_INCREF((PyObject *)me->drawn);
  return (PyObject *)me->drawn;
}

static PyObject *frames_close(PyObject *object, PyObject *unused) {
  (void)unused;
  give_back((frames *)object);
  Py_RETURN_NONE;
}

static void frames_dealloc(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  PyObject *kind, *value, *traceback; /* of an exception that ends the last reference */
  PyErr_Fetch(&kind, &value, &traceback);
  give_back((frames *)object);
  PyErr_Restore(kind, value, traceback);
  Py_DECREF((PyObject *)((frames *)object)->owner);
  PyObject_Free(object);
  Py_DECREF(type);
}

static PyMethodDef frames_methods[] = {{"close", frames_close, METH_NOARGS, NULL},
                                       {NULL, NULL, 0, NULL}};

static PyType_Slot frames_slots[] = {{Py_tp_dealloc, frames_dealloc},
                                     {Py_tp_iter, PyObject_SelfIter},
                                     {Py_tp_iternext, frames_next},
                                     {Py_tp_methods, frames_methods},
                                     {0, NULL}};

static PyType_Spec frames_spec = {"greenroom._core.Frames", sizeof(frames), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                  frames_slots};

/* frames(format): an iterator over the frames of a source that starts now. */
static PyObject *instance_frames(PyObject *object, PyObject *format) {
  instance *me = (instance *)object;
  const unsigned long number = PyLong_AsUnsignedLong(format);
  if (PyErr_Occurred() || !is_open()) return NULL;
  if (me->source.video == NULL) return unsupported("only cameras, shares and composers send video");
  pthread_mutex_lock(&me->source.lock);
  const int has_rate = me->source.agreed.fps_numerator > 0;
  pthread_mutex_unlock(&me->source.lock);
  if (!has_rate) return unsupported("the host has offered no size and rate yet");
  frames *made = PyObject_New(frames, frames_type);
  if (made == NULL) return NULL;
  memset((char *)made + sizeof(PyObject), 0, sizeof *made - sizeof(PyObject));
  Py_INCREF(object);
  made->owner = me;
  made->format = (gr_pixel_format)number;
  me->source.next = 0;
  me->source.rate_revision = 0;
  Py_BEGIN_ALLOW_THREADS
  me->source.start_ns = me->source.host->now_ns(me->source.instance);
  Py_END_ALLOW_THREADS
  return (PyObject *)made;
}

static void instance_dealloc(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  pthread_mutex_destroy(&((instance *)object)->source.lock);
  free((void *)((instance *)object)->capabilities.rows);
  Py_XDECREF(((instance *)object)->plugin);
  PyObject_Free(object);
  Py_DECREF(type);
}

static PyMethodDef instance_methods[] = {
    {"log", instance_log, METH_VARARGS, NULL},
    {"set_error", instance_set_error, METH_VARARGS, NULL},
    {"give_up", instance_give_up, METH_VARARGS, NULL},
    {"now", instance_now, METH_NOARGS, NULL},
    {"wait_until", instance_wait_until, METH_O, NULL},
    {"frames", instance_frames, METH_O, NULL},
    {"send_video", instance_send_video, METH_VARARGS, NULL},
    {"send_audio", instance_send_audio, METH_VARARGS, NULL},
    {"clear_audio", instance_clear_audio, METH_NOARGS, NULL},
    {"queued_audio", instance_queued_audio, METH_NOARGS, NULL},
    {"set_held", instance_set_held, METH_O, NULL},
    {"count_damaged", instance_count_damaged, METH_O, NULL},
    {"pause", instance_pause, METH_O, NULL},
    {"report_value", instance_report_value, METH_VARARGS, NULL},
    {"set_state", instance_set_state, METH_VARARGS, NULL},
    {"wants_changed", instance_wants_changed, METH_NOARGS, NULL},
    {"add_caption", instance_add_caption, METH_VARARGS, NULL},
    {"command", instance_command, METH_VARARGS, NULL},
    {"session_text", instance_session_text, METH_O, NULL},
    {NULL, NULL, 0, NULL}};

static PyType_Slot instance_slots[] = {{Py_tp_doc, "The host, as an instance of a plugin sees it."},
                                       {Py_tp_dealloc, instance_dealloc},
                                       {Py_tp_methods, instance_methods},
                                       {0, NULL}};

static PyType_Spec instance_spec = {"greenroom._core.Instance", sizeof(instance), 0,
                                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                    instance_slots};

/* ------------------------------------------------------------------------------------
 * The host's callbacks
 * ---------------------------------------------------------------------------------- */

/* The status that a method has returned; takes the reference. The methods catch every exception of the
   plugin, so one here is this package's. */
static gr_status status_of(PyObject *result) {
  if (result == NULL) {
    PyErr_WriteUnraisable(NULL);
    return GR_STATUS_FAILED;
  }
  const long status = PyLong_Check(result) ? PyLong_AsLong(result) : 0;
  Py_DECREF(result);
  return (gr_status)status;
}

static PyObject *capability_tuple(const gr_capability *row) {
  return Py_BuildValue("(IIII)", row->width, row->height, row->fps_numerator, row->fps_denominator);
}

/* (revision, rule, reason, rows, suggested) */
static PyObject *offer_tuple(const gr_offer *offer) {
  if (offer == NULL) {
    Py_INCREF(Py_None);
    return Py_None;
  }
  PyObject *rows = PyList_New(0);
  for (uint32_t i = 0; rows != NULL && i < offer->row_count; i++) {
    PyObject *row = capability_tuple(&offer->rows[i]);
    if (row == NULL || PyList_Append(rows, row) != 0) Py_CLEAR(rows);
    Py_XDECREF(row);
  }
  if (rows == NULL) return NULL;
  return Py_BuildValue("(IIINN)", offer->revision, offer->rule, offer->reason, rows,
                       capability_tuple(&offer->suggested));
}

/* Reads (kind, width, height, fps numerator, fps denominator), or a status. */
static gr_status take_answer(PyObject *result, gr_answer *answer) {
  if (result == NULL || !PyTuple_Check(result)) return status_of(result);
  gr_answer given = {0};
  const int is_read = PyArg_ParseTuple(result, "IIIII", &given.kind, &given.capability.width,
                                       &given.capability.height, &given.capability.fps_numerator,
                                       &given.capability.fps_denominator);
  Py_DECREF(result);
  if (is_read && (given.capability.fps_numerator == 0 || given.capability.fps_denominator == 0))
    PyErr_SetString(PyExc_ValueError, "the answer to an offer has a rate of 0");
  if (PyErr_Occurred()) return status_of(NULL);
  if (answer != NULL) {
    answer->kind = given.kind;
    answer->capability = given.capability;
  }
  return GR_STATUS_OK;
}

/* Takes the interpreter's lock for a callback. The thread keeps its state until it ends, because
   PyGILState_Release would unmap it after each callback. */
static PyGILState_STATE take_lock(void) {
  const int is_new = PyGILState_GetThisThreadState() == NULL;
  const PyGILState_STATE lock = PyGILState_Ensure();
  if (is_new && pthread_setspecific(state_key, PyGILState_GetThisThreadState()) == 0)
    (void)PyGILState_Ensure();
  return lock;
}

#define WITH_LOCK(body)                      \
  const PyGILState_STATE lock = take_lock(); \
  body;                                      \
  PyGILState_Release(lock)

/* Has a method answer an offer, and draws what it has agreed from then on. */
static gr_status take_offer(instance *me, const char *method, const gr_offer *offer,
                            gr_answer *answer) {
  gr_status status;
  WITH_LOCK(status = take_answer(
                PyObject_CallMethod(me->plugin, method, "(N)", offer_tuple(offer)), answer));
  if (status == GR_STATUS_OK && offer != NULL && answer != NULL) {
    pthread_mutex_lock(&me->source.lock);
    me->source.agreed = answer->capability;
    me->source.revision = offer->revision;
    pthread_mutex_unlock(&me->source.lock);
  }
  return status;
}

static gr_status on_initialize(void *self, const gr_initialize *in) {
  instance *me = self;
  me->source.sender = in->sender;
  me->source.video = in->video;
  me->source.audio = in->audio;
  return take_offer(me, "initialize", in->offer, in->answer);
}

static gr_status on_property_change(void *self, const gr_offer *offer, gr_answer *answer) {
  return take_offer(self, "property_change", offer, answer);
}

static gr_status on_filter_change(void *self, const gr_offer *offer) {
  return on_property_change(self, offer, NULL);
}

static gr_status on_start(void *self) {
  instance *me = self;
  gr_status status;
  WITH_LOCK(status = status_of(PyObject_CallMethod(me->plugin, "start_send", NULL)));
  return status;
}

static void on_stop(void *self) {
  instance *me = self;
  WITH_LOCK(status_of(PyObject_CallMethod(me->plugin, "stop_send", NULL)));
}

static void on_uninitialize(void *self) {
  instance *me = self;
  WITH_LOCK(status_of(PyObject_CallMethod(me->plugin, "uninitialize", NULL)));
}

static void on_destroy(void *self) {
  instance *me = self;
  /* The adapter refers to this instance, so the reference back ends here. */
  WITH_LOCK(status_of(PyObject_CallMethod(me->plugin, "destroy", NULL)); Py_CLEAR(me->plugin);
            Py_DECREF((PyObject *)me));
}

static PyObject *value_of(const gr_value *value) {
  switch (value->type) {
  case GR_TYPE_BOOLEAN: return PyBool_FromLong(value->integer != 0);
  case GR_TYPE_INTEGER: return PyLong_FromLongLong(value->integer);
  case GR_TYPE_NUMBER: return PyFloat_FromDouble(value->number);
  default: return PyUnicode_DecodeUTF8(value->string, (Py_ssize_t)strlen(value->string), "replace");
  }
}

static gr_status on_set(void *self, const gr_setting *setting) {
  instance *me = self;
  gr_status status;
  WITH_LOCK(status = status_of(PyObject_CallMethod(me->plugin, "set", "(sN)", setting->name,
                                                   value_of(&setting->value))));
  return status;
}

static gr_status on_process(void *self, gr_mutable_frame *frame) {
  instance *me = self;
  gr_status status;
  WITH_LOCK(status = status_of(
                PyObject_CallMethod(me->plugin, "process", "(N)", mutable_frame_of(frame))));
  return status;
}

static PyObject *samples(const int16_t *data, uint32_t frames, uint32_t channels, int is_readonly) {
  if (data == NULL) {
    Py_INCREF(Py_None);
    return Py_None;
  }
  const Py_ssize_t shape[2] = {frames, channels};
  return (PyObject *)make_plane(data, 2, shape, 0, 'h', is_readonly, NULL);
}

static gr_status on_edit(void *self, gr_audio_edit *block) {
  instance *me = self;
  gr_status status;
  WITH_LOCK(status = status_of(PyObject_CallMethod(
                me->plugin, "edit_audio", "(NNL)",
                samples(block->samples, block->frame_count, block->channels, 0),
                samples(block->reference, block->frame_count, block->channels, 1),
                (long long)block->pts_ns)));
  return status;
}

static gr_status on_track(void *self, const gr_track *track, gr_want *want) {
  instance *me = self;
  gr_status status = GR_STATUS_OK;
  const PyGILState_STATE lock = take_lock();
  PyObject *result = PyObject_CallMethod(
      me->plugin, "track", "(IIIszN)", track->id, track->kind, track->participant, track->name,
      track->participant_name, capability_tuple(&track->capability));
  if (result != NULL && PyTuple_Check(result)) {
    gr_want given = *want;
    if (PyArg_ParseTuple(result, "IIIIIIIIIII", &given.format, &given.fit, &given.capability.width,
                         &given.capability.height, &given.capability.fps_numerator,
                         &given.capability.fps_denominator, &given.matrix, &given.pace,
                         &given.sample_rate_hz, &given.channels, &given.block_frames)) {
      given.is_wanted = 1;
      *want = given;
    } else {
      PyErr_WriteUnraisable(NULL);
      status = GR_STATUS_FAILED;
    }
    Py_DECREF(result);
  } else {
    want->is_wanted = 0;
    status = status_of(result);
  }
  PyGILState_Release(lock);
  return status;
}

static gr_status on_video(void *self, const gr_output_frame *frame) {
  instance *me = self;
  gr_status status;
  WITH_LOCK(status = status_of(PyObject_CallMethod(
                me->plugin, "video", "(IIILN)", frame->track, frame->content, frame->periods,
                (long long)frame->index, frame_of(&frame->frame, 1, NULL))));
  return status;
}

static gr_status on_audio(void *self, const gr_output_block *block) {
  instance *me = self;
  gr_status status;
  WITH_LOCK(status = status_of(PyObject_CallMethod(
                me->plugin, "audio", "(ILNIL)", block->track, (long long)block->index,
                samples(block->block.samples, block->block.frame_count, block->block.channels, 1),
                block->block.sample_rate_hz, (long long)block->block.pts_ns)));
  return status;
}

static void on_gone(void *self, uint32_t track) {
  instance *me = self;
  WITH_LOCK(status_of(PyObject_CallMethod(me->plugin, "gone", "(I)", track)));
}

static void on_event(void *self, const char *json) {
  instance *me = self;
  WITH_LOCK(status_of(PyObject_CallMethod(me->plugin, "event", "(s)", json)));
}

static const gr_live_parameters live_parameters = {sizeof live_parameters, 0, on_set};
static const gr_pre_processor pre_processor = {sizeof pre_processor, 0, on_process};
static const gr_pre_processor_property_change filter_change = {sizeof filter_change, 0,
                                                               on_filter_change};
static const gr_output output_functions = {sizeof output_functions, 0, on_track, on_video, on_audio,
                                           on_gone};
static const gr_control control_functions = {sizeof control_functions, 0, on_event};

static const void *on_get_extension(void *self, const char *id) {
  instance *me = self;
  if (strcmp(id, GR_EXT_LIVE_PARAMETERS) == 0) return &live_parameters;
  if (strcmp(id, GR_EXT_CONTROL) == 0) return &control_functions;
  if (me->kind == GR_KIND_PRE_PROCESSOR && strcmp(id, GR_EXT_PRE_PROCESSOR) == 0)
    return &pre_processor;
  if (me->kind == GR_KIND_PRE_PROCESSOR && strcmp(id, GR_EXT_PRE_PROCESSOR_PROPERTY_CHANGE) == 0)
    return &filter_change;
  if (me->kind == GR_KIND_AUDIO_PRE_PROCESSOR && strcmp(id, GR_EXT_AUDIO_PRE_PROCESSOR) == 0)
    return &me->audio_editing;
  if ((me->kind == GR_KIND_OUTPUT || me->kind == GR_KIND_COMPOSER) && strcmp(id, GR_EXT_OUTPUT) == 0)
    return &output_functions;
  if (me->capabilities.count > 0 && strcmp(id, GR_EXT_VIDEO_CAPABILITIES) == 0)
    return &me->capabilities;
  return NULL;
}

/* ------------------------------------------------------------------------------------
 * The entry
 * ---------------------------------------------------------------------------------- */

/* The descriptions that the host has read. They stay until the process ends. */
typedef struct program {
  gr_entry entry;
  gr_descriptor *descriptors;
  PyObject *create;
} program;

static program *current; /* the entry's functions have no context */

static const gr_descriptor *on_descriptor(uint32_t index) {
  return current != NULL && index < current->entry.plugin_count ? &current->descriptors[index] : NULL;
}

/* Reads what an instance declares: (channels, delay, flags) of an audio filter, and the rows. */
static int take_declarations(instance *me) {
  PyObject *editing = PyObject_GetAttrString(me->plugin, "audio_editing");
  PyObject *rows = editing == NULL ? NULL : PyObject_GetAttrString(me->plugin, "capabilities");
  int is_good = rows != NULL;
  me->audio_editing.struct_size = sizeof me->audio_editing;
  me->audio_editing.process = on_edit;
  if (is_good)
    is_good = PyArg_ParseTuple(editing, "III", &me->audio_editing.channels,
                               &me->audio_editing.delay_frames, &me->audio_editing.flags);
  const Py_ssize_t count = is_good ? PyList_Size(rows) : 0;
  me->capabilities.struct_size = sizeof me->capabilities;
  if (count > 0) {
    gr_capability *table = calloc((size_t)count, sizeof *table);
    me->capabilities.rows = table;
    me->capabilities.count = table == NULL ? 0 : (uint32_t)count;
    for (Py_ssize_t i = 0; is_good && table != NULL && i < count; i++)
      is_good = PyArg_ParseTuple(PyList_GetItem(rows, i), "IIII", &table[i].width,
                                 &table[i].height, &table[i].fps_numerator,
                                 &table[i].fps_denominator);
  }
  Py_XDECREF(editing);
  Py_XDECREF(rows);
  return is_good;
}

static gr_status on_create(uint32_t index, const gr_create *in, const gr_plugin **plugin) {
  const PyGILState_STATE lock = take_lock();
  gr_status status = GR_STATUS_FAILED;
  instance *me = PyObject_New(instance, instance_type);
  PyObject *settings = PyDict_New();
  if (me != NULL) {
    memset((char *)me + sizeof(PyObject), 0, sizeof *me - sizeof(PyObject));
    pthread_mutex_init(&me->source.lock, NULL);
  }
  if (me == NULL || settings == NULL) goto end;
  me->source.host = in->host;
  me->source.instance = in->instance;
  me->kind = current->descriptors[index].kind;
  me->share = in->host->get_extension(in->instance, GR_EXT_BROADCAST);
  me->output = in->host->get_extension(in->instance, GR_EXT_OUTPUT_HOST);
  me->control = in->host->get_extension(in->instance, GR_EXT_CONTROL_HOST);
  me->queue = in->host->get_extension(in->instance, GR_EXT_AUDIO_QUEUE);
  me->hold = in->host->get_extension(in->instance, GR_EXT_HOLD);
  me->captions = in->host->get_extension(in->instance, GR_EXT_CAPTIONS_HOST);
  me->source.plugin = (gr_plugin){
      sizeof me->source.plugin, 0,       me,       on_destroy,      on_initialize,
      on_property_change,   on_start, on_stop, on_uninitialize, on_get_extension};
  for (uint32_t i = 0; i < in->setting_count; i++) {
    PyObject *value = value_of(&in->settings[i].value);
    if (value == NULL || PyDict_SetItemString(settings, in->settings[i].name, value) != 0) {
      Py_XDECREF(value);
      goto end;
    }
    Py_DECREF(value);
  }
  PyObject *made = PyObject_CallFunction(current->create, "IOO", index, me, settings);
  if (made != NULL && made != Py_None && !PyLong_Check(made)) {
    me->plugin = made;
    if (take_declarations(me)) {
      *plugin = &me->source.plugin;
      status = GR_STATUS_OK;
    }
  } else if (made != NULL) {
    status = PyLong_Check(made) ? (gr_status)PyLong_AsLong(made) : GR_STATUS_FAILED;
    Py_DECREF(made);
  }
end:
  if (status != GR_STATUS_OK) {
    if (PyErr_Occurred()) PyErr_WriteUnraisable(NULL);
    if (me != NULL) Py_CLEAR(me->plugin); /* the adapter refers to this instance */
    Py_XDECREF((PyObject *)me);
  }
  Py_XDECREF(settings);
  PyGILState_Release(lock);
  return status;
}

/* A copy of a text that is never freed, or NULL with an exception. */
static const char *kept_text(PyObject *object) {
  const char *text = PyUnicode_AsUTF8AndSize(object, NULL);
  char *copy = text == NULL ? NULL : strdup(text);
  if (text != NULL && copy == NULL) PyErr_NoMemory();
  return copy;
}

/* (type, flags, name, title, unit, choices, default or None, minimum, maximum) */
static int take_parameter(PyObject *tuple, gr_parameter *parameter) {
  PyObject *name, *title, *unit, *choices, *value;
  parameter->struct_size = sizeof *parameter;
  if (!PyArg_ParseTuple(tuple, "IIUUOOOdd", &parameter->type, &parameter->flags, &name, &title, &unit,
                        &choices, &value, &parameter->minimum, &parameter->maximum))
    return 0;
  parameter->name = kept_text(name);
  parameter->title = kept_text(title);
  if (unit != Py_None) parameter->unit = kept_text(unit);
  const Py_ssize_t count = PyList_Size(choices);
  if (count < 0 || PyErr_Occurred()) return 0;
  if (count > 0) {
    const char **texts = calloc((size_t)count, sizeof *texts);
    if (texts == NULL) return PyErr_NoMemory() != NULL;
    for (Py_ssize_t i = 0; i < count; i++) texts[i] = kept_text(PyList_GetItem(choices, i));
    parameter->choices = texts;
    parameter->choice_count = (uint32_t)count;
  }
  parameter->default_value.type = parameter->type;
  if (value != Py_None) {
    switch (parameter->type) {
    case GR_TYPE_BOOLEAN: parameter->default_value.integer = PyObject_IsTrue(value); break;
    case GR_TYPE_INTEGER: parameter->default_value.integer = PyLong_AsLongLong(value); break;
    case GR_TYPE_NUMBER: parameter->default_value.number = PyFloat_AsDouble(value); break;
    default: parameter->default_value.string = kept_text(value);
    }
  }
  return !PyErr_Occurred();
}

/* describe(plugins, create): sets the process's plugins. plugins is a list of (kind, id, name, version,
   summary, parameters). */
static PyObject *describe(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *plugins, *create;
  if (!PyArg_ParseTuple(args, "O!O", &PyList_Type, &plugins, &create)) return NULL;
  const Py_ssize_t count = PyList_Size(plugins);
  program *made = calloc(1, sizeof *made);
  gr_descriptor *descriptors = calloc((size_t)count + 1, sizeof *descriptors);
  if (made == NULL || descriptors == NULL) return PyErr_NoMemory();
  for (Py_ssize_t i = 0; i < count; i++) {
    gr_descriptor *one = &descriptors[i];
    PyObject *id, *name, *version, *summary, *list;
    if (!PyArg_ParseTuple(PyList_GetItem(plugins, i), "IUUUUO!", &one->kind, &id, &name, &version,
                          &summary, &PyList_Type, &list))
      return NULL;
    one->struct_size = sizeof *one;
    one->id = kept_text(id);
    one->name = kept_text(name);
    one->version = kept_text(version);
    one->summary = kept_text(summary);
    if (PyErr_Occurred()) return NULL;
    const Py_ssize_t parameters = PyList_Size(list);
    gr_parameter *table = calloc((size_t)parameters + 1, sizeof *table);
    if (table == NULL) return PyErr_NoMemory();
    for (Py_ssize_t k = 0; k < parameters; k++)
      if (!take_parameter(PyList_GetItem(list, k), &table[k])) return NULL;
    one->parameters = parameters > 0 ? table : NULL;
    one->parameter_count = (uint32_t)parameters;
  }
  Py_INCREF(create);
  made->create = create;
  made->descriptors = descriptors;
  made->entry = (gr_entry){sizeof made->entry, GR_ABI_MAJOR, GR_ABI_MINOR, (uint32_t)count, 0,
                           on_descriptor, on_create};
  current = made; /* an earlier one is never freed */
  Py_RETURN_NONE;
}

/* run(path) -> (status, text). Returns when every plugin has ended. */
static PyObject *run(PyObject *module, PyObject *args) {
  (void)module;
  const char *path;
  char text[2048] = "";
  gr_status status;
  if (!PyArg_ParseTuple(args, "s", &path) || !is_open()) return NULL;
  if (current == NULL) return PyErr_Format(PyExc_RuntimeError, "no plugins are described");
  Py_BEGIN_ALLOW_THREADS
  status = client_run(path, &current->entry, text, sizeof text);
  Py_END_ALLOW_THREADS
  return Py_BuildValue("(is)", status, text);
}

static PyObject *finish(PyObject *module, PyObject *unused) {
  (void)module, (void)unused;
  if (client_finish == NULL || is_forked) Py_RETURN_NONE;
  Py_BEGIN_ALLOW_THREADS
  client_finish();
  Py_END_ALLOW_THREADS
  Py_RETURN_NONE;
}

/* Calls load(path), which describes the plugins and returns None, or the reason of a failure. */
static const gr_entry *on_load(void *context, const char *path, char *text, uint64_t capacity) {
  const PyGILState_STATE lock = take_lock();
  const gr_entry *entry = NULL;
  PyObject *result = PyObject_CallFunction((PyObject *)context, "s", path);
  if (result == NULL) PyErr_WriteUnraisable(NULL);
  if (result == Py_None && current != NULL) {
    entry = &current->entry;
  } else {
    const char *reason =
        result != NULL && PyUnicode_Check(result) ? PyUnicode_AsUTF8AndSize(result, NULL) : NULL;
    if (PyErr_Occurred()) PyErr_Clear();
    snprintf(text, (size_t)capacity, "%s", reason == NULL ? "the script cannot be loaded" : reason);
  }
  Py_XDECREF(result);
  PyGILState_Release(lock);
  return entry;
}

static PyObject *serve(PyObject *module, PyObject *load) {
  (void)module;
  char text[2048] = "";
  gr_status status;
  if (!is_open()) return NULL;
  Py_BEGIN_ALLOW_THREADS
  status = client_serve(on_load, load, text, sizeof text);
  Py_END_ALLOW_THREADS
  return Py_BuildValue("(is)", status, text);
}

/* frame(format, width, height, pts=0, time=0, index=0): a frame in memory of Python, for tests. */
static PyObject *test_frame(PyObject *module, PyObject *args) {
  (void)module;
  gr_pixel_format format;
  uint32_t width, height;
  long long pts_ns = 0, index = 0;
  double time = 0;
  gr_video_frame seen;
  if (!PyArg_ParseTuple(args, "III|LdL", &format, &width, &height, &pts_ns, &time, &index)) return NULL;
  const uint64_t size = gr_packed_size(format, width, height);
  if (size == 0)
    return PyErr_Format(PyExc_ValueError, "no frame of format %u and %ux%u", format, width, height);
  PyObject *memory = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)size);
  if (memory == NULL) return NULL;
  memset(PyByteArray_AsString(memory), 0, (size_t)size);
  (void)gr_packed_frame(&seen, format, width, height, PyByteArray_AsString(memory), size);
  seen.info.offer_revision = 1;
  seen.info.pts_ns = pts_ns;
  frame *made = (frame *)frame_of(&seen, 0, memory);
  Py_DECREF(memory);
  if (made == NULL) return NULL;
  made->time = time;
  made->index = index;
  return (PyObject *)made;
}

/* Sets the class of frames, once. */
static PyObject *set_frame_class(PyObject *module, PyObject *given) {
  (void)module;
  Py_INCREF(given);
  frame_class = (PyTypeObject *)given;
  Py_RETURN_NONE;
}

/* level(samples): the root of the mean square of 16-bit samples, from 0 to 1. */
static PyObject *level(PyObject *module, PyObject *samples) {
  (void)module;
  Py_buffer view;
  double sum = 0;
  if (PyObject_GetBuffer(samples, &view, PyBUF_SIMPLE) != 0) return NULL;
  const int16_t *values = view.buf;
  const Py_ssize_t count = view.len / 2;
  for (Py_ssize_t i = 0; i < count; i++) sum += (double)values[i] * values[i];
  PyBuffer_Release(&view);
  return PyFloat_FromDouble(count > 0 ? sqrt(sum / (double)count) / 32768 : 0);
}

/* samples(pcm, channels): 16-bit samples in memory of Python, for tests. */
static PyObject *make_samples(PyObject *module, PyObject *args) {
  (void)module;
  const char *pcm;
  Py_ssize_t size;
  Py_ssize_t channels;
  if (!PyArg_ParseTuple(args, "y#n", &pcm, &size, &channels)) return NULL;
  if (channels < 1 || size % (2 * channels) != 0)
    return PyErr_Format(PyExc_ValueError, "%zd bytes are no whole number of 16-bit samples", size);
  PyObject *memory = PyByteArray_FromStringAndSize(pcm, size);
  if (memory == NULL) return NULL;
  const Py_ssize_t shape[2] = {size / (2 * channels), channels};
  PyObject *made =
      (PyObject *)make_plane(PyByteArray_AsString(memory), 2, shape, 0, 'h', 0, memory);
  Py_DECREF(memory);
  return made;
}

static PyMethodDef functions[] = {
    {"frame", test_frame, METH_VARARGS, NULL},
    {"sent_frame", sent_frame, METH_VARARGS, NULL},
    {"set_frame_class", set_frame_class, METH_O, NULL},
    {"samples", make_samples, METH_VARARGS, NULL},
    {"level", level, METH_O, NULL},
    {"open_library", open_library, METH_O, NULL},
    {"describe", describe, METH_VARARGS, NULL},
    {"run", run, METH_VARARGS, NULL},
    {"finish", finish, METH_NOARGS, NULL},
    {"end_deletions", end_deletions, METH_NOARGS, NULL},
    {"serve", serve, METH_O, NULL},
    {"to_rgb", to_rgb, METH_VARARGS, NULL},
    {"from_rgb", from_rgb, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "greenroom._core", NULL, -1, functions, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__core(void) {
  PyObject *module = PyModule_Create(&definition);
  if (module == NULL) return NULL;
  plane_type = (PyTypeObject *)PyType_FromSpec(&plane_spec);
  frames_type = (PyTypeObject *)PyType_FromSpec(&frames_spec);
  instance_type = (PyTypeObject *)PyType_FromSpec(&instance_spec);
  PyObject *frame_base = PyType_FromSpec(&frame_spec);
  refused = PyErr_NewExceptionWithDoc(
      "greenroom.Refused", "The host's refusal of a call: args are the status and its text.", NULL,
      NULL);
  if (plane_type == NULL || frames_type == NULL || instance_type == NULL || frame_base == NULL || refused == NULL ||
      PyModule_AddObjectRef(module, "Plane", (PyObject *)plane_type) != 0 ||
      PyModule_AddObjectRef(module, "Frame", frame_base) != 0 ||
      PyModule_AddObjectRef(module, "Instance", (PyObject *)instance_type) != 0 ||
      PyModule_AddObjectRef(module, "Refused", refused) != 0) {
    Py_DECREF(module);
    return NULL;
  }
  return module;
}
