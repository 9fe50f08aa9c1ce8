import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addDrawing,
  addMeasure,
  addNote,
  addSeries,
  changeNote,
  changeSeries,
  labelDrawing,
  lockAxis,
  movePane,
  moveSeries,
  removeDrawing,
  removePane,
  removeSeries,
  toggleSeries,
  transformPane,
} from '#shared/workspace/edit.ts'
import { allSeries, emptyDocument } from '#shared/workspace/workspace.ts'
import { readDocument, type ColumnSource, type WorkspaceDocument } from '#shared/workspace/workspaceSchema.ts'

const close: ColumnSource = {
  kind: 'column',
  dataset: 'ohlcv',
  column: 'close',
  exchange: 'venuea-futures',
  symbol: 'perpetual-BTC-USDT:USDT',
  interval: '1m',
  timestamp: 'exchange',
  resampleTo: '',
  origin: 'service',
}

/** Creates a workspace with one pane per count, each with this number of series. */
function documentOf(...counts: number[]): WorkspaceDocument {
  let document = emptyDocument()
  for (const count of counts) {
    const first = addSeries(document, null, { source: close })
    document = first.document
    for (let more = 1; more < count; more += 1) document = addSeries(document, first.paneId, { source: close }).document
  }
  return document
}
const shape = ({ panes }: WorkspaceDocument) => panes.map(({ series }) => series.map(({ name }) => name).join(''))

describe('series of a workspace', () => {
  it('get names and colours of their own', () => {
    const document = documentOf(2, 1)
    expect(shape(document)).toEqual(['ab', 'c'])
    expect(allSeries(document).map(({ colour }) => colour)).toEqual([0, 1, 0])
    const without = removeSeries(document, allSeries(document)[1].id)
    const again = addSeries(without, without.panes[1].id, { source: close })
    expect(shape(again.document)).toEqual(['a', 'cb'])
    expect(again.entry.colour).toBe(1)
  })

  it('get the colour of their symbol in other panes, and no colour twice in a pane that has room', () => {
    const on = (symbol: string) => ({ ...close, symbol: `perpetual-${symbol}-USDT:USDT` })
    let { document } = addSeries(emptyDocument(), null, { source: on('ADA') })
    document = addSeries(document, null, { source: on('BTC') }).document
    const { paneId } = ({ document } = addSeries(document, null, { source: on('SOL') }))
    const others = ['BTC', 'ADA', ...Array.from({ length: 9 }, (_, at) => `A${at}`)]
    for (const symbol of others) ({ document } = addSeries(document, paneId, { source: on(symbol) }))
    const [ada, btc, sol] = document.panes.map(({ series }) => series.map(({ colour }) => colour))
    expect([sol[1], sol[2]]).toEqual([btc[0], ada[0]])
    expect(new Set(sol).size).toBe(12)
  })

  it('move within their pane, into the next, and into one of their own at the end', () => {
    const document = documentOf(2, 1)
    const [a, b, c] = allSeries(document).map(({ id }) => id)
    expect(shape(moveSeries(document, a, 1))).toEqual(['ba', 'c'])
    expect(shape(moveSeries(document, b, 1))).toEqual(['a', 'bc'])
    expect(shape(moveSeries(document, c, -1))).toEqual(['abc'])
    expect(shape(moveSeries(document, a, -1))).toEqual(['a', 'b', 'c'])
    expect(moveSeries(document, c, 1)).toBe(document)
  })

  it('take their pane and its measures with them when the last one goes', () => {
    const document = addMeasure(documentOf(1, 1), { paneId: 'p1', startMs: 1, endMs: 2 })
    expect(document.measures).toHaveLength(1)
    const left = removeSeries(document, 's1')
    expect(shape(left)).toEqual(['b'])
    expect(left.measures).toEqual([])
    expect(removePane(left, 'p2').panes).toEqual([])
    expect(shape(movePane(document, 'p2', -1))).toEqual(['b', 'a'])
  })

  it('stay a document that can be read again, whatever is done to them', () => {
    const step = fc.tuple(fc.constantFrom('add', 'own', 'remove', 'up', 'down', 'note', 'colour'), fc.nat(20))
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let document = emptyDocument()
        for (const [what, pick] of steps) {
          const series = allSeries(document)
          const id = series[pick % Math.max(1, series.length)]?.id ?? 'none'
          const pane = document.panes[pick % Math.max(1, document.panes.length)]?.id ?? null
          if (what === 'add' && series.length < 20) document = addSeries(document, pane, { source: close }).document
          if (what === 'own' && document.panes.length < 20)
            document = addSeries(document, null, { source: close }).document
          if (what === 'remove') document = removeSeries(document, id)
          if (what === 'up') document = moveSeries(document, id, -1)
          if (what === 'down') document = moveSeries(document, id, 1)
          if (what === 'note') document = addNote(document, pick, `note ${pick}`)
          if (what === 'colour') document = changeSeries(document, id, { colour: pick })
          expect(document.panes.every((each) => each.series.length > 0)).toBe(true)
        }
        expect(readDocument(JSON.parse(JSON.stringify(document)))).toEqual({ document })
      }),
    )
  })
})

