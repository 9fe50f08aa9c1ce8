import { formatOf, isShownInBps, symbolColumn, type TableColumn, unitOf } from '#shared/sheet/columns.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { metricDatasets } from '#shared/catalog/metricDatasets.ts'
import { textColumn, type Frame } from '#shared/contract/frame.ts'
import { isNumberKind, type NumberKind } from '#shared/units/numberKinds.ts'
import { cellView, paintedColumn, wholeValue, heatOf } from '../../../renderer/tables/cellView.ts'
import {
  DECLARED_LAYOUT,
  orderedColumns,
  shownColumns,
  widthOf,
  withMoved,
  withShown,
  withWidth,
} from '../../../renderer/tables/columns.ts'
import { frameRows } from '../../../renderer/tables/frameRows.ts'
import { UNARRANGED } from '#shared/tables/arrangement.ts'
import { type ArrangedRows } from '../../../renderer/tables/rows.ts'
import {
  EVERYTHING,
  isSelected,
  NOTHING,
  selectAlso,
  selectedCount,
  selectOnly,
  toggle,
} from '../../../renderer/tables/selection.ts'
import { tsvCell, tsvOf } from '../../../renderer/tables/useCopy.ts'

const columns: TableColumn[] = ['a', 'b', 'c', 'd'].map((key) => ({ key, title: key, kind: 'count' }))
const keys = (of: TableColumn[]) => of.map(({ key }) => key).join('')

describe('the layout a person made', () => {
  it('moves to the place of another, both ways', () => {
    const right = withMoved(DECLARED_LAYOUT, columns, 'a', 'c')
    expect(keys(orderedColumns(columns, right))).toBe('bcad')
    expect(keys(orderedColumns(columns, withMoved(right, columns, 'd', 'b')))).toBe('dbca')
    expect(withMoved(right, columns, 'gone', 'b')).toBe(right)
  })

  it('hides and shows', () => {
    const hidden = withShown(DECLARED_LAYOUT, ['b', 'd'], false)
    expect(keys(shownColumns(columns, hidden))).toBe('ac')
    expect(keys(shownColumns(columns, withShown(hidden, ['d'], true)))).toBe('acd')
  })

  it('outlives columns that go and come: a new one stands behind its neighbour', () => {
    const layout = withMoved(DECLARED_LAYOUT, columns, 'd', 'a')
    const later: TableColumn[] = [columns[0], { key: 'n', title: 'n', kind: 'text' }, columns[2], columns[3]]
    expect(keys(orderedColumns(later, layout))).toBe('danc')
  })

  it('keeps widths within reason', () => {
    const wide = withWidth(withWidth(DECLARED_LAYOUT, 'a', 5), 'b', 99_999)
    expect(columns.map((column) => widthOf(column, wide))).toEqual([48, 1200, 104, 104])
  })

  it('leaves room for the whole header, with its unit, unless a person makes it narrow', () => {
    const missing: TableColumn = { key: 'm', title: 'Missing days', kind: 'count', unit: 'days', widthPx: 72 }
    expect(widthOf(missing, DECLARED_LAYOUT)).toBeGreaterThan('Missing days days'.length * 6.5 + 16)
    expect(widthOf(missing, withWidth(DECLARED_LAYOUT, 'm', 60))).toBe(60)
    expect(widthOf({ ...missing, title: 'm'.repeat(300) }, DECLARED_LAYOUT)).toBe(200)
  })
})

describe('what is chosen', () => {
  it('is a set of ids, or all but a set of ids', () => {
    const some = toggle(toggle(selectOnly([1, 2]), 2), 7)
    expect([...some.ids]).toEqual([1, 7])
    const most = toggle(EVERYTHING, 3)
    expect([isSelected(most, 3), isSelected(most, 4), isSelected(most, undefined)]).toEqual([false, true, false])
    expect([selectedCount(most, 100), selectedCount(some, 100), selectedCount(NOTHING, 100)]).toEqual([99, 2, 0])
    expect(selectedCount(selectAlso(most, [3]), 100)).toBe(100)
  })
})

