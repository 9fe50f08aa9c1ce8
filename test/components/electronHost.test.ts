import { expect, it, vi } from 'vitest'
import type { DesktopBridge } from '#shared/contract/bridge.ts'
import { connectElectronHost } from '../../renderer/host/connectHost.ts'
import { crossBridge } from '../fakes/contextBridge.ts'

/** Returns the bridge as the page sees it: every value is copied, and a value that cannot be copied throws. */
const pageSide = (bridge: DesktopBridge) => crossBridge(bridge) as DesktopBridge

it('cancels a call over the bridge when its signal is aborted', async () => {
  const cancel = vi.fn()
  const bridge = pageSide({ call: () => ({ answer: new Promise(() => {}), cancel }), on: () => () => {} })
  const stop = new AbortController()
  void connectElectronHost(bridge).call('app.info', undefined as never, { signal: stop.signal })
  stop.abort()
  expect(cancel).toHaveBeenCalledExactlyOnceWith()
})

it('ends a subscription over the bridge even as the listener of an event', () => {
  const end = vi.fn()
  const bridge = pageSide({ call: () => ({ answer: new Promise(() => {}), cancel: () => {} }), on: () => end })
  const stop = new AbortController()
  const unsubscribe = connectElectronHost(bridge).on('saves.ready', () => {})
  stop.signal.addEventListener('abort', unsubscribe)
  stop.abort()
  expect(end).toHaveBeenCalledExactlyOnceWith()
})
