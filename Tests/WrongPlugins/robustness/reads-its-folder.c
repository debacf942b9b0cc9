/* robustness.ungranted: lists the folder of its library, which has other files than its own */
/* outcome: warning */
/* says: denied: read */
#define KIND GR_KIND_VIRTUAL_MIC
#define OWN_START_SEND
#include "../good.h"
#include <dirent.h>
#include <dlfcn.h>

static gr_status start_send(void *self) {
  static const char here = 0;
  char path[4096];
  Dl_info library;
  if (dladdr(&here, &library) != 0 && strlen(library.dli_fname) < sizeof path) {
    strcpy(path, library.dli_fname);
    char *slash = strrchr(path, '/');
    if (slash != NULL) *slash = 0;
    DIR *folder = opendir(path);
    if (folder != NULL) closedir(folder);
  }
  return good_start_send(self);
}
