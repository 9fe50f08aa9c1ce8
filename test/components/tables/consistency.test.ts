import type { TableColumn } from '#shared/sheet/columns.ts'
import { mount } from '@vue/test-utils'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { computed, defineComponent, h, shallowRef } from 'vue'
import { numberColumn, textColumn, type Frame } from '#shared/contract/frame.ts'
import { DECLARED_LAYOUT } from '../../../renderer/tables/columns.ts'
import DataTable from '../../../renderer/tables/DataTable.vue'
import { frameRows } from '../../../renderer/tables/frameRows.ts'
import { pagedRows, type Page } from '../../../renderer/tables/pagedRows.ts'
import type { SortKey } from '#shared/tables/arrangement.ts'
import type { RowSource } from '../../../renderer/tables/rows.ts'
import { EVERYTHING, NO_COUNTS, NOTHING, type Selection } from '../../../renderer/tables/selection.ts'
import TableToolbar from '../../../renderer/tables/TableToolbar.vue'

const nameColumn: TableColumn = { key: 'name', title: 'Name', kind: 'text' }
const placeColumn: TableColumn = { key: 'place', title: 'Place', kind: 'count' }

const ROWS = 200
/** Creates rows of which every tenth is a dragon; the names include the edition of the data. */
function editionFrame(edition: string, rows = ROWS): Frame {
  const names = Array.from({ length: rows }, (_, row) => `${row % 10 === 3 ? 'dragon' : 'coin'}-${row}-${edition}`)
  return { rows, columns: [textColumn('name', names), numberColumn('place', [...names.keys()])] }
}

/** Opens a table with its toolbar, as on the screens; the test can replace its rows and columns. */
function openTable(first: RowSource, { columns: firstColumns = [nameColumn, placeColumn], label = 'Rows' } = {}) {
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(600)
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(800)
  onTestFinished(() => void vi.restoreAllMocks())
  const view = shallowRef({ source: first, columns: firstColumns, label })
  const text = shallowRef('')
  const sort = shallowRef<readonly SortKey[]>([])
  const selection = shallowRef<Selection>(NOTHING)
  const counts = shallowRef(NO_COUNTS)
  const filter = computed(() => ({ text: text.value, conditions: [] }))
  const Screen = defineComponent(() => () => [
    h(TableToolbar, {
      columns: view.value.columns,
      counts: counts.value,
      text: text.value,
      'onUpdate:text': (now: string) => (text.value = now),
      layout: DECLARED_LAYOUT,
    }),
    h(DataTable, {
      ...view.value,
      filter: filter.value,
      sort: sort.value,
      selection: selection.value,
      'onUpdate:sort': (now: readonly SortKey[]) => (sort.value = now),
      'onUpdate:selection': (now: Selection) => (selection.value = now),
      onCounts: (now: typeof counts.value) => (counts.value = now),
    }),
  ])
  const wrapper = mount(Screen, { attachTo: document.body })
  onTestFinished(() => wrapper.unmount())
  return { wrapper, view, text, sort, selection }
}
type Table = ReturnType<typeof openTable>

/** Returns the text and state that a user can read on the page at this moment. */
function seen({ wrapper }: Table) {
  const grid = wrapper.find('[role=grid]')
  const painted = wrapper.findAll('.rows .row').map((row) => row.find('[data-place="0"]').text())
  return {
    label: grid.attributes('aria-label'),
    toolbar: wrapper.find('output').text().replace(/\s+/g, ' '),
    rowCount: Number(grid.attributes('aria-rowcount')) - 1,
    headers: wrapper.findAll('[role=columnheader]').map((each) => each.find('.title').text()),
    sorted: wrapper.findAll('[aria-sort]').at(0)?.attributes('aria-sort'),
    selected: wrapper.findAll('[aria-selected=true]').length,
    painted,
  }
}
type Seen = ReturnType<typeof seen>

