import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { loadCode, setHostConnected } from '../../renderer/components/lazyPart.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => {
  setHostConnected(() => true)
  vi.useRealTimers()
})

const failing = () => Promise.reject(new TypeError('Failed to fetch dynamically imported module'))

it('waits with code that the host cannot give, and loads it after the return', async () => {
  let isConnected = true
  setHostConnected(() => isConnected)
  const load = vi.fn<() => Promise<string>>(failing)
  const loaded = loadCode(load)
  await vi.advanceTimersByTimeAsync(10)
  // The loss is noticed after the failure.
  isConnected = false
  await vi.advanceTimersByTimeAsync(60_000)
  expect(load.mock.calls.length).toBeGreaterThan(5)
  isConnected = true
  load.mockResolvedValue('code')
  await vi.advanceTimersByTimeAsync(8000)
  expect(await loaded).toBe('code')
})

it('says that the program was replaced where a connected host lacks the code', async () => {
  const thrown = loadCode(failing).catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(1000)
  expect(await thrown).toMatchObject({ code: 'updated' })
})
