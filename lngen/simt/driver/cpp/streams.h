// Streams and events. Work is done when it is asked for: a stream has nothing to wait for.
#pragma once
#include "driver.h"

namespace driver {

struct Stream {};

// SUCCESS for the default streams and those that were made and not destroyed, in a context.
Result known(Stream* stream);

}  // namespace driver
