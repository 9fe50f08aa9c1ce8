import { homedir } from 'node:os'
import type { AppInfo } from '#shared/contract/areas/app.ts'
import type { Connection, KeyStatus } from '#shared/contract/areas/connections.ts'
import type { Settings } from '#shared/contract/areas/settings.ts'
import type { VaultStatus } from '#shared/contract/areas/vault.ts'
import type { RequestTrace } from '#core/clients/http.ts'

export interface ReportFacts {
  info: Omit<AppInfo, 'restore'>
  systemRelease: string
  nowMs: number
  settings: Settings
  connections: Connection[]
  vault: VaultStatus
  /** Requests, newest first. */
  requests: RequestTrace[]
  /** Warnings and errors of this run, newest last. */
  logLines: readonly string[]
}

const SHOWN_REQUESTS = 20

/** Builds plain text to paste into a bug report. The caller removes secrets. */
export function writeReport(facts: ReportFacts, home = homedir()): string {
  const text = reportText(facts)
  // The path of the home folder often contains the user's name.
  return home.length > 1 ? text.replaceAll(home, '~') : text
}

function reportText(facts: ReportFacts): string {
  const { info, settings, vault } = facts
  const failedRequests = facts.requests
    .filter(({ error, status }) => error !== null || (status ?? 0) >= 400)
    .slice(0, SHOWN_REQUESTS)
  return [
    `Perpscope ${info.version} (${info.host})`,
    `Written ${iso(facts.nowMs)}, running since ${iso(info.startedAt)}`,
    `System: ${info.platform}, ${facts.systemRelease}`,
    `Node ${info.nodeVersion}, SQLite ${info.sqliteVersion}`,
    `Data folder: ${info.dataDir}`,
    `Keychain: ${vault.name}, ${vault.message ?? 'works'}`,
    `Policy: ${info.policy ? `${info.policy.file} ${JSON.stringify(info.policy.rules)}` : 'none'}`,
    ...section('Notices', info.notices),
    ...section(
      'Settings',
      Object.entries(settings).map(([key, value]) => `${key} = ${JSON.stringify(value)}`),
    ),
    ...section('Connections', facts.connections.map(connectionLine)),
    ...section(
      'Failed requests, newest first',
      failedRequests.map(
        ({ startedAtMs, method, address, status, error }) =>
          `${iso(startedAtMs)} ${method} ${address}: ${error ?? `status ${status}`}`,
      ),
    ),
    ...section('Log', facts.logLines),
    '',
  ].join('\n')
}

const iso = (timeMs: number) => new Date(timeMs).toISOString()

const section = (title: string, lines: readonly string[]) => [
  '',
  `${title}:`,
  ...(lines.length > 0 ? lines.map((line) => `  ${line}`) : ['  none']),
]

function connectionLine(connection: Connection): string {
  const { name, active, tier, metricsUrl, portfolioUrl, catalogLocation, keys } = connection
  const addresses = `metrics ${metricsUrl || '–'}, portfolio ${portfolioUrl || '–'}, catalog ${catalogLocation || '–'}`
  const keyText = `keys: metrics ${keyLine(keys.metrics)}, portfolio ${keyLine(keys.portfolio)}`
  return `${active ? '*' : '-'} ${name}: ${addresses}; tier ${tier ?? 'unknown'}; ${keyText}`
}

const keyLine = ({ set, kept }: KeyStatus) => (set ? `set (${kept})` : 'none')
