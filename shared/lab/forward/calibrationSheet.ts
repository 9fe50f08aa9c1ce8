import { column, type Sheet, table } from '#shared/sheet/sheet.ts'
import { formatNumber } from '#shared/units/numbers.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import {
  type Calibration,
  type CalibrationFamily,
  type CalibrationGroup,
  type CalibrationGroupName,
  calibrationGroups,
  FEWEST_DAYS,
  FEWEST_TESTS,
} from './calibration.ts'

const groupTitles: Record<CalibrationGroupName, string> = {
  all: 'All',
  registered: 'Registered',
  unregistered: 'Not registered',
  deflatedHigh: 'Deflated 0.95 or more',
  deflatedLow: 'Deflated below 0.95',
}

type GroupRow = CalibrationGroup & { title: string }

const groupColumns = [
  column<GroupRow>('group', 'Tests', 'text', ({ title }) => title),
  column<GroupRow>('tests', 'Number', 'count', ({ tests }) => tests),
  column<GroupRow>('slope', 'Slope', 'statistic', ({ slope }) => slope),
  column<GroupRow>('low', 'from', 'statistic', ({ low }) => low),
  column<GroupRow>('high', 'to', 'statistic', ({ high }) => high),
  column<GroupRow>('expectedSlope', 'Honest slope', 'statistic', ({ expectedSlope }) => expectedSlope),
  column<GroupRow>('medianRecorded', 'Median recorded', 'statistic', ({ medianRecorded }) => medianRecorded),
  column<GroupRow>('medianForward', 'Median forward', 'statistic', ({ medianForward }) => medianForward),
  column<GroupRow>('positive', 'Forward above 0', 'share', ({ positive }) => positive),
  column<GroupRow>('positiveLow', 'from', 'share', ({ positiveLow }) => positiveLow),
  column<GroupRow>('positiveHigh', 'to', 'share', ({ positiveHigh }) => positiveHigh),
]

const familyColumns = [
  column<CalibrationFamily>('family', 'Family', 'text', ({ family, name }) => name ?? family.slice(0, 12)),
  column<CalibrationFamily>('tests', 'Tests', 'count', ({ tests }) => tests),
  column<CalibrationFamily>('sequence', 'Best entry', 'text', ({ sequence }) => String(sequence)),
  column<CalibrationFamily>('promised', 'Promised Sharpe', 'statistic', ({ promised }) => promised),
  column<CalibrationFamily>('kept', 'Kept', 'statistic', ({ kept }) => kept),
]

/** Says how far one’s own tests can be believed. */
export function calibrationSheet(calibration: Calibration): Sheet {
  const { tests, families, all } = calibration
  const counted = `${plainPlural(tests, 'test')} with at least ${FEWEST_DAYS} forward days`
  return {
    title: 'How good are my tests',
    subtitle: counted,
    verdict: all.slope === null ? tooFew(tests) : verdictOf(all),
    sections: [
      table(
        {
          id: 'groups',
          title: 'Recorded against forward Sharpe ratio',
          note: 'Bands are 95 %, as if tests were independent; those that share days are not.',
        },
        groupColumns,
        calibrationGroups.map((name) => ({ title: groupTitles[name], ...calibration[name] })),
      ),
      table(
        {
          id: 'families',
          title: 'What the best of each family promised and kept',
          empty: `No test has ${FEWEST_DAYS} forward days yet.`,
        },
        familyColumns,
        families,
      ),
    ],
  }
}

const tooFew = (tests: number): string =>
  tests < FEWEST_TESTS
    ? `Figures need at least ${FEWEST_TESTS} tests with ${FEWEST_DAYS} forward days.`
    : 'There is no slope, because the recorded Sharpe ratios do not vary.'

const two = (value: number): string => formatNumber(value, 2)

const verdictOf = ({ slope, expectedSlope, medianRecorded, medianForward }: CalibrationGroup): string =>
  `Tests with a recorded Sharpe ratio higher by 1 had a forward one higher by ${two(slope ?? NaN)}; without any selection, noise alone would leave ${two(expectedSlope ?? NaN)}. ` +
  `The median was ${two(medianRecorded ?? NaN)} recorded and ${two(medianForward ?? NaN)} forward.`
