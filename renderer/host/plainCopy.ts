import { AppError } from '#shared/contract/errors.ts'

/** Maximum depth to which Electron's context bridge copies a value. */
const MOST_NESTED = 1000

const isBytes = (value: object): value is ArrayBufferView | ArrayBuffer =>
  ArrayBuffer.isView(value) || value instanceof ArrayBuffer

/**
 * Copies a value for a process boundary, because Vue proxies cannot cross one. Typed arrays are not copied, because the
 * boundary copies their memory itself.
 * @throws `bad-input` for what cannot cross: functions, symbols, class instances and values nested too deeply
 */
export function plainCopy(value: unknown, depth = 0): unknown {
  if (depth > MOST_NESTED) throw new AppError('bad-input', 'The value is nested too deeply.')
  if (typeof value === 'function' || typeof value === 'symbol')
    throw new AppError('bad-input', `A ${typeof value} cannot be sent to the core.`)
  if (typeof value !== 'object' || value === null || isBytes(value)) return value
  if (Array.isArray(value)) return Array.from(value, (item: unknown) => plainCopy(item, depth + 1))
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null)
    throw new AppError('bad-input', `A ${value.constructor.name} cannot be sent to the core.`)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plainCopy(item, depth + 1)]))
}
