import type { CallInput, CallOutput } from '#shared/contract/calls.ts'
import type { CallOptions, Client } from '#shared/contract/client.ts'
import type { CallName } from '#shared/contract/names.ts'
import type { Channel, ToWindow } from '#shared/contract/protocol.ts'
import { createConnections } from '#core/connections/connections.ts'
import { createDispatch } from '#core/dispatch.ts'
import { createEventBus, type EventBus } from '#core/eventBus.ts'
import { appHandlers } from '#core/handlers/app.ts'
import { connectionHandlers } from '#core/handlers/connections.ts'
import { fileHandlers } from '#core/handlers/files.ts'
import { requestHandlers } from '#core/handlers/requests.ts'
import { settingsHandlers } from '#core/handlers/settings.ts'
import { vaultHandlers } from '#core/handlers/vault.ts'
import { createKeyring } from '#core/keys/keyring.ts'
import type { Ports, WindowHost } from '#core/ports.ts'
import { createReceivedFiles } from '#core/receivedFiles.ts'
import { createRequestLog } from '#core/requests/requestLog.ts'
import { openSession } from '#core/session.ts'
import { openStore } from '#core/store/store.ts'

export interface AppConfig {
  version: string
  dataDir: string
}

export interface App {
  /** Serves one window over any transport until its channel closes. */
  openSession(channel: Channel<ToWindow, unknown>, host: WindowHost): void
  /** The core for a caller in this process (a command line, a test). */
  clientFor(host: WindowHost): Client
  /** Takes in files that the person dropped on a window or opened with the app. */
  receiveFiles(paths: readonly string[]): Promise<void>
  /** For what a host does outside its windows: task-bar progress, notifications, menus. */
  bus: EventBus
  close(): Promise<void>
}

/** The only place that constructs; hosts call this and nothing else of the core. */
export function createApp(ports: Ports, config: AppConfig): App {
  const bus = createEventBus()
  const store = openStore({ dataDir: config.dataDir, clock: ports.clock, log: ports.log })
  const keyring = createKeyring(ports.vault)
  const requests = createRequestLog(() => bus.emit('requests.recorded', { count: 1 }))
  const received = createReceivedFiles(bus)
  const connections = createConnections(store.connections, keyring)

  const dispatch = createDispatch({
    ...appHandlers({
      info: {
        version: config.version,
        platform: `${process.platform} ${process.arch}`,
        nodeVersion: process.versions.node,
        sqliteVersion: store.sqliteVersion,
        dataDir: config.dataDir,
        startedAt: ports.clock.nowMs(),
        notices: store.notices,
      },
      checks: [],
      diagnostics: async () => '',
    }),
    ...connectionHandlers(connections, keyring, bus),
    ...fileHandlers(received),
    ...requestHandlers(requests),
    ...settingsHandlers(store.settings, bus),
    ...vaultHandlers(keyring, bus),
  })

  return {
    bus,
    openSession: (channel, host) => openSession({ dispatch, bus, log: ports.log }, channel, host),
    clientFor: (host) => ({
      call: <Name extends CallName>(
        name: Name,
        input: CallInput<Name>,
        { signal = new AbortController().signal, onProgress = () => {} }: CallOptions = {},
      ): Promise<CallOutput<Name>> => dispatch(name, input, { signal, progress: onProgress, host }),
      on: (wanted, listener) =>
        bus.subscribe((name, payload) => {
          if ((name as string) === wanted) listener(payload as never)
        }),
    }),
    receiveFiles: async (paths) => void (await received.add(paths)),
    async close() {
      store.close()
    },
  }
}
