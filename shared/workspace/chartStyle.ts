/** Styles of series and panes that a workspace stores and a chart draws. */

/** `shade` draws no values: it shades the panes while a series is present and not 0, such as a condition that holds. */
export const seriesStyles = ['line', 'step', 'area', 'bar', 'points', 'candles', 'shade'] as const
export type SeriesStyle = (typeof seriesStyles)[number]

/** Tells whether a series shades the panes while it is present and not 0, in place of being drawn. */
export const isShade = ({ style }: { style?: SeriesStyle }): boolean => style === 'shade'

/** Tells whether the area between a series and something else can be filled: whether it is a line. */
export const canBeFilled = (style: SeriesStyle): boolean => style === 'line' || style === 'step' || style === 'area'

export const transforms = [
  ...(['none', 'percentFromStart', 'indexed', 'zscore', 'difference', 'cumulative'] as const),
  ...(['settled', 'settledSum'] as const),
] as const
export type Transform = (typeof transforms)[number]

/** Tells whether a transform computes each row from earlier rows too, so that it must precede the reduction. */
export const usesEarlierRows = ({ transform }: { transform: Transform }): boolean =>
  ['difference', 'cumulative', 'settled', 'settledSum'].includes(transform)

/** Tells whether a transform shows payments of funding, which are no rates a year. */
export const showsPayments = ({ transform }: { transform: Transform }): boolean =>
  transform === 'settled' || transform === 'settledSum'

/** Lists the transforms that fit a quantity: what a long pays, and its running sum, only of a funding rate. */
export const transformsOf = (kind: string): readonly Transform[] =>
  kind === 'rate' ? transforms : transforms.filter((transform) => !showsPayments({ transform }))

/**
 * What a pane shows of the values in view in place of their lines: a histogram, or a box for each hour, weekday, month,
 * series, or fifth of the values of its first series.
 */
export const distributionKinds = ['histogram', 'hours', 'weekdays', 'months', 'symbols', 'buckets'] as const
export type DistributionKind = (typeof distributionKinds)[number]

export const scaleNames = ['linear', 'log', 'symlog'] as const
export type ScaleName = (typeof scaleNames)[number]

export const axisChoices = ['auto', 'left', 'right'] as const
export type AxisChoice = (typeof axisChoices)[number]

export const axisSides = ['left', 'right'] as const
export type Side = (typeof axisSides)[number]

/** Largest absolute value of axis bounds and drawings, so that pixel arithmetic does not overflow. */
export const MOST_AXIS_VALUE = 1e300

/** Locked bounds of an axis, in the unit that the axis showed when it was locked. */
export interface LockedAxis {
  low: number
  high: number
  unit: string
}

/** Minimum length of an axis relative to its larger bound, so that its ticks differ. */
const LEAST_AXIS_SHARE = 1e-9

/** Tells whether bounds make a valid axis. */
export const isAxisRange = ({ low, high }: Pick<LockedAxis, 'low' | 'high'>): boolean =>
  high - low > Math.max(Math.abs(low), Math.abs(high), Number.MIN_VALUE / LEAST_AXIS_SHARE) * LEAST_AXIS_SHARE

/**
 * Display units of rates and fractions. `annual` annualises a funding rate by what is known of its period; `annual8h`
 * assumes periods of 8 hours.
 */
export const shownUnits = ['percent', 'bps', 'annual', 'annual8h', 'annual4h', 'annual1h'] as const
export type ShownUnit = (typeof shownUnits)[number]

/** Origins of a series: from the service, or computed on this machine. */
export const origins = ['service', 'computed'] as const
export type Origin = (typeof origins)[number]

export const SERIES_COLOURS = 12
