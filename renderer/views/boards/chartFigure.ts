import type { ReportChart } from '#shared/report/reportContent.ts'
import type { Figure } from '../../charts/small/figure.ts'

/** Draws a chart of a report as the figures of the window. */
export function chartFigure({ style, names, series }: ReportChart): Figure {
  return {
    axis: names ? { kind: 'names', labels: names } : { kind: 'times' },
    kind: series.at(0)?.numbers ?? 'figure',
    marks: series.map(({ label, unit, x, values }, colour) => ({
      kind: style === 'bars' ? 'bars' : 'line',
      label: unit === undefined || unit === 'none' ? label : `${label} (${unit})`,
      colour,
      dash: colour,
      x,
      y: values,
    })),
    ground: style === 'bars' ? 0 : null,
  }
}
