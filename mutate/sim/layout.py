"""Where things lie in the arrays that the decoder fills and the interpreter reads."""

from __future__ import annotations

LANES = 32

# Columns of a decoded instruction (int32). Operands are element offsets into the register array: relative to the warp
# when the column behind says -1, else absolute in the pool of constants.
OP, GUARD, GUARD_NOT, DST = 0, 1, 2, 3
A, B, C = 4, 5, 6
A_REL, B_REL, C_REL = 7, 8, 9
A_MOD, B_MOD, C_MOD = 10, 11, 12
M = 13
PS, PS_NOT, QS, QS_NOT = 14, 15, 16, 17
PD, PD2 = 18, 19
PK = 20
TABLE = 21
FLAGS = 22
X = 23
WIDTH = 24
Y = 25
ACTION = 26
# Which rule counts the wavefronts of a shared request (``coalesce``).
SHARED_KIND = 27
COLUMNS = 28
# The value of a compare-and-swap, in columns that only arithmetic needs.
SECOND, SECOND_REL = B_MOD, C_MOD

# FLAGS
# OF_LIBRARY: a load of a table of the compiler's mathematics library (``mutate.sass.tables``).
UNIFORM, WIDE, NO_DST, ADDRESS64, UR64, SIGNED_ADDRESS, OF_LIBRARY = 1, 2, 4, 8, 16, 32, 64

# Modifiers of a source operand.
MODS = {"": 0, "fneg": 1, "fabs": 2, "fnegabs": 3, "ineg": 4, "inot": 5, "dneg": 6, "dabs": 7, "dnegabs": 8,
        "hneg": 9, "habs": 10, "hnegabs": 11, "qneg": 12, "qnot": 13}

# PK: what becomes of the masks of an operation.
PK_NONE, PK_COMPARE, PK_CARRY, PK_MASK, PK_SET, PK_HALVES = 0, 1, 2, 3, 4, 5

# Operations of the interpreter itself; those of lanes are numbered from 0 (``semantics.NUMBER``).
BASE = 256
(NOP, BRA, BRA_DIV, BRA_CONV, BSSY, BSYNC, BREAK, EXIT, CALL, RET, WARPSYNC, YIELD, BAR, BMOV_GET, BMOV_SET, VOTE, SHFL,
 MATCH, REDUX, PLOP3, P2R, R2P, R2UR, CLOCK, BRX, ELECT, LOAD_CONSTANT, BARRIER_RESULT, SPACE_QUERY, SYSTEM_CALL, TRAP,
 MATRIX_PRODUCT, MATRIX_TURN, GLOBAL_ACCESS, SHARED_ACCESS,
 LOCAL_ACCESS, GENERIC_ACCESS, COPY_ASYNC, TEXTURE_FETCH, SURFACE_ACCESS, MATRIX_ACCESS) = range(BASE, BASE + 41)
# ACTION of an access.
LOAD, STORE, ATOMIC = 0, 1, 2

# M of a product of matrices, kinds of elements, and its X.
E_HALF, E_BRAIN, E_TENSOR, E_SINGLE, E_DOUBLE, E_BYTES, E_NIBBLES, E_BITS = range(8)
H_HALVES, H_SATURATE, H_SIGNED_A, H_SIGNED_B, H_XOR = 1, 2, 4, 8, 16

# Rows behind a warp's general registers.
UNIFORMS, TRASH = 64, 8
# What is kept of a split that was interrupted: whether anything is, uniform registers, uniform predicates.
KEPT = 1 + UNIFORMS + 8
SPECIALS = ("SR_LANEID", "SR_TID.X", "SR_TID.Y", "SR_TID.Z", "SR_CTAID.X", "SR_CTAID.Y", "SR_CTAID.Z", "SR_EQMASK",
            "SR_LTMASK", "SR_LEMASK", "SR_GTMASK", "SR_GEMASK", "SR_VIRTID", "SR_SWINHI", "SR_LWINHI", "SR_TID",
            "SR_ZERO", "SR_WARPID")
SCRATCH = 8

# Columns of the counters of an instruction (int64). REQUESTS to L2_HITS are of global memory; an instruction may access
# several spaces (generic addresses, asynchronous copies), so each has its own. IDEAL are wavefronts without conflicts.
(EXECUTED, THREADS, THREADS_ON, TAKEN, DIVERGENT, REQUESTS, SECTORS, BYTES, L1_HITS, L2_HITS, SHARED_REQUESTS,
 WAVEFRONTS, IDEAL, SHARED_BYTES, LOCAL_REQUESTS, LOCAL_SECTORS, LOCAL_BYTES, LOCAL_L1_HITS, LOCAL_L2_HITS,
 TEXTURE_REQUESTS, TEXELS) = range(21)
COUNTERS = 22

