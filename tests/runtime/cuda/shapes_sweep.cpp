// Evaluates the layout of rows for every length in a range, and says what of it a kernel could not be compiled or run
// with. Compiled by g++ with shapes.cuh; the arguments are the first and the last length and the step between them.
//
// A line of the input is a number of numbers: "limits", then those of Limits, the shared memory of a multiprocessor and
// what of it is reserved in each block; or "asked", then those of Asked. Each demand meets each of the limits.
#define __host__
#define __device__
#include "shapes.cuh"

#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <vector>

using namespace lngen;

struct Place_ { Limits may; long long shared, reserved; };

static int at_D;
static Asked asked;
static Place_ place;
static long long failures;

static void say(const char* what) {
  if (++failures > 20) return;
  const Asked& n = asked;
  std::printf("FAILED %s: D = %d, asked {%d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d}, limits {%d, %d, %d, %d, %d, %d}\n", what, at_D,
              n.storage, n.parameter, n.compute, n.rows, n.features, n.sums, n.calls, n.scalars, n.results, n.most_sums,
              n.scalar_sums, place.may.shared, place.may.vector, place.may.threads_per_row, place.may.resident, place.may.room, place.may.blocks_per_row);
}

static void trapped(int) {
  say("a division by zero");
  std::fflush(stdout);
  _exit(1);
}

static bool power_of_two(int n) { return n > 0 && !(n & (n - 1)); }

// All of it in long long: what a kernel computes in int has to be the same.
static void judge(const Shape& s, int D) {
  if (!power_of_two(s.vector) || D % s.vector || s.vector > place.may.vector || s.vector * asked.storage > 16)
    say("an access is not of a part of the row");
  if ((!power_of_two(s.threads_per_row) && s.threads != s.threads_per_row) || s.threads % 32 || s.threads % s.threads_per_row || s.threads < 32 || s.threads > 1024)
    say("threads are not those of a block");
  if (!power_of_two(s.blocks_per_row) || s.blocks_per_row > place.may.blocks_per_row)
    say("blocks that share a row are not such as there may be");
  if (s.blocks_per_row > 1 && (s.threads != s.threads_per_row || !(asked.most_sums || asked.sums)))
    say("blocks share a row that they should not");
  const long long trip = (long long)s.blocks_per_row * s.threads_per_row * s.vector;
  if (s.row != READ_AGAIN && (s.chunks < 1 || D > trip * s.chunks || D <= trip * (s.chunks - 1)))
    say("registers do not hold the row");
  // The first column of a trip beyond the last, of a row and of the blocks of 8 columns that end the sums over rows.
  if (D + trip > INT_MAX || 2 * ((D + 7LL) / 8) * 8 - 8 > INT_MAX) say("a column is beyond int");
  const Memory taken = memory_of(s, D, asked);
  const long long bytes = taken.bytes(s.rows_copied);
  if (taken.slots < 0 || taken.sums < 0 || taken.copy < 0 || taken.together < 0 || bytes > place.may.shared)
    say("a block takes more shared memory than it may");
  if (s.rows_copied < 0 || s.rows_copied > MOST_ROWS_COPIED)
    say("copies are not such as there are");
  if (s.rows_copied && s.vector * asked.storage < 4 && s.threads_per_row % 2 && s.threads_per_row * s.blocks_per_row < D)
    say("copies of words are an odd number of entries apart");
  if (s.blocks < 1) say("fewer than one block is promised");
  if (s.blocks * s.threads > 1024) say("blocks have too many threads");
  if (s.blocks > 1 && s.blocks * (bytes + place.reserved) > place.shared)
    say("more blocks are promised than shared memory lets in");
}

int main(int count, char** arguments) {
  if (count != 4) return 2;
  const int first = std::atoi(arguments[1]), last = std::atoi(arguments[2]), step = std::atoi(arguments[3]);
  std::vector<Asked> demands;
  std::vector<Place_> places;
  char kind[16];
  while (std::scanf("%15s", kind) == 1) {
    long long numbers[11];
    const int wanted = std::strcmp(kind, "asked") ? 8 : 11;
    for (int i = 0; i < wanted; ++i)
      if (std::scanf("%lld", numbers + i) != 1) return 2;
    int given[11] = {};
    for (int i = 0; i < wanted; ++i) given[i] = int(numbers[i]);
    if (wanted == 11)
      demands.push_back({given[0], given[1], given[2], given[3], given[4], given[5], given[6], given[7], given[8], given[9],
                         given[10]});
    else
      places.push_back({{given[0], given[1], given[2], given[3], given[4], given[5]}, numbers[6], numbers[7]});
  }
  std::signal(SIGFPE, trapped);
  long long done = 0;
  for (const Place_& each : places) {
    place = each;
    for (const Asked& demand : demands) {
      asked = demand;
      for (long long D = first; D <= last; D += step) {
        at_D = int(D);
        judge(shape_of(at_D, asked, place.may), at_D);
        ++done;
      }
    }
  }
  std::printf("%lld layouts, %lld failures\n", done, failures);
  return failures ? 1 : 0;
}
