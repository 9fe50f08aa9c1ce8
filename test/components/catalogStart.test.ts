import { expect, it } from 'vitest'
import CatalogStart from '../../renderer/views/catalog/CatalogStart.vue'
import { mountWithHost } from './mountWithHost.ts'

it.each([
  ['as the service says', '2026-07-01', '2026-07-01'],
  ['as documented, until the service was asked', null, '2026-08-01'],
])('the catalog says from when files are daily, %s', async (_, dailyFilesFrom, shown) => {
  const { wrapper } = await mountWithHost(CatalogStart, { datasets: [], dailyFilesFrom })
  expect(wrapper.text()).toContain(shown)
})
