import { expect, it } from 'vitest'
import RawDatasetFacts from '../../renderer/cards/RawDatasetFacts.vue'
import { mountWithHost } from './mountWithHost.ts'

it('says of which venues the size unit is not known, and where to name it', async () => {
  const venue = (id: string, sizes: 'base' | null) => ({ id, short: id, sizes, exchangeTimes: null })
  const venues = [venue('heron-perps', 'base'), venue('ibis', null), venue('emu', null)]
  const { wrapper } = await mountWithHost(RawDatasetFacts, { name: 'trades', columns: [], venues, modelledOn: [] })
  expect(wrapper.get('p').text()).toBe(
    'Size unit: heron-perps: base asset · not known of ibis, emu: name it under Settings → Connections. Contracts and base assets are never added together.',
  )
})
