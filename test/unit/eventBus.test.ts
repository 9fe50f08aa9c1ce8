import { expect, test, vi } from 'vitest'
import { createEventBus } from '#core/eventBus.ts'
import { coalesceEvents } from '#core/requests/requestLog.ts'

test('a window that cannot take an event keeps it from nobody else', () => {
  const failed: string[] = []
  const bus = createEventBus((name) => failed.push(name))
  const heard: string[] = []
  bus.subscribe(() => {
    throw new Error('the line is gone')
  })
  bus.subscribe((name) => heard.push(name))
  bus.emit('requests.recorded', { count: 1 })
  expect(heard).toEqual(['requests.recorded'])
  expect(failed).toEqual(['requests.recorded'])
})

test('many requests in a moment are reported by one event, and none is lost', () => {
  vi.useFakeTimers()
  try {
    const reportedCounts: number[] = []
    const recorder = coalesceEvents((count) => reportedCounts.push(count), 200)
    for (let request = 0; request < 1000; request++) recorder.record()
    expect(reportedCounts).toEqual([])
    vi.advanceTimersByTime(200)
    recorder.record()
    vi.advanceTimersByTime(200)
    expect(reportedCounts).toEqual([1000, 1])
    recorder.record()
    recorder.stop()
    vi.advanceTimersByTime(1000)
    expect(reportedCounts).toEqual([1000, 1])
  } finally {
    vi.useRealTimers()
  }
})
