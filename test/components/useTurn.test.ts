import { mount } from '@vue/test-utils'
import { expect, it, vi } from 'vitest'
import { defineComponent, h, nextTick } from 'vue'
import { useTurn } from '../../renderer/components/useTurn.ts'

const part = (name: string) =>
  defineComponent(() => {
    const isDue = useTurn()
    return () => h('p', isDue.value ? name : '')
  })

it('parts of a screen are mounted one per task, and one that is gone gives up its turn', async () => {
  vi.useFakeTimers()
  try {
    const [first, second, third] = ['a', 'b', 'c'].map((name) => mount(part(name)))
    const texts = () => [first, second, third].map((each) => each.text()).join('')
    expect(texts()).toBe('')
    second.unmount()
    vi.advanceTimersToNextTimer()
    await nextTick()
    expect(first.text() + third.text()).toBe('a')
    vi.advanceTimersToNextTimer()
    await nextTick()
    expect(first.text() + third.text()).toBe('ac')
  } finally {
    vi.useRealTimers()
  }
})
