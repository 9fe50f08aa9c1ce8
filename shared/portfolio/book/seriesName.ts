/** Names of daily series, such as `portfolio:momentum_ls.20` or `price:BTC`. */
export const seriesKinds = ['portfolio', 'test', 'blend', 'own', 'price'] as const
type SeriesKind = (typeof seriesKinds)[number]

interface SeriesName {
  kind: SeriesKind
  id: string
}

/** Sources of target weights, such as `live:momentum_ls.20` or `blend:0123456789ab`. */
export const weightKinds = ['live', 'close', 'blend', 'test'] as const
type WeightKind = (typeof weightKinds)[number]

interface WeightName {
  kind: WeightKind
  id: string
}

function split<Kind extends string>(text: string, kinds: readonly Kind[]): { kind: Kind; id: string } | null {
  const at = text.indexOf(':')
  const kind = kinds.find((each) => each === text.slice(0, at))
  const id = text.slice(at + 1).trim()
  return kind === undefined || id === '' ? null : { kind, id }
}

/** Parses the name of a series; null for any other text. */
export const parseSeriesName = (text: string): SeriesName | null => split(text, seriesKinds)
/** Parses the name of weights; null for any other text, such as a path. */
export const parseWeightName = (text: string): WeightName | null => split(text, weightKinds)
