"""Headers of kernels as programs that print their addresses: the replacements in each, and a geometry of symbols."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from lngen import runtime
from tools.addresses.text import Carried, Changed, HeaderReading, closing, symbolic

HERE = Path(__file__).parent
RUNTIME = Path(next(iter(runtime.__path__)))

_ROW = ["here.row", "here.offset", "here.live", "next.row", "next.offset", "next.live"]

_SETTLES = """s.blocks > 1 && (!are_held(s.blocks, taken.bytes(0), may) ||
                          (s.rows_copied > 0 && s.blocks * s.threads > THREADS_AT_A_TIME &&
                           !most_rows_copied(taken.copy, access, s.blocks, beside, may)))"""

_ADDED_BY_LANES = """if constexpr (LANES_SHARE) {
        reduce_lanes<LANES, 1, 0, 0>(sum);
      } else {

        for (int offset = 1; offset < LANES && offset < ACCESSES; offset *= 2) {
          const A other = __shfl_down_sync(0xffffffffu, sum[0], offset, LANES);
          if (lane + offset < LANES && before + offset < ACCESSES) sum[0] += other;
        }
      }
"""

CUDA = {
    "shapes.cuh": HeaderReading(
        {
            "(a % b != 0);": "symbolic::chosen(a % b != 0, symbolic::I32(1), symbolic::I32(0));",
            "int b) { return a < b ? a : b; }": "int b) { return symbolic::chosen(a < b, a, b); }",
            "{ return a > b ? a : b; }": "{ return symbolic::chosen(a > b, a, b); }",
            "bool of_warps = false;": "symbolic::I32 of_warps = 0;",
            "s.of_warps = true;": "s.of_warps = 1;",
        },
        (
            Carried(_SETTLES, ["s.blocks"], ["s.blocks >= 1"]),
            Carried("threads / 2 >= vectors && threads > 1", ["threads"], ["is_power(threads)", "threads <= 8"]),
            Carried("first <= most && ceiling(vectors, first) > most_chunks(vector)", ["first"], ["is_power(first)"]),
            Carried(
                "int threads = first, chunks = ceiling(vectors, first); threads <= most; "
                "threads *= 2, chunks = ceiling(chunks, 2)",
                ["threads", "chunks"],
                ["is_power(threads)", "(chunks - 1) * threads < vectors", "vectors <= chunks * threads"],
            ),
            Carried("accesses % common", ["common"], ["is_power(common)", "common <= lanes"]),
        ),
        symbolic_functions=True,
    ),
    "geometry.cuh": HeaderReading({"  bool live;": "  symbolic::Flag live;"}),
    "places.cuh": HeaderReading(
        {
            # A division is shown by itself, to give what is taken for it here.
            "= divided(row, numbers[axis]);": "= symbolic::quotient_and_rest(row, numbers[axis]);",
            # Steps of the proof, shown where they stand.
            " along[0] = row;": ' along[0] = row; symbolic::claim("a row is one of the call", along[0] < numbers[0]);',
            "found += along[axis] * numbers[FIRST + axis];": (
                '{ symbolic::claimed("no step is back", [&] { return along[axis] * numbers[FIRST + axis] >= 0; }); '
                'symbolic::claimed("steps along an axis", [&] { return along[axis] * numbers[FIRST + axis] <= '
                "(numbers[axis] - 1) * numbers[FIRST + axis]; }); found += along[axis] * numbers[FIRST + axis]; }"
            ),
            "return segment * to.places.template apart<N>()": (
                "const auto apart = to.places.template apart<N>(); "
                'symbolic::claimed("a segment is one of the row", [&] { return segment < LNGEN_D / LNGEN_SEGMENT; }); '
                'symbolic::claimed("no segment is back", [&] { return segment * apart >= 0; }); '
                'symbolic::claimed("steps from segment to segment", [&] { return segment * apart <= '
                "(LNGEN_D / LNGEN_SEGMENT - 1) * apart; }); return segment * apart"
            ),
        }
    ),
    "row_loop.cuh": HeaderReading(
        {
            "HeldChunk<G> held[G::KEPT];": "HeldChunk<G> held[1];",
            "held[chunk]": 'held[symbolic::local(chunk, G::KEPT, "held")]',
        },
        (
            Carried(
                "int turn = 0; turn < FREED; ++turn",
                ["turn", "ahead", *_ROW[3:]],
                ["turn >= 0", "turn <= FREED", "ahead == first + turn * stride"],
                "forget_place(trip_, next);",
            ),
            Carried(
                "; first < rows; first += stride",
                ["first", "ahead", "turn", *_ROW],
                [
                    "first >= 0",
                    "AHEAD == 0 ? symbolic::always() : ahead == first + FREED * stride",
                    "turn >= 0",
                    "turn < at_least(symbolic::I32(AHEAD), symbolic::I32(1))",
                ],
                "tile.each([&](auto& part, auto) { forget(trip_, part); }); "
                "forget_place(trip_, here), forget_place(trip_, next);",
            ),
        ),
    ),
    "reductions.cuh": HeaderReading(
        {
            "extern __shared__ __align__(16) unsigned char shared_bytes[];": "",
            "return shared_bytes;": "return shared;",
            "A kept[KEPT ? G::ENTRIES : 1][K];": "A kept[1][K];",
            "beside_stride = G::SUMS == IN_SHARED_MEMORY ? here.D : stride;": (
                "beside_stride = G::SUMS == IN_SHARED_MEMORY ? (long long)here.D : stride;"
            ),
            "kept[i][k] = A(0)": "kept[0][k] = A(0)",
            "kept[entry][k]": 'kept[symbolic::local(entry, G::ENTRIES, "kept")][k]',
            "kept[chunk * G::VECTOR + i][k]": 'kept[symbolic::local(chunk * G::VECTOR + i, G::ENTRIES, "kept")][k]',
            "for (int i = 0; i < G::ENTRIES; ++i)": "for (int i = 0; i < 1; ++i)",
            "for (int row = 1; row < G::ROWS; ++row) total": "for (int row = 1; row < G::ROWS; ++row) total",
            "if constexpr (G::ROWS == 1)": "if (G::ROWS == 1)",
        }
    ),
    "segments.cuh": HeaderReading(
        {
            "static constexpr int LANES = G::THREADS_PER_ROW < 32 ? G::THREADS_PER_ROW : 32;": (
                "const symbolic::I32 LANES = at_most(G::THREADS_PER_ROW, symbolic::I32(32));"
            ),
            "static constexpr int SEGMENTS = LNGEN_D / LNGEN_SEGMENT, ACCESSES": (
                "const symbolic::I32 SEGMENTS = LNGEN_D / LNGEN_SEGMENT; static constexpr int ACCESSES"
            ),
            "static constexpr int PARTS = parts_of_segment(G::THREADS_PER_ROW, ACCESSES);": (
                "const symbolic::I32 PARTS = parts_of_segment(G::THREADS_PER_ROW, symbolic::I32(ACCESSES));"
            ),
            # What lanes give each other is no address.
            _ADDED_BY_LANES: "",
            "static constexpr bool LANES_SHARE = ACCESSES % LANES == 0, "
            "IS_ADDED_TO = sets_of_segment(LANES, ACCESSES) > PARTS;": "static constexpr bool IS_ADDED_TO = true;",
        }
    ),
    "moments.cuh": HeaderReading(),
    "below.cuh": HeaderReading(),
    "few_rows.cuh": HeaderReading(),
    "kernels.cuh": HeaderReading(),
    "layer_rows.cuh": HeaderReading(
        {
            # Steps of the proof.
            "const long long run = blockIdx.x / per_run, blocks = to.places.blocks_of_run;": (
                "const long long run = blockIdx.x / per_run, blocks = to.places.blocks_of_run; "
                'const auto runs = symbolic::I64::symbol("runs"), columns = symbolic::I64::symbol("columns of a run"); '
                'symbolic::claimed("columns of a run", [&] { return columns == per_run; }); '
                'symbolic::claimed("a block is of its run", [&] { return run * columns <= blockIdx.x; }); '
                'symbolic::claimed("a run is one of the call", [&] { return run < runs; }); '
                'symbolic::claimed("its rows are of the call", [&] { return run * to.places.run < to.of(ROW_COUNT); });'
            ),
            "LNGEN_INLINE auto* parts_of_all": "LNGEN_INLINE auto parts_of_all",
            "pack.entries[i]": 'pack.entries[symbolic::local(i, symbolic::I32(Row::G::VECTOR), "an access")]',
            "held[G::HELD]": "held[1]",
            "held[chunk] = load": 'held[symbolic::local(chunk, G::HELD, "held Features")] = load',
            "Columns columns(workspace, slots + G::SLOTS, here);": (
                'Columns columns(workspace, symbolic::part("sums", slots + G::SLOTS, G::MEMORY.sums), here);'
            ),
            "shared_memory() + G::COPIES_AT, [&]": (
                'symbolic::part("copies", shared_memory() + G::COPIES_AT, G::ROWS_COPIED * G::MEMORY.copy), [&]'
            ),
            "segments.begin(slots + G::SEGMENTS_AT / int(sizeof(A)), here);": (
                'segments.begin(symbolic::part("parts_of_segments", slots + G::SEGMENTS_AT / int(sizeof(A)), '
                "G::MEMORY.segments), here);"
            ),
            "columns.finish(slots + G::SLOTS, here);": (
                'columns.finish(symbolic::part("rows_together", slots + G::SLOTS, G::MEMORY.together), here);'
            ),
            "(all, slots, workspace, COLUMN_SUMS, here)": (
                '(all, symbolic::part("slots", slots, G::MEMORY.slots), workspace, COLUMN_SUMS, here)'
            ),
        }
    ),
}
"""The reading of each header of CUDA's."""

