import { disableAutoUnmount, enableAutoUnmount } from '@vue/test-utils'
import { afterAll, afterEach, beforeAll, vi } from 'vitest'

/**
 * Test files share a worker. What one leaves mounted, loading or waiting would run during the tests of the next, and any
 * action of its stores would make its stores the active ones. So a file ends with nothing left.
 */
const started: { clear: (timer: never) => void; timer: unknown }[] = []
const { setTimeout, setInterval, clearTimeout, clearInterval } = globalThis

const recorded = <Start extends typeof setTimeout | typeof setInterval>(
  start: Start,
  clear: typeof clearTimeout | typeof clearInterval,
) =>
  ((...given: Parameters<typeof setTimeout>) => {
    const timer = start(...given)
    started.push({ clear, timer })
    return timer
  }) as Start

disableAutoUnmount()
enableAutoUnmount(afterEach)

beforeAll(() => {
  globalThis.setTimeout = recorded(setTimeout, clearTimeout)
  globalThis.setInterval = recorded(setInterval, clearInterval)
})

afterAll(async () => {
  await vi.dynamicImportSettled()
  for (const { clear, timer } of started.splice(0)) clear(timer as never)
  Object.assign(globalThis, { setTimeout, setInterval })
})
