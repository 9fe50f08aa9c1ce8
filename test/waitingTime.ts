import { vi } from 'vitest'

/**
 * Time within which a condition has to become true in `vi.waitFor` and `vi.waitUntil`; their default of a second is too
 * short on a busy machine. vitest.config.ts sets the same time for `expect.poll`.
 */
const WAITING_TIME_MS = 30_000

const { waitFor, waitUntil } = vi

type Options = Parameters<typeof waitFor>[1]

const withPatience = (options: Options): Options =>
  typeof options === 'number' ? options : { timeout: WAITING_TIME_MS, ...options }

vi.waitFor = (callback, options) => waitFor(callback, withPatience(options))
vi.waitUntil = (callback, options) => waitUntil(callback, withPatience(options))
