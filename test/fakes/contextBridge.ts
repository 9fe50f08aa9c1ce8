import { types } from 'node:util'

/**
 * This fake copies values between the preload's world and the page's as Electron's context bridge does (its documented
 * table of types): plain objects and arrays are copied and frozen in depth, functions and promises are wrapped, errors
 * keep their message only, everything else goes through a structured clone, which refuses proxies, events, symbols and
 * detached memory.
 */
const DEEPEST = 1000

const isPlain = (value: object) =>
  !types.isProxy(value) &&
  !types.isDate(value) &&
  !types.isMap(value) &&
  !types.isSet(value) &&
  !types.isRegExp(value) &&
  !types.isAnyArrayBuffer(value) &&
  !ArrayBuffer.isView(value)

function refuseDetached(value: unknown): void {
  const buffer = ArrayBuffer.isView(value) ? value.buffer : value
  if (buffer instanceof ArrayBuffer && buffer.detached)
    throw new Error('An ArrayBuffer is detached and could not be cloned.')
}

export function crossBridge(value: unknown, depth = 0): unknown {
  if (depth > DEEPEST)
    throw new Error(
      'Electron contextBridge recursion depth exceeded. Nested objects deeper than 1000 are not supported.',
    )
  if (typeof value === 'symbol') throw new Error('A symbol could not be cloned.')
  if (typeof value === 'function') return wrapFunction(value as (...input: unknown[]) => unknown)
  if (typeof value !== 'object' || value === null) return value
  if (types.isProxy(value) || value instanceof Event) throw new Error('An object could not be cloned.')
  if (value instanceof Promise)
    return value.then(
      (settled) => crossBridge(settled, depth + 1),
      (thrown: unknown) => Promise.reject(crossBridge(thrown, depth + 1)),
    )
  if (value instanceof Error) return new Error(value.message)
  if (Array.isArray(value)) return Object.freeze(value.map((item: unknown) => crossBridge(item, depth + 1)))
  if (!isPlain(value)) {
    refuseDetached(value)
    return structuredClone(value)
  }
  // Methods and getters of a class stay behind: only own properties cross.
  return Object.freeze(
    Object.fromEntries(
      Object.keys(value).map((key) => [key, crossBridge((value as Record<string, unknown>)[key], depth + 1)]),
    ),
  )
}

const wrapFunction =
  (call: (...input: unknown[]) => unknown) =>
  (...input: unknown[]): unknown =>
    crossBridge(call(...input.map((each) => crossBridge(each))))
