import { vi } from 'vitest'

/**
 * Time within which a condition has to become true, for `expect.poll` as well; vitest's own second is too short on a
 * busy machine.
 */
const WAITING_TIME_MS = 30_000

const { waitFor, waitUntil } = vi

type Options = Parameters<typeof waitFor>[1]

const withPatience = (options: Options): Options =>
  typeof options === 'number' ? options : { timeout: WAITING_TIME_MS, ...options }

vi.waitFor = (callback, options) => waitFor(callback, withPatience(options))
vi.waitUntil = (callback, options) => waitUntil(callback, withPatience(options))
