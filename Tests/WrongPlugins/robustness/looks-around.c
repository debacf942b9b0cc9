/* robustness.ungranted: reads the list of users in start-send, and makes a socket */
/* outcome: warning */
#define KIND GR_KIND_VIRTUAL_MIC
#define OWN_START_SEND
#include "../good.h"
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

static gr_status start_send(void *self) {
  const int file = open("/etc/shadow", O_RDONLY);
  if (file >= 0) close(file);
  const int network = socket(AF_INET, SOCK_STREAM, 0);
  if (network >= 0) close(network);
  return good_start_send(self);
}
