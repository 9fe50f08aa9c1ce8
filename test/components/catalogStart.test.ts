import { expect, it } from 'vitest'
import { column, type ColumnOrigin } from '#shared/catalog/column.ts'
import CatalogStart from '../../renderer/views/catalog/CatalogStart.vue'
import ColumnDetail from '../../renderer/views/catalog/ColumnDetail.vue'
import DatasetList from '../../renderer/views/catalog/DatasetList.vue'
import { mountWithHost } from './mountWithHost.ts'

it.each([
  ['as the service says', '2026-07-01', '2026-07-01'],
  ['as documented, until the service was asked', null, '2026-08-01'],
])('the catalog says from when files are daily, %s', async (_, dailyFilesFrom, shown) => {
  const { wrapper } = await mountWithHost(CatalogStart, { datasets: [], dailyFilesFrom })
  expect(wrapper.text()).toContain(shown)
})

it('a link to a raw dataset preserves the search text, as that to a metric dataset does', async () => {
  const dataset = { id: 'trades', name: 'Trades', description: '', columns: [], exchanges: [] }
  const { wrapper } = await mountWithHost(DatasetList, {
    datasets: [],
    rawDatasets: [dataset],
    hits: [],
    tierOf: () => null,
    filesOf: () => 0,
    rawFilesOf: () => 0,
    chosen: '',
    query: 'trade',
  })
  expect(wrapper.get('a.entry').attributes('href')).toContain('q=trade')
})

it.each<[ColumnOrigin, boolean]>([
  ['local', true],
  ['service', false],
])('a %s column is said to be of this machine only: %s', async (origin, isSaid) => {
  const { name, label, formula, ...meaning } = column('buy_share', 'Share bought', 'fraction', 'none', 'Of all', {
    origin,
  })
  const known = { name, label, formula, meaning, serviceTexts: null }
  const { wrapper } = await mountWithHost(ColumnDetail, { column: known })
  expect(wrapper.text().includes('files of the service do not have it')).toBe(isSaid)
})
