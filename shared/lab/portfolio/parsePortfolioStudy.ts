import { MS_PER_DAY, parseDay, parseDuration } from '#shared/time.ts'
import {
  ascendingListOf,
  type Fields,
  finiteNumber,
  flag,
  instant,
  interval,
  isRecord,
  needed,
  oneOf,
  optional,
  orNull,
  type Reader,
  readFields,
  record,
  repeatableListOf,
  text,
  wholeNumber,
} from '../documentFields.ts'
import { checkRange, sourceFields } from '../parseStudy.ts'
import { StudyError } from '../studyDocument.ts'
import { studyRange } from '../studyRange.ts'
import { countCombinations, MOST_COMBINATIONS, placeholdersOf } from './parameterGrid.ts'
import { durationMs, fundingModes, type PortfolioStudy, trainingPeriods, weightRules } from './portfolioStudy.ts'

export const numberFrom =
  (least: number, most = Infinity): Reader =>
  (value, path) => {
    if (typeof value === 'number' && Number.isFinite(value) && value >= least && value <= most) return value
    throw new StudyError(path, `must be a number ${most === Infinity ? `from ${least}` : `from ${least} to ${most}`}.`)
  }

const numberAbove =
  (bound: number, most = Infinity): Reader =>
  (value, path) => {
    if (typeof value === 'number' && Number.isFinite(value) && value > bound && value <= most) return value
    throw new StudyError(path, `must be a number above ${bound}${most === Infinity ? '' : `, at most ${most}`}.`)
  }

const duration: Reader = (value, path) => {
  if (typeof value === 'string' && parseDuration(value) !== null) return value
  throw new StudyError(path, 'must be a duration such as 30m, 8h or 7d.')
}

const utcDay: Reader = (value, path) => {
  if (typeof value === 'string' && parseDay(value) !== null) return value
  throw new StudyError(path, 'must be a UTC day such as 2026-03-01.')
}

const numberOrFormula: Reader = (value, path) =>
  typeof value === 'number' ? numberFrom(0)(value, path) : text(value, path)

const linearSlippage = record({ bps: needed(numberFrom(0)) })
const rootSlippage = record({ k: needed(numberFrom(0)), sigma: needed(text) })
const slippage: Reader = (value, path) =>
  isRecord(value) && ('k' in value || 'sigma' in value) ? rootSlippage(value, path) : linearSlippage(value, path)

export const evenBlocks: Reader = (value, path) => {
  const blocks = wholeNumber(2, 16)(value, path) as number
  if (blocks % 2 === 0) return blocks
  throw new StudyError(path, 'must be even.')
}

const parameterNamePattern = /^[a-z][A-Za-z0-9]{0,19}$/

const parameters: Reader = (value, path) => {
  if (!isRecord(value) || Object.keys(value).length === 0) {
    throw new StudyError(path, 'must be an object of lists of numbers.')
  }
  const readNumbers = repeatableListOf(finiteNumber)
  return Object.fromEntries(
    Object.entries(value).map(([name, list]) => {
      if (!parameterNamePattern.test(name)) {
        throw new StudyError(
          `${path}.${name}`,
          'must be named with a lower-case letter and up to 19 letters or digits.',
        )
      }
      return [name, readNumbers(list, `${path}.${name}`)]
    }),
  )
}

const stepScale = record({
  cuts: needed(ascendingListOf(finiteNumber, 10)),
  factors: needed(repeatableListOf(finiteNumber, 11)),
})

const scale: Reader = (value, path) => {
  if (value === 'value') return value
  if (!isRecord(value)) throw new StudyError(path, 'must be "value" or an object with cuts and factors.')
  const steps = stepScale(value, path) as { cuts: number[]; factors: number[] }
  if (steps.factors.length === steps.cuts.length + 1) return steps
  throw new StudyError(`${path}.factors`, 'must have one entry more than cuts.')
}

const exposureBy = record({
  overlay: needed(text),
  portfolio: optional(orNull(text), null),
  scale: needed(scale),
})

const source = record({
  ...sourceFields,
  fundingEvery: optional(orNull(duration), null),
  exposureBy: optional(orNull(exposureBy), null),
})

const recordWithDefaults = (fields: Fields): Fields[string] => ({
  read: record(fields),
  byDefault: () => readFields({}, fields, ''),
})

