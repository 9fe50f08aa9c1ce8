import { expect, it } from 'vitest'
import { boardDocument } from '#shared/contract/areas/boards.ts'
import { withParameters } from '#shared/contract/playbooks/parameters.ts'
import { playbooksFor } from '#shared/contract/playbooks/playbooks.ts'
import { metricDataset, type MetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import { kindOf } from '#shared/lab/kinds.ts'
import { parseDocument } from '#shared/lab/parseStudy.ts'

const BTC = 'perpetual-BTC-USDT:USDT'
const ETH = 'perpetual-ETH-USDT:USDT'
const nowMs = Date.UTC(2026, 9, 31, 12)
const playbooks = playbooksFor({ venue: 'venuea-futures', symbol: BTC, portfolio: 'momentum_ls.20', nowMs })

it('has ten playbooks, each a valid board whose columns and studies exist', () => {
  expect(playbooks).toHaveLength(10)
  for (const { document } of playbooks) {
    expect(boardDocument.parse(document)).toEqual(document)
    for (const { content } of document.parts) {
      if (content.kind === 'study') {
        const study = content.document as Record<string, unknown>
        expect(kindOf(study)).not.toBeNull()
        expect(() => parseDocument({ ...study, name: null }, { fromCache: true })).not.toThrow()
      }
      if (content.kind !== 'workbench') continue
      for (const { source } of content.document.panes.flatMap(({ series }) => series)) {
        if (source.kind !== 'column') continue
        const { columns } = metricDataset(source.dataset as MetricDatasetId)
        expect(columns.map(({ name }) => name)).toContain(source.column)
      }
    }
  }
})

it('is made for another symbol, interval and range in all of its parts, and for the first ones again', () => {
  const { document } = playbooks.find(({ id }) => id === 'crowding')!
  const changed = withParameters(document, { symbol: ETH, interval: '1h', days: 7 }, nowMs)
  const text = JSON.stringify(changed)
  expect(text).not.toContain(BTC)
  expect(text).toContain(ETH)
  expect(changed.parameters).toEqual({ venue: 'venuea-futures', symbol: ETH, interval: '1h', days: 7 })
  const [study] = changed.parts.flatMap(({ content }) => (content.kind === 'study' ? [content.document] : []))
  expect(study).toMatchObject({ interval: '1h', start: '2026-10-24', end: '2026-10-30' })
  expect(withParameters(changed, { symbol: BTC, interval: '5m', days: 30 }, nowMs)).toEqual(document)
})

it('leaves alone what only happens to have the same value', () => {
  const board = {
    version: 1 as const,
    parameters: { interval: '1h' },
    parts: [{ id: 'a', columns: 4, rows: 2, content: { kind: 'text' as const, markdown: '1h' } }],
  }
  expect(withParameters(board, { interval: '5m' }, nowMs).parts).toEqual(board.parts)
})
