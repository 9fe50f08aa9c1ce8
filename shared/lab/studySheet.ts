import { dayOf } from '#shared/time.ts'
import type { Section, Sheet } from '#shared/sheet/sheet.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import { kindName, type LabKind } from './kinds.ts'
import * as clocks from './kinds/clocks/sheet.ts'
import * as costs from './kinds/costs/sheet.ts'
import * as blend from './kinds/blend/sheet.ts'
import * as events from './kinds/events/sheet.ts'
import * as leadlag from './kinds/leadlag/sheet.ts'
import * as portfolio from './kinds/portfolio/sheet.ts'
import * as schedule from './kinds/schedule/sheet.ts'
import * as screen from './kinds/screen/sheet.ts'
import * as seasonality from './kinds/seasonality/sheet.ts'
import * as series from './kinds/series/sheet.ts'
import * as signal from './kinds/signal/sheet.ts'
import type { LabResult } from '#shared/lab/labResult.ts'
import * as spells from './kinds/spells/sheet.ts'

interface KindSheet {
  /** The answer in one sentence, or why there is none. */
  verdict?(result: LabResult): string
  sections(result: LabResult): Section[]
  /** Ids of the sections that a face with little room shows. */
  leading: readonly string[]
}

const sheets = {
  ...{ signal, events, leadlag, seasonality },
  ...{ series, screen, schedule, costs, clocks, spells },
  ...{ portfolio, blend },
} satisfies Record<LabKind, unknown>

/** The answer in one sentence; null if the kind has none. */
export const verdictOf = (result: LabResult): string | null =>
  (sheets[result.kind] as KindSheet).verdict?.(result) ?? null

/** Describes the result of a study for every face. */
export function studySheet(result: LabResult): Sheet {
  if (result.kind === 'blend') return blend.blendSheet(result)
  const { kind, study, data } = result
  const { symbols, times, rows, firstTime, lastTime } = data
  const { sections } = sheets[kind] as KindSheet
  const verdict = verdictOf(result)
  return {
    title: `${kindName(kind)}${study.name ? `: ${study.name}` : ''}`,
    subtitle: `${plainPlural(symbols, 'symbol')}, ${plainPlural(times, 'time')}, ${plainPlural(rows, 'row')}, ${dayOf(firstTime)} to ${dayOf(lastTime)}`,
    ...(verdict !== null && { verdict }),
    sections: sections(result),
  }
}

/** The sections that sum up a result. */
export const leadingSections = ({ kind }: LabResult, { sections }: Sheet): Section[] =>
  sections.filter(({ id }) => sheets[kind].leading.includes(id))
