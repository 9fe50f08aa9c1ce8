import { mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import ShadingLegend from '../../renderer/charts/ShadingLegend.vue'

const spans = { from: new Float64Array(0), to: new Float64Array(0), level: new Uint8Array(0) }
const shades = [{ id: 's7', label: 'c  a > 1', colour: 2, spans, share: 0.123, spells: 14 }]
const band = { id: 'x', kind: 'regime' as const, label: 'trend: 1', startMs: 0, endMs: 1, colour: 3 }

it('says how often a condition holds in view, and opens it', async () => {
  const legend = mount(ShadingLegend, { props: { bands: [band], shades, canOpen: true } })
  expect(legend.findAll('li').map((item) => item.text())).toEqual(['trend: 1', 'c  a > 112.3 % of the time, 14 spells'])
  await legend.get('button').trigger('click')
  expect(legend.emitted('open')).toEqual([['s7']])
})

it('is plain text where nothing can be opened', () => {
  expect(
    mount(ShadingLegend, { props: { bands: [], shades } })
      .find('button')
      .exists(),
  ).toBe(false)
})