SHAPES = HeaderReading(
    {
        **CUDA["shapes.cuh"].instead,
        # Layouts of whole warps in its place are shown by themselves.
        "return crowded(evened(found, vectors, cost, D, n, may), vectors, D, n, may);": "return found;",
        "int without = 0;": "symbolic::I32 without = 0;",
        "int attempt = 0;": "symbolic::I32 attempt = 0;",
        # Numbers that decide between layouts, of which each has to be sound: any.
        "registers_for(block, vector, n, may) /": "symbolic::unknown() /",
        "blocks_at_a_time(block, chunks * vector * cost, n, may);": "held_blocks();",
        "const int fewest = fewest_threads(vectors, may)": "const int fewest = few_threads()",
        "all_sums <= may.shared - larger_of(slots + 1024, 8192)": "symbolic::unknown() > 0",
        "= memory_of(s, D, n);": "= {unknown(), unknown(), unknown(), unknown(), unknown()};",
        _SETTLES: "s.blocks > 1 && symbolic::unknown() > 0",
        "most_rows_copied(taken.copy, access, s.blocks, beside, may));": "copied(access));",
        "__host__ __device__ constexpr Shape settled(": (
            "using symbolic::unknown; symbolic::I32 copied(const symbolic::I32& access); symbolic::I32 held_blocks(); "
            "symbolic::I32 few_threads(); __host__ __device__ constexpr Shape settled("
        ),
    },
    (
        Carried("s.blocks > 1 && symbolic::unknown() > 0", ["s.blocks"], ["s.blocks >= 1"]),
        *CUDA["shapes.cuh"].carried[1:],
        Carried("symbolic::I32 without = 0; without < 3; ++without", ["without"], ["without >= 0"]),
        Carried("symbolic::I32 attempt = 0;; ++attempt", ["attempt"], ["attempt >= 0", "attempt <= 2"]),
    ),
    symbolic_functions=True,
)
"""The reading of shapes.cuh that shows what shape_of gives."""

