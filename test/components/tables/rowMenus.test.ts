import { afterEach, expect, it, vi } from 'vitest'
import { createMemoryHistory, createRouter } from 'vue-router'
import { defineComponent, h, provide } from 'vue'
import { type CopyResult, copyNotice } from '../../../renderer/tables/copyNotice.ts'
import { placeActions } from '../../../renderer/widgets/placeActions.ts'
import RowMenus from '../../../renderer/tables/RowMenus.vue'
import { mountWithHost } from '../mountWithHost.ts'

afterEach(() => vi.unstubAllGlobals())

const opened: number[] = []
const rows = [
  ['BTC', '1'],
  ['ETH', '2'],
]
const Page = defineComponent(() => () => {
  const cells = (row: string[]) => row.map((cell) => h('td', cell))
  const table = h('table', [
    h('thead', [h('tr', [h('th', 'Coin'), h('th', 'Rank')])]),
    h('tbody', [...rows.map((row) => h('tr', cells(row))), h('tr', [h('td', [h('button', 'inner')])])]),
  ])
  const actions = (row: number) => [{ id: 'open', title: `Open ${row}`, run: () => opened.push(row) }]
  return h(RowMenus, { actions }, () => table)
})
const items = () => [...document.querySelectorAll<HTMLElement>('[role=menuitem]')]
/** Returns the titles in the open menu, without their keyboard shortcuts. */
const entries = () => items().map((each) => each.querySelector('span:not(.faint)')?.textContent?.trim())

it('gives every row of a plain table a menu, by right click', async () => {
  const { wrapper } = await mountWithHost(Page)
  await wrapper.findAll('tbody tr')[1].get('td').trigger('contextmenu')
  expect(entries()).toEqual(['Open 1', 'Copy row', 'Copy cell'])
  document.querySelector<HTMLElement>('[role=menuitem]')?.click()
  expect(opened.splice(0)).toEqual([1])
})

it('reaches rows and their menus by keyboard, and comes back to the row', async () => {
  const { wrapper } = await mountWithHost(Page)
  const all = wrapper.findAll<HTMLElement>('tbody tr')
  expect(all.map((row) => row.attributes('tabindex'))).toEqual(['0', '-1', '-1'])
  all[0].element.focus()
  await all[0].trigger('keydown', { key: 'ArrowDown' })
  expect(document.activeElement).toBe(all[1].element)
  await all[1].trigger('keydown', { key: 'F10', shiftKey: true })
  expect(entries()[0]).toBe('Open 1')
  document.querySelector('[role=menu]')?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))
  await expect.poll(() => document.activeElement).toBe(all[1].element)
  await all[1].trigger('keydown', { key: 'Enter' })
  expect(opened.splice(0)).toEqual([1])
})

it('opens the menu from a button in a row, whose Enter stays its own', async () => {
  const { wrapper } = await mountWithHost(Page)
  const inner = wrapper.get('button')
  await inner.trigger('keydown', { key: 'Enter' })
  expect(opened).toEqual([])
  await inner.trigger('keydown', { key: 'ContextMenu' })
  expect(entries()[0]).toBe('Open 2')
})

it('copies a row with its headers or the clicked cell, and tells the window', async () => {
  const writeText = vi.fn<(text: string) => Promise<void>>(async () => {})
  vi.stubGlobal('navigator', { ...navigator, clipboard: { writeText } })
  const told: (CopyResult | null)[] = []
  const Window = defineComponent(() => {
    provide(copyNotice, (copied) => told.push(copied))
    return () => h(Page)
  })
  const { wrapper } = await mountWithHost(Window)
  const row = wrapper.findAll('tbody tr')[0]
  for (const [at, cell] of [
    [1, 0],
    [2, 1],
  ]) {
    await row.findAll('td')[cell].trigger('contextmenu')
    items()[at].click()
    await expect.poll(() => told.length).toBe(at)
  }
  await row.trigger('copy')
  await expect.poll(() => told.length).toBe(3)
  expect(writeText.mock.calls).toEqual([['Coin\tRank\nBTC\t1'], ['1'], ['Coin\tRank\nBTC\t1']])
  expect(told).toEqual([
    { rows: 1, selected: 1 },
    { rows: null, selected: 0 },
    { rows: 1, selected: 1 },
  ])
})

it('runs no command that changes something by Enter, such as pinning files', async () => {
  const done: string[] = []
  const act = (id: string) => ({ id, title: id, run: () => done.push(id) })
  const page = (ids: string[]) =>
    defineComponent(() => () => {
      const table = h('table', [h('tbody', [h('tr', [h('td', 'x')])])])
      return h(RowMenus, { actions: () => ids.map(act) }, () => table)
    })
  for (const ids of [
    ['pin', 'remove'],
    ['pin', 'chart'],
  ]) {
    const { wrapper } = await mountWithHost(page(ids))
    await wrapper.get('tr').trigger('keydown', { key: 'Enter' })
  }
  expect(done).toEqual(['chart'])
})

const place = { dataset: 'ohlcv', exchange: 'v1', symbol: 'perpetual-BTC-USDT:USDT' }
const router = () => createRouter({ history: createMemoryHistory(), routes: [{ path: '/:a(.*)*', component: Page }] })

it('charts, downloads and removes what rows of data are about', async () => {
  const to = router()
  const range = { startMs: Date.UTC(2026, 7, 1, 5), endMs: Date.UTC(2026, 7, 3) }
  const files = { interval: '1h', timestamp: 'true' }
  const actions = placeActions(to, { places: [place], series: [{ ...place, ...files }], range, files })
  expect(actions.map(({ id }) => id)).toEqual(['chart', 'download', 'removeFiles'])
  const route = async (at: number) => {
    actions[at].run()
    await expect.poll(() => to.currentRoute.value.path).not.toBe('/')
    const { path, query } = to.currentRoute.value
    await to.push('/')
    return { path, query }
  }
  expect(await route(1)).toEqual({
    path: '/downloads/new',
    query: { ...place, ...files, start: '2026-08-01', end: '2026-08-02' },
  })
  expect(await route(2)).toEqual({
    path: '/settings/cache',
    query: { ...place, start: '2026-08-01', end: '2026-08-02' },
  })
})

it('offers no removal that would match more than the rows', () => {
  const other = { ...place, exchange: 'v2', symbol: 'perpetual-ETH-USDT:USDT' }
  expect(placeActions(router(), { places: [place, other] }).map(({ id }) => id)).toEqual(['download'])
  expect(placeActions(router(), { places: [] })).toEqual([])
})
