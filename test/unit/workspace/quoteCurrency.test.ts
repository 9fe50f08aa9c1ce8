import { describe, expect, it } from 'vitest'
import { addSeries, changeSeries } from '#shared/workspace/edit.ts'
import { isInQuote, showInBase, showInQuote } from '#shared/workspace/quoteCurrency.ts'
import { allSeries, emptyDocument } from '#shared/workspace/workspace.ts'
import type { ColumnSource, WorkspaceDocument } from '#shared/workspace/workspaceSchema.ts'

const column = (dataset: string, name: string): ColumnSource => ({
  kind: 'column',
  dataset,
  column: name,
  exchange: 'venuea-futures',
  symbol: 'perpetual-BTC-USDT:USDT',
  interval: '1h',
  timestamp: 'exchange',
  resampleTo: '',
  origin: 'service',
})
const withVolume = () => addSeries(emptyDocument(), null, { source: column('ohlcv', 'volume'), style: 'bar' })
const seriesRows = (document: WorkspaceDocument) =>
  allSeries(document).map(({ name, source, hidden }) => [
    name,
    source.kind === 'formula' ? source.formula : source.kind === 'column' && source.column,
    hidden ? 'hidden' : 'shown',
  ])

describe('an amount of a chart', () => {
  it('is shown in quote currency in its own pane, and in base again', () => {
    const { document, entry } = withVolume()
    const inQuote = showInQuote(document, entry)
    expect(inQuote.panes).toHaveLength(1)
    expect(seriesRows(inQuote)).toEqual([
      ['a', 'volume', 'hidden'],
      ['b', 'close', 'hidden'],
      ['c', 'inquote(a, b)', 'shown'],
    ])
    const converted = allSeries(inQuote)[2]
    expect(converted.style).toBe('bar')
    expect([isInQuote(entry), isInQuote(converted)]).toEqual([false, true])
    expect(seriesRows(showInBase(inQuote, converted))).toEqual([
      ['a', 'volume', 'shown'],
      ['b', 'close', 'hidden'],
    ])
  })

  it('uses a price that is charted already, and leaves it as it is', () => {
    const { document, entry } = withVolume()
    const priced = addSeries(document, null, { source: column('ohlcv', 'close') })
    const inQuote = showInQuote(priced.document, entry)
    expect(seriesRows(inQuote)).toEqual([
      ['a', 'volume', 'hidden'],
      ['c', 'inquote(a, b)', 'shown'],
      ['b', 'close', 'shown'],
    ])
    // A second conversion needs no second price.
    const again = showInQuote(showInBase(inQuote, allSeries(inQuote)[1]), entry)
    expect(seriesRows(again)).toHaveLength(3)
  })

  it('stays converted where its amount was removed, and a user’s own formula is not a conversion', () => {
    const { document, entry } = withVolume()
    const inQuote = showInQuote(document, entry)
    const [, , converted] = allSeries(inQuote)
    const alone = { ...inQuote, panes: inQuote.panes.map((pane) => ({ ...pane, series: [converted] })) }
    expect(showInBase(alone, converted)).toBe(alone)
    const own = changeSeries(inQuote, converted.id, { source: { kind: 'formula', formula: 'inquote(a, b) / 2' } })
    expect(isInQuote(allSeries(own)[2])).toBe(false)
    expect(showInQuote(own, allSeries(own)[2])).toBe(own)
  })
})
