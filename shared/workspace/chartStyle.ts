/** Styles of series and panes that a workspace keeps and a chart draws. */
export const seriesStyles = ['line', 'step', 'area', 'bar', 'points', 'candles'] as const
export type SeriesStyle = (typeof seriesStyles)[number]

export const transforms = ['none', 'percentFromStart', 'indexed', 'zscore', 'difference', 'cumulative'] as const
export type Transform = (typeof transforms)[number]

export const scaleNames = ['linear', 'log', 'symlog'] as const
export type ScaleName = (typeof scaleNames)[number]

export const axisChoices = ['auto', 'left', 'right'] as const
export type AxisChoice = (typeof axisChoices)[number]

export const axisSides = ['left', 'right'] as const
export type Side = (typeof axisSides)[number]

/** Largest value that the person may lock an axis to or draw at; beyond, the arithmetic of pixels loses its digits. */
export const MOST_AXIS_VALUE = 1e300

/** Bounds of an axis in the unit that it showed when they were locked. */
export interface LockedAxis {
  low: number
  high: number
  unit: string
}

/** Share of the larger bound that a range of an axis must exceed, so that its ticks differ. */
const LEAST_AXIS_SHARE = 1e-9

/** Tells whether an axis can reach from one bound to the other. */
export const isAxisRange = ({ low, high }: Pick<LockedAxis, 'low' | 'high'>): boolean =>
  high - low > Math.max(Math.abs(low), Math.abs(high), Number.MIN_VALUE / LEAST_AXIS_SHARE) * LEAST_AXIS_SHARE

/** Units in which a rate or a fraction may be shown; a year is counted from funding periods of so many hours. */
export const shownUnits = ['percent', 'bps', 'annual8h', 'annual4h', 'annual1h'] as const
export type ShownUnit = (typeof shownUnits)[number]

export const origins = ['service', 'computed'] as const
export type Origin = (typeof origins)[number]

export const SERIES_COLOURS = 8
