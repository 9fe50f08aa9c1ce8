import { MOST_LIST_CHARACTERS } from '#shared/contract/areas/lists.ts'
import { parseSeriesName } from '#shared/portfolio/book/seriesName.ts'
import { parseNumber } from '#shared/units/numbers.ts'
import type { Invocation } from './command.ts'
import { findConnection } from './connections.ts'
import { readGivenText } from './givenText.ts'
import { bookText } from './text/commands.ts'
import { UsageError } from './usageError.ts'

/** Reads a CSV that an option names, with its name as the user typed it. */
export const givenCsv = <Path extends string | undefined>(path: Path) =>
  (path === undefined ? null : { file: path, text: readGivenText(path, MOST_LIST_CHARACTERS) }) as
    | { file: string; text: string }
    | (Path extends string ? never : null)

/** Returns a function that parses a number option; undefined if it was not given. */
export const amountOption =
  (options: Readonly<Record<string, unknown>>) =>
  (name: string, rule: string, isRight: (value: number) => boolean): number | undefined => {
    const typed = options[name]
    if (typeof typed !== 'string') return undefined
    const value = parseNumber(typed)
    if (value === null || !Number.isFinite(value) || !isRight(value))
      throw new UsageError(bookText.notAmount(name, rule, typed))
    return value
  }

/** Id of the connection that was named; empty for the active one, which a plan of files does not need. */
export const bookConnection = async ({
  client,
  connection,
}: Pick<Invocation, 'client' | 'connection'>): Promise<string> =>
  connection === undefined ? '' : (await findConnection(await client(), connection)).id

export function checkSeries(names: readonly string[]): void {
  const wrong = names.find((name) => parseSeriesName(name) === null)
  if (wrong !== undefined) throw new UsageError(bookText.notSeries(wrong))
}
