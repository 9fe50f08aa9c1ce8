/** Builds the folder of a raw series as `compute --raw` and imports read it. */
export const seriesPathOf = (dataset: string, exchange: string, symbol: string): string =>
  `dataset=${dataset}/exchange=${exchange}/symbol=${encodeURIComponent(symbol)}`
