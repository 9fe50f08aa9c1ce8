import { expect, test } from 'vitest'
import { createRateLimit, createRateMeter } from '#core/downloads/transfer.ts'

function openMeter() {
  const time = { ms: 10_000 }
  return { time, meter: createRateMeter(() => time.ms) }
}

test('a few small files have a rate from the start', () => {
  const { time, meter } = openMeter()
  expect(meter.perSecond()).toBe(0)
  meter.add(5000)
  expect(meter.perSecond()).toBe(10_000)
  time.ms += 1000
  meter.add(5000)
  expect(meter.perSecond()).toBe(10_000)
})

test('the rate covers the last seconds, and drops to 0 when no bytes arrive', () => {
  const { time, meter } = openMeter()
  for (let i = 0; i < 100; i++) {
    meter.add(i < 50 ? 1 : 1000)
    time.ms += 100
  }
  expect(meter.perSecond()).toBeGreaterThan(9000)
  time.ms += 5001
  expect(meter.perSecond()).toBe(0)
  meter.add(500)
  expect(meter.perSecond()).toBe(1000)
})

test('the smallest amounts count, and an amount of zero does not start the clock', () => {
  const { time, meter } = openMeter()
  meter.add(0)
  time.ms += 4000
  meter.add(1)
  expect(meter.perSecond()).toBe(2)
})

test('bytes count for five seconds', () => {
  const { time, meter } = openMeter()
  meter.add(5000)
  time.ms += 4999
  expect(meter.perSecond()).toBe(1000)
  time.ms += 1
  expect(meter.perSecond()).toBe(0)
})

test('without a limit nothing waits; with one, all transfers together wait as long as their bytes take', async () => {
  let limit: number | null = null
  const { signal } = new AbortController()
  const throttle = createRateLimit(
    () => limit,
    () => 1000,
  )
  expect(throttle(1e12, signal)).toBeNull()
  limit = 1
  // At a megabyte per second, 4000 bytes take four milliseconds, which is too short for a timer.
  expect(throttle(4000, signal)).toBeNull()
  const waiting = throttle(2000, signal)
  expect(waiting).toBeInstanceOf(Promise)
  await waiting
})

test('a transfer that is cancelled while it waits ends at once', async () => {
  const controller = new AbortController()
  const throttle = createRateLimit(
    () => 1,
    () => 1000,
  )
  const waiting = throttle(1e9, controller.signal)
  controller.abort()
  await expect(waiting).rejects.toThrow('aborted')
})
