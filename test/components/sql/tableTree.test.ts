import { expect, it } from 'vitest'
import { defineComponent } from 'vue'
import { venuesOfDocuments } from '#shared/catalog/venues.ts'
import type { SqlDictionary } from '#shared/contract/areas/sql.ts'
import { sqlDictionary } from '#core/sql/sqlDictionary.ts'
import { followDictionary } from '../../../renderer/stores/sql.ts'
import TableTree from '../../../renderer/views/sql/TableTree.vue'
import { searchedTables, treeRows } from '../../../renderer/views/sql/tableRows.ts'
import { mountWithHost } from '../mountWithHost.ts'

const held = new Map([
  ['metrics.funding', { count: 12, of: 'series' as const }],
  ['portfolio.returns', { count: 1, of: 'answers' as const }],
])
const dictionary = sqlDictionary([], venuesOfDocuments, [], [], held)

async function openTree(shown: SqlDictionary = dictionary) {
  const { wrapper } = await mountWithHost(TableTree, { dictionary: shown })
  const tree = wrapper.get('[role=tree]')
  const items = () => wrapper.findAll('[role=treeitem]')
  const names = () => items().map((item) => item.get('.name').text())
  const item = (name: string) => {
    const found = items().find((each) => each.get('.name').text() === name)
    if (!found) throw new Error(`no row “${name}” among: ${names().join(', ')}`)
    return found
  }
  const current = () => {
    const id = wrapper.get('[role=tree]').attributes('aria-activedescendant')
    return wrapper
      .get(`[id="${id ?? ''}"]`)
      .get('.name')
      .text()
  }
  const press = async (...keys: string[]) => {
    for (const key of keys) await wrapper.get('[role=tree]').trigger('keydown', { key })
  }
  return { wrapper, tree, items, names, item, current, press }
}

it('lists tables with data first, and schemas without any closed', async () => {
  const { item, names } = await openTree()
  expect(names().slice(0, 2)).toEqual(['metrics', 'funding'])
  expect(item('funding').text()).toContain('12 series')
  expect(item('funding').classes()).not.toContain('empty')
  expect(item('flow').classes()).toContain('empty')
  expect([item('raw').attributes('aria-expanded'), item('metrics').attributes('aria-expanded')]).toEqual([
    'false',
    'true',
  ])
})

it('shows columns with type and unit once their table is open, and the units by venue as a hint', async () => {
  const { item, names } = await openTree()
  expect(names()).not.toContain('known_at')
  await item('ohlcv').trigger('click', { detail: 1 })
  expect(item('close').text()).toMatch(/DOUBLE.*price/)
  expect(item('volume').text()).toContain('by venue')
  expect(item('volume').attributes('title')).toContain('contracts')
  expect(item('close').attributes()).toMatchObject({ 'aria-level': '3', 'aria-posinset': '12' })
  await item('ohlcv').trigger('click', { detail: 1 })
  expect(names()).not.toContain('close')
})

it('moves, opens and closes by keys, and finds what is typed', async () => {
  const { current, press, names } = await openTree()
  expect(current()).toBe('metrics')
  await press('ArrowDown', 'ArrowRight', 'ArrowRight')
  expect(current()).toBe('exchange')
  await press('ArrowLeft')
  expect(current()).toBe('funding')
  await press('ArrowLeft', 'ArrowLeft')
  expect(current()).toBe('metrics')
  await press('End')
  expect(current()).toBe(names().at(-1))
  await press('Home', 'o', 'p')
  expect(current()).toBe('open_interest')
})

it('leaves the keys that go to another screen to the window', async () => {
  const { wrapper, current } = await openTree()
  const reached: string[] = []
  const listen = ({ key }: KeyboardEvent) => void reached.push(key)
  document.body.addEventListener('keydown', listen)
  for (const key of ['g', 'f', 'f']) await wrapper.get('[role=tree]').trigger('keydown', { key })
  document.body.removeEventListener('keydown', listen)
  expect([reached, current()]).toEqual([['g', 'f'], 'funding'])
})

it('puts names into the query, quoted where they must be, and queries first rows', async () => {
  const { wrapper, item, press } = await openTree()
  await press('ArrowDown', 'Enter')
  await item('ohlcv').trigger('dblclick')
  await item('funding_periods').trigger('click', { detail: 1 })
  await item('from').trigger('dblclick')
  expect(wrapper.emitted('insert')).toEqual([['metrics.funding'], ['metrics.ohlcv'], ['"from"']])
  await item('funding').trigger('contextmenu')
  const entries = [...document.querySelectorAll<HTMLElement>('[role=menuitem]')]
  expect(entries.map((entry) => entry.querySelector('span')?.textContent)).toEqual([
    'Put the name at the cursor',
    'Query its first rows',
    'Copy name',
  ])
  entries[1].click()
  expect(wrapper.emitted('query')).toEqual([['SELECT *\nFROM metrics.funding\nLIMIT 100']])
})

it('finds tables and columns by words, and says when there are none', async () => {
  const { wrapper, names } = await openTree()
  const field = wrapper.get('input')
  await field.setValue('RATE Funding')
  expect(names().slice(0, 3)).toEqual(['metrics', 'funding', 'funding_rate'])
  expect(names()).not.toContain('known_at')
  // Tables with data come first, unless one has just this name.
  await field.setValue('returns')
  expect(names().slice(0, 2)).toEqual(['metrics', 'returns'])
  await field.setValue('return')
  expect(names().slice(0, 2)).toEqual(['portfolio', 'returns'])
  // A word is found by its beginning, so that “known” holds no “own”; by a part where nothing begins with it.
  await field.setValue('know')
  expect(names()).toContain('known_at')
  await field.setValue('now')
  expect(names()).toContain('known_at')
  await field.setValue('at')
  expect(names()).not.toContain('rate')
  await field.setValue('nothing like it')
  expect(wrapper.find('[role=tree]').exists()).toBe(false)
  expect(wrapper.text()).toContain('No table or column matches “nothing like it”.')
  await field.trigger('keydown', { key: 'Escape' })
  expect(names()[0]).toBe('metrics')
})

it('draws only the rows in view, however many tables are open', async () => {
  const columns = Array.from({ length: 170 }, (_, at) => ({ ...dictionary.views[0].columns[0], name: `c${at}` }))
  const views = Array.from({ length: 60 }, (_, at) => ({
    ...{ schema: 'metrics', name: `t${at}`, description: '', held: null, columns },
  }))
  const large = { ...dictionary, views }
  const toggled = new Map(views.map(({ name }) => [`metrics.${name}`, true]))
  expect(treeRows(searchedTables(large), '', toggled)).toHaveLength(1 + 60 * 171)
  const { wrapper, items } = await openTree(large)
  await wrapper.get('input').setValue('c1')
  expect(items().length).toBeLessThan(100)
})

it('loads the dictionary anew when what is here may have changed, until its screen ends', async () => {
  const Screen = defineComponent({ setup: followDictionary, template: '<i />' })
  const { wrapper, host } = await mountWithHost(Screen, {}, (fake) => fake.answer('sql.dictionary', () => dictionary))
  const loads = () => host.calls.filter(([name]) => name === 'sql.dictionary').length
  expect(loads()).toBe(1)
  host.emit('data.changed', {})
  host.emit('cache.changed', {})
  host.emit('discovery.changed', { connectionId: 'sandbox' })
  expect(loads()).toBe(4)
  wrapper.unmount()
  host.emit('data.changed', {})
  host.emit('cache.changed', {})
  expect(loads()).toBe(4)
})
