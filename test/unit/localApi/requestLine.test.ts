import { expect, test } from 'vitest'
import { createRequestRate } from '../../../electron/localApi/access.ts'
import { createRequestLine } from '../../../electron/localApi/requestLine.ts'

const { signal } = new AbortController()

/** Opens a line whose requests end when the test says so. */
function openLine({ mostRunning = 2, mostWaiting = 3, perSecond = 1000 } = {}) {
  const line = createRequestLine({ mostRunning, mostWaiting, rate: createRequestRate(perSecond, () => 0) })
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  return {
    begun,
    end: (name: string) => ends.get(name)!(),
    take: (name: string, over = signal) =>
      line.take(() => {
        begun.push(name)
        return new Promise((resolve) => ends.set(name, resolve))
      }, over),
  }
}

test('requests are answered in order, so many at a time, and one too many is refused', async () => {
  const { begun, end, take } = openLine()
  const [first] = ['a', 'b', 'c', 'd', 'e'].map((name) => take(name))
  expect(take('f')).toBeNull()
  await expect.poll(() => begun).toEqual(['a', 'b'])
  end('a')
  await first
  await expect.poll(() => begun).toEqual(['a', 'b', 'c'])
  expect(take('g')).not.toBeNull()
  for (const name of ['b', 'c', 'd', 'e']) {
    await expect.poll(() => begun).toContain(name)
    end(name)
  }
  await expect.poll(() => begun).toEqual(['a', 'b', 'c', 'd', 'e', 'g'])
})

test('a request whose client has gone leaves the line, and one that fails makes room', async () => {
  const { begun, end, take } = openLine({ mostRunning: 1, mostWaiting: 2 })
  void take('a')
  const gone = new AbortController()
  const left = take('b', gone.signal)
  const last = take('c')
  gone.abort(new Error('gone'))
  await expect(left).rejects.toThrow('gone')
  expect(take('d')).not.toBeNull()
  await expect.poll(() => begun).toEqual(['a'])
  end('a')
  await expect.poll(() => begun).toEqual(['a', 'c'])
  end('c')
  await last
  await expect.poll(() => begun).toEqual(['a', 'c', 'd'])
})

test('no more requests begin in a second than the rate allows', async () => {
  const { begun, take } = openLine({ mostRunning: 10, mostWaiting: 10, perSecond: 4 })
  for (let at = 0; at < 10; at++) void take(`${at}`)
  await expect.poll(() => begun).toHaveLength(4)
})