# The cost of an indexed load of constants in the stream: different words, and by how many of CONSTANT_LINES a line of
# so many bytes is the first one's (counted from 1). Where lanes want several lines each has a record of its own before
# the load's, with CONSTANT_MORE, and the load's has none.
CONSTANT_LINES, CONSTANT_LINE, CONSTANT_MORE = 256, 64, 1 << 30

# Multisets of accesses, by space and direction.
(H_GLOBAL_LOAD, H_GLOBAL_STORE, H_GLOBAL_ATOMIC, H_SHARED_LOAD, H_SHARED_STORE, H_SHARED_ATOMIC, H_LOCAL_LOAD,
 H_LOCAL_STORE, H_TEXTURE_LOAD, H_SURFACE_LOAD, H_SURFACE_STORE, H_TABLE_LOAD) = range(12)
MULTISETS = 12

# The log of events, for those who watch (``watch``): columns of its head, and kinds beside the H_... of requests.
# E_ORDER: the lanes of a mask were together until now; E_ARRIVE, E_RELEASE: a warp arrives at barrier EXTRA without
# waiting, warps of a mask go on from it; E_EXIT: a warp ends. EXTRA of a shared store: lanes that changed nothing.
L_PC, L_WARP, L_KIND, L_MASK, L_WIDTH, L_EXTRA = range(6)
LOG_COLUMNS = 6
E_ORDER, E_ARRIVE, E_RELEASE, E_EXIT = range(16, 20)
# Records that one turn of the interpreter may add.
LOG_ROOM = 128

# States of a split (a set of lanes of a warp that share a program counter).
FREE, READY, AT_SYNC, AT_WARPSYNC, AT_BARRIER, AT_FAULT = range(6)

# What ``execute`` returns, and the codes of errors.
DONE, NEED_PAGES, FAILED, OUT_OF_BUDGET, DEADLOCK, TRACE_FULL, LOG_FULL, TURN_OVER = range(8)
(E_GLOBAL, E_SHARED, E_LOCAL, E_MISALIGNED, E_TRAP, E_SPLITS, E_TARGET, E_SYSTEM, E_ASSERT, E_TEXTURE) = range(1, 11)

# Texture and surface objects (``texels``): columns of an object's row, int64. SIZE, ADDRESS and BORDER_COLOR begin at
# the number given and have three, three and four columns; BORDER_COLOR has the bits that a fetch returns.
(T_HANDLE, T_SHAPE, T_BASE, T_SIZE) = range(4)
T_LAYERS, T_PITCH, T_SLICE, T_TEXEL, T_SCALAR, T_KIND, T_CHANNELS, T_CONVERTS, T_FILTER, T_NORMALIZED = range(6, 16)
T_ADDRESS, T_BORDER_COLOR = 16, 19
T_COLUMNS = 23
# SHAPE; the layered ones follow one another.
T_LINEAR, T_1D, T_2D, T_3D, T_CUBE, T_LAYERED_1D, T_LAYERED_2D, T_LAYERED_CUBE = range(8)
# KIND of a channel.
T_U8, T_S8, T_U16, T_S16, T_WORD, T_HALF, T_FLOAT = range(7)
# ADDRESS; those before T_CLAMP need normalised coordinates.
T_WRAP, T_MIRROR, T_CLAMP, T_BORDER = range(4)
# TABLE of a surface access: what becomes of accesses outside.
T_TRAP, T_CLAMPED, T_IGNORED = range(3)
# Reasons why an access of an object fails.
(T_NO_OBJECT, T_NO_SHAPE, T_NO_NUMBER, T_NO_LAYER, T_NO_CHANNEL, T_NO_ALIGNMENT, T_OUTSIDE) = range(-7, 0)
T_TEXTURES, T_SURFACES = 0x54580000, 0x53550000
"""First handles of texture and of surface objects (``mutate.launch.model``)."""

PAGE_SHIFT = 10
# Page table: 0 no memory here, -1 declared and not touched, -2 asked for, else the page's number + 1.
ABSENT, UNTOUCHED, ASKED = 0, -1, -2

GLOBAL_BASE = 0x7F00_0000_0000
SHARED_WINDOW, LOCAL_WINDOW = 0x7E00, 0x7D00
"""High words of generic addresses."""
SYSTEM_WINDOW = 0x7C00
"""High word of the addresses of functions that the driver adds; the low word is the number of one in this list."""
SYSTEM_FUNCTIONS = ("vprintf", "__assertfail", "malloc", "free", "__nv_aligned_device_malloc", "cudaDeviceSynchronize",
                    "cudaGetParameterBufferV2", "cudaLaunchDeviceV2", "cudaStreamCreateWithFlags", "cudaMalloc",
                    "cudaFree", "cudaGetLastError")
SYSTEM_PRINT, SYSTEM_ASSERT = 0, 1