_LANES = "column + COUNT <= end; column += COUNT"
NATIVE = HeaderReading(
    {
        "S *const chunk, *recent;": "S* const chunk; S* recent;",
        '#include "simd_functions.h"': "",
        "to = reinterpret_cast<std::uintptr_t>(workspace), line = std::uintptr_t(LINE * sizeof(S));": (
            "to = symbolic::address(workspace), line = symbolic::I64(int(LINE * sizeof(S)));"
        ),
        "return reinterpret_cast<S*>((to + line - 1) / line * line);": (
            "return symbolic::at_address<S>((to + line - 1) / line * line);"
        ),
        "return !((reinterpret_cast<std::uintptr_t>(to) | D * sizeof(T)) % 16);": "return symbolic::unknown() > 0;",
        "__builtin_prefetch(from);": "",
        "segment += end == next;": "segment += symbolic::I32(end == next);",
        "segment += column + TOGETHER * COUNT == (segment + 1) * length;": (
            "segment += symbolic::I32(column + TOGETHER * COUNT == (segment + 1) * length);"
        ),
        "explicit Scratch(long long count) : entries(count ? new S[count] : nullptr) {}": (
            'explicit Scratch(long long count) : entries(symbolic::array<S>("scratch", count, 16)) {}'
        ),
        "~Scratch() { delete[] entries; }": "",
        "{ return a < b ? a : b; }": "{ return symbolic::chosen(a < b, a, b); }",
        "total += workspace[chunk * entries + at];": "total += double(workspace[chunk * entries + at]);",
    },
    (
        Carried("int first = 0; first < count;", ["first", "segment"], ["first >= 0"]),
        Carried(f"; {_LANES}", ["column"], ["column >= begin", "column <= end"]),
        Carried(
            "; column + TOGETHER * COUNT <= end; column += TOGETHER * COUNT",
            ["column", "segment"],
            ["column >= begin", "column <= end"],
        ),
    ),
    symbolic_functions=True,
)
"""The reading of host_rows.h: rows without segments, one behind the other."""

