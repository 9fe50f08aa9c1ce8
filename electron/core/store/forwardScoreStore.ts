import type { DayNumber } from '#shared/time/periods.ts'
import { isRecord } from '#shared/schemas/isRecord.ts'
import { returnsBytes, returnsFromBytes } from './ledger/ledgerEntry.ts'
import type { Database } from './database.ts'
import { storedJsonOr } from './storedJson.ts'

/** A day of a recorded run that was scored, with what its files were then. */
export interface StoredDay {
  day: DayNumber
  /** Net return; null for a signal study. */
  net: number | null
  /** Rank ICs of the samples that ended on the day. */
  ics: readonly number[]
  files: number
  /** Number that files of other content change. */
  content: number
}

/** What is known of a score besides its days. */
export interface ScoreFacts {
  /** What the inbox was told. */
  told: readonly string[]
  /** Why days could not be computed; null if they could. */
  problem: string | null
  /** True if the recorded days, computed again, differ from the record. */
  differs: boolean
  /** Mean and deviation of the rank ICs of the recorded days of a signal study; null before the first scoring. */
  recordedIc: { mean: number | null; deviation: number | null } | null
  /** Names of the histories that a blend read. */
  sources: readonly string[]
}

export interface StoredScore {
  days: readonly StoredDay[]
  facts: ScoreFacts
}

const noScore: StoredScore = {
  days: [],
  facts: { told: [], problem: null, differs: false, recordedIc: null, sources: [] },
}

/** Where the scores of a run stand; its days may be many, so they are read only where they are needed. */
export interface ScoreHead {
  lastDay: DayNumber | null
  facts: ScoreFacts
}

export const noScoreHead: ScoreHead = { lastDay: null, facts: noScore.facts }

/** Scored days by the hash of their entry; a day that is stored never changes. */
export interface ForwardScoreStore {
  read(entry: string): StoredScore
  heads(): Map<string, ScoreHead>
  /** Adds days that are later than all that are stored, and replaces the facts; returns what is stored then, in order. */
  save(scores: readonly { entry: string; days: readonly StoredDay[]; facts: Omit<ScoreFacts, 'told'> }[]): StoredScore[]
  /** Notes what the inbox was told; false if it had been told before. */
  tell(entry: string, what: string): boolean
}

interface ScoreRow {
  entry: string
  days: Buffer
  ics: string
  facts: string
}

const NUMBERS = 4

export function createForwardScoreStore({ reads, writes }: Database): ForwardScoreStore {
  const read = (from: Pick<Database['reads'], 'first'>, entry: string): StoredScore => {
    const row = from.first<ScoreRow>('SELECT * FROM forward_scores WHERE entry = ?', entry)
    return row ? scoreOf(row) : noScore
  }
  const write = (entry: string, { days, facts }: StoredScore) =>
    writes.run(
      'INSERT OR REPLACE INTO forward_scores VALUES (?, ?, ?, ?)',
      entry,
      packDays(days),
      JSON.stringify(Object.fromEntries(days.flatMap(({ day, ics }) => (ics.length > 0 ? [[day, ics]] : [])))),
      JSON.stringify(facts),
    )
  return {
    read: (entry) => read(reads, entry),
    heads: () =>
      new Map(
        reads
          .all<Pick<ScoreRow, 'entry' | 'days' | 'facts'>>(
            `SELECT entry, coalesce(substr(days, ${-NUMBERS * 8}), x'') AS days, facts FROM forward_scores`,
          )
          .map(({ entry, days, facts }) => [entry, { lastDay: daysOf(days)[0]?.day ?? null, facts: factsOf(facts) }]),
      ),
    save(scores) {
      return writes.inTransaction(() =>
        scores.map(({ entry, days, facts }) => {
          // Another process may have scored in the meantime.
          const stored = read(writes, entry)
          const lastDay = stored.days.at(-1)?.day ?? -Infinity
          const laterDays = days.filter(({ day }) => day > lastDay)
          const score = { days: [...stored.days, ...laterDays], facts: { ...stored.facts, ...facts } }
          write(entry, score)
          return score
        }),
      )
    },
    tell(entry, what) {
      return writes.inTransaction(() => {
        const { days, facts } = read(writes, entry)
        if (facts.told.includes(what)) return false
        write(entry, { days, facts: { ...facts, told: [...facts.told, what] } })
        return true
      })
    },
  }
}

type IcsByDay = Record<string, readonly number[] | undefined>

const packDays = (days: readonly StoredDay[]): Buffer =>
  returnsBytes(Float64Array.from(days.flatMap(({ day, net, files, content }) => [day, net ?? NaN, files, content])))

function scoreOf(row: ScoreRow): StoredScore {
  const ics = storedJsonOr<IcsByDay>(row.ics, isRecord as (value: unknown) => value is IcsByDay, {})
  return { days: daysOf(row.days, ics), facts: factsOf(row.facts) }
}

function daysOf(bytes: Buffer, ics: IcsByDay = {}): StoredDay[] {
  const numbers = returnsFromBytes(bytes)
  return Array.from({ length: Math.floor(numbers.length / NUMBERS) }, (_, at): StoredDay => {
    const [day, net, files, content] = numbers.subarray(at * NUMBERS, (at + 1) * NUMBERS)
    return { day, net: Number.isNaN(net) ? null : net, ics: ics[day] ?? [], files, content }
  })
}

const factsOf = (json: string): ScoreFacts => ({
  ...noScore.facts,
  ...storedJsonOr<Partial<ScoreFacts>>(json, isRecord, {}),
})
