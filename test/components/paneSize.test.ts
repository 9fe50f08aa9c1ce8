import { expect, it } from 'vitest'
import { defineComponent, h } from 'vue'
import SideDivider from '../../renderer/components/SideDivider.vue'
import { usePaneSize } from '../../renderer/stores/paneSize.ts'
import { mountWithHost } from './mountWithHost.ts'

const paneWith = (side: 'top' | 'left' | 'right') =>
  defineComponent(() => {
    const { sizePx, edge } = usePaneSize('test.pane', { defaultPx: 200, leastPx: 150, mostPx: 300 })
    return () => h('div', [h(SideDivider, { label: 'Size', side, ...edge.value }), h('output', sizePx.value)])
  })

it('resizes a pane by its upper edge within its bounds, and remembers the size', async () => {
  const { wrapper } = await mountWithHost(paneWith('top'))
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

it.each([
  ['left', 'ArrowLeft', 'ArrowRight', 70],
  ['right', 'ArrowRight', 'ArrowLeft', 130],
] as const)('makes a pane wider by moving its %s edge outwards', async (side, wider, narrower, outwardsPx) => {
  const { wrapper } = await mountWithHost(paneWith(side))
  const edge = wrapper.get('[role=separator]')
  const size = () => Number(wrapper.get('output').text())
  await edge.trigger('keydown', { key: wider })
  expect([edge.attributes('aria-orientation'), size()]).toEqual(['vertical', 224])
  await edge.trigger('keydown', { key: narrower })
  expect(size()).toBe(200)
  Object.assign(edge.element, { setPointerCapture: () => {} })
  await edge.trigger('pointerdown', { button: 0, clientX: 100 })
  await edge.trigger('pointermove', { clientX: outwardsPx })
  expect(size()).toBe(230)
})
