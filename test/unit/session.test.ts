import { expect, test } from 'vitest'
import { AppError } from '#shared/contract/errors.ts'
import type { FromWindow, ToWindow } from '#shared/contract/protocol.ts'
import type { Dispatch } from '#core/dispatch.ts'
import { createEventBus } from '#core/eventBus.ts'
import { openSession } from '#core/session.ts'
import { type Caller, currentCaller } from '#core/threads/caller.ts'
import { fakeLog } from '../fakes/fakeLog.ts'
import { fakeHost } from '../fakes/fakePorts.ts'
import { loopbackChannel } from '../fakes/loopbackChannel.ts'

function setUp(dispatch: Dispatch) {
  const log = fakeLog()
  const { left, right, close } = loopbackChannel<FromWindow, ToWindow>()
  openSession({ dispatch, bus: createEventBus(() => {}), log }, right, fakeHost())
  const arrived: ToWindow[] = []
  const wakers: (() => void)[] = []
  left.onMessage((message) => {
    arrived.push(message)
    wakers.splice(0).forEach((wake) => wake())
  })
  const next = async () => {
    while (arrived.length === 0) await new Promise<void>((wake) => wakers.push(wake))
    return arrived.shift()
  }
  const call = (id: number) => left.send({ kind: 'call', id, name: 'app.info', input: {} })
  return { left, close, next, call, log }
}

const endless: Dispatch = () => new Promise(() => {})

test('a window out of control is stopped, its running calls go on', async () => {
  const { call, next } = setUp(endless)
  for (let id = 0; id < 501; id++) call(id)
  expect(await next()).toMatchObject({ kind: 'error', id: 500, error: { code: 'too-large' } })
})

test('an id that is in use is not used twice', async () => {
  const { call, next } = setUp(endless)
  call(7)
  call(7)
  expect(await next()).toMatchObject({ kind: 'error', id: 7, error: { code: 'bad-input' } })
})

test('the work of a window has one caller, another than that of the next window', async () => {
  const callers: Caller[] = []
  const tellCaller = (async () => void callers.push(currentCaller())) as unknown as Dispatch
  const [one, other] = [setUp(tellCaller), setUp(tellCaller)]
  for (const [window, id] of [
    [one, 1],
    [one, 2],
    [other, 1],
  ] as const) {
    window.call(id)
    await window.next()
  }
  expect(callers[1]).toBe(callers[0])
  expect(callers[2]).not.toBe(callers[0])
})

test('a window that closes ends what it had asked for', async () => {
  const ended = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const { call, close } = setUp(async (_name, _input, { signal }) => {
    signal.addEventListener('abort', () => ended.resolve())
    begun.resolve()
    return new Promise(() => {})
  })
  call(1)
  await begun.promise
  close()
  await ended.promise
})

test('a failure inside is told without its text, which goes to the log', async () => {
  const { call, next, log } = setUp(() =>
    Promise.reject(new AppError('internal', null, { cause: new Error('at /home/ada/secret.ts') })),
  )
  call(1)
  const message = await next()
  expect(message).toMatchObject({ kind: 'error', error: { code: 'internal', detail: null } })
  expect(JSON.stringify(message)).not.toContain('ada')
  expect(log.lines).toEqual([expect.stringContaining('at /home/ada/secret.ts')])
})
