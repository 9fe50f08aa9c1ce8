/** Called between the steps of a long computation; throws once it is cancelled. */
export type Checkpoint = () => void

/**
 * Number of grid times processed between two checkpoints: few enough to cancel promptly, many enough to cost nothing.
 */
export const TIMES_PER_CHECKPOINT = 256

export const noCheckpoint: Checkpoint = () => undefined
