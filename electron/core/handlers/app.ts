import { basename } from 'node:path'
import { Readable } from 'node:stream'
import type { AppInfo, CheckResult } from '#shared/contract/areas/app.ts'
import type { CrashReports } from '#core/diagnosis/crashReports.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'
import type { ReceivedFiles } from '#core/receivedFiles.ts'
import type { StagedRestores } from '#core/store/backup/stagedRestore.ts'

export interface AppHandlerDeps {
  info: Omit<AppInfo, 'host' | 'restore'>
  /** Self-checks in the order in which they run. */
  selfChecks: { name: string; run(signal: AbortSignal): Promise<Omit<CheckResult, 'name'>> }[]
  /** Called when a window shows its first screen. */
  onShown(): void
  diagnostics(host: AppInfo['host']): Promise<string>
  crashes: Pick<CrashReports, 'list' | 'remove'>
  restores: StagedRestores
  received: ReceivedFiles
  /** Packs everything that the user made, ledger included. */
  pack(signal: AbortSignal): Promise<{ bytes: Uint8Array; items: Record<string, number>; nowMs: number }>
}

export function appHandlers(deps: AppHandlerDeps): Handlers<CallsOf<'app'>> {
  return {
    'app.info': (_input, { host }) => ({ ...deps.info, restore: deps.restores.pending(), host: host.kind }),
    'app.shown': () => {
      deps.onShown()
      return null
    },
    'app.openPane': ({ behind, ...pane }, { host }) => {
      if (!host.openPane) throw new AppError('unsupported', 'This host has no windows of its own.')
      host.openPane(pane, behind)
      return null
    },
    'app.check': async (_input, { signal, progress }) => {
      const results: CheckResult[] = []
      for (const [done, { name, run }] of deps.selfChecks.entries()) {
        signal.throwIfAborted()
        progress({ done, total: deps.selfChecks.length, message: name })
        results.push({ name, ...(await run(signal)) })
      }
      return results
    },
    'app.crashes': () => deps.crashes.list(),
    'app.removeCrashes': () => {
      deps.crashes.remove()
      return null
    },
    'app.backup': async (_input, { host, signal }) => {
      const { bytes, items, nowMs } = await deps.pack(signal)
      const name = `perpscope-${new Date(nowMs).toISOString().slice(0, 10)}.backup`
      const saved = await host.save({ name, type: 'application/gzip' }, () => Readable.from([bytes]))
      return saved && { ...saved, bytes: bytes.length, items }
    },
    'app.restore': async ({ file, replace }, { signal }) => {
      const path = deps.received.pathOf(file)
      if (!path) throw new AppError('not-found', 'The file no longer exists; choose it again.')
      const name = basename(path)
      try {
        const staged = { name, ...(await deps.restores.stage(path, name, replace, signal)) }
        if (staged.state === 'ready') deps.received.remove([file])
        return staged
      } catch (thrown) {
        deps.received.remove([file])
        throw thrown
      }
    },
    'app.cancelRestore': () => {
      deps.restores.cancel()
      return null
    },
    'app.diagnostics': (_input, { host }) => deps.diagnostics(host.kind),
  }
}
