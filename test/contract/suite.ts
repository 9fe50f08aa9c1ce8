import { describe, expect, test } from 'vitest'
import type { CallOutput } from '#shared/contract/calls.ts'
import { AppError, errorCodes } from '#shared/contract/errors.ts'
import type { Settings } from '#shared/contract/areas/settings.ts'
import { callNames, eventNames, type CallName } from '#shared/contract/names.ts'
import type { Progress } from '#shared/contract/protocol.ts'
import { sharedByTests } from '../fakes/sharedByTests.ts'
import { badValues } from './badValues.ts'
import { emptyFields, examples } from './examples.ts'
import { openWorld, type OpenTransport, type World } from './world.ts'

type AnyCall = (name: string, input: unknown) => Promise<unknown>

/**
 * Tests the parts of the contract that every transport must keep; each host of the app runs them over its own
 * transport.
 */
export function describeContract(name: string, open: OpenTransport): void {
  const world = () => openWorld(open)

  describe(`the contract over ${name}`, () => {
    describe('every call', () => {
      test.each(callNames)('%s answers a good input', async (call) => answersWell(await world(), call))
    })

    describe('every refusal', () => describeRefusals(open))

    test('an error arrives whole: closed code, sentence, remedy, detail', async () => {
      const { client } = await world()
      const thrown = await client.call('connections.use', { id: 'nobody' }).catch((error: unknown) => error)
      expect(thrown).toBeInstanceOf(AppError)
      expect((thrown as AppError).toShape()).toEqual(
        new AppError('not-found', 'There is no connection nobody.').toShape(),
      )
    })

    test('many calls at once each get their own answer', async () => {
      const { client } = await world()
      const zooms = Array.from({ length: 60 }, (_, index) => 0.5 + index / 100)
      const answers = await Promise.all(zooms.map((zoom) => client.call('settings.change', { zoom })))
      expect(answers.map(({ zoom }) => zoom)).toEqual(zooms)
    })

    describeFlow(world)
    describeEvents(world)
    describeLine(world)
    describeSecrets(world)
  })
}

const anyCall = ({ client }: World): AnyCall => client.call as AnyCall

/** Refused calls change nothing, so these tests share a world. */
function describeRefusals(open: OpenTransport): void {
  const world = sharedByTests((ending) => openWorld(open, ending))

  test.each(callNames)('%s refuses what its schema does not know', (call) => refusesStrangers(world(), call))

  test.each(badValues)('%s refuses a bad value (%#)', async (call, input) => {
    await expect(anyCall(world())(call, input)).rejects.toMatchObject({ code: 'bad-input' })
  })

  test.each(['nope', 'app.nope', 'app', '', '__proto__', 'constructor', 'toString', 'app.info '])(
    'a call “%s” does not exist',
    async (unknown) => {
      await expect(anyCall(world())(unknown, {})).rejects.toMatchObject({ code: 'unknown-call' })
    },
  )
}

async function answersWell<Name extends CallName>(world: World, name: Name): Promise<void> {
  const { input, check, mayFail = [] } = examples[name](world)
  const outcome = await anyCall(world)(name, input).then(
    (output) => ({ output: output as CallOutput<Name> }),
    (error: AppError) => ({ error }),
  )
  if ('output' in outcome) check(outcome.output)
  else expect(mayFail, outcome.error.message).toContain(outcome.error.code)
}

async function refusesStrangers(world: World, name: CallName): Promise<void> {
  const good = examples[name](world).input
  for (const bad of [{ ...good, stranger: 1 }, null, 'text', 42, true, [], [good]]) {
    await expect(anyCall(world)(name, bad), JSON.stringify(bad)).rejects.toMatchObject({ code: 'bad-input' })
  }
}