_GIVEN = ("VECTOR", "ROWS_COPIED", "ROW", "SUMS", "HOLDS_FEATURES", "KEEPS_ROW", "ACCESS", "COPY", "BY_ENTRIES")
"""Numbers of a geometry that the compiler knows; the others are symbols."""

_UNREAD = ("UNROLL", "TOGETHER", "BLOCKS_PER_ROW")
"""Numbers that no address depends on, or that are given here: a row has one block, and two accesses are together."""

_NO_CLUSTERS = """
namespace lngen {
void cluster_barrier();
template <int BLOCKS> void expect_cluster();
template <class A> void store_in_block(int block, A* to, A value);
}
"""
"""Declarations in the place of copies.cuh: no kernel of one block a row calls them."""

_GEOMETRY = """
template <class T_, int VECTOR_, int ROWS_COPIED_, Held ROW_, Place SUMS_, bool HOLDS_FEATURES_> struct Geometry {
  using T = T_;
  using P = Parameter<T>;
  using A = Computed<T>;
  static constexpr int VECTOR = VECTOR_, ROWS_COPIED = ROWS_COPIED_, ACCESS = @ACCESS@, COPY = @COPY@,
                       BLOCKS_PER_ROW = 1, TOGETHER = 2;
  static constexpr Held ROW = ROW_;
  static constexpr Place SUMS = SUMS_;
  static constexpr bool HOLDS_FEATURES = HOLDS_FEATURES_, KEEPS_ROW = @KEEPS_ROW@,
                        BY_ENTRIES = @BY_ENTRIES@;
  static inline symbolic::I32 @SYMBOLS@;
  static inline Shape SHAPE;
  static inline Memory MEMORY;
  template <class Given> static void begin(Given, const symbolic::I32& D) {
    const Asked ASKED = {int(sizeof(T)), int(sizeof(P)), int(sizeof(A)), Given::ROWS, 0, Given::SUMS, 0, 0, 0,
                         symbolic::I32::symbol("most sums"), Given::SCALARS, Given::SEGMENT, Given::SEGMENT_SUMS};
    symbolic::assume(ASKED.most_sums >= 0), symbolic::assume(ASKED.most_sums <= 64);
    SHAPE = shape_from<Geometry>();
    @SET@
    features_held = HELD;
    promised<Geometry>(D);
  }
  @CHUNKS@
};
"""


def _declared(body: str) -> Iterator[tuple[str, str, str]]:
    """Yield type, name and value of each constant of a struct."""
    for found in re.finditer(r"static constexpr (\w+) ([^;]*);|static_assert\(([^;]*), \"[^;]*;", body):
        if found[3]:
            yield "", "", found[3]
            continue
        place, depth = 0, 0
        text = found[2] + ","
        for here, letter in enumerate(text):
            depth += {"(": 1, ")": -1}.get(letter, 0)
            if letter == "," and depth == 0:
                name, _, value = text[place:here].partition("=")
                yield found[1], name.strip(), value.strip()
                place = here + 1


