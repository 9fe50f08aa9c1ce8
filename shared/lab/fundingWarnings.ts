import type { FundingBasis } from '#shared/funding/fundingPeriods.ts'
import { durationText, type FundingRow } from '#shared/funding/fundingRows.ts'
import type { FundingConflict } from '#shared/funding/resolveFunding.ts'
import { formatTime } from '#shared/units/instants.ts'
import { type StudyWarning, warning } from './studyWarnings.ts'

const MOST_NAMED = 5

/** Joins names, of which at most five are written out. */
export function namedSome(names: readonly string[], separator = ', '): string {
  const more = names.length - MOST_NAMED
  return `${names.slice(0, MOST_NAMED).join(separator)}${more > 0 ? ` and ${more} more` : ''}`
}

/** Lists the warnings about funding periods that are not known for certain. */
export function fundingWarnings(rows: readonly FundingRow[]): StudyWarning[] {
  const symbolsBy = (wanted: FundingBasis) => [
    ...new Set(rows.flatMap(({ symbol, basis }) => (basis === wanted ? [symbol] : []))),
  ]
  const [inferred, asked] = [symbolsBy('inferred'), symbolsBy('asked')]
  return [
    ...(inferred.length > 0 ? [warning('funding-inferred', `${namedSome(inferred)}.`)] : []),
    ...(asked.length > 0 ? [warning('funding-assumed', `${namedSome(asked)}.`)] : []),
  ]
}

/** Warns of funding periods that the user announced and raw events contradict. */
export function conflictWarnings(conflicts: readonly (FundingConflict & { name: string })[]): StudyWarning[] {
  const texts = conflicts.map(
    ({ name, startMs, endMs, observedMs, announcedMs }) =>
      `${name} from ${minuteText(startMs)} to ${minuteText(endMs)} every ${durationText(observedMs)} by raw events, every ${durationText(announcedMs)} announced`,
  )
  return texts.length > 0 ? [warning('funding-conflict', `${namedSome(texts, '; ')}.`)] : []
}

const minuteText = (timeMs: number) => formatTime(timeMs, 'utc', 'minute')