describe('cells', () => {
  const frame: Frame = { rows: 2, columns: [textColumn('name', ['x', null])] }
  let rows: ArrangedRows
  beforeAll(async () => {
    rows = await frameRows(frame).arrange(UNARRANGED, new AbortController().signal)
  })
  const painted = (column: TableColumn) => paintedColumn(column, 0, () => rows, 'utc')

  it('distinguishes values on their way, missing and present', () => {
    const name = painted({ key: 'name', title: 'Name', kind: 'text' })
    expect([undefined, null, 'x'].map((value) => cellView(name, value).text)).toEqual(['', '–', 'x'])
    expect(cellView(name, null).title).toBe('missing')
    expect(cellView(name, undefined).classes).toContain('waiting')
  })

  it('gives the whole value of what is shown shorter', () => {
    const share = painted({ key: 'share', title: 'Share', kind: 'share' })
    expect(cellView(share, 0.123456).text).toBe('12.35')
    expect([wholeValue(share, 0.123456), wholeValue(share, NaN)]).toEqual(['0.123456', ''])
    const time = painted({ key: 'time', title: 'Time', kind: 'time' })
    expect(wholeValue(time, 0)).toBe('1970-01-01 00:00 UTC')
  })

  it('shortens symbols in cells, and not in tooltips and copies', () => {
    const symbol = 'perpetual-BTC-USDT:USDT'
    expect(cellView(painted(symbolColumn), symbol).text).toBe('BTC-USDT:USDT')
    expect(wholeValue(painted(symbolColumn), symbol)).toBe(symbol)
    expect(tsvCell(symbol, symbolColumn, 'utc')).toBe(symbol)
  })

  it('never fills a bar beyond its ends', () => {
    const bar = painted({ key: 'share', title: 'Share', kind: 'share', look: 'bar' })
    expect([-1, 0.25, 7, NaN].map((value) => cellView(bar, value).style!['--share'])).toEqual([
      '0%',
      '25%',
      '100%',
      '0%',
    ])
  })

  it('reads every kind of the catalog', () => {
    const kinds: NumberKind[] = metricDatasets.flatMap((dataset) => dataset.columns.map(({ kind }) => kind))
    expect(kinds.filter((kind) => !isNumberKind(kind))).toEqual([])
    for (const kind of kinds) {
      const unit = isShownInBps({ kind }) ? 1e-4 : 1
      expect(formatOf({ key: '', title: '', kind }, [1.5 * unit], 'utc')(1.5 * unit)).toMatch(/^1\.50*$/)
    }
  })

  it('writes units in the header only', () => {
    expect(unitOf({ key: '', title: '', kind: 'bps', unit: 'bps' }, 'utc')).toBe('bps')
    expect(unitOf({ key: '', title: '', kind: 'time' }, 'utc')).toBe('UTC')
    expect(unitOf({ key: '', title: '', kind: 'bytes' }, 'utc')).toBe('')
    expect(unitOf({ key: '', title: 'CVaR 95 %', kind: 'percentFigure' }, 'utc')).toBe('')
    expect(unitOf({ key: '', title: 'VaR 95 %, historical', kind: 'percentFigure' }, 'utc')).toBe('%')
  })
})

describe('heat', () => {
  it('runs from low to high, or away from the middle both ways', () => {
    const sequential = heatOf({ scale: 'sequential', low: 0, high: 10 }, [])
    expect([-5, 0, 5, 20].map((value) => sequential(value)!.strength)).toEqual([0, 0, 0.5, 1])
    const diverging = heatOf({ scale: 'diverging' }, [-4, 2])
    expect([-4, -2, 0, 2].map((value) => diverging(value))).toEqual([
      { strength: 1, side: 'down' },
      { strength: 0.5, side: 'down' },
      { strength: 0, side: 'up' },
      { strength: 0.5, side: 'up' },
    ])
  })

  it('has no colour for what is not a number, and tolerates an empty or flat column', () => {
    const noise = heatOf({ scale: 'diverging', leastReach: 1e-4 }, [-3e-11, 5e-11])
    expect(noise(5e-11)!.strength).toBeLessThan(1e-6)
    expect(noise(-1e-4)).toEqual({ strength: 1, side: 'down' })
    const heat = heatOf({ scale: 'sequential' }, [null, undefined])
    expect([null, 'x', NaN].map((value) => heat(value))).toEqual([null, null, null])
    expect(heat(3)).toEqual({ strength: 0, side: 'high' })
    expect(heatOf({ scale: 'sequential' }, [5, 5])(5)).toEqual({ strength: 0, side: 'high' })
  })
})

describe('copies', () => {
  it('contain numbers with all digits, instants, and nothing where a value is missing; text stays text', () => {
    const copied: TableColumn[] = [
      { key: 'name', title: 'Name', kind: 'text' },
      { key: 'time', title: 'Time', kind: 'time' },
      { key: 'price', title: 'Price', kind: 'price', unit: 'USDT' },
      { key: 'share', title: 'Share', kind: 'share' },
    ]
    const rows: Record<string, string | number | null>[] = [
      { name: '=1+1', time: 0.25, price: -1234567.125, share: 0.5 },
      { name: 'a\tb\nc', time: null, price: NaN, share: null },
    ]
    expect(tsvOf([0, 1], copied, (row, key) => rows[row][key], 'utc')).toBe(
      [
        'Name\tTime\tPrice (USDT)\tShare',
        "'=1+1\t1970-01-01T00:00:00.000250Z\t-1234567.125\t0.5",
        'a b c\t\tNaN\t',
      ].join('\n'),
    )
  })
})
