import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { keepFocus } from '../../renderer/shell/keyboard.ts'

beforeEach(() => {
  vi.useFakeTimers()
  // Elements have no size in this document, so every element counts as visible.
  HTMLElement.prototype.checkVisibility = () => true
})
afterEach(() => {
  vi.useRealTimers()
  document.body.replaceChildren()
})

const waitForMutation = () => vi.advanceTimersByTimeAsync(0)

/**
 * Opens a page on which the user has pressed “Verify” with a key, so that this button is disabled while the work runs.
 */
async function workingPage() {
  document.body.innerHTML = '<main><p><button id="verify">Verify</button><button id="other">Other</button></p></main>'
  onTestFinished(keepFocus())
  const verify = document.querySelector<HTMLButtonElement>('#verify')!
  verify.focus()
  dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter' }))
  verify.disabled = true
  verify.blur()
  await waitForMutation()
  return { verify, other: document.querySelector<HTMLButtonElement>('#other')! }
}

it('goes back to a button that was disabled for a moment', async () => {
  const { verify } = await workingPage()
  verify.disabled = false
  await waitForMutation()
  expect(document.activeElement).toBe(verify)
})

it('goes to the next element while a button works for long, and back once it has ended', async () => {
  const { verify, other } = await workingPage()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(document.activeElement).toBe(other)
  verify.disabled = false
  await waitForMutation()
  expect(document.activeElement).toBe(verify)
})

it('stays where the person went meanwhile', async () => {
  const { verify, other } = await workingPage()
  await vi.advanceTimersByTimeAsync(60_000)
  dispatchEvent(new KeyboardEvent('keydown', { key: 'Tab' }))
  verify.disabled = false
  await waitForMutation()
  expect(document.activeElement).toBe(other)
})