def geometry(text: str) -> str:
    """Return a geometry of symbols, whose members are computed as the header's `Geometry` computes them."""
    start = text.index("struct Geometry {")
    body = re.sub(r"//[^\n]*", "", text[start : closing(text, text.index("{", start), "{}")])
    declared = [*_declared(body)]
    declared = [each for each in declared if each[1] not in _UNREAD]
    found = {name: (kind, value) for kind, name, value in declared}
    missing = {*_GIVEN, "MEMORY", "SHAPE", "HELD", "SHARED_BYTES"} - found.keys()
    if missing:
        raise Changed(f"Geometry has no {sorted(missing)}")
    symbols = [name for name, (kind, _) in found.items() if name not in _GIVEN and kind in ("int", "bool")]
    chunks = re.search(r"static [^;{}]*int chunks\(int D\) \{[^}]*\}", body)
    assert chunks
    # The compiler refuses a kernel whose memory is not as asserted, wherever the assertion stands.
    asserted = " ".join(f"symbolic::assume({value});" for _, name, value in declared if not name)
    sets = "\n    ".join(
        f"{name} = {value};" + (f" {asserted}" if name == "MEMORY" else "")
        for _, name, value in declared
        if name and name not in _GIVEN and name != "SHAPE"
    )
    sets = sets.replace("N::ASKED", "ASKED").replace("int(", "symbolic::I32(")
    made = _GEOMETRY
    for name in ("ACCESS", "COPY", "KEEPS_ROW", "BY_ENTRIES"):
        made = made.replace(f"@{name}@", found[name][1])
    made = made.replace("@SYMBOLS@", ", ".join(symbols)).replace("@SET@", sets)
    return made.replace("@CHUNKS@", chunks[0].replace("int chunks(int D)", "symbolic::I32 chunks(symbolic::I32 D)"))


def cuda_texts(folder: Path = RUNTIME) -> dict[str, str]:
    """Return the headers of kernels for a GPU as they are run on symbols, by name."""
    texts = {name: (folder / "cuda" / name).read_text(encoding="utf-8") for name in (*CUDA, "rows.cuh")}
    found = {name: symbolic(name, texts[name], reading) for name, reading in CUDA.items()}
    rows = texts["rows.cuh"]
    begin, end = (
        rows.index("// Entries that are read and written together"),
        rows.index("// ---", rows.index("KEPT, class T")),
    )
    head = "\n" * rows.count("\n", 0, begin)
    found["accesses.cuh"] = symbolic(
        "rows.cuh",
        head + rows[begin:end],
        HeaderReading(
            {
                "else if constexpr (KEPT) return kept[chunk];": (
                    'else if constexpr (KEPT) return kept[symbolic::local(chunk, features_held, "held Features")];'
                ),
            }
        ),
    )
    found["rows.cuh"] = (HERE / "rows.h").read_text(encoding="utf-8")
    cut = found["geometry.cuh"]
    start, here, last = (
        cut.index("#ifndef LNGEN_VECTOR"),
        cut.rindex("template", 0, cut.index("block_of_rows()")),
        cut.index("template <class N>\nusing Chosen"),
    )
    before = "\n" * cut.count("\n", start, here)
    found["geometry.cuh"] = f'{cut[:start]}{before}{cut[here:last]}\n#include "made.h"\n}}\n#endif\n'
    found["made.h"] = (HERE / "geometry.h").read_text(encoding="utf-8") + geometry(texts["geometry.cuh"]) + "\n"
    cpp = folder / "cpp"
    found["absence.h"] = (cpp / "absence.h").read_text(encoding="utf-8")
    found["names.h"] = "".join(
        symbolic("", line).partition("\n")[2]
        if line.startswith("template <class T, class P, class A> struct PassedAs<")
        else line
        for line in (cpp / "names.h").read_text(encoding="utf-8").splitlines(keepends=True)
    )
    found["cpp.cuh"] = (HERE / "cpp.h").read_text(encoding="utf-8")
    found["symbolic.h"] = (HERE / "symbolic.h").read_text(encoding="utf-8")
    found["copies.cuh"] = _NO_CLUSTERS
    return found


def shape_texts(folder: Path = RUNTIME) -> dict[str, str]:
    """Return shapes.cuh as shape_of is run on symbols."""
    found = cuda_texts(folder)
    text = (folder / "cuda" / "shapes.cuh").read_text(encoding="utf-8")
    return {**found, "shapes.cuh": symbolic("shapes.cuh", text, SHAPES)}


def native_texts(folder: Path = RUNTIME) -> dict[str, str]:
    """Return the header of the processor's sweeps as it is run on symbols."""
    text = (folder / "native" / "host_rows.h").read_text(encoding="utf-8")
    # Places in a row that is cut into segments are found by another loop of the same head.
    start, end = (
        text.index("// The places of the entries that are nearest"),
        text.index("// Memory for rows that a pass"),
    )
    text = text[:start] + "\n" * text.count("\n", start, end) + text[end:]
    names = ("symbolic.h", "simd.h")
    own = {name: (HERE / name).read_text(encoding="utf-8") for name in names}
    return {**own, "host_rows.h": symbolic("host_rows.h", text, NATIVE)}
