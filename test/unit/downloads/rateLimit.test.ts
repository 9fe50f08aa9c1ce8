import { expect, test } from 'vitest'
import { createRateMeter } from '#core/downloads/transfer.ts'

function metered() {
  const time = { ms: 10_000 }
  return { time, meter: createRateMeter(() => time.ms) }
}

test('a few small files have a rate from the start', () => {
  const { time, meter } = metered()
  expect(meter.perSecond()).toBe(0)
  meter.add(5000)
  expect(meter.perSecond()).toBe(10_000)
  time.ms += 1000
  meter.add(5000)
  expect(meter.perSecond()).toBe(10_000)
})

test('the rate covers the last seconds, and drops to 0 when no bytes arrive', () => {
  const { time, meter } = metered()
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
