import { mount } from '@vue/test-utils'
import { expect, it, vi } from 'vitest'
import { defineComponent, h, nextTick } from 'vue'
import { useTurn } from '../../renderer/components/useTurn.ts'
import { takeTurn } from '#shared/tables/turns.ts'

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

it('a part that cannot be built does not take the turn of the others', () => {
  vi.useFakeTimers()
  try {
    const built: string[] = []
    takeTurn(() => {
      throw new Error('cannot be built')
    })
    takeTurn(() => built.push('next'))
    expect(() => vi.advanceTimersToNextTimer()).toThrow('cannot be built')
    vi.advanceTimersToNextTimer()
    expect(built).toEqual(['next'])
  } finally {
    vi.useRealTimers()
  }
})
