import { isRawDatasetId, type RawDatasetId } from '#shared/catalog/rawDatasets.ts'
import type { EventConditions, FileFinding, FileIdentity } from '#shared/contract/areas/raw.ts'
import { toAppError } from '#shared/contract/errors.ts'
import { TIME_KIND } from '#shared/contract/placeFindings.ts'
import { ParquetFile } from '#core/readers/parquetFile.ts'
import { columnFindings } from './columnFindings.ts'
import { choosePeriod } from './choosePeriod.ts'
import { readConditions } from './readConditions.ts'
import { datasetOf, pathHints } from './recogniseFile.ts'

/** What the person says about files; it counts instead of what is recognised. */
export interface GivenIdentity {
  dataset?: string | undefined
  exchange?: string | undefined
  symbol?: string | undefined
}

export interface Inspection extends Omit<FileIdentity, 'dataset'> {
  dataset: RawDatasetId | null
  rows: number | null
  hasTimeKind: boolean
  /** What is wrong with it whatever its venue and symbol are. */
  contentFindings: FileFinding[]
  conditions: EventConditions | null
}

/** Looks at a file of events, all of it. Whatever is wrong with it is a finding, never an error. */
export function inspectFile(
  path: string,
  given: GivenIdentity,
  onRows: (done: number, total: number) => void = () => {},
): Inspection {
  const hints = pathHints(path)
  const exchange = given.exchange ?? hints.exchange
  const symbol = given.symbol ?? hints.symbol
  const nothing = {
    dataset: null,
    exchange,
    symbol,
    period: hints.period,
    rows: null,
    hasTimeKind: false,
    conditions: null,
  }
  try {
    using file = new ParquetFile(path, { remember: false })
    const columns = file.columns.map(({ name }) => name)
    const dataset = datasetOf(columns)
    const opened = { ...nothing, hasTimeKind: columns.includes(TIME_KIND), rows: file.rows }
    if (dataset === null) return { ...opened, contentFindings: [error(wordsOfOthers(columns))] }
    const known = { ...opened, dataset }
    const said = given.dataset ?? hints.dataset
    const findings = [
      ...datasetFindings(dataset, said, given.dataset !== undefined),
      ...columnFindings(dataset, file.columns),
    ]
    if (file.rows === 0) findings.push(error('There are no rows in it.'))
    if (findings.some(({ level }) => level === 'error')) return { ...known, contentFindings: findings }
    const read = readConditions(file, dataset, (rows) => onRows(rows, file.rows))
    const chosen = choosePeriod(hints.period, read.days)
    findings.push(...read.findings, ...chosen.findings, ...conditionFindings(read.conditions))
    return { ...known, period: chosen.period, conditions: read.conditions, contentFindings: findings }
  } catch (thrown) {
    const { detail, sentence } = toAppError(thrown)
    const message = (detail ?? sentence).replace(`${path}: `, '').replace(path, 'It')
    return { ...nothing, contentFindings: [error(message.charAt(0).toUpperCase() + message.slice(1))] }
  }
}

const found = (level: FileFinding['level'], message: string): FileFinding => ({ level, message })
const error = (message: string) => found('error', message)
const warning = (message: string) => found('warning', message)

function wordsOfOthers(names: readonly string[]): string {
  if (names.includes('time') && !names.includes('exchange_timestamp'))
    return 'These are rows of a metric (column time), not raw events.'
  return `Its columns are those of no raw dataset: ${names.slice(0, 8).join(', ').slice(0, 200) || 'there are none'}.`
}

function datasetFindings(dataset: RawDatasetId, said: string | null, isGiven: boolean): FileFinding[] {
  if (said === null || said === dataset) return []
  if (!isRawDatasetId(said)) return [error(`There is no raw dataset “${said.slice(0, 60)}”.`)]
  if (isGiven) return [error(`Its columns are those of ${dataset}, not of ${said}.`)]
  return [warning(`Its path says ${said}, its columns ${dataset}.`)]
}

const many = (count: number, word: string) => (count === 1 ? `One ${word}` : `${count} ${word}s`)
const share = (count: number, events: number) => `${((100 * count) / events).toPrecision(2)} %`

function conditionFindings(conditions: EventConditions): FileFinding[] {
  const { events, outOfOrder, duplicates, unusable, modelledArrivals } = conditions
  const findings: FileFinding[] = []
  if (outOfOrder > 0)
    findings.push(
      warning(
        `${many(outOfOrder, 'event')} (${share(outOfOrder, events)}) ${outOfOrder === 1 ? 'stands' : 'stand'} behind a later one.`,
      ),
    )
  if (duplicates > 0)
    findings.push(warning(`${many(duplicates, 'event')} ${duplicates === 1 ? 'is' : 'are'} there twice.`))
  if (unusable > 0)
    findings.push(
      warning(`${many(unusable, 'value')} cannot be computed with: missing, negative, not finite, or a price of 0.`),
    )
  if (modelledArrivals > 0)
    findings.push(
      found('note', `${share(modelledArrivals, events)} of the arrivals are modelled: no latency from these.`),
    )
  return findings
}
