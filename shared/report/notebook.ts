import { kindName, kindOf } from '#shared/lab/kinds.ts'
import { recipeSentences, sentenceText } from '#shared/lab/recipe.ts'
import { expandEntry, inDatasetNames } from '#shared/workspace/expandFormula.ts'
import type { ColumnSource, SeriesEntry } from '#shared/workspace/workspaceSchema.ts'
import { isRecord } from '#shared/schemas/isRecord.ts'
import { partContentName } from './partName.ts'
import type { BoardPartQuery, PartQuery, ReportQuery } from './reportContent.ts'

/** A cell of a notebook: text in Markdown, or code in Python. */
type Cell = ['markdown' | 'code', string]

interface NotebookFacts {
  /** Version of Perpscope, if known. */
  version?: string
  /** The user's note, in Markdown. */
  note?: string
}

const INTRODUCTION =
  'This notebook reads the cache of Perpscope on this machine with its Python module: `pip install "$(perpscope python wheel)" polars matplotlib`. Cells that run a study, a query or a formula need the local API: `perpscope serve --api`.'

/** Writes what a report would show as a Jupyter notebook (nbformat 4.5) that computes it with the Python module. */
export function notebookText(query: ReportQuery, { version, note = '' }: NotebookFacts): string {
  const title = query.kind === 'board' ? query.name : titleOf(query)
  const parts: readonly BoardPartQuery[] = query.kind === 'board' ? query.parts : [query]
  const cells: Cell[] = [
    ['markdown', `# ${title}\n\n${INTRODUCTION}`],
    ...(note.trim() === '' ? [] : [['markdown', note] as Cell]),
    ['code', 'import perpscope'],
    ...parts.flatMap((part) => [
      ...(query.kind === 'board' && part.kind !== 'text' && part.kind !== 'absent'
        ? [['markdown', `## ${titleOf(part)}`] as Cell]
        : []),
      ...cellsOf(part),
    ]),
  ]
  const notebook = {
    cells: cells.map(([kind, text], at) => ({
      cell_type: kind,
      id: `cell-${at + 1}`,
      metadata: {},
      ...(kind === 'code' && { execution_count: null, outputs: [] }),
      source: text.split(/(?<=\n)/),
    })),
    metadata: {
      kernelspec: { display_name: 'Python 3', language: 'python', name: 'python3' },
      language_info: { name: 'python' },
      ...(version !== undefined && { perpscope: { version } }),
    },
    nbformat: 4,
    nbformat_minor: 5,
  }
  return `${JSON.stringify(notebook, null, 1)}\n`
}

const titles = {
  tearsheet: 'Tear sheet',
  workbench: 'Workspace',
  study: 'Study',
  sql: 'Query',
  plan: 'Plan',
  calibration: 'How good are my tests',
}
const titleOf = (part: PartQuery): string => partContentName(part) || titles[part.kind]

function cellsOf(part: BoardPartQuery): Cell[] {
  switch (part.kind) {
    case 'text':
      return [['markdown', part.markdown]]
    case 'absent':
      return [['markdown', `*${part.name}: ${part.why}*`]]
    case 'study':
      return studyCells(part)
    case 'sql':
      return [
        ['code', `rows = perpscope.sql(\n    ${pythonBlock(part.sql)},\n    ${python(part.parameters)},\n)\nrows`],
      ]
    case 'plan': {
      const { kind: _kind, weights, capital, ...fields } = part
      const given = { weights: typeof weights === 'string' ? weights : { ...weights }, capital, ...withoutNull(fields) }
      return [['code', `plan = perpscope.plan(**${python(given)})\nplan["rows"]`]]
    }
    case 'calibration':
      return [['code', '!perpscope ledger calibration']]
    case 'tearsheet':
      return tearSheetCells(part)
    case 'workbench':
      return workbenchCells(part)
  }
}

const withoutNull = (fields: object) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))

function studyCells({ document, panel }: Extract<BoardPartQuery, { kind: 'study' }>): Cell[] {
  const study = isRecord(document) ? document : {}
  const kind = kindOf(study)
  const recipe = recipeSentences(study)
    .filter(({ parts }) => parts.length > 0)
    .map((sentence) => sentenceText(sentence, (text) => `**${text}**`))
  const head = kind === null ? [] : [`${kindName(kind)}. ${recipe.join('\n\n')}`]
  if (panel !== null)
    return [
      ['markdown', [...head, `Its rows are those of \`${panel}\`, so that the terminal runs it.`].join('\n\n')],
      ['code', `document = ${python(study)}`],
      [
        'code',
        `import json, pathlib\n\npathlib.Path("study.json").write_text(json.dumps(document))\n!perpscope study run study.json --panel ${shell(panel)} --json > result.json`,
      ],
    ]
  return [
    ...head.map((text): Cell => ['markdown', `${text}\n\nEvery run is recorded in the ledger.`]),
    ['code', `document = ${python(study)}`],
    ['code', 'result = perpscope.study(document)\nresult["warnings"]'],
    ['code', 'result'],
  ]
}

