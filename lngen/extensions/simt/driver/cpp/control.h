// Questions to Python, and settings from Python.
#pragma once
#include <string>

#include "driver.h"

namespace driver {

// Tells Python of a launch that went wrong, and gives its message. Not to be called with the lock held.
std::string describe_fault(const std::string& fault);

}  // namespace driver
