import { shadeText } from '#shared/overview/shade.ts'
import { startsAtZero } from '#shared/report/chartHtml.ts'
import type { ReportChart, ReportSeries } from '#shared/report/reportContent.ts'
import { BAR_SHARE, type Figure, type FigureMark } from './figure.ts'

export const labelWithUnit = ({ label, unit }: ReportSeries): string =>
  unit === undefined || unit === 'none' ? label : `${label} (${unit})`

/** Bars of several series over the same names stand beside each other, as in a report. */
const placeBeside = (at: number, count: number): Pick<FigureMark, 'share' | 'offset'> =>
  count > 1 ? { share: 1 / count, offset: BAR_SHARE * ((at + 0.5) / count - 0.5) } : {}

/** Converts a report's chart to a figure for the window. A logarithmic axis drops values that are not positive. */
export function chartFigure(chart: ReportChart): Figure {
  const { style, names, series, isLog = false, flags = [], shades = [], numberAxis, xTitle: title } = chart
  const firstShade = series.length + flags.length
  return {
    shades: shades.map((shade, at) => ({
      spans: shade.spans,
      label: [shade.label, shadeText(shade)].filter(Boolean).join(', '),
      colour: shade.colour ?? firstShade + at,
    })),
    flags: flags.map((each, at) => ({ ...each, colour: series.length + at })),
    isLog: isLog && style === 'line',
    axis: names
      ? { kind: 'names', labels: names, ...(title !== undefined && { title }) }
      : numberAxis
        ? { kind: 'numbers', ...(title !== undefined && { title }) }
        : { kind: 'times' },
    kind: series.at(0)?.numberKind ?? 'figure',
    marks: series.flatMap((one, at): FigureMark | FigureMark[] => {
      const colour = one.colour ?? at
      const label = labelWithUnit(one)
      const shown = (values: Float64Array) => (isLog ? values.map((value) => (value > 0 ? value : NaN)) : values)
      if (one.candles) {
        const { x, widthMs, open, high, low, close } = one.candles
        const prices = { open: shown(open), high: shown(high), low: shown(low), y: shown(close) }
        return { kind: 'candles', label, colour, x, widthMs, ...prices }
      }
      const y = shown(one.values)
      if (one.boxes) {
        const { low, lower, upper, high } = one.boxes
        return {
          kind: 'boxes',
          label,
          colour,
          x: one.x,
          y,
          low: shown(low),
          lower: shown(lower),
          upper: shown(upper),
          high: shown(high),
        }
      }
      if (style === 'bars') {
        const place = { label, colour, x: one.x, ...(names && placeBeside(at, series.length)) }
        const { interval } = one
        const bars: FigureMark = { kind: 'bars', ...place, y, ...(interval && { isFaint: true }) }
        return interval ? [bars, { kind: 'intervals', ...place, label: `${label}, interval`, ...interval }] : bars
      }
      if (style === 'points') return { kind: 'points', label, colour, x: one.x, y }
      const { style: shape, stepMs, fill } = one
      const look = { ...(shape && { style: shape }), ...(stepMs && { stepMs }), ...(fill && { fill }) }
      return { kind: 'line', label, colour, x: one.x, y, ...look }
    }),
    baseline: startsAtZero({ series, style, isLog }) ? 0 : null,
  }
}