const shell = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`

function tearSheetCells(part: Extract<BoardPartQuery, { kind: 'tearsheet' }>): Cell[] {
  const { portfolio, benchmark, start, end, returns, smoothing, exchange } = part
  const days = withoutNull({ start, end })
  const read = [
    ...(portfolio === null
      ? []
      : [
          `returns = perpscope.history("returns", **${python(withoutNull({ portfolio, smoothing, exchange, start, end }))})`,
        ]),
    ...(returns === null
      ? []
      : [`import polars as pl\n\nreturns = pl.read_csv(${python(returns.file)}, try_parse_dates=True)`]),
    ...(benchmark === null
      ? []
      : [`benchmark = perpscope.history("prices", **${python({ ticker: benchmark, ...days })})`]),
  ]
  if (portfolio === null) return [['code', [...read, 'returns'].join('\n')]]
  return [
    ['code', [...read, 'returns'].join('\n')],
    [
      'code',
      'import matplotlib.pyplot as plt\n\ngrowth = (1 + returns["value"]).cum_prod()\nplt.plot(returns["day"], growth, label="growth of 1")\nplt.plot(returns["day"], growth / growth.cum_max() - 1, label="drawdown")\nplt.legend()\nplt.show()',
    ],
  ]
}

function workbenchCells({ document, startMs, endMs }: Extract<BoardPartQuery, { kind: 'workbench' }>): Cell[] {
  const all = document.panes.flatMap(({ series }) => series)
  const range = { start: instant(startMs), end: instant(endMs) }
  return document.panes.flatMap(({ title, series }): Cell[] => {
    const shown = series.filter(({ hidden }) => !hidden)
    if (shown.length === 0) return []
    const read = shown.map((entry) => `${entry.name} = ${seriesCode(entry, all, range)}`)
    const draw = shown.map(
      (entry) =>
        `plt.plot(${entry.name}["time"], ${entry.name}[${python(valueColumn(entry))}], label=${python(labelOf(entry))})`,
    )
    const heading = title === '' ? [] : [`plt.title(${python(title)})`]
    return [
      [
        'code',
        ['import matplotlib.pyplot as plt', '', ...read, '', ...draw, ...heading, 'plt.legend()', 'plt.show()'].join(
          '\n',
        ),
      ],
    ]
  })
}

const instant = (timeMs: number): string => new Date(timeMs).toISOString()

const isRead = ({ source, transform }: SeriesEntry): boolean => source.kind === 'column' && transform === 'none'
const valueColumn = (entry: SeriesEntry): string =>
  entry.source.kind === 'column' && isRead(entry) ? entry.source.column : 'value'
const labelOf = ({ label, source, name }: SeriesEntry): string =>
  label ||
  (source.kind === 'column' ? `${source.dataset}.${source.column} ${source.symbol}` : `${name} = ${source.formula}`)

/** The code that reads a series: a column from its files, a formula through the local API. */
function seriesCode(entry: SeriesEntry, all: readonly SeriesEntry[], range: { start: string; end: string }): string {
  const { source } = entry
  if (source.kind === 'column' && isRead(entry)) {
    const { dataset, column, exchange, symbol, interval, timestamp } = source
    const choice = { columns: [column], exchange, symbol, interval, timestamp, ...range }
    return `perpscope.scan(${python(dataset)}, **${python(choice)}).collect()`
  }
  const expanded = expandEntry(entry, all)
  if ('problem' in expanded) return `None  # ${expanded.problem.message.replaceAll('\n', ' ')}`
  const [first, ...others] = Object.values(expanded.columns)
  if ((first as ColumnSource | undefined) === undefined) return 'None  # The formula names no column.'
  const { exchange, symbol, interval, timestamp } = first
  const isOfOne = others.every(
    (each) => each.symbol === symbol && each.exchange === exchange && each.interval === interval,
  )
  const note = isOfOne ? '' : '  # Columns of other symbols or intervals are read as those of the first.'
  const formula = inDatasetNames(expanded)
  return `perpscope.formula(${python(formula)}, **${python({ exchange, symbol, interval, timestamp, ...range })})${note}`
}

/** Writes a value as Python does. */
function python(value: unknown, indent = ''): string {
  if (value === null || value === undefined) return 'None'
  if (value === true) return 'True'
  if (value === false) return 'False'
  if (typeof value === 'number')
    return Number.isFinite(value) ? String(value) : `float(${JSON.stringify(String(value))})`
  if (typeof value === 'string') return JSON.stringify(value)
  const inner = `${indent}    `
  const [open, close, items] = Array.isArray(value)
    ? ['[', ']', value.map((one) => python(one, inner))]
    : ['{', '}', Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${python(one, inner)}`)]
  const line = `${open}${items.join(', ')}${close}`
  if (line.length <= LONGEST_LINE && !line.includes('\n')) return line
  return `${open}\n${items.map((item) => `${inner}${item},\n`).join('')}${indent}${close}`
}

const LONGEST_LINE = 100

/** Writes a text of several lines as Python does. */
const pythonBlock = (text: string): string =>
  text.includes('\n')
    ? `"""\n${text.replaceAll('\\', '\\\\').replaceAll('"""', String.raw`\"\"\"`)}\n"""`
    : JSON.stringify(text)
