import { type TimestampSource, timestampSources } from '#shared/catalog/intervals.ts'
import { ownNameOf } from '#shared/formula/ownData.ts'
import type { RunTimes } from '#shared/lab/forward/forwardDays.ts'
import { type BlendStudy, sourceKindOf, sourceName } from '#shared/lab/kinds/blend/fields.ts'
import { studyRange } from '#shared/lab/studyRange.ts'
import { intervalName, MS_PER_DAY } from '#shared/time.ts'
import { type DayNumber, dayNumberOf } from '#shared/time/periods.ts'
import type { RunEntry } from '#core/store/ledger/ledgerEntry.ts'
import type { LedgerTables, StoredEntry } from '#core/store/ledger/ledgerTables.ts'

/** A series of metrics that a recorded run read. */
interface ReadSeries {
  dataset: string
  interval: string
  exchange: string
  symbol: string
}

/** The cached series and own datasets that a recorded run read. */
export interface ReadSource {
  /** Text that is the same for runs that read the same series. */
  key: string
  series: readonly ReadSeries[]
  timestamps: readonly TimestampSource[]
  /** Names of the symbols, as `exchange/symbol`. */
  names: ReadonlySet<string>
  /** Names of the own datasets. */
  own: readonly string[]
}

/** A recorded run that is scored. */
export interface ForwardRun {
  entry: RunEntry
  chain: string
  position: number
  mergedAtMs: number | null
  /** Null for a blend, and for a run that read anything of which no arrival is known, such as a panel. */
  source: ReadSource | null
  /** Null for a run without a last day. */
  times: RunTimes | null
  /** Why none of its days is ever forward; null if they may be. */
  never: string | null
}

/** Tells whether an entry has figures of later days: one of a portfolio, a blend or a signal study. */
export const isScored = (entry: StoredEntry['entry']): entry is RunEntry =>
  entry.event === 'run' && ['portfolio', 'blend', 'signal'].includes(entry.kind)

/** Finds what a run read and when, as the ledger recorded it. */
export function createForwardRuns(tables: LedgerTables) {
  const sourceByList = new Map<string, ReadSource | null>()
  const sealByFamily = new Map<string, DayNumber | null>()

  function sealOf(family: string): DayNumber | null {
    const known = sealByFamily.get(family)
    if (known !== undefined) return known
    const fromDay = tables.isHoldoutOpened(family) ? null : tables.earliestHoldout(family)
    const seal = fromDay === null ? null : dayNumberOf(fromDay)
    sealByFamily.set(family, seal)
    return seal
  }

  function sourceOf(entry: RunEntry): ReadSource | null {
    const list = entry.inputs.find(({ name }) => name === 'cache')
    const { study } = entry
    if (!list || study.kind === 'blend' || !study.source || entry.inputs.some(isPanel)) return null
    const { timestamp, against } = study.source
    const timestamps = timestampSources.filter((one) => one === timestamp || one === against)
    const key = `${list.sha256} ${timestamps.join(' ')}`
    const known = sourceByList.get(key)
    if (known !== undefined) return known
    const found = readSource(tables.files(list.sha256), timestamps)
    sourceByList.set(key, found)
    return found
  }

  return ({ entry, chain, position, mergedAtMs }: StoredEntry & { entry: RunEntry }): ForwardRun => {
    const dataTo = lastDayOf(entry, tables)
    const source = sourceOf(entry)
    return {
      entry,
      chain,
      position,
      mergedAtMs,
      source,
      never: neverText(entry, source, dataTo),
      times:
        dataTo === null
          ? null
          : {
              recordedAtMs: entry.time,
              mergedAtMs,
              dataTo,
              seenTo: entry.seenTo ? dayNumberOf(entry.seenTo) : null,
              sealedFrom: sealOf(entry.family),
            },
    }
  }
}

const isPanel = ({ name }: { name: string }): boolean => name !== 'cache' && name !== 'funding-periods'

/** Says why a blend is never scored: something that it reads has no later days, or nobody notes when they come. */
function blendNeverText({ components, prices }: BlendStudy): string | null {
  const other = components.find(({ from }) => !['factor', 'portfolio'].includes(sourceKindOf(from) ?? ''))
  const name = other ? sourceName(other.from) : prices === null ? null : `the own prices ${prices}`
  return name === null ? null : `It reads ${name}, and nobody can know when later rows of that came.`
}

const NO_DAY = 'It used no day of data, so no day can come after.'

/** Says why no day of a run is ever forward; null if days may be. */
function neverText(entry: RunEntry, source: ReadSource | null, dataTo: DayNumber | null): string | null {
  if (entry.study.kind === 'blend') return dataTo === null ? NO_DAY : blendNeverText(entry.study)
  if (entry.inputs.some(isPanel)) return 'It read a panel file, and nobody can know when the rows of such a file came.'
  if (source === null) return 'The ledger does not say which files it read.'
  return dataTo === null ? NO_DAY : null
}

/** Returns the day of the last row that a run used; for an entry of an earlier version, the last it may have used. */
function lastDayOf({ dataTo, firstDay, returnsSha256, study }: RunEntry, tables: LedgerTables): DayNumber | null {
  if (dataTo) return dayNumberOf(dataTo)
  if (firstDay !== null && returnsSha256 !== null) {
    const bytes = tables.returns(returnsSha256)
    return bytes && dayNumberOf(firstDay) + bytes.length / 8 - 1
  }
  if (study.kind !== 'signal') return null
  const { endMs } = studyRange(study)
  return Number.isFinite(endMs) ? Math.ceil(endMs / MS_PER_DAY) - 1 : null
}

interface ListedFile {
  dataset: string
  /** Null of own events; absent for raw events. */
  intervalMs?: number | null
  symbol: string
}

/** Reads the series of a list of files; null without any. */
function readSource(list: unknown, timestamps: readonly TimestampSource[]): ReadSource | null {
  if (!Array.isArray(list)) return null
  const files = list as readonly ListedFile[]
  const byKey = new Map<string, ReadSeries>()
  const own = [...new Set(files.flatMap(({ dataset }) => ownNameOf(dataset) ?? []))].sort()
  for (const { dataset, intervalMs, symbol: name } of files) {
    if (typeof intervalMs !== 'number' || ownNameOf(dataset) !== null) continue
    const interval = intervalName(intervalMs)
    const [exchange] = name.split('/', 1)
    byKey.set(`${dataset} ${interval} ${name}`, {
      dataset,
      interval,
      exchange,
      symbol: name.slice(exchange.length + 1),
    })
  }
  if (byKey.size === 0 && own.length === 0) return null
  const series = [...byKey.keys()].sort().map((key) => byKey.get(key)!)
  const names = new Set(series.map(({ exchange, symbol }) => `${exchange}/${symbol}`))
  return { key: [...timestamps, ...[...byKey.keys()].sort(), ...own].join('\n'), series, timestamps, names, own }
}
