import type { Series } from './series.ts'

/** Value of a part of a formula: a series, or a constant (NaN for no value). */
export type Operand = Series | number
