import type { TimestampSource } from '#shared/catalog/intervals.ts'
import { connectionOfOwner } from '#shared/contract/computedOwner.ts'
import { readsFunding } from '#shared/formula/functionTable.ts'
import { parseFormula } from '#shared/formula/parseFormula.ts'
import type { SeriesFunding } from '#shared/formula/series.ts'
import type { OpenTimeRange } from '#shared/time/ranges.ts'
import { fundingOf } from '#core/funding/instrumentFunding.ts'
import type { SeriesDeps } from './seriesDeps.ts'
import type { SeriesName } from './seriesFiles.ts'

/**
 * Finds the funding periods of the instruments behind the inputs of formulas, by the names of the inputs; none if no
 * formula needs them. A formula must be valid.
 */
export async function fundingOfInputs(
  deps: Pick<SeriesDeps, 'store' | 'reader'>,
  formulas: readonly string[],
  { inputs, range }: { inputs: ReadonlyMap<string, SeriesName>; range: OpenTimeRange },
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, SeriesFunding>> {
  if (!formulas.some((formula) => readsFunding(parseFormula(formula)))) return new Map()
  const found = await Promise.all(
    [...Map.groupBy([...inputs], ([, input]) => connectionOfOwner(input.series.connectionId))].map(
      async ([connectionId, all]) => {
        const instruments = await fundingOf(
          deps,
          { connectionId, pairs: distinctPairs(all.map(([, { series }]) => series)), range, timestamp: clockOf(all) },
          signal,
        )
        const byPair = new Map(instruments.map((each) => [keyOf(each), each]))
        return all.map(([name, { series }]): [string, SeriesFunding] => {
          const { exchange, symbol, periods } = byPair.get(keyOf(series))!
          return [name, { exchange, symbol, periods }]
        })
      },
    ),
  )
  return new Map(found.flat())
}

const keyOf = ({ exchange, symbol }: { exchange: string; symbol: string }) => `${exchange}\n${symbol}`

const distinctPairs = (all: readonly { exchange: string; symbol: string }[]) => [
  ...new Map(all.map(({ exchange, symbol }) => [keyOf({ exchange, symbol }), { exchange, symbol }])).values(),
]

/** Returns the clock that all inputs share; null if they differ. */
function clockOf(inputs: readonly (readonly [string, SeriesName])[]): TimestampSource | null {
  const [clock, ...others] = new Set(inputs.map(([, { timestamp }]) => timestamp))
  return others.length === 0 ? clock : null
}
