import type { MachinePolicy } from '#shared/contract/areas/policy.ts'
import type { HttpTimeouts } from '#core/clients/httpRequest.ts'
import { createRedactor } from '#core/clients/redact.ts'
import { createCrashReports } from '#core/diagnosis/crashReports.ts'
import { createEventBus } from '#core/eventBus.ts'
import { createKeyring } from '#core/keys/keyring.ts'
import { createRecentLog } from '#core/log/recentLog.ts'
import { withPolicy } from '#core/policy.ts'
import type { Ports, ProxySettings } from '#core/ports.ts'
import type { RouteOptions } from '#core/route.ts'
import { finishStagedRestore } from '#core/store/backup/stagedRestore.ts'
import { openStore } from '#core/store/store.ts'

export interface AppConfig {
  version: string
  dataDir: string
  /** API key of connections without a key of their own (`PERPSCOPE_API_KEY`). */
  environmentKey?: string | undefined
  /** Key of portfolio services without one of their own (`PERPSCOPE_PORTFOLIO_KEY`). */
  environmentPortfolioKey?: string | undefined
  /** Engine password of connections without one of their own (`PERPSCOPE_ENGINE_PASSWORD`). */
  environmentPassword?: string | undefined
  /** Store key of connections without one of their own (`PERPSCOPE_STORE_KEY`, as `ID:SECRET`). */
  environmentStoreKey?: string | undefined
  /** Proxy of the environment or the system; null or absent for a direct connection. The settings take precedence. */
  proxy?: ProxySettings | null
  /** Route of this run only (`--proxy`, `--ca-file`), in place of the one in the settings. */
  route?: RouteOptions
  /** Certificate file that the environment names. */
  environmentCaFile?: string | undefined
  /** True to refuse a damaged index instead of recovering from it. */
  refuseDamagedIndex?: boolean
  /** Policy of this machine. */
  policy?: MachinePolicy | null
  /** True to work offline whatever the settings say. */
  offline?: boolean
  /** Time between checks for changes by other processes. */
  watchEveryMs?: number
  timeouts?: HttpTimeouts & { folderMs?: number }
}

/** Creates the parts that everything else builds on: the log, the event bus, the store and the keys. */
export function createStorage({ vault, log: hostLog, clock }: Ports, config: AppConfig) {
  const redactor = createRedactor()
  const log = createRecentLog({ write: (level, message) => hostLog.write(level, redactor.text(message)) }, clock)
  const bus = createEventBus((name, thrown) =>
    log.write('error', `telling of ${name} failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`),
  )
  const restoreNotice = finishStagedRestore({ dataDir: config.dataDir, log })
  const opened = openStore({
    dataDir: config.dataDir,
    clock,
    log,
    refuseDamaged: config.refuseDamagedIndex ?? false,
  })
  if (restoreNotice !== null) opened.notices.push(restoreNotice)
  const store = { ...opened, settings: withPolicy(opened.settings, config.policy ?? null) }
  const keyring = createKeyring({
    vault,
    clock,
    log,
    // White space around a key, such as the line end of a file, is not part of it.
    environmentKey: config.environmentKey?.trim() || null,
    environmentPortfolioKey: config.environmentPortfolioKey?.trim() || null,
    environmentPassword: config.environmentPassword ?? null,
    environmentStoreKey: config.environmentStoreKey ?? null,
    mayHaveKey: (connectionId) => store.connections.hasKeyChanges(connectionId),
    hide: redactor.hide,
  })
  const isOffline = () => config.offline === true || store.settings.read().offline
  const crashes = createCrashReports({ ...config, clock, redactor })
  return { config, clock, redactor, crashes, log, bus, store, keyring, isOffline }
}

export type Storage = ReturnType<typeof createStorage>
