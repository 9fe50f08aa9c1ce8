import { describe, expect, test } from 'vitest'
import type { MetricsService } from '#core/clients/metricsService.ts'
import { createLinks } from '#core/downloads/links.ts'
import { addDays } from '#shared/time.ts'
import { flowSeries } from '../../fakes/cachedFiles.ts'
import { fakeClock } from '../../fakes/fakeClock.ts'

const series = flowSeries()
const dayAt = (index: number) => addDays('2026-08-01', index)
const signal = new AbortController().signal

/** A service that has every day, and a queue that waits for so many of them. */
function world(queued = 50, listsAtOnce = 32) {
  const clock = fakeClock()
  const asked: string[] = []
  let trouble: Error | null = null
  let host = 'service.example'
  const files: MetricsService['files'] = async ({ startDay, endDay }) => {
    asked.push(`${startDay}..${endDay}`)
    await Promise.resolve()
    if (trouble) throw trouble
    const listed = []
    for (let day = startDay; day <= endDay; day = addDays(day, 1))
      listed.push({ period: day, url: `link ${day} ${asked.length}` })
    return listed
  }
  const days = Array.from({ length: queued }, (_, index) => dayAt(index))
  const links = createLinks({
    clock,
    openService: async () => ({ files }) as MetricsService,
    hostOf: () => host,
    nextPeriods: (_, from) => days.filter((day) => day >= from).slice(0, listsAtOnce),
  })
  return {
    clock,
    asked,
    links,
    fail: (error: Error | null) => (trouble = error),
    move: () => (host = 'other.example'),
    offer: (index: number, anew = false) => links.offer(series, dayAt(index), anew, signal),
  }
}

describe('links to files', () => {
  test('are listed once for all that wait at the same time', async () => {
    const { offer, asked } = world()
    const offers = await Promise.all([offer(0), offer(1), offer(31)])
    expect(offers.map((each) => each.kind)).toEqual(['link', 'link', 'link'])
    expect(asked).toEqual(['2026-08-01..2026-09-01'])
  })

  test('of a service that the connection had before are not used any more', async () => {
    const { offer, asked, move } = world()
    await offer(0)
    move()
    await offer(1)
    expect(asked).toHaveLength(2)
  })

  test('of jobs that come next are asked for before those start, once, and the earlier ones stay good', async () => {
    const { links, offer, asked } = world()
    await offer(0)
    const coming = Array.from({ length: 16 }, (_, index) => ({ series, period: dayAt(20 + index) }))
    links.expect(coming)
    links.expect(coming)
    expect(asked).toHaveLength(1)
    await Promise.all([offer(33), offer(25), offer(49)])
    expect(asked).toEqual(['2026-08-01..2026-09-01', '2026-09-02..2026-09-19'])
  })

  test('whose listing ahead failed are asked for again by who needs them, who hears why', async () => {
    const { links, offer, asked, fail } = world()
    fail(new Error('no such key'))
    links.expect([{ series, period: dayAt(0) }])
    await expect(offer(0)).rejects.toThrow('no such key')
    fail(null)
    expect(await offer(0)).toMatchObject({ kind: 'link' })
    expect(asked).toHaveLength(3)
  })

  test('that were refused are listed anew, for their period alone', async () => {
    const { offer, asked } = world()
    await offer(3)
    expect(await offer(3, true)).toEqual({ kind: 'link', url: 'link 2026-08-04 2' })
    expect(asked[1]).toBe('2026-08-04..2026-08-04')
  })

  test('are too old after four minutes', async () => {
    const { offer, asked, clock } = world()
    await offer(0)
    clock.advance(239_000)
    await offer(1)
    expect(asked).toHaveLength(1)
    clock.advance(2000)
    await offer(1)
    expect(asked).toHaveLength(2)
  })

  test('cancelled by who asked for the listing still come for the others that wait', async () => {
    const { links, fail, asked } = world()
    fail(new DOMException('cancelled', 'AbortError'))
    const first = links.offer(series, dayAt(0), false, signal)
    const second = links.offer(series, dayAt(1), false, signal)
    await expect(first).rejects.toThrow('cancelled')
    fail(null)
    await second.catch(() => {})
    expect(asked.length).toBeGreaterThan(1)
  })
})
