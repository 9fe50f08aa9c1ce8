import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { dayOf } from '#shared/time.ts'
import { basename } from 'node:path'
import type { FundingRow } from '#shared/funding/fundingRows.ts'
import { type SignalSample, signalSamples } from '#shared/lab/forward/signalSamples.ts'
import { sampleMomentsOf } from '#shared/lab/samples.ts'
import type { ResultOf, StudyResult } from '#shared/lab/runStudy.ts'
import { ownDatasetId } from '#shared/formula/ownData.ts'
import { canonicalJson, sha256 } from '#core/store/ledger/canonicalJson.ts'
import type { Ledger } from '#core/store/ledger/ledger.ts'
import type { LedgerFace, LedgerInput, RecordedIc, RunEntry } from '#core/store/ledger/ledgerEntry.ts'
import { documentHash, familyOf, keyOf } from '#core/store/ledger/studyIdentity.ts'
import type { CachePlan } from './cachePlan.ts'
import type { StudyRows } from './studyTask.ts'

const MOST_CHUNK_BYTES = 2 ** 20

/** Describes a file by its name, the hash of its content and its size. */
export async function hashFile(path: string): Promise<LedgerInput> {
  const hash = createHash('sha256')
  // A file handle takes a fraction of the time that a stream takes for a small file.
  const file = await open(path)
  try {
    const buffer = Buffer.allocUnsafe(Math.min(MOST_CHUNK_BYTES, (await file.stat()).size + 1))
    let bytes = 0
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, bytes)
      if (bytesRead === 0) return { name: basename(path), sha256: hash.digest('hex'), bytes }
      hash.update(buffer.subarray(0, bytesRead))
      bytes += bytesRead
    }
  } finally {
    await file.close()
  }
}

/** What a signal study was worth, so that one knows whether it comes out the same later. */
const icFacts = (result: StudyResult): Pick<RunEntry, 'rankIc'> =>
  result.kind === 'signal' ? { rankIc: recordedIcOf(signalSamples(result.study, result)) } : {}

export function recordedIcOf(samples: readonly SignalSample[]): RecordedIc {
  const { mean, sd } = sampleMomentsOf(Float64Array.from(samples, ({ ic }) => ic))
  return { samples: samples.length, mean, deviation: sd }
}

/** Inputs of a run, in the form that the ledger stores. */
export interface ReadInputs {
  inputs: LedgerInput[]
  /** Cached files; absent if a panel was read. */
  files?: unknown
  /** Last day of which the cache held a file of any series that was read; absent if a panel was read. */
  seenTo?: string | null
}

/** A file of raw events that is read in addition to a plan. */
interface RawInput {
  symbol: string
  period: string
  sha256: string
}

/** Lists the cached files that a plan reads, identified by their content. */
export function cacheInputs(plans: readonly CachePlan[], raw: readonly RawInput[] = []): ReadInputs {
  const metrics = plans.flatMap(({ datasets, symbols }) =>
    datasets.flatMap(({ dataset, intervalMs, files: bySymbol }) =>
      bySymbol.flatMap((plannedFiles, index) =>
        plannedFiles.map(({ period, sha256: content }) => ({
          dataset,
          intervalMs,
          symbol: symbols[index].name,
          period,
          sha256: content,
        })),
      ),
    ),
  )
  const events = raw.map(({ symbol, period, sha256: content }) => ({
    dataset: 'raw funding_rate',
    symbol,
    period,
    sha256: content,
  }))
  const own = plans.flatMap((plan) =>
    (plan.own ?? []).flatMap(({ name, intervalMs, parts }) =>
      parts.map(({ month, sha256: content }) => ({
        dataset: ownDatasetId(name),
        intervalMs,
        symbol: '',
        period: month,
        sha256: content,
      })),
    ),
  )
  const files = [...metrics, ...events, ...own]
  const filesJson = canonicalJson(files)
  return { inputs: [{ name: 'cache', sha256: sha256(filesJson), bytes: Buffer.byteLength(filesJson) }], files }
}

export async function inputsOf(rows: readonly (StudyRows | null)[]): Promise<ReadInputs> {
  const sources = rows.flatMap((one) => one ?? [])
  const plans = sources.flatMap((one) => ('plan' in one ? [one.plan] : []))
  const paths = sources.flatMap((one) => ('path' in one ? [one.path] : []))
  const panels = await Promise.all(paths.map(hashFile))
  if (plans.length === 0) return { inputs: panels }
  const { inputs, files } = cacheInputs(plans)
  return { inputs: [...inputs, ...panels], files }
}

/** What the ledger keeps of a screen: how many cells count as tried, and its columns if its document names none. */
const screenFacts = ({ study, attrition, columns }: ResultOf<'screen'>) => ({
  cells: attrition.used,
  ...(study.columns === null && { columns }),
})

/** Records a study of any kind except a tested portfolio, before its result is shown. */
export function recordStudy(
  ledger: Ledger,
  result: StudyResult,
  { inputs, files, seenTo = null, fundingPeriods }: ReadInputs & { fundingPeriods?: readonly FundingRow[] | null },
  who: LedgerFace,
): void {
  const { study, data } = result
  const hash = documentHash(study)
  ledger.append(
    [
      {
        event: 'run',
        kind: study.kind,
        role: result.kind === 'screen' ? 'screen' : 'study',
        documentHash: hash,
        study,
        inputs,
        family: familyOf(study),
        key: keyOf({ documentHash: hash, inputs, readUntil: null }),
        holdoutFromDay: null,
        summary: null,
        firstDay: null,
        grid: null,
        dataTo: data.lastTime === null ? null : dayOf(data.lastTime),
        seenTo,
        ...(result.kind === 'screen' && screenFacts(result)),
        ...icFacts(result),
        ...(files !== undefined && { files }),
        ...(fundingPeriods && { fundingPeriods }),
      },
    ],
    who,
  )
}
