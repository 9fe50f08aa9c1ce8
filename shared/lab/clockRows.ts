/** Values of a column by one clock, on consecutive intervals. */
export interface ClockValues {
  /** Number of the first interval, counted from the epoch. */
  firstSlot: number
  values: Float64Array
  /** Presence by interval: 1 with a value, 0 without. */
  valid: Uint8Array
}

/** A column of one symbol by both clocks. */
export interface ClockColumn {
  /** Name in formulas, such as `flow.volume_delta`. */
  column: string
  dataset: string
  exchange: ClockValues
  true: ClockValues
}

/** Symbols of a study of clocks; the columns of a symbol are read while they are listed, to hold few of them at a time. */
export interface ClockRows {
  symbols: readonly { symbol: string; columns(): Iterable<ClockColumn> }[]
}
