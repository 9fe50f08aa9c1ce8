import { BOARD_COLUMNS, type BoardContent, type BoardDocument, type BoardPart } from '#shared/contract/areas/boards.ts'
import { readyStudiesOn } from '#shared/lab/readyStudies.ts'
import { exampleQueriesOn } from '#shared/sql/exampleQueries.ts'
import { SAMPLE_NAME, sampleDocument } from '#shared/workspace/sampleWorkspace.ts'
import { boardsText } from '../../text/boards.ts'

export interface ReadyBoard {
  id: string
  name: string
  description: string
  document: BoardDocument
}

/** Initial sizes of parts by kind, in columns and rows. */
const initialSizes: Readonly<Record<BoardContent['kind'], readonly [columns: number, rows: number]>> = {
  workbench: [8, 5],
  sql: [4, 4],
  tearsheet: [BOARD_COLUMNS, 6],
  study: [8, 5],
  text: [4, 2],
}

/** Makes a part of the initial size for its kind. */
export function newPart(
  content: BoardContent,
  size: readonly [number, number] = initialSizes[content.kind],
): BoardPart {
  return { id: crypto.randomUUID(), columns: size[0], rows: size[1], content }
}

export const textContent = (markdown: string): BoardContent => ({ kind: 'text', markdown })

export const tearSheetContent = (portfolio: string): BoardContent => ({
  kind: 'tearsheet',
  portfolio,
  smoothing: null,
  exchange: null,
  benchmark: null,
  riskFree: 0,
  rolling: null,
  start: null,
  end: null,
  returns: null,
})

function queryContent(exampleId: string, venues: readonly string[]): BoardContent {
  const { name, sql, parameters } = exampleQueriesOn(venues).find(({ id }) => id === exampleId)!
  return { kind: 'sql', name, sql, parameters: { ...parameters } }
}

/**
 * Query for the change that the Watch screen shows: the last close relative to the last close that is at least a day
 * older.
 */
export const dayChangeQuery = `
WITH latest AS (
  SELECT exchange, symbol, interval, last(close ORDER BY time) AS close, max(time) AS time
  FROM metrics.ohlcv
  WHERE clock = 'exchange' AND close IS NOT NULL
    AND time >= (SELECT max(time) FROM metrics.ohlcv) - INTERVAL '1 day'
  GROUP BY exchange, symbol, interval
)
SELECT latest.exchange, latest.symbol, latest.interval, latest.close,
  latest.close / day_before.close - 1 AS change, latest.time
FROM latest ASOF LEFT JOIN (
  SELECT * FROM metrics.ohlcv WHERE clock = 'exchange' AND close IS NOT NULL
) AS day_before
  ON latest.exchange = day_before.exchange AND latest.symbol = day_before.symbol
  AND latest.interval = day_before.interval AND day_before.time <= latest.time - INTERVAL '1 day'
ORDER BY abs(change) DESC`.trim()

/**
 * Lists the ready-made boards.
 * @param portfolio id of the portfolio that was opened last; empty if there is none
 * @param venues venues of the connection
 */
export function readyBoards(portfolio: string, venues: readonly string[]): ReadyBoard[] {
  const [venue = null] = venues
  const [{ document: firstStudy }] = readyStudiesOn({ venue, nowMs: Date.now() }).studies
  const sampleStudy: BoardContent = { kind: 'study', document: firstStudy, panel: null, against: null }
  const sampleChart = (): BoardContent => ({
    kind: 'workbench',
    name: SAMPLE_NAME,
    document: sampleDocument(venue ?? ''),
  })
  const { ready } = boardsText
  const board = (id: keyof typeof ready, parts: BoardPart[]): ReadyBoard => {
    const { name, description, note } = ready[id]
    const [firstPart, ...others] = parts
    // The note is to the right of the first part, above the others.
    const withNote = [firstPart, newPart(textContent(note), [4, 2]), ...others]
    return { id, name, description, document: { version: 1, parts: withNote } }
  }
  return [
    board('morning', [
      newPart(sampleChart(), [8, 6]),
      newPart(queryContent('cached-files', venues), [4, 4]),
      newPart({ kind: 'sql', name: ready.morning.query, sql: dayChangeQuery, parameters: {} }, [12, 4]),
    ]),
    board('portfolio', [
      portfolio ? newPart(tearSheetContent(portfolio), [8, 8]) : newPart(sampleChart(), [8, 6]),
      newPart(queryContent('volatility-by-hour', venues), [4, 6]),
    ]),
    board('research', [newPart(sampleStudy, [8, 6]), newPart(queryContent('daily-candles', venues), [4, 4])]),
  ]
}
