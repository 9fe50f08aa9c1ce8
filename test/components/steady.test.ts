import { effectScope, ref } from 'vue'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { useSteady } from '../../renderer/views/workbench/useSteady.ts'

describe('what is shown while something else is on its way', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  function setUp() {
    const wanted = ref('old')
    const isPending = ref(false)
    const owner = ref('first')
    const scope = effectScope()
    const shown = scope.run(() =>
      useSteady(
        () => wanted.value,
        () => isPending.value,
        () => owner.value,
      ),
    )!
    expect(shown.value).toBe('old')
    return { wanted, isPending, owner, shown }
  }

  it('is what was shown before, until the new is there', () => {
    const { wanted, isPending, shown } = setUp()
    isPending.value = true
    wanted.value = 'empty'
    expect(shown.value).toBe('old')
    wanted.value = 'new'
    isPending.value = false
    expect(shown.value).toBe('new')
  })

  it('is the new as it stands when that takes longer than a moment', () => {
    const { wanted, isPending, shown } = setUp()
    isPending.value = true
    wanted.value = 'empty'
    vi.advanceTimersByTime(200)
    expect(shown.value).toBe('empty')
  })

  it('is never what belongs to another workspace', () => {
    const { wanted, isPending, owner, shown } = setUp()
    isPending.value = true
    expect(shown.value).toBe('old')
    owner.value = 'second'
    wanted.value = 'empty'
    expect(shown.value).toBe('empty')
  })
})
