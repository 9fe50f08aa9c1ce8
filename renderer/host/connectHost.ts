import type { DesktopBridge } from '#shared/contract/bridge.ts'
import type { CallInput, CallOutput } from '#shared/contract/calls.ts'
import type { CallOptions } from '#shared/contract/client.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { CallName } from '#shared/contract/names.ts'
import type { Host } from './host.ts'
import { plainCopy } from './plainCopy.ts'
import { connectWebHost } from './webHost.ts'

declare global {
  interface Window {
    perpscope?: DesktopBridge
  }
}

export async function connectHost(): Promise<Host> {
  return window.perpscope ? connectElectronHost(window.perpscope) : connectWebHost()
}

/** Connects the window inside Electron by wrapping the preload's bridge in the types of the contract. */
export function connectElectronHost(bridge: DesktopBridge): Host {
  async function call<Name extends CallName, Kind extends string>(
    name: Name,
    input: CallInput<Name> & { kind?: Kind },
    { signal, onProgress }: CallOptions = {},
  ): Promise<CallOutput<Name, Kind>> {
    if (signal?.aborted) throw new AppError('cancelled')
    const { answer, cancel } = bridge.call(name, plainCopy(input), onProgress)
    // The listener drops the event argument, because an event cannot cross the bridge.
    const stop = () => cancel()
    signal?.addEventListener('abort', stop, { once: true })
    try {
      const reply = await answer
      if (!reply.ok) throw AppError.fromShape(reply.error)
      return reply.value as CallOutput<Name, Kind>
    } finally {
      signal?.removeEventListener('abort', stop)
    }
  }

  return {
    call,
    on(name, listener) {
      const stopListening = bridge.on(name, listener as (payload: unknown) => void)
      return () => stopListening()
    },
    kind: 'desktop',
    pickFiles: async (kind) => (await call('files.pick', { kind })).chosen,
    // The preload handles drops and passes paths to the core, so that the window never sees them.
    receiveDropped: async () => {},
    openPane: async (pane, behind) => void (await call('app.openPane', { ...pane, behind })),
    channelState: () => 'connected',
    onChannelState: () => () => {},
  }
}
