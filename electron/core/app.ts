import { release } from 'node:os'
import type { CallInput, CallOutput } from '#shared/contract/calls.ts'
import type { CallOptions, Client } from '#shared/contract/client.ts'
import type { CallName } from '#shared/contract/names.ts'
import type { Channel, ToWindow } from '#shared/contract/protocol.ts'
import { createHttpClient } from '#core/clients/http.ts'
import { createRedactor } from '#core/clients/redact.ts'
import { createConnections } from '#core/connections/connections.ts'
import { createChecks } from '#core/diagnosis/checks.ts'
import { writeReport } from '#core/diagnosis/report.ts'
import { createDiscoveries } from '#core/discovery/discoveries.ts'
import { createDispatch } from '#core/dispatch.ts'
import { createForeignChanges } from '#core/foreignChanges.ts'
import { createEventBus, type EventBus } from '#core/eventBus.ts'
import { appHandlers } from '#core/handlers/app.ts'
import { connectionHandlers } from '#core/handlers/connections.ts'
import { coverageHandlers } from '#core/handlers/coverage.ts'
import { discoveryHandlers } from '#core/handlers/discovery.ts'
import { fileHandlers } from '#core/handlers/files.ts'
import { requestHandlers } from '#core/handlers/requests.ts'
import { settingsHandlers } from '#core/handlers/settings.ts'
import { vaultHandlers } from '#core/handlers/vault.ts'
import { createKeyring } from '#core/keys/keyring.ts'
import { createRecentLog } from '#core/log/recentLog.ts'
import { redactingLog } from '#core/log/redactingLog.ts'
import type { Ports, ProxySettings, WindowHost } from '#core/ports.ts'
import { createReceivedFiles } from '#core/receivedFiles.ts'
import { gatherNews } from '#core/requests/gatherNews.ts'
import { createRequestLog } from '#core/requests/requestLog.ts'
import { openSession } from '#core/session.ts'
import { watchChanges } from '#core/store/changeWatch.ts'
import { openStore } from '#core/store/store.ts'

export interface AppConfig {
  version: string
  dataDir: string
  /** For connections without a key of their own (`PERPSCOPE_API_KEY`). */
  environmentKey?: string
  /** Null or absent: straight to the network. */
  proxy?: ProxySettings | null
  /** Ask no service, whatever the settings say. */
  offline?: boolean
  /** How often to look for what other processes changed. */
  watchEveryMs?: number
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
export function createApp({ vault, log: hostLog, clock, startSandbox }: Ports, config: AppConfig): App {
  const redactor = createRedactor()
  const log = createRecentLog(redactingLog(hostLog, redactor), clock)
  const bus = createEventBus((name, thrown) =>
    log.write('error', `telling of ${name} failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`),
  )
  const store = openStore({ dataDir: config.dataDir, clock, log })
  const keyring = createKeyring({
    vault,
    clock,
    log,
    environmentKey: config.environmentKey ?? null,
    hide: redactor.hide,
  })
  const requestNews = gatherNews((count) => bus.emit('requests.recorded', { count }))
  const requests = createRequestLog(requestNews.note)
  const http = createHttpClient({
    clock,
    redactor,
    record: requests.record,
    isOffline: () => config.offline === true || store.settings.read().offline,
    proxy: config.proxy ?? null,
  })
  const received = createReceivedFiles(bus)
  const connections = createConnections({
    store: store.connections,
    keyring,
    http,
    clock,
    startSandbox,
    onSandboxStarted: () => void connections.list().then((list) => bus.emit('connections.changed', list)),
  })
  const discoveries = createDiscoveries(http, connections, store.coverage, clock)

  const info = {
    version: config.version,
    platform: `${process.platform} ${process.arch}`,
    nodeVersion: process.versions.node,
    sqliteVersion: store.sqliteVersion,
    dataDir: config.dataDir,
    startedAt: clock.nowMs(),
    notices: store.notices,
  }

  const diagnostics = async (host: WindowHost['face']) =>
    redactor.text(
      writeReport({
        info: { ...info, host },
        systemRelease: release(),
        nowMs: clock.nowMs(),
        settings: store.settings.read(),
        connections: await connections.list(),
        vault: await keyring.vaultStatus(false),
        requests: requests.newestFirst(1000),
        logLines: log.troubles,
      }),
    )

  const dispatch = createDispatch(
    {
      ...appHandlers({ info, checks: createChecks(config.dataDir, store, keyring), diagnostics }),
      ...connectionHandlers(connections, bus),
      ...coverageHandlers(store, clock),
      ...discoveryHandlers({ open: discoveries, store: store.coverage, bus, clock }),
      ...fileHandlers(received),
      ...requestHandlers(requests),
      ...settingsHandlers(store.settings, bus),
      ...vaultHandlers(keyring, bus),
    },
    redactor.error,
  )

  const tellForeignChanges = createForeignChanges(store, connections, keyring, bus)
  const stopWatching = watchChanges(store.database, log, tellForeignChanges, config.watchEveryMs)

  return {
    bus,
    openSession: (channel, host) => openSession({ dispatch, bus, log }, channel, host),
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
      stopWatching()
      requestNews.stop()
      await connections.close()
      await http.close()
      store.close()
    },
  }
}
