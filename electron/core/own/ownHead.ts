import type { OwnChoices } from '#core/store/ownDataStore.ts'
import { AppError } from '#shared/contract/errors.ts'
import { didYouMean } from '#shared/formula/suggestName.ts'

/** Names of the column of times, in the order in which it is looked for. */
const timeNames = ['time', 'timestamp', 'date', 'datetime', 'ts']
/** Names that `own.NAME` has for what it says of every row, so that no column of a file can have them. */
const reservedNames = ['time', 'known_at', 'exchange', 'symbol']
const MOST_COLUMNS = 4096

/** Places of the columns in a file; -1 for a column that it does not have. */
export interface OwnHead {
  names: readonly string[]
  time: number
  symbol: number
  exchange: number
  label: number
  /** Places of the columns that may be values. */
  values: number[]
  /** Columns that cannot be read under their name. */
  reserved: string[]
}

export function problemIn(file: string, problem: string, line?: number, column?: string): AppError {
  const place = [file, ...(line === undefined ? [] : [`line ${line}`]), ...(column ? [`column ${column}`] : [])]
  return new AppError('bad-input', `${place.join(', ')}: ${problem.replace(/\.$/, '')}.`)
}

/** Finds the columns of a file; throws if one that was chosen, or the one of times, is missing. */
export function headOf(
  file: string,
  names: readonly string[],
  choices: OwnChoices,
  { line, first }: { line?: number | undefined; first?: { name: string; time: string } | undefined } = {},
): OwnHead {
  checkNames(file, names, line)
  const find = (wanted: string): number => {
    const exact = names.indexOf(wanted)
    return exact >= 0 ? exact : names.findIndex((name) => name.toLowerCase() === wanted.toLowerCase())
  }
  const findChosen = (option: string, wanted: string): number => {
    const place = find(wanted)
    if (place >= 0) return place
    throw problemIn(
      file,
      `it has no column ${wanted}, which ${option} names; its columns are ${listed(names)}.${didYouMean(wanted, names)}`,
    )
  }
  if (first !== undefined && find(first.time) < 0)
    throw problemIn(
      file,
      `it has no column ${first.time}, where ${first.name} has its times; its columns are ${listed(names)}. Files of one dataset have the same columns`,
    )
  const time =
    choices.time === undefined
      ? (timeNames.map(find).find((place) => place >= 0) ?? -1)
      : findChosen('--time', choices.time)
  if (time < 0)
    throw problemIn(
      file,
      `it has no column of times (${timeNames.join(', ')}); name it with --time. Its columns are ${listed(names)}`,
    )
  const symbol = choices.symbol === undefined ? find('symbol') : findChosen('--symbol', choices.symbol)
  const exchange = find(choices.exchange ?? 'exchange')
  const label = choices.label === undefined ? -1 : findChosen('--label', choices.label)
  const keys = [time, symbol, exchange, label]
  const chosenKeys = keys.filter((place) => place >= 0)
  const twice = chosenKeys.find((place, at) => chosenKeys.indexOf(place) !== at)
  if (twice !== undefined) throw problemIn(file, 'one column cannot be two things', line, names[twice])
  const wanted = choices.columns?.map((name) => findChosen('--columns', name))
  for (const name of Object.keys(choices.units)) findChosen('--unit', name)
  const wantedKey = wanted?.find((place) => keys.includes(place))
  if (wantedKey !== undefined)
    throw problemIn(file, 'it is not a column of values, so --columns may not name it', line, names[wantedKey])
  const candidates = names.map((_, place) => place).filter((place) => !keys.includes(place))
  const chosen = wanted ? candidates.filter((place) => wanted.includes(place)) : candidates
  const isReserved = (place: number) => reservedNames.includes(names[place].toLowerCase())
  const reserved = chosen.filter(isReserved).map((place) => names[place])
  if (wanted && reserved.length > 0)
    throw problemIn(file, `${reserved[0]} is a name that every dataset of your own has for itself; rename the column`)
  return { names, time, symbol, exchange, label, values: chosen.filter((place) => !isReserved(place)), reserved }
}

function checkNames(file: string, names: readonly string[], line: number | undefined): void {
  if (names.length > MOST_COLUMNS) throw problemIn(file, `it has more than ${MOST_COLUMNS} columns`, line)
  const seen = new Map<string, string>()
  for (const name of names) {
    const known = seen.get(name.toLowerCase())
    if (known === name) throw problemIn(file, 'the column appears twice', line, name)
    if (known !== undefined)
      throw problemIn(file, `the columns ${known} and ${name} differ only in their letters`, line, name)
    seen.set(name.toLowerCase(), name)
  }
}

const MOST_LISTED = 12

const listed = (names: readonly string[]): string =>
  names.length <= MOST_LISTED
    ? names.join(', ')
    : `${names.slice(0, MOST_LISTED).join(', ')} and ${names.length - MOST_LISTED} more`

/** Columns that must be numbers whole, as the user named them, in lower case. */
export const requiredNumbers = ({ columns = [], units }: OwnChoices): Set<string> =>
  new Set([...columns, ...Object.keys(units)].map((name) => name.toLowerCase()))