it('notes stand in the order of time, and go when they are emptied', () => {
  const document = addNote(addNote(emptyDocument(), 20, 'later'), 10, 'earlier')
  expect(document.notes.map(({ text }) => text)).toEqual(['earlier', 'later'])
  expect(changeNote(document, document.notes[0].id, ' ').notes.map(({ text }) => text)).toEqual(['later'])
})

describe('a pane', () => {
  it('shows all of its series in one way, and leaves other panes alone', () => {
    const document = documentOf(2, 1)
    const [first] = document.panes
    const changed = transformPane(document, first.id, 'indexed')
    expect(allSeries(changed).map(({ transform }) => transform)).toEqual(['indexed', 'indexed', 'none'])
  })

  it('hides one series and shows it again', () => {
    const document = documentOf(2)
    const [, second] = allSeries(document)
    const hidden = toggleSeries(document, second.id)
    expect(allSeries(hidden).map((entry) => entry.hidden)).toEqual([false, true])
    expect(toggleSeries(hidden, second.id)).toEqual(document)
    expect(toggleSeries(document, 'unknown')).toBe(document)
  })
})

describe('locked axes and drawings', () => {
  const bounds = { low: 1, high: 2, unit: 'price' }
  const level = { kind: 'level', paneId: 'p1', label: '', side: 'left', unit: 'price', value: 3 } as const

  it('lock an axis and let it go, and leave no trace of it then', () => {
    const before = documentOf(1)
    const locked = lockAxis(before, 'p1', 'left', bounds)
    expect(locked.panes[0].locked).toEqual({ left: bounds })
    expect(lockAxis(locked, 'p1', 'left', null)).toEqual(before)
    expect(lockAxis(before, 'p1', 'left', { ...bounds, high: 1 })).toEqual(before)
  })

  it('are kept with the document and go with their pane', () => {
    const drawn = addDrawing(addDrawing(documentOf(1, 1), level), { ...level, paneId: 'p2' })
    expect(readDocument(JSON.parse(JSON.stringify(drawn)))).toEqual({ document: drawn })
    expect(removePane(drawn, 'p1').drawings).toHaveLength(1)
    expect(labelDrawing(drawn, 'd1', 'x'.repeat(300)).drawings![0].label).toHaveLength(200)
    expect(removeDrawing(drawn, 'd1').drawings!.map(({ id }) => id)).toEqual(['d2'])
    expect(addDrawing(drawn, { ...level, paneId: 'gone' })).toBe(drawn)
  })

  it('are refused with values that no axis can place', () => {
    const document = documentOf(1)
    const problemOf = (parts: object) => readDocument({ ...JSON.parse(JSON.stringify(document)), ...parts })
    const pane = document.panes[0]
    for (const drawings of [
      [{ id: 'd1', ...level, value: 1e301 }],
      [{ id: 'd1', ...level, value: null }],
      [{ id: 'd1', ...level, side: 'top' }],
      [{ id: 'd1', ...level, more: 1 }],
      [{ id: 'd1', kind: 'range', paneId: 'p1', startMs: 2, endMs: 1 }],
      [
        { id: 'd1', ...level },
        { id: 'd1', ...level },
      ],
      Array.from({ length: 501 }, (_, at) => ({ id: `d${at}`, ...level })),
    ])
      expect(problemOf({ drawings }), JSON.stringify(drawings).slice(0, 90)).toHaveProperty('problem')
    for (const left of [{ ...bounds, high: 1 }, { ...bounds, low: -1e999 }, { low: 1, high: 2 }, [1, 2]])
      expect(problemOf({ panes: [{ ...pane, locked: { left } }] }), JSON.stringify(left)).toHaveProperty('problem')
  })
})

describe('a new series', () => {
  it('shows a funding rate in bps, and any other column as published', () => {
    const unitOf = (dataset: string, column: string) =>
      addSeries(emptyDocument(), null, { source: { ...close, dataset, column } }).entry.unit
    expect(unitOf('funding', 'funding_rate')).toBe('bps')
    expect(unitOf('funding', 'funding_rate_update_frequency')).toBeUndefined()
    expect(unitOf('ohlcv', 'close')).toBeUndefined()
  })
})

it('shows all lines of a pane in another way, and leaves what shades it', () => {
  const { document, paneId } = addSeries(emptyDocument(), null, { source: close })
  const shaded = addSeries(document, paneId, { source: { kind: 'formula', formula: 'a > 1' }, style: 'shade' }).document
  expect(allSeries(transformPane(shaded, paneId, 'indexed')).map(({ transform }) => transform)).toEqual([
    'indexed',
    'none',
  ])
})
