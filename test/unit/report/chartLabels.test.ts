import { expect, it } from 'vitest'
import { chartHtml } from '#shared/report/chartHtml.ts'
import type { ReportChart } from '#shared/report/reportContent.ts'

const HOUR_MS = 3_600_000

/** Texts below a chart of a range with their extents in pixels, at the width of an average letter. */
function labelsOf(hours: number, fromMs: number) {
  const x = Float64Array.from({ length: hours + 1 }, (_, at) => fromMs + at * HOUR_MS)
  const chart: ReportChart = {
    ...{ kind: 'chart', title: 'Price', style: 'line', names: null },
    series: [{ label: 'close', numberKind: 'price', x, values: x.map((_, at) => at % 7) }],
  }
  const below = chartHtml(chart).matchAll(/<text x="([\d.]+)" y="([\d.]+)" text-anchor="(\w+)"[^>]*>([^<]*)</g)
  return [...below].flatMap(([, left, y, anchor, text]) => {
    if (!/^\d{2,4}-?\d*/.test(text) || Number(y) < 100 || !/-|^\d{4}$/.test(text)) return []
    const width = text.length * 6
    const start = Number(left) - (anchor === 'end' ? width : anchor === 'middle' ? width / 2 : 0)
    return [{ text, start, end: start + width }]
  })
}

it('labels of times never reach into each other, whatever the range', () => {
  const ranges = [2, 5, 8, 24, 49, 96, 168, 192, 336, 700, 1344, 2688, 5000, 9000, 26_000]
  for (const hours of ranges)
    for (const shift of [0, 1, 5, 13]) {
      const labels = labelsOf(hours, Date.UTC(2026, 7, 1) + shift * HOUR_MS)
      expect(labels.length, `${hours} h`).toBeGreaterThan(1)
      for (const [at, { start, text }] of labels.entries())
        expect(start, `${hours} h: ${text}`).toBeGreaterThan(labels[at - 1]?.end ?? -1)
    }
})
