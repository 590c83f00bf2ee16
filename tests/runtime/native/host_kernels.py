"""Small kernels with the signature of those of layers, for tests of what compiles and calls them."""

from pathlib import Path

TEXT = """\
#include <ctime>

extern "C" void axpy(void* const* arrays, const double* numbers, const long long* sizes) {
    const float* x = static_cast<const float*>(arrays[0]);
    float* y = static_cast<float*>(arrays[1]);
    for (long long i = sizes[0]; i < sizes[1]; ++i) y[i] += float(numbers[0]) * x[i];
}

// What is there: a bit for each array that is no null pointer, then the last number and the last size.
extern "C" void given(void* const* arrays, const double* numbers, const long long* sizes) {
    double* found = static_cast<double*>(arrays[0]);
    for (long long i = 0; i < sizes[0]; ++i) found[0] += arrays[i] ? double(1ll << i) : 0;
    found[1] = numbers[sizes[1] - 1];
    found[2] = double(sizes[sizes[2] - 1]);
}

// Waits for another thread to write, for some seconds at most; the second entry then tells whether one did.
extern "C" void wait(void* const* arrays, const double*, const long long*) {
    volatile float* flag = static_cast<float*>(arrays[0]);
    const std::clock_t begin = std::clock();
    while (!flag[0] && std::clock() - begin < 5 * CLOCKS_PER_SEC) {}
    flag[1] = flag[0];
}

#ifdef WRONG
extern "C" int wrong() { return undeclared; }
#endif
"""


def written(folder: Path) -> Path:
    """The source in a folder."""
    path = folder / "small.cpp"
    path.write_text(TEXT)
    return path
