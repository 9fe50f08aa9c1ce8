import { expect, it } from 'vitest'
import { defineComponent, h } from 'vue'
import SideDivider from '../../renderer/components/SideDivider.vue'
import { usePaneSize } from '../../renderer/stores/paneSize.ts'
import { mountWithHost } from './mountWithHost.ts'

const Pane = defineComponent(() => {
  const { sizePx, edge } = usePaneSize('test.pane', { defaultPx: 200, leastPx: 150, mostPx: 300 })
  return () => h('div', [h(SideDivider, { label: 'Size', side: 'top', ...edge.value }), h('output', sizePx.value)])
})

it('resizes a pane by its upper edge within its bounds, and remembers the size', async () => {
  const { wrapper } = await mountWithHost(Pane)
  const edge = wrapper.get('[role=separator]')
  const size = () => Number(wrapper.get('output').text())
  expect([edge.attributes('aria-orientation'), size()]).toEqual(['horizontal', 200])
  await edge.trigger('keydown', { key: 'ArrowUp' })
  expect(size()).toBe(224)
  for (let press = 0; press < 9; press += 1) await edge.trigger('keydown', { key: 'ArrowUp' })
  expect(size()).toBe(300)
  expect(localStorage.getItem('perpscope.test.pane')).toBe('300')
  await edge.trigger('keydown', { key: 'Home' })
  expect(size()).toBe(200)
  await edge.trigger('keydown', { key: 'ArrowLeft' })
  expect(size()).toBe(200)
})
