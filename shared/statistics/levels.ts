/** Quantile levels of the statistics of a view. */
export const statisticsLevels = [0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99] as const

/** Quantile levels for latencies, with 99.9 % in addition because the slowest events matter most. */
export const latencyLevels = [...statisticsLevels, 0.999] as const
