import { MS_PER_HOUR } from '#shared/time.ts'
import type { InstrumentFunding } from '#core/funding/instrumentFunding.ts'

/** Tells whether a query may call `funding_hours`, which needs the known funding periods. */
export const mayCallFundingHours = (sql: string): boolean => /funding_hours/i.test(sql)

/**
 * Writes the statement that creates the function `funding_hours`: the funding period of an instrument at a time, in
 * hours, and NULL where it is not known. Each row finds the last change of the period with an as-of join, so that a long
 * history takes no longer than a short one.
 */
export function fundingHoursStatement(all: readonly InstrumentFunding[]): string {
  const lines = all.flatMap(({ exchange, symbol, periods }) =>
    changesOf(periods).map(({ fromMs, hours }) => `${exchange}\t${symbol}\t${timeText(fromMs)}\t${hours ?? ''}`),
  )
  // One text is parsed much faster than a list of as many rows. No name contains a tab or a line feed.
  const text = lines.join('\n').replaceAll("'", "''")
  return `CREATE OR REPLACE MACRO funding_hours(exchange, symbol, moment) AS (
     SELECT known.hours
     FROM (SELECT exchange AS e, symbol AS s, CAST(moment AS TIMESTAMP) AS t) AS asked
     ASOF JOIN (
       SELECT split_part(line, chr(9), 1) AS e, split_part(line, chr(9), 2) AS s,
         TRY_CAST(split_part(line, chr(9), 3) AS TIMESTAMP) AS t, TRY_CAST(split_part(line, chr(9), 4) AS DOUBLE) AS hours
       FROM (SELECT unnest(string_split('${text}', chr(10))) AS line)) AS known
     ON asked.e = known.e AND asked.s = known.s AND asked.t >= known.t)`
}

/** Lists the times from which the length of the period is another, or is no longer known (null). */
function changesOf(periods: InstrumentFunding['periods']): { fromMs: number; hours: number | null }[] {
  const changes: { fromMs: number; hours: number | null }[] = []
  const add = (fromMs: number, hours: number | null) => {
    if (changes.at(-1)?.hours !== hours) changes.push({ fromMs, hours })
  }
  for (const [at, { startMs, endMs, everyMs }] of periods.entries()) {
    add(startMs, everyMs / MS_PER_HOUR)
    if (Number.isFinite(endMs) && periods.at(at + 1)?.startMs !== endMs) add(endMs, null)
  }
  return changes
}

const timeText = (timeMs: number): string =>
  timeMs === -Infinity ? '-infinity' : new Date(timeMs).toISOString().slice(0, -1)
