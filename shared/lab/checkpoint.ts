/** Is called between the steps of long work and throws once the work is cancelled. */
export type Checkpoint = () => void

/** Rows of a study that are worked on between two checkpoints: few enough to end within a blink, too many to cost time. */
export const CHECKED_TIMES = 256

export const neverCancelled: Checkpoint = () => undefined
