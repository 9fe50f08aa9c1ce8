/** Styles of series and panes that a workspace keeps and a chart draws. */
export const seriesStyles = ['line', 'step', 'area', 'bar', 'points', 'candles'] as const
export type SeriesStyle = (typeof seriesStyles)[number]

export const transforms = ['none', 'percentFromStart', 'indexed', 'zscore', 'difference', 'cumulative'] as const
export type Transform = (typeof transforms)[number]

export const scaleNames = ['linear', 'log', 'symlog'] as const
export type ScaleName = (typeof scaleNames)[number]

export const axisChoices = ['auto', 'left', 'right'] as const
export type AxisChoice = (typeof axisChoices)[number]

/** Units in which a rate or a fraction may be shown; a year is counted from funding periods of so many hours. */
export const shownUnits = ['percent', 'bps', 'annual8h', 'annual4h', 'annual1h'] as const
export type ShownUnit = (typeof shownUnits)[number]

export const origins = ['service', 'computed'] as const
export type Origin = (typeof origins)[number]

export const SERIES_COLOURS = 8
