/** Returns the relative path of the folder of a raw series, in the layout that `compute --raw` and imports read. */
export const seriesPathOf = (dataset: string, exchange: string, symbol: string): string =>
  `dataset=${dataset}/exchange=${exchange}/symbol=${encodeURIComponent(symbol)}`
