import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { keepLoadingStyles, loadCode, setHostConnected } from '../../renderer/components/lazyPart.ts'

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

it('requests styles again while the host is away, and gives up where a connected host lacks them', async () => {
  keepLoadingStyles()
  let isConnected = false
  setHostConnected(() => isConnected)
  const part = () => document.querySelector<HTMLLinkElement>('link[href$="part.css"]')!
  // With the attribute, the fake of the browser would load them itself.
  vi.spyOn(HTMLLinkElement.prototype, 'rel', 'get').mockReturnValue('stylesheet')
  onTestFinished(() => void vi.restoreAllMocks())
  document.head.innerHTML = '<link href="http://localhost/part.css">'
  /** Counts how often styles that always fail are requested again. */
  async function requestsAfterFailures(failures: number): Promise<number> {
    let requests = 0
    for (let failure = 0; failure < failures; failure += 1) {
      const failed = part()
      failed.dispatchEvent(new Event('error'))
      await vi.advanceTimersByTimeAsync(1000)
      requests += Number(part() !== failed)
    }
    return requests
  }
  expect(await requestsAfterFailures(20)).toBe(20)
  isConnected = true
  expect(await requestsAfterFailures(20)).toBeLessThan(10)
})
