/// Of the platform, what kernels use: the counter's ticks in a second.
#pragma once

/// As kernels of a simulated chip read the time, in nanoseconds.
#define PLATFORM_PROF_SYS_CNT_FREQ 1000000000ULL
