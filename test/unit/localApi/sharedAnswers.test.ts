import { expect, it, vi } from 'vitest'
import { createSharedAnswers, type EncodedAnswer } from '../../../electron/localApi/sharedAnswers.ts'

const close = () => Promise.resolve()
const answerOf = (...pieces: string[]): EncodedAnswer => ({ type: 'text/plain', pieces, close })
const made = (text: string) => vi.fn(() => Promise.resolve(answerOf(text, '!')))

async function textOf(answer: EncodedAnswer | null): Promise<string | null> {
  if (answer === null) return null
  const pieces: Uint8Array[] = []
  for await (const piece of answer.pieces) pieces.push(Buffer.from(piece))
  return Buffer.concat(pieces).toString()
}

it('makes one answer for equal requests that wait, also for those whose turn comes later', async () => {
  const shared = createSharedAnswers(() => 1)
  const requests = [1, 2, 3].map(() => shared.join('a'))
  const other = shared.join('b')
  const make = made('rows')
  const [first, second] = await Promise.all(requests.slice(0, 2).map((each) => each.whole(make)))
  requests.slice(0, 2).forEach((each) => each.leave())
  const third = await requests[2].whole(make)
  expect(await Promise.all([first, second, third].map(textOf))).toEqual(['rows!', 'rows!', 'rows!'])
  expect(make).toHaveBeenCalledTimes(1)
  expect(await other.whole(make)).toBeNull()
})

it('forgets the answer with the last request', async () => {
  const shared = createSharedAnswers(() => 1)
  const requests = [shared.join('a'), shared.join('a')]
  await requests[0].whole(made('old'))
  requests.forEach((each) => each.leave())
  expect(await shared.join('a').whole(made('new'))).toBeNull()
})

it('makes the answer anew after the data have changed', async () => {
  let version = 1
  const shared = createSharedAnswers(() => version)
  const requests = [shared.join('a'), shared.join('a')]
  expect(await textOf(await requests[0].whole(made('before')))).toBe('before!')
  version = 2
  expect(await textOf(await requests[1].whole(made('after')))).toBe('after!')
})

it('fails only the requests that waited for the answer that failed', async () => {
  const shared = createSharedAnswers(() => 1)
  const requests = [shared.join('a'), shared.join('a')]
  await expect(requests[0].whole(() => Promise.reject(new Error('no disk')))).rejects.toThrow('no disk')
  expect(await textOf(await requests[1].whole(made('rows')))).toBe('rows!')
})

it('keeps no answer that is too large, and frees what it is made from', async () => {
  const shared = createSharedAnswers(() => 1, 5)
  const requests = [shared.join('a'), shared.join('a')]
  const closed = vi.fn(close)
  const make = () => Promise.resolve({ ...answerOf('123', '456'), close: closed })
  expect(await requests[0].whole(make)).toBeNull()
  expect(closed).toHaveBeenCalledTimes(1)
  expect(await requests[1].whole(make)).toBeNull()
  expect(closed).toHaveBeenCalledTimes(1)
})

it('gives the work up only when all requests are gone', () => {
  const shared = createSharedAnswers(() => 1)
  const requests = [shared.join('a'), shared.join('a')]
  let wanted: AbortSignal | null = null
  void requests[0].whole((signal) => {
    wanted = signal
    return new Promise(() => {})
  })
  requests[0].leave()
  expect(wanted!.aborted).toBe(false)
  requests[1].leave()
  expect(wanted!.aborted).toBe(true)
})