function describeFlow(world: () => Promise<World>): void {
  test('progress of a running call arrives in order, before its result', async () => {
    const { client } = await world()
    const seen: Progress[] = []
    const results = await client.call('app.check', {}, { onProgress: (progress) => seen.push(progress) })
    expect(seen.map(({ message }) => message)).toEqual(results.map(({ name }) => name))
    expect(seen.map(({ done }) => done)).toEqual(seen.map((_, index) => index))
    for (const { total } of seen) expect(total).toBe(results.length)
  })

  test('a running call can be cancelled, and the core stops working on it', async () => {
    const { client, ports } = await world()
    let probes = 0
    ports.vault.onProbe = () => {
      probes++
      return new Promise(() => {})
    }
    const controller = new AbortController()
    const running = client.call(
      'app.check',
      {},
      { signal: controller.signal, onProgress: ({ message }) => message === 'Keychain' && controller.abort() },
    )
    await expect(running).rejects.toMatchObject({ code: 'cancelled' })
    expect(probes).toBeLessThanOrEqual(1)
    await expect(client.call('settings.read', {})).resolves.toBeDefined()
  })

  test('what was cancelled before it began is never begun', async () => {
    const { client, inside } = await world()
    const signal = AbortSignal.abort()
    await expect(client.call('connections.add', { ...emptyFields }, { signal })).rejects.toMatchObject({
      code: 'cancelled',
    })
    expect(await inside.call('connections.list', {})).toHaveLength(2)
  })

  test('a document keeps its keys, whatever they are called', async () => {
    const { client } = await world()
    const oddKeys = ['$array', '$$array', '__proto__', 'constructor', 'toJSON', 'hasOwnProperty', '0']
    const study = Object.fromEntries(
      oddKeys.map((key) => [key, { [key]: ['f64', 0, 1], list: [Object.fromEntries([[key, 'f64']])] }]),
    )
    const { id } = await client.call('documents.create', {
      kind: 'study',
      name: 'Odd',
      document: { version: 1, study, panel: null },
    })
    const kept = await client.call('documents.read', { kind: 'study', id })
    expect(Object.keys(kept.document.study).sort()).toEqual([...oddKeys].sort())
    expect(kept.document.study).toEqual(study)
  })

  test('a frame arrives byte for byte', async () => {
    const { client, inside } = await world()
    const { id } = await inside.call('connections.add', {
      ...emptyFields,
      // No request can reach these ports, so both services fail immediately, and appear in the log with missing cells.
      metricsUrl: 'http://127.0.0.1:1/龙',
      catalogLocation: 'http://127.0.0.1:2/catalog.json',
    })
    await inside.call('connections.test', { id })
    const expected = await inside.call('requests.list', { limit: 100 })
    const arrived = await client.call('requests.list', { limit: 100 })
    expect(arrived.rows).toBe(2)
    for (const [index, column] of expected.columns.entries()) {
      const { values, valid } = arrived.columns[index]
      expect(values.constructor).toBe(column.values.constructor)
      expect(bytesOf(values)).toEqual(bytesOf(column.values))
      expect(valid && bytesOf(valid)).toEqual(column.valid && bytesOf(column.valid))
    }
    expect(arrived).toEqual(expected)
  })
}

const bytesOf = (array: ArrayBufferView) => [...new Uint8Array(array.buffer, array.byteOffset, array.byteLength)]

function describeEvents(world: () => Promise<World>): void {
  test('an event reaches the window, whoever caused it, until it stops listening', async () => {
    const { client, inside } = await world()
    const seen: Settings['theme'][] = []
    const arrived = Promise.withResolvers<void>()
    const stop = client.on('settings.changed', ({ theme }) => {
      seen.push(theme)
      arrived.resolve()
    })
    await inside.call('settings.change', { theme: 'dark' })
    await arrived.promise
    stop()
    await client.call('settings.change', { theme: 'light' })
    expect(seen).toEqual(['dark'])
  })

  test('the list of connections is told when it changes', async () => {
    const { client, inside } = await world()
    const told = new Promise<string[]>((resolve) =>
      client.on('connections.changed', (list) => resolve(list.map(({ name }) => name))),
    )
    await inside.call('connections.add', { ...emptyFields, name: 'Another' })
    expect(await told).toEqual(['Sandbox', 'Another', 'Desk'])
  })
}

function describeLine(world: () => Promise<World>): void {
  test('when the line ends, what was running is rejected and so is what comes after', async () => {
    const { client, drop, ports } = await world()
    if (!drop) return
    const begun = Promise.withResolvers<void>()
    ports.vault.onProbe = () => {
      begun.resolve()
      return new Promise(() => {})
    }
    const running = client.call('vault.status', { probeAgain: true })
    const rejected = expect(running).rejects.toMatchObject({ code: 'disconnected' })
    await begun.promise
    await drop()
    await rejected
    await expect(client.call('app.info', {})).rejects.toMatchObject({ code: 'disconnected' })
  })

  test('what does not belong to the protocol is ignored, and the line stays', async () => {
    const { client, sendRaw } = await world()
    if (!sendRaw) return
    const junk = [null, 42, 'text', [], {}, { kind: 'call' }, { kind: 'call', id: -1, name: 'app.info', input: {} }]
    const more = [
      { kind: 'event', name: 'settings.changed', payload: {} },
      { kind: 'cancel', id: 999 },
    ]
    for (const message of [...junk, ...more, { kind: 'call', id: 'x'.repeat(1000), name: 1, input: {} }]) {
      sendRaw(message)
    }
    await expect(client.call('app.info', {})).resolves.toMatchObject({ version: '9.8.7' })
  })
}

function describeSecrets(world: () => Promise<World>): void {
  test('a key never comes back: not in an answer, an error, an event or the log', async () => {
    const opened = await world()
    const canary = 'CANARY-key-0123456789-abcd'
    const crossed: string[] = []
    for (const event of eventNames) opened.client.on(event, (payload) => crossed.push(JSON.stringify(payload)))
    const { connectionId } = opened
    await opened.client.call('keys.set', { connectionId, service: 'metrics', key: canary })
    await opened.client.call('keys.set', { connectionId, service: 'portfolio', key: canary })
    for (const name of callNames) {
      if (name === 'connections.remove') continue
      const { input } = examples[name](opened)
      const output = await anyCall(opened)(name, name === 'keys.set' ? { ...input, key: canary } : input).catch(
        (error: AppError) => {
          expect(errorCodes).toContain(error.code)
          return error.toShape()
        },
      )
      crossed.push(JSON.stringify(output))
    }
    crossed.push(...opened.ports.log.lines)
    expect(crossed.filter((text) => text.includes('CANARY-key'))).toEqual([])
    expect(crossed.some((text) => text.includes('"ending":"abcd"'))).toBe(true)
  })
}
