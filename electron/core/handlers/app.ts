import { basename } from 'node:path'
import { Readable } from 'node:stream'
import type { AppInfo, CheckResult } from '#shared/contract/areas/app.ts'
import type { CrashReports } from '#core/diagnosis/crashReports.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'
import type { ReceivedFiles } from '#core/receivedFiles.ts'
import type { StagedRestores } from '#core/store/backup/stagedRestore.ts'

export interface AppFacts {
  info: Omit<AppInfo, 'host' | 'restore'>
  /** Self-checks in the order in which they run. */
  checks: { name: string; run(signal: AbortSignal): Promise<Omit<CheckResult, 'name'>> }[]
  /** Called when a window shows its first screen. */
  onShown(): void
  diagnostics(host: AppInfo['host']): Promise<string>
  crashes: Pick<CrashReports, 'list' | 'remove'>
  restores: StagedRestores
  received: ReceivedFiles
  /** Packs everything that the user made, ledger included. */
  pack(): Promise<{ bytes: Buffer; items: Record<string, number>; nowMs: number }>
}

export function appHandlers(facts: AppFacts): Handlers<CallsOf<'app'>> {
  return {
    'app.info': (_input, { host }) => ({ ...facts.info, restore: facts.restores.pending(), host: host.face }),
    'app.shown': () => {
      facts.onShown()
      return null
    },
    'app.openPane': ({ behind, ...pane }, { host }) => {
      if (!host.openPane) throw new AppError('unsupported', 'This host has no windows of its own.')
      host.openPane(pane, behind)
      return null
    },
    'app.check': async (_input, { signal, progress }) => {
      const results: CheckResult[] = []
      for (const [done, { name, run }] of facts.checks.entries()) {
        signal.throwIfAborted()
        progress({ done, total: facts.checks.length, message: name })
        results.push({ name, ...(await run(signal)) })
      }
      return results
    },
    'app.crashes': () => facts.crashes.list(),
    'app.removeCrashes': () => {
      facts.crashes.remove()
      return null
    },
    'app.backup': async (_input, { host }) => {
      const { bytes, items, nowMs } = await facts.pack()
      const name = `perpscope-${new Date(nowMs).toISOString().slice(0, 10)}.backup`
      const saved = await host.save({ name, type: 'application/gzip' }, () => Readable.from([bytes]))
      return saved && { ...saved, bytes: bytes.length, items }
    },
    'app.restore': ({ file, replace }) => {
      const path = facts.received.pathOf(file)
      if (!path) throw new AppError('not-found', 'The file no longer exists; choose it again.')
      const name = basename(path)
      try {
        const staged = { name, ...facts.restores.stage(path, name, replace) }
        if (staged.state === 'ready') facts.received.remove([file])
        return staged
      } catch (thrown) {
        facts.received.remove([file])
        throw thrown
      }
    },
    'app.cancelRestore': () => {
      facts.restores.cancel()
      return null
    },
    'app.diagnostics': (_input, { host }) => facts.diagnostics(host.face),
  }
}
