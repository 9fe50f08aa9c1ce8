import { describe, expect, onTestFinished, test } from 'vitest'
import { createLease, type LeaseDeps, renewLease } from '#core/store/lease.ts'
import { openStore } from '#core/store/store.ts'
import { fakeClock } from '../../fakes/fakeClock.ts'
import { fakeLog } from '../../fakes/fakeLog.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

function setUp() {
  const clock = fakeClock()
  const store = openStore({ dataDir: temporaryFolder(), clock, log: fakeLog() })
  onTestFinished(() => store.close())
  const lease = (holder: string, deps: Partial<LeaseDeps> = {}) =>
    createLease({
      database: store.database,
      clock,
      name: 'queue',
      holder,
      durationMs: 15_000,
      isAlive: () => true,
      ...deps,
    })
  return { clock, lease, store }
}

describe('a lease', () => {
  test('belongs to one at a time, and to the first again', () => {
    const { lease } = setUp()
    const [a, b] = [lease('a'), lease('b')]
    expect([a.take(), b.take(), a.take()]).toEqual([true, false, true])
    expect([a.isOurs(), b.isOurs()]).toEqual([true, false])
    expect(b.holder()).toMatchObject({ id: 'a', pid: process.pid })
    a.release()
    expect([b.take(), a.take()]).toEqual([true, false])
  })

  test('can be taken when it was not renewed in time, not a moment before', () => {
    const { clock, lease } = setUp()
    const [a, b] = [lease('a'), lease('b')]
    a.take()
    clock.advance(14_999)
    expect(b.take()).toBe(false)
    clock.advance(1)
    expect(a.isOurs()).toBe(false)
    expect(b.take()).toBe(true)
    expect(a.take()).toBe(false)
  })

  test('is free at once when its process is gone from this machine, but not from another', () => {
    const { lease } = setUp()
    const gone = { isAlive: () => false }
    lease('a', { machine: 'here' }).take()
    expect(lease('b', { machine: 'there', ...gone }).take()).toBe(false)
    expect(lease('c', { machine: 'here', ...gone }).take()).toBe(true)
  })

  test('from a clock that was set back since is nobody’s', () => {
    const { clock, lease } = setUp()
    lease('a').take()
    clock.advance(-3_600_000)
    expect(lease('b').take()).toBe(true)
  })

  test('only its holder can give it back', () => {
    const { lease } = setUp()
    lease('a').take()
    lease('b').release()
    expect(lease('b').take()).toBe(false)
  })

  test('for one thing says nothing of another', () => {
    const { lease } = setUp()
    expect([lease('a').take(), lease('b', { name: 'cleaning' }).take()]).toEqual([true, true])
  })
})

test('a holder that slept past its time stops when another took over', async () => {
  const { clock, lease } = setUp()
  const events: string[] = []
  const lost = Promise.withResolvers<void>()
  const keeper = renewLease({
    lease: lease('a'),
    log: fakeLog(),
    everyMs: 5,
    onTaken: () => events.push('taken'),
    onLost: () => {
      events.push('lost')
      lost.resolve()
    },
  })
  onTestFinished(() => keeper.stop())
  expect(keeper.isHeld()).toBe(true)
  clock.advance(60_000)
  lease('b').take()
  await lost.promise
  expect(events).toEqual(['taken', 'lost'])
  expect(keeper.isHeld()).toBe(false)
})
