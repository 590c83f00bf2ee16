#include "control.h"

#include <sstream>
#include <vector>

#include "modules.h"

namespace driver {

namespace {
// Both write text of at most `bytes` and give 0, or 1 where the text is an error's.
using Build = int (*)(const char* image, size_t image_bytes, int checked, char* text, size_t bytes);
using Describe = int (*)(const char* fault, char* text, size_t bytes);
Build build;
Describe describe;

constexpr size_t MOST_TEXT = 1 << 18;
}  // namespace

bool ask_python(const std::string& image, bool checked, std::vector<std::string>* answer) {
  std::vector<char> text(MOST_TEXT);
  const bool failed = !build || build(image.data(), image.size(), checked, text.data(), text.size());
  answer->clear();
  std::istringstream lines(text.data());
  for (std::string line; !failed && std::getline(lines, line);) answer->push_back(line);
  if (failed) answer->push_back(build ? text.data() : "call lngen.extensions.simt.driver.enable() first");
  return !failed;
}

std::string describe_fault(const std::string& fault) {
  std::vector<char> text(MOST_TEXT);
  if (!describe || describe(fault.c_str(), text.data(), text.size())) return "";
  return text.data();
}

}  // namespace driver

extern "C" __attribute__((visibility("default"))) void lngen_driver_connect(const char* worker, driver::Build build,
                                                                            driver::Describe describe) {
  driver::Lock lock(driver::one_call);
  driver::settings.worker = worker;
  driver::build = build;
  driver::describe = describe;
}

extern "C" __attribute__((visibility("default"))) void lngen_driver_set(int schedule, int seed, int check, double seconds,
                                                                        int run) {
  driver::Lock lock(driver::one_call);
  driver::settings.schedule = schedule;
  driver::settings.seed = seed;
  driver::settings.check = check;
  driver::settings.seconds = seconds;
  driver::settings.run = run;
}
