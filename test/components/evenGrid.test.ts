import { mount } from '@vue/test-utils'
import { expect, it, onTestFinished, vi } from 'vitest'
import { nextTick } from 'vue'
import EvenGrid from '../../renderer/components/EvenGrid.vue'

async function columnsOf(cards: number, widthPx: number): Promise<string> {
  vi.stubGlobal(
    'ResizeObserver',
    class {
      readonly tell: (entries: unknown[]) => void
      constructor(tell: (entries: unknown[]) => void) {
        this.tell = tell
      }
      observe = () => this.tell([{ contentRect: { width: widthPx } }])
      disconnect = () => {}
    },
  )
  onTestFinished(() => {
    vi.unstubAllGlobals()
  })
  const slots = { default: Array.from({ length: cards }, () => '<i />').join('') }
  const wrapper = mount(EvenGrid, { slots, attachTo: document.body })
  onTestFinished(() => wrapper.unmount())
  await nextTick()
  return (wrapper.element as HTMLElement).style.gridTemplateColumns
}

it.each([
  [18, 1180, 6],
  [8, 1180, 8],
  [9, 1180, 5],
  [3, 1180, 4],
  [7, 300, 2],
  [2, 100, 1],
])('places %i cards in %i pixels in %i columns, so that none stands alone', async (cards, widthPx, columns) => {
  expect(await columnsOf(cards, widthPx)).toBe(`repeat(${columns}, minmax(0, 1fr))`)
})
