/** The shares of the values below which quantiles are told: of what is in view. */
export const statisticsLevels = [0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99] as const

/** Quantiles shown for latencies, of which the slowest matter most. */
export const latencyLevels = [...statisticsLevels, 0.999] as const
