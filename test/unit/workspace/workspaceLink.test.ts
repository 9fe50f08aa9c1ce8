import { describe, expect, it } from 'vitest'
import { isLinkedDocument, readLinkedDocument, writeLinkedDocument } from '#shared/workspace/workspaceLink.ts'
import { workspaceDocument } from '#shared/workspace/workspaceSchema.ts'

const column = {
  kind: 'column',
  dataset: 'funding',
  column: 'funding_rate',
  exchange: 'alpha-futures',
  symbol: 'ETH-USDT',
  interval: '1h',
  timestamp: 'exchange',
}
const line = (id: string, name: string, more: object = {}) => ({ id, name, source: column, ...more })
const marked = workspaceDocument.parse({
  version: 1,
  range: { startMs: 0, endMs: 3_600_000 },
  panes: [
    {
      id: 'p1',
      series: [
        line('s1', 'a', { fill: { to: 'series', series: 's2' } }),
        line('s2', 'b', { fill: { to: 'level', value: 0.5, unit: 'bps' }, colour: 3, unit: 'bps', style: 'step' }),
        line('s3', 'c', { source: { kind: 'formula', formula: 'a > 0' }, style: 'shade', label: 'Crowded' }),
      ],
      locked: { left: { low: 0, high: 1, unit: 'bps' } },
    },
    ...['histogram', 'hours', 'weekdays', 'months', 'symbols', 'buckets'].map((distribution, at) => ({
      id: `p${at + 2}`,
      distribution,
      title: distribution,
      series: [line(`d${at}`, `d${at}`, { transform: at % 2 ? 'settledSum' : 'settled' })],
    })),
  ],
  columns: 2,
  shading: { kind: 'regime', overlay: 'calm' },
  notes: [{ id: 'n1', timeMs: 5, text: 'here' }],
  measures: [{ id: 'm1', paneId: 'p1', startMs: 1, endMs: 2 }],
  drawings: [{ id: 'g1', kind: 'level', paneId: 'p1', side: 'left', unit: 'bps', value: 0 }],
})

const read = (text: string) => {
  const result = readLinkedDocument(text)
  if ('problem' in result) throw new Error(result.problem)
  return result.document
}

describe('the link to a chart', () => {
  it('opens the same picture: conditions, fills, distributions, sums, drawings and notes', () => {
    expect(read(writeLinkedDocument(marked))).toEqual(marked)
  })

  it('leaves out what the picture does not show, and what is as usual', () => {
    const panes = marked.panes.map((pane) => ({ ...pane, apart: true }))
    const scans = [{ name: 'x', dataset: 'd', column: 'c', exchange: 'e', interval: '1h', timestamp: 'true' }]
    const whole = workspaceDocument.parse({ ...marked, panes, scans, quickLook: '[]' })
    const text = writeLinkedDocument(whole)
    expect(read(text)).toEqual(marked)
    expect(text).not.toMatch(/"(origin|resampleTo|hidden|scans|quickLook|apart)"/)
  })

  it('is told from the link to series', () => {
    expect(isLinkedDocument(writeLinkedDocument(marked))).toBe(true)
    expect(isLinkedDocument('[{"dataset":"flow"}]')).toBe(false)
  })

  it.each([
    ['{"version":1,"panes":[', 'incomplete'],
    ['{"version":99,"panes":[]}', 'newer version'],
    ['{"version":1,"panes":[{"id":"p","series":[{"id":"s","name":"A"}]}]}', 'panes.0'],
  ])('says what is wrong with %s', (text, said) => {
    expect(readLinkedDocument(text)).toEqual({ problem: expect.stringContaining(said) as string })
  })
})
