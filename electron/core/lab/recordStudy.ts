import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import type { Study } from '#shared/lab/studyDocument.ts'
import { canonicalJson, sha256 } from '#core/store/ledger/canonicalJson.ts'
import type { Ledger } from '#core/store/ledger/ledger.ts'
import type { LedgerFace, LedgerInput } from '#core/store/ledger/ledgerEntry.ts'
import { documentHash, familyOf, keyOf } from '#core/store/ledger/studyIdentity.ts'
import type { CachePlan } from './cachePlan.ts'
import type { StudyRows } from './panelStudy.ts'

/** Describes a file by its name, the hash of its content and its size. */
export async function hashFile(path: string): Promise<LedgerInput> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(path, { highWaterMark: 2 ** 20 })) {
    hash.update(chunk as Buffer)
    bytes += (chunk as Buffer).length
  }
  return { name: basename(path), sha256: hash.digest('hex'), bytes }
}

/** Inputs of a run, in the form that the ledger stores. */
export interface ReadInputs {
  inputs: LedgerInput[]
  /** Cached files; absent if a panel was read. */
  files?: unknown
}

/** A file of raw events that is read in addition to a plan. */
export interface RawInput {
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
  const files = [...metrics, ...events]
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

/** Records a study of any kind except a tested portfolio, before its result is shown. */
export function recordStudy(ledger: Ledger, study: Study, { inputs, files }: ReadInputs, who: LedgerFace): void {
  const hash = documentHash(study)
  ledger.append(
    [
      {
        event: 'run',
        kind: study.kind,
        role: 'study',
        documentHash: hash,
        study,
        inputs,
        family: familyOf(study),
        key: keyOf({ documentHash: hash, inputs, readUntil: null }),
        holdoutFromDay: null,
        summary: null,
        firstDay: null,
        grid: null,
        ...(files !== undefined && { files }),
      },
    ],
    who,
  )
}