/**
 * Records the visible state after every microtask and every task, and so after every flush, until it satisfies
 * `isDone`.
 */
async function seenUntil(table: Table, isDone: (now: Seen) => boolean): Promise<Seen[]> {
  const all: Seen[] = []
  for (let turn = 0; turn < 2000; turn += 1) {
    for (let micro = 0; micro < 12; micro += 1) {
      const now = seen(table)
      if (JSON.stringify(now) !== JSON.stringify(all.at(-1))) all.push(now)
      await Promise.resolve()
    }
    if (isDone(all.at(-1)!)) return all
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  throw new Error(`never came to an end: ${JSON.stringify(all.at(-1))}`)
}

/** Makes every loop over rows yield whenever it reads the clock, as on a slow machine. */
function makeSlow(): void {
  let clockMs = 0
  vi.spyOn(performance, 'now').mockImplementation(() => (clockMs += 50))
}

const isDragons = ({ painted }: Seen) => painted.length > 0 && painted.every((name) => name.startsWith('dragon'))

describe('what a table shows at any moment', () => {
  it('is of one state while the same rows come anew under a filter', async () => {
    makeSlow()
    const table = openTable(frameRows(editionFrame('old')))
    await seenUntil(table, ({ painted }) => painted.length > 0)
    table.text.value = 'dragon'
    const filtering = await seenUntil(table, ({ toolbar }) => toolbar === '20 of 200 rows')
    for (const now of filtering) expect(now.toolbar === '20 of 200 rows').toBe(isDragons(now))

    table.view.value = { ...table.view.value, source: frameRows(editionFrame('new', 300)) }
    const renewing = await seenUntil(table, ({ painted }) => painted[0].endsWith('new'))
    for (const now of renewing) {
      const isNew = now.painted[0].endsWith('new')
      expect(isDragons(now)).toBe(true)
      expect(now.toolbar).toBe(isNew ? '30 of 300 rows' : '20 of 200 rows')
      expect(now.rowCount).toBe(isNew ? 30 : 20)
    }
  })

  it('begins with the rows of the filter it was opened with', async () => {
    makeSlow()
    const table = openTable(frameRows(editionFrame('first')))
    table.text.value = 'dragon'
    const starting = await seenUntil(table, isDragons)
    for (const now of starting) {
      if (isDragons(now)) expect([now.toolbar, now.rowCount]).toEqual(['20 of 200 rows', 20])
      else expect([now.toolbar, now.painted.filter(Boolean)]).toEqual(['', []])
    }
  })

  it('is of one state while rows are sorted: the header tells what is drawn', async () => {
    makeSlow()
    const table = openTable(frameRows(editionFrame('x')))
    await seenUntil(table, ({ painted }) => painted.length > 0)
    table.sort.value = [{ key: 'name', descending: true }]
    const sorting = await seenUntil(table, ({ sorted }) => sorted === 'descending')
    for (const now of sorting) expect(now.sorted).toBe(now.painted[0].startsWith('dragon-193') ? 'descending' : 'none')
    expect(sorting.at(-1)!.painted[0]).toBe('dragon-193-x')
  })

  it('keeps the name and the columns of the rows that are drawn until others are', async () => {
    makeSlow()
    const table = openTable(frameRows(editionFrame('x')), { label: 'Coins' })
    table.text.value = 'dragon'
    await seenUntil(table, isDragons)
    const other: Frame = { rows: 2, columns: [textColumn('venue', ['dragon lair', 'den'])] }
    const columns: TableColumn[] = [{ key: 'venue', title: 'Venue', kind: 'text' }]
    table.view.value = { source: frameRows(other), columns, label: 'Venues' }
    const changing = await seenUntil(table, ({ label }) => label === 'Venues')
    for (const { label, headers, painted } of changing) {
      if (label === 'Venues') expect([headers, painted]).toEqual([['Venue'], ['dragon lair']])
      else expect([headers[0], painted[0]]).toEqual(['Name', 'dragon-3-x'])
    }
  })

  it('counts and marks the chosen rows of what is drawn, and lets go of those that mean others now', async () => {
    makeSlow()
    const table = openTable(frameRows(editionFrame('old')))
    await seenUntil(table, ({ painted }) => painted.length > 0)
    await table.wrapper.find('[data-row="3"]').trigger('click')
    expect(seen(table)).toMatchObject({ toolbar: '200 rows · 1 selected', selected: 1 })
    table.text.value = 'dragon'
    await seenUntil(table, isDragons)
    expect(seen(table)).toMatchObject({ toolbar: '20 of 200 rows · 1 selected', selected: 1 })
    table.view.value = { ...table.view.value, source: frameRows(editionFrame('new', 300)) }
    const renewing = await seenUntil(table, ({ painted }) => painted[0].endsWith('new'))
    for (const now of renewing) {
      const isNew = now.painted[0].endsWith('new')
      expect([now.selected, / selected$/.test(now.toolbar)]).toEqual(isNew ? [0, false] : [1, true])
    }
  })

  it('is of one state while pages come from a slow service', async () => {
    const pending: (() => void)[] = []
    const service = (edition: string, rows: number) =>
      pagedRows(
        ({ from, to, arrangement }) => {
          const { promise, resolve } = Promise.withResolvers<Page>()
          const { columns } = editionFrame(edition, rows)
          const names = columns[0].kind === 'text' ? columns[0].dictionary : []
          const kept = names.filter((name) => name.includes(arrangement.text))
          const page = kept.slice(from, to)
          const frame: Frame = { rows: page.length, columns: [textColumn('name', page)] }
          pending.push(() => resolve({ frame, count: kept.length, total: rows }))
          return promise
        },
        { pageRows: 15 },
      )
    const answer = () => {
      for (const each of pending.splice(0)) each()
    }
    const table = openTable(service('old', 200), { columns: [nameColumn] })
    answer()
    await seenUntil(table, ({ painted }) => painted.length > 0)
    table.view.value = { ...table.view.value, source: service('new', 300) }
    table.text.value = 'dragon'
    await seenUntil(table, () => pending.length > 0)
    const waiting = seen(table)
    expect(waiting).toMatchObject({ toolbar: '200 rows', rowCount: 200 })
    expect(waiting.painted[0]).toBe('coin-0-old')
    answer()
    const swapped = await seenUntil(table, isDragonsOrWaiting)
    for (const { toolbar, rowCount, painted } of swapped)
      expect([toolbar, rowCount]).toEqual(painted[0] === 'dragon-3-new' ? ['30 of 300 rows', 30] : ['200 rows', 200])
  })
})

const isDragonsOrWaiting = ({ painted }: Seen) => painted[0] === 'dragon-3-new'

it('keeps all rows selected when the same rows come in another order, but not when others come', async () => {
  const frame = editionFrame('one', 3)
  const order = Uint32Array.of(2, 0, 1)
  const table = openTable(frameRows(frame, { idKey: 'name' }))
  const rowsShown = () => table.wrapper.findAll('.rows .row').map((row) => row.find('[data-place="1"]').text())
  await vi.waitFor(() => expect(rowsShown()).toEqual(['0', '1', '2']))
  table.selection.value = EVERYTHING
  table.view.value = { ...table.view.value, source: frameRows(frame, { idKey: 'name', order }) }
  await vi.waitFor(() => expect(rowsShown()).toEqual(['2', '0', '1']))
  expect(table.selection.value).toBe(EVERYTHING)
  table.view.value = { ...table.view.value, source: frameRows(editionFrame('two', 2), { idKey: 'name' }) }
  await vi.waitFor(() => expect(rowsShown()).toEqual(['0', '1']))
  expect(table.selection.value).toEqual(NOTHING)
})
