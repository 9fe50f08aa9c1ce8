import { expect, it } from 'vitest'
import BlendComponents from '../../renderer/widgets/BlendComponents.vue'
import { button, mountWithHost } from './mountWithHost.ts'

const written = [
  { from: { factor: 'momentum' }, weight: 2, shape: 'rank' },
  { from: { portfolio: 'carry_ls.20', smoothing: 5 } },
]

it('shows the components of a document, and writes them back with what it does not show', async () => {
  const { wrapper } = await mountWithHost(BlendComponents, { components: written }, (host) =>
    host.answer('portfolio.usedIds', () => []),
  )
  const emitted = () => wrapper.emitted('change')?.at(-1)?.[0]
  const weight = (row: number) => wrapper.findAll('.component')[row].findAll('input')[1]
  await weight(1).setValue('-0.5')
  await weight(1).trigger('change')
  expect(emitted()).toEqual([written[0], { ...written[1], weight: -0.5 }])
  await button(wrapper, 'Add component').trigger('click')
  const [id] = wrapper.findAll('.component')[2].findAll('input')
  expect(document.activeElement).toBe(id.element)
  await id.setValue('value')
  await id.trigger('change')
  expect(emitted()).toHaveLength(3)
  expect(emitted()).toMatchObject({ 2: { from: { factor: 'value' }, weight: 1 } })
  await wrapper.get('[aria-label="Remove component 1"]').trigger('click')
  expect(emitted()).toMatchObject([{ from: { portfolio: 'carry_ls.20', smoothing: 5 } }, { from: { factor: 'value' } }])
})
