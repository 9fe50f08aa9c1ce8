import { noCheckpoint } from './checkpoint.ts'
import type { Study, StudyKind } from './kinds.ts'
import { run as clocks } from './kinds/clocks/run.ts'
import { run as costs } from './kinds/costs/run.ts'
import { run as events } from './kinds/events/run.ts'
import { run as leadlag } from './kinds/leadlag/run.ts'
import { run as schedule } from './kinds/schedule/run.ts'
import { run as screen } from './kinds/screen/run.ts'
import { run as seasonality } from './kinds/seasonality/run.ts'
import { run as series } from './kinds/series/run.ts'
import { run as signal } from './kinds/signal/run.ts'
import { run as spells } from './kinds/spells/run.ts'
import { evaluateField } from './panelFormula.ts'
import { describePanel, type KindRun, type OnStage, type StudyInput } from './studyInput.ts'
import { sortWarnings, type StudyWarning, warning } from './studyWarnings.ts'

const runs = {
  ...{ signal, events, leadlag, seasonality },
  ...{ series, screen, schedule, costs, clocks, spells },
} satisfies Record<StudyKind, unknown>

interface ResultHead<Kind extends StudyKind> {
  version: 1
  kind: Kind
  study: Extract<Study, { kind: Kind }>
  data: ReturnType<typeof describePanel> & Pick<StudyInput, 'notDownloaded' | 'funding'>
  warnings: StudyWarning[]
}

/** Results of the kinds; `kind` tells them apart. */
export type ResultOf<Kind extends StudyKind> = ResultHead<Kind> & ReturnType<(typeof runs)[Kind]>['result']
export type StudyResult = { [Kind in StudyKind]: ResultOf<Kind> }[StudyKind]

/** Runs a study; throws a `StudyError` if a formula or field does not fit the panel. */
export function runStudy(input: StudyInput, onStage: OnStage = () => undefined): StudyResult {
  const { study, panel, against, rules, checkpoint = noCheckpoint } = input
  const run = runs[study.kind] as (run: KindRun<Study>) => { result: object; warnings: StudyWarning[] }
  const { result, warnings } = run({
    study,
    panel,
    input,
    checkpoint,
    onStage,
    evaluate(formula) {
      onStage('formulas', 0)
      return evaluateField(panel, formula, rules, checkpoint)
    },
  })
  const allWarnings = [...(input.warnings ?? []), ...warnings]
  if (panel.duplicates > 0 || (against && against.duplicates > 0)) allWarnings.push(warning('duplicate-rows'))
  return {
    version: 1,
    kind: study.kind,
    study,
    data: {
      ...describePanel(panel),
      ...(input.notDownloaded && { notDownloaded: input.notDownloaded }),
      ...(input.funding && { funding: input.funding }),
    },
    warnings: sortWarnings(allWarnings),
    ...result,
  } as StudyResult
}