const fields: Fields = {
  version: needed(oneOf([1])),
  kind: needed(oneOf(['portfolio'])),
  name: optional(orNull(text), null),
  interval: needed(interval),
  start: optional(orNull(instant), null),
  end: optional(orNull(instant), null),
  source: optional(orNull(source), null),
  signal: needed(text),
  price: optional(text, 'close'),
  delayBars: optional(wholeNumber(0, 1000), 1),
  weights: recordWithDefaults({
    rule: optional(oneOf(weightRules), 'rank'),
    longOnly: optional(flag, false),
    clip: optional(numberAbove(0), 3),
    quantiles: optional(wholeNumber(2, 20), 5),
    leverage: optional(numberAbove(0, 100), 1),
    cap: optional(orNull(numberAbove(0)), null),
  }),
  rebalance: recordWithDefaults({ every: optional(duration, '1d'), offset: optional(duration, '0m') }),
  smoothing: optional(wholeNumber(1, 10_000), 1),
  band: optional(numberFrom(0), 0),
  capital: optional(numberAbove(0), 1_000_000),
  funding: optional(oneOf(fundingModes), 'required'),
  fundingRate: optional(text, 'funding'),
  costs: recordWithDefaults({
    feeBps: optional(numberFrom(-1000, 1000), 5),
    spreadBps: optional(numberOrFormula, 0),
    slippage: optional(slippage, { bps: 0 }),
    volume: optional(orNull(text), null),
  }),
  settleAfterBars: optional(wholeNumber(1, 1_000_000), null),
  capacity: optional(orNull(record({ levels: needed(repeatableListOf(numberAbove(0), 50)) })), null),
  riskFree: optional(numberFrom(-0.5, 1), 0),
  pbo: recordWithDefaults({ blocks: optional(evenBlocks, 8) }),
  parameters: optional(orNull(parameters), null),
  walkForward: optional(
    orNull(
      record({
        folds: optional(wholeNumber(1, 100), 4),
        train: optional(oneOf(trainingPeriods), 'past'),
        embargoDays: optional(wholeNumber(0, 3650), 0),
        lookbackBars: optional(orNull(wholeNumber(0, 1_000_000)), null),
      }),
    ),
    null,
  ),
  holdout: optional(orNull(record({ fromDay: needed(utcDay) })), null),
}

/** Default number of days without a price after which a position is settled. */
const SETTLE_AFTER_DAYS = 3

/**
 * Validates the document of a tested portfolio and fills in its defaults; throws a `StudyError` that names the first
 * invalid field.
 * @param fromCache whether the rows come from the cache, whose default price formula differs
 */
export function parsePortfolioStudy(document: unknown, { fromCache }: { fromCache: boolean }): PortfolioStudy {
  if (!isRecord(document)) throw new StudyError('study', 'must be a JSON object.')
  const documentToRead = fromCache ? { price: 'ohlcv.close', ...document } : document
  const study = readFields(documentToRead, fields, '') as unknown as PortfolioStudy
  const { intervalMs } = studyRange(study)
  if (study.settleAfterBars === null) study.settleAfterBars = (SETTLE_AFTER_DAYS * MS_PER_DAY) / intervalMs
  checkRange(study, fromCache)
  checkRebalance(study, intervalMs)
  checkCosts(study)
  checkGrid(study)
  return study
}

function checkRebalance({ rebalance, source }: PortfolioStudy, intervalMs: number): void {
  const everyMs = durationMs(rebalance.every)
  const offsetMs = durationMs(rebalance.offset)
  const isWhole = (ms: number) => ms % intervalMs === 0
  if (!(everyMs > 0 && isWhole(everyMs))) {
    throw new StudyError('rebalance.every', 'must be a whole number of intervals, at least one.')
  }
  if (!isWhole(offsetMs)) throw new StudyError('rebalance.offset', 'must be a whole number of intervals.')
  if (offsetMs >= everyMs) throw new StudyError('rebalance.offset', 'must be shorter than rebalance.every.')
  if (source && source.fundingEvery !== null && durationMs(source.fundingEvery) === 0) {
    throw new StudyError('source.fundingEvery', 'must be longer than 0.')
  }
}

function checkCosts({ costs }: PortfolioStudy): void {
  if ('k' in costs.slippage && costs.volume === null) {
    throw new StudyError('costs.volume', 'is needed where costs.slippage depends on it.')
  }
}

/**
 * Rejects placeholders without a parameter, parameters without a placeholder or a walk-forward, a walk-forward without parameters, and
 * grids with too many combinations.
 */
function checkGrid({ signal, parameters, walkForward }: PortfolioStudy): void {
  const unknownName = placeholdersOf(signal).find((name) => !parameters || !Object.hasOwn(parameters, name))
  if (unknownName !== undefined)
    throw new StudyError(
      'signal',
      parameterNamePattern.test(unknownName)
        ? `{${unknownName}} has no numbers in parameters: list the numbers to try.`
        : `{${unknownName}} is not a placeholder: its name is a lower-case letter and up to 19 letters or digits.`,
    )
  const namesInSignal = new Set(placeholdersOf(signal))
  const unusedName = Object.keys(parameters ?? {}).find((name) => !namesInSignal.has(name))
  if (unusedName !== undefined)
    throw new StudyError(
      `parameters.${unusedName}`,
      `stands nowhere in signal, so its numbers would only repeat the test: write {${unusedName}} where they belong, or remove it.`,
    )
  if (parameters && !walkForward) throw new StudyError('walkForward', 'is needed where there are parameters.')
  if (walkForward && !parameters) throw new StudyError('parameters', 'are needed by walkForward.')
  if (parameters && countCombinations(parameters) > MOST_COMBINATIONS) {
    throw new StudyError('parameters', `make more than ${MOST_COMBINATIONS} combinations.`)
  }
}
