import { calibrate, type CountedTest } from '#shared/lab/forward/calibration.ts'
import { calibrationSheet } from '#shared/lab/forward/calibrationSheet.ts'
import { definitionVersions, type ReportContent, type ReportSource } from '#shared/report/reportContent.ts'
import { sheetParts } from '#shared/report/sheetReport.ts'
import { column, table } from '#shared/sheet/sheet.ts'
import type { ForwardService } from '#core/lab/forward/forwardService.ts'
import type { Clock } from '#core/ports.ts'
import { factsFile, type ReplayedAnswers } from './answers.ts'
import type { ReportFiles } from './sourceFiles.ts'

export interface CalibrationPartDeps {
  clock: Clock
  forward: () => Promise<Pick<ForwardService, 'update' | 'calibration'>>
  sources: ReportFiles
}

const QUESTION = 'tests that count for calibration'

const columns = [
  column<CountedTest>('sequence', 'No.', 'text', ({ sequence }) => String(sequence)),
  column<CountedTest>('family', 'Family', 'text', ({ family }) => family.slice(0, 12)),
  column<CountedTest>('registered', 'Registered', 'text', ({ registered }) => (registered ? 'yes' : 'no')),
  column<CountedTest>('days', 'Forward days', 'count', ({ days }) => days),
  column<CountedTest>('recorded', 'Recorded Sharpe', 'statistic', ({ recorded }) => recorded),
  column<CountedTest>('forward', 'Forward Sharpe', 'statistic', ({ forward }) => forward),
]

/** Computes the report of what recorded tests promised and what came, which a replay computes from the same tests. */
export async function computeCalibration(
  deps: CalibrationPartDeps,
  { replayedSources, signal }: ReplayedAnswers & { signal: AbortSignal },
): Promise<ReportContent> {
  const sources: ReportSource[] = []
  const tests =
    replayedSources === null
      ? await countedNow(deps, sources, signal)
      : factsFile.read<CountedTest[]>(deps.sources, replayedSources, QUESTION, sources)
  const { title, subtitle, verdict, sections } = calibrationSheet(calibrate(tests))
  const counted = table({ id: 'tests', title: 'Tests that count' }, columns, tests)
  return {
    ...{ title, subtitle, sources, warnings: [] },
    parts: [{ kind: 'text', title: 'Verdict', lines: [verdict ?? ''] }, ...sheetParts([...sections, counted])],
    definitions: definitionVersions(['calibration']),
    isSynthetic: false,
  }
}

/** Scores what can be scored now, and keeps the tests that count. */
async function countedNow(
  { clock, forward, sources: files }: CalibrationPartDeps,
  sources: ReportSource[],
  signal: AbortSignal,
): Promise<CountedTest[]> {
  const service = await forward()
  await service.update(signal)
  const { points } = await service.calibration(signal)
  sources.push(factsFile.keep(files, QUESTION, points, { service: 'computed here', fetchedAt: clock.nowMs() }))
  return points
}
