import type { GuideSection } from '../guideSection.ts'

const latestFundingQuery = `SELECT symbol, funding_rate, time
FROM metrics.funding
WHERE exchange = 'VENUE' AND interval = '1h' AND clock = 'exchange' AND time >= '2026-08-01'
QUALIFY row_number() OVER (PARTITION BY symbol ORDER BY time DESC) = 1`

const asOfJoinQuery = `SELECT t.exchange_timestamp, t.price, q.bid_price, q.ask_price
FROM raw.trades t ASOF JOIN raw.quotes q
  ON t.exchange = q.exchange AND t.symbol = q.symbol AND t.local_timestamp >= q.local_timestamp
WHERE t.exchange = 'VENUE' AND t.symbol = instrument('VENUE', 'BTC-USDT')`

/** SQL over the cache, on its screen and on the command line. */
export const sqlSection: GuideSection = {
  id: 'sql',
  title: 'SQL over the cache',
  screens: ['sql'],
  keywords: 'sql duckdb select query join asof view table parameter csv parquet arrow json export units plan',
  blocks: [
    'The SQL screen and the command `perpscope sql` run any SELECT over everything in the cache, in DuckDB’s SQL.',
    { heading: 'The screen' },
    {
      list: [
        'The start page lists saved queries, twelve examples and the history of the last 500 runs; a row of the history opens as a new query.',
        'While you type, a list offers views, columns with their units, functions, and values such as venues and symbols. Ctrl+Space opens it, Enter inserts an entry, Escape closes it. Tab indents, brackets come in pairs, and Escape followed by Tab leaves the editor.',
        'Beside the query stands a tree of the tables, those with data first and with how much is here, and of their columns with type and unit. Enter or a double click puts a name at the cursor; the menu of a table queries its first rows. `p` shows or hides it; in a narrow window it opens with the button beside the name of the query.',
        'Ctrl+Enter (Cmd+Enter) runs the query, or the selected part of it. Ctrl+Shift+F (Cmd+Shift+F) formats it.',
        'Before a run, a line says how many files and bytes would be read and which days of the range are not cached; Download queues them.',
        'Each `$name` in the text gets a field. Errors are underlined.',
        'A result is a table (sorted and filtered in the engine), a chart (line, bar, scatter, histogram, heat map) or a profile of its columns. Pin keeps it beside the next one. Plan measures the operators.',
        'Export writes CSV, JSON, Parquet, Arrow or Markdown with the provenance: the query and the hash of each file; files that outnumber the rows are in a list in the data folder, which the provenance names (“Files of exports” in Settings lists them all). Columns of Parquet and Arrow have the types of the query: decimals, long integers, lists and structs as such. A result with the columns `time` and `symbol` can be used as a panel in the Lab.',
        'Export → “Add to board …” puts the result on a board, with the chart if that is shown.',
        'Export → “Add to workbench” turns a result with a column of times into series, one for each column of numbers; if a time occurs in several rows, the texts in these rows tell the series apart, so that each symbol, for example, becomes a series. The series keep their units and warnings, need no network, can be used in formulas, and the query runs again when its files have changed.',
        'Queries are saved as you type. “Save to file” writes a text that `perpscope sql --file` runs too.',
      ],
    },
    { heading: 'The command' },
    { code: `perpscope sql "${latestFundingQuery}"`, language: 'Shell' },
    { heading: 'Tables' },
    {
      terms: [
        [
          '`metrics.<dataset>`',
          'a row for each instrument, interval, clock and time; `known_at` is the earliest moment at which the row may be used, `origin` is `service` or `computed`',
        ],
        ['`raw.<dataset>`', 'a row for each event, with times in microseconds'],
        ['`portfolio.*`', 'cached answers of the portfolio service by day and ticker; `live_…` are the snapshots'],
        [
          '`cache.*`',
          'cached files, coverage, symbols, funding periods (`from`, `to`, hours and where they are known from; unknown stretches have no row), and the dictionary of columns with the unit on each venue',
        ],
        ['`lab.*`', 'studies, and every trial of the ledger'],
      ],
    },
    'The tree lists them, and so do `perpscope tables` and `perpscope describe metrics.ohlcv`; in a query, `SHOW ALL TABLES` and `DESCRIBE metrics.ohlcv`. Only the data of one connection is shown; `--connection` chooses it.',
    { heading: 'Which files are read' },
    'The list of files comes from the index. Constant conditions on `exchange`, `symbol`, `base`, `interval`, `clock`, `time`, `known_at` and `day` shorten it before anything is opened, so put them into the WHERE clause for each table. `--explain` shows how many files and bytes would be read, what is missing in the range, and the plan.',
    { code: asOfJoinQuery, language: 'SQL' },
    { heading: 'Units' },
    'The unit of a column depends on its venue: contracts and base assets are not added up silently. A column computed over venues with different units carries the warning “mixed units”; a query over several intervals or clocks of a dataset without a condition on them carries “mixed intervals” or “mixed clocks”.',
    { heading: 'Limits' },
    {
      list: [
        'Exactly one SELECT runs (also WITH, VALUES, FROM, DESCRIBE, SUMMARIZE, SHOW, PIVOT … IN). Nothing can be written, and no other file or address can be read.',
        '`--param name=value` sets `$name`; values are text, so cast them where arithmetic needs it.',
        '`--attach name=FILE` makes a CSV or Parquet file of yours the table `own.name`.',
        '`--memory`, `--threads` and `--timeout` limit the engine, which runs in a process of its own. The time counts from the text on; a text is at most 100 kB long and has at most 10,000 expressions.',
        "Helpers: `instrument(exchange, 'BTC-USDT')` (the venue’s symbol with that base and quote; NULL and a warning if it has none or several), `funding_hours(exchange, symbol, time)` (the funding period at a time, NULL where it is not known), `bucket(time, INTERVAL '7 hours')`, `rank_ic(x, y)`, `annualised(x, days)`.",
      ],
    },
  ],
}
