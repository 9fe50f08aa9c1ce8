/** Names between commas, each once; what is around them does not count. */
export const tickerList = (text: string): string[] => [
  ...new Set(
    text
      .split(/[,;\n]/)
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  ),
]

/** The most that the service is asked for at once. */
export const MOST_TICKERS = 2000

export const tickersProblem = (tickers: readonly string[]): string | null =>
  tickers.length > MOST_TICKERS
    ? `These are ${tickers.length} tickers: at most ${MOST_TICKERS} can be asked for.`
    : null
