import { refusalError } from '#shared/contract/studyRefusal.ts'
import type { BlendResult } from '#shared/lab/kinds/blend/run.ts'
import { parseBlend } from '#shared/lab/parseStudy.ts'
import { sharpeSample } from '#shared/lab/portfolio/sharpeStatistics.ts'
import { StudyError } from '#shared/lab/studyError.ts'
import { dayFromNumber } from '#shared/time/periods.ts'
import { equityOf } from '#shared/portfolio/figures.ts'
import { createWorkPool } from '#core/guard/workPool.ts'
import type { OpenPortfolio } from '#core/portfolio/portfolios.ts'
import type { Clock, StartProcess } from '#core/ports.ts'
import type { Ledger } from '#core/store/ledger/ledger.ts'
import type { LedgerFace } from '#core/store/ledger/ledgerEntry.ts'
import { documentHash, familyOf, keyOf } from '#core/store/ledger/studyIdentity.ts'
import type { Store } from '#core/store/store.ts'
import { threadEntry } from '#core/threads/threadEntry.ts'
import { blendData, blendInputs } from './blendData.ts'
import type { BlendReply, BlendTask } from './blendWorker.ts'
import { createKeptRuns } from './keptWeights.ts'
import { asBookInput, createOwnFiles } from './ownFiles.ts'
import { createServedTables, type ServedTables } from './servedTables.ts'

/** A blend to run: the document as the user wrote it. */
export interface BlendRequest {
  document: unknown
  connectionId?: string
  panelPath: string | null
  againstPath: string | null
  /** Folder of the document, to which its files are relative. */
  folder?: string | undefined
}

export interface BlendRunOptions {
  signal: AbortSignal
  who: LedgerFace
  onShare(share: number): void
}

/** Runs blends; every run is in the ledger before its result is returned. */
export interface BlendService {
  run(request: BlendRequest, options: BlendRunOptions): Promise<BlendResult>
  close(): Promise<void>
}

export interface BlendDeps {
  store: Pick<Store, 'studyRuns' | 'returns'>
  openPortfolio: OpenPortfolio
  clock: Clock
  ledger: () => Ledger
  startProcess?: StartProcess | undefined
}

/** Returns the last day of any history that was read; null without any. */
function lastDayIn({ lastDays }: ServedTables): string | null {
  const days = [...lastDays.values()].flatMap((day) => day ?? [])
  return days.length === 0 ? null : dayFromNumber(Math.max(...days))
}

/** Time that a cancelled run may go on before its thread is terminated; it has nothing to clean up. */
const CANCELLED_TASK_TIMEOUT_MS = 50

export function createBlendService({ store, openPortfolio, clock, ledger, startProcess }: BlendDeps): BlendService {
  const pool = createWorkPool<BlendTask, BlendReply>(threadEntry('blendWorker', import.meta.url), {
    name: 'Perpscope blends',
    size: 1,
    cancelledTaskTimeoutMs: CANCELLED_TASK_TIMEOUT_MS,
    startProcess,
  })
  return {
    async run({ document, connectionId = '', panelPath, againstPath, folder }, { signal, who, onShare }) {
      const study = parseBlend(document)
      if (panelPath !== null || againstPath !== null)
        throw new StudyError('panel', 'a blend reads factors, portfolios and files, not a panel.')
      const served = createServedTables(() => openPortfolio(connectionId), signal)
      const data = await asBookInput(() =>
        blendData(study, {
          served,
          runs: createKeptRuns(store.studyRuns),
          own: createOwnFiles(store.returns, clock),
          folder: folder ?? (who === 'other' ? undefined : null),
        }),
      )
      const inputs = blendInputs(study, data)
      const reply = await pool.run({ study, data }, signal, (done) => onShare(done))
      if ('refused' in reply) throw refusalError(reply)
      const { outcome } = reply
      const hash = documentHash(study)
      const family = familyOf(study)
      const net = Float64Array.from(outcome.net.slice(1), (value) => value ?? NaN)
      const { days, sharpe } = sharpeSample(net, 0)
      const { totalReturn = null, maxDrawdown = null } = outcome.figures.net ?? {}
      ledger().append(
        [
          {
            event: 'run',
            kind: 'blend',
            role: 'blend',
            documentHash: hash,
            study,
            inputs,
            family,
            key: keyOf({ documentHash: hash, inputs, readUntil: null }),
            holdoutFromDay: null,
            summary: { days, sharpe, totalReturn, maxDrawdown, ruined: equityOf(net).some((equity) => equity <= 0) },
            returns: net,
            firstDay: outcome.days.at(1) ?? null,
            grid: null,
            dataTo: outcome.days.at(-1) ?? null,
            seenTo: lastDayIn(served),
          },
        ],
        who,
      )
      return { version: 1, kind: 'blend', study, ...outcome, documentHash: hash, family }
    },
    close: () => pool.close(),
  }
}
