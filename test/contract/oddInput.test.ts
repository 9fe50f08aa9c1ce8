import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AppError, errorCodes } from '#shared/contract/errors.ts'
import { callNames, type CallName } from '#shared/contract/names.ts'
import { fakeHost } from '../fakes/fakePorts.ts'
import { examples } from './examples.ts'
import { openWorld } from './world.ts'

/** Calls left out, because they would change files outside the test's folder or end what other tests need. */
const leftOut = new Set<CallName>(['cache.relocate', 'files.reveal'])

/** Calls that read a folder with all below it: these texts name the whole machine, whose files are not the test's. */
const readsFolders = new Set<CallName>(['raw.importMetrics'])
const wholeMachine: readonly unknown[] = ['/', '.', '..', 'C:\\x']

const oddTexts = [
  '',
  ' ',
  '.',
  '..',
  '../../x',
  '/',
  'C:\\x',
  'CON',
  'a\0b',
  '\ud800',
  '龙',
  '%',
  '%2e%2e',
  "'; --",
  '"',
  '*',
  '__proto__',
]
const oddNumbers = [0, -0, -1, 0.5, NaN, Infinity, -Infinity, 2 ** 31, 2 ** 53, 1e308, -1e15]
const odd = fc.oneof(
  fc.constantFrom<unknown>(...oddTexts, 'x'.repeat(500), '2026-02-30', '9999-12-31', '0000-01-01'),
  fc.constantFrom<unknown>(...oddNumbers),
  fc.constantFrom<unknown>(null, undefined, true, [], {}, [null], ['', '']),
  fc.string({ unit: 'binary', maxLength: 20 }),
)

/** Lists every place in a value, as the keys that lead to it. */
function placesOf(value: unknown, above: PropertyKey[] = []): PropertyKey[][] {
  if (typeof value !== 'object' || value === null) return [above]
  return [above, ...Object.entries(value).flatMap(([key, inner]) => placesOf(inner, [...above, key]))]
}

function changedAt(value: unknown, [key, ...rest]: PropertyKey[], replacement: unknown): unknown {
  if (key === undefined) return replacement
  const copy = Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) }
  return Object.assign(copy, { [key]: changedAt((value as Record<PropertyKey, unknown>)[key], rest, replacement) })
}

const runs = Number(process.env.ODD_INPUT_RUNS ?? 12)

test.each(callNames.filter((name) => !leftOut.has(name)))(
  '%s answers anything with a result or an error that has words',
  async (name) => {
    const world = await openWorld((app) => ({
      client: app.clientFor(fakeHost()),
      drop: null,
      sendRaw: null,
      close() {},
    }))
    const good: unknown = examples[name](world).input
    const places = placesOf(good)
    const call = world.client.call as (name: string, input: unknown) => Promise<unknown>
    const put = readsFolders.has(name) ? odd.filter((value) => !wholeMachine.includes(value)) : odd
    const inputs = fc.tuple(fc.constantFrom(...places), put).map(([place, value]) => changedAt(good, place, value))
    await fc.assert(
      fc.asyncProperty(inputs, async (input) => {
        const thrown = await call(name, input).then(
          () => null,
          (error: unknown) => error,
        )
        if (thrown === null) return
        expect(thrown).toBeInstanceOf(AppError)
        expect(errorCodes.filter((code) => code !== 'internal')).toContain((thrown as AppError).code)
      }),
      { numRuns: runs },
    )
  },
)
