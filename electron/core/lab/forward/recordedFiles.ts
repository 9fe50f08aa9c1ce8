import { ownNameOf } from '#shared/formula/ownData.ts'
import { intervalName } from '#shared/time.ts'
import { periodDays } from '#shared/time/periods.ts'
import type { PanelSourceFile } from '#core/store/fileStore.ts'
import { filterOf } from './dayFiles.ts'
import type { ForwardRun } from './forwardRuns.ts'
import type { ScoreDeps } from './scoreDeps.ts'

interface ListedFile {
  dataset: string
  intervalMs?: number | null
  symbol: string
  period: string
}

/**
 * Creates a function that counts the files that a run read and of which no version is here now; without them its later
 * days would be those of another test.
 */
export function createGoneFiles({ store, connectionId, ledger: { tables } }: ScoreDeps) {
  const known = new Map<string, number>()

  function countGone({ source }: ForwardRun, sha256: string): number {
    const list = tables.files(sha256)
    if (!source || !Array.isArray(list)) return 0
    const here = new Set(
      store.files
        .withPanelFacts({ connectionId, kind: 'metrics', ...filterOf(source), timestamps: source.timestamps })
        .flatMap(daysOf),
    )
    return (list as readonly ListedFile[]).filter((file) => !isHere(file, here)).length
  }

  return (run: ForwardRun): number => {
    const sha256 = run.entry.inputs.find(({ name }) => name === 'cache')?.sha256 ?? ''
    const found = known.get(sha256) ?? countGone(run, sha256)
    known.set(sha256, found)
    return found
  }
}

const daysOf = ({ dataset, interval, exchange, symbol, startDay, endDay }: PanelSourceFile): string[] =>
  Array.from({ length: endDay - startDay }, (_, at) => `${dataset} ${interval} ${exchange}/${symbol} ${startDay + at}`)

function isHere({ dataset, intervalMs, symbol, period }: ListedFile, here: ReadonlySet<string>): boolean {
  const days = periodDays(period)
  // Own data that is not here is refused when it is read.
  if (typeof intervalMs !== 'number' || ownNameOf(dataset) !== null || !days) return true
  const name = `${dataset} ${intervalName(intervalMs)} ${symbol}`
  return Array.from({ length: days.end - days.start }, (_, at) => days.start + at).every((day) =>
    here.has(`${name} ${day}`),
  )
}
