/* load.loads: exports no entry */
#define OWN_ENTRY
#include "../good.h"

__attribute__((used)) static const gr_entry entry = GOOD_ENTRY;
