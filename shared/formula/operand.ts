import type { Series } from './series.ts'

/** An operand is the value of a part of a formula: a series, or the same number at all times (NaN for no value). */
export type Operand = Series | number
