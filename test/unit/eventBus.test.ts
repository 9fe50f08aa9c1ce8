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

test('many requests in a moment are one piece of news, and none is lost', () => {
  vi.useFakeTimers()
  try {
    const told: number[] = []
    const news = coalesceEvents((count) => told.push(count), 200)
    for (let request = 0; request < 1000; request++) news.record()
    expect(told).toEqual([])
    vi.advanceTimersByTime(200)
    news.record()
    vi.advanceTimersByTime(200)
    expect(told).toEqual([1000, 1])
    news.record()
    news.stop()
    vi.advanceTimersByTime(1000)
    expect(told).toEqual([1000, 1])
  } finally {
    vi.useRealTimers()
  }
})
