import { readyStudiesOn } from '../../lab/readyStudies.ts'
import { addSeries, changePane, changeSeries } from '../../workspace/edit.ts'
import type { SeriesStyle } from '../../workspace/chartStyle.ts'
import { emptyDocument } from '../../workspace/workspace.ts'
import { BOARD_COLUMNS, type BoardContent, type BoardDocument, type BoardParameters } from '../areas/boards.ts'
import { withParameters } from './parameters.ts'
import { whatToRead } from './whatToRead.ts'

/** What people do with playbooks, in the order in which lists show them. */
export const playbookJobs = {
  signals: 'What tells the next move',
  positions: 'Who holds, and what holding costs',
  costs: 'What a trade costs',
  morning: 'Each morning',
} as const
export type PlaybookJob = keyof typeof playbookJobs

/** A board for a job, with the parameters for which it is made. */
export interface Playbook {
  id: string
  job: PlaybookJob
  name: string
  /** One sentence on the question that it answers. */
  description: string
  document: BoardDocument
}

/** What ready playbooks are made for. */
interface PlaybookPlace {
  venue: string | null
  symbol: string
  portfolio: string
  nowMs: number
}

type Column = readonly [source: string, style?: SeriesStyle]
type Sized = readonly [content: BoardContent, columns: number, rows: number]

interface Recipe {
  id: string
  job: PlaybookJob
  name: string
  description: string
  note: string
  interval?: string
  days?: number
  parts: (make: Maker) => Sized[]
}

interface Maker {
  chart: (name: string, panes: Readonly<Record<string, readonly Column[]>>) => BoardContent
  study: (id: string) => BoardContent
  tearSheet: () => BoardContent
}

const price: readonly Column[] = [['ohlcv.close', 'candles']]

const recipes: readonly Recipe[] = [
  {
    id: 'order-flow',
    job: 'signals',
    name: 'Order flow',
    description: 'Who trades and how urgently, and what follows toxic flow.',
    note: '# Order flow\n\nVolume delta is buyers minus sellers. Toxic flow is flow that informed traders leave behind.',
    parts: ({ chart, study }) => [
      [
        chart('Order flow', {
          Price: price,
          Delta: [['flow.volume_delta', 'bar']],
          Toxicity: [['flow.flow_toxicity_score']],
        }),
        8,
        6,
      ],
      [study('toxicity-deciles'), BOARD_COLUMNS, 5],
    ],
  },
  {
    id: 'derivatives',
    job: 'positions',
    name: 'Derivatives',
    description: 'Funding, basis and open interest below the price.',
    note: '# Derivatives\n\nFunding and basis say who pays to hold the position, open interest how many hold it.',
    interval: '1h',
    parts: ({ chart }) => [
      [
        chart('Derivatives', {
          Price: price,
          Funding: [['funding.funding_rate', 'step']],
          Basis: [['basis.basis_bps']],
          'Open interest': [['open_interest.open_interest']],
        }),
        8,
        8,
      ],
    ],
  },
  {
    id: 'top-of-book',
    job: 'signals',
    name: 'Top of book',
    description: 'Spread, depth and imbalance at the best prices, and whether the imbalance tells the next bars.',
    note: '# Top of book\n\nAn imbalance above 0 means more on the bid than on the ask.',
    parts: ({ chart, study }) => [
      [
        chart('Top of book', {
          Price: price,
          Spread: [['l1_liquidity.spread_bps']],
          Imbalance: [['l1_imbalance.imbalance_ratio', 'bar']],
        }),
        8,
        6,
      ],
      [study('top-of-book'), BOARD_COLUMNS, 5],
    ],
  },
  {
    id: 'liquidity-by-hour',
    job: 'costs',
    name: 'Liquidity by hour',
    description: 'At which hours the spread is low and the book deep, and whether they stay so.',
    note: '# Liquidity by hour\n\nHours are UTC. The study chooses hours in one part of the range and checks them in the other.',
    parts: ({ chart, study }) => [
      [study('liquidity-by-hour'), 8, 6],
      [
        chart('Spread and depth', {
          Spread: [['l1_liquidity.spread_bps']],
          Depth: [['l1_liquidity.total_dollar_depth']],
        }),
        BOARD_COLUMNS,
        5,
      ],
    ],
  },
  {
    id: 'slippage',
    job: 'costs',
    name: 'Slippage',
    description: 'What a trade costs by its size and hour.',
    note: '# Slippage\n\nThe model can be used as the slippage of a portfolio test: open the study in the Lab.',
    parts: ({ study }) => [[study('slippage-model'), 8, 7]],
  },
  {
    id: 'funding',
    job: 'positions',
    name: 'Funding',
    description: 'What holding costs, and how funding moves with the basis.',
    note: '# Funding\n\nThe rate is that of its period; long positions pay a positive rate.',
    interval: '1h',
    parts: ({ chart }) => [
      [
        chart('Funding', {
          Price: price,
          Funding: [['funding.funding_rate', 'step']],
          Basis: [['basis.basis_bps']],
        }),
        8,
        7,
      ],
    ],
  },
  {
    id: 'crowding',
    job: 'positions',
    name: 'Crowding',
    description: 'When funding, basis and open interest are high at once, and what follows.',
    note: '# Crowding\n\nThe score is the mean rank of funding, basis and the change of open interest within a week.',
    parts: ({ chart, study }) => [
      [study('crowded-spells'), 8, 6],
      [study('crowding-score'), BOARD_COLUMNS, 5],
      [
        chart('Funding, basis, open interest', {
          Funding: [['funding.funding_rate', 'step']],
          Basis: [['basis.basis_bps']],
          'Open interest': [['open_interest.open_interest']],
        }),
        BOARD_COLUMNS,
        6,
      ],
    ],
  },
  {
    id: 'column-screen',
    job: 'signals',
    name: 'Column screen',
    description: 'Which column of order flow and order book tells the next returns, beside the best of noise.',
    note: '# Column screen\n\nA screen tries many columns and counts in the ledger, so it runs only when you refresh the board.',
    parts: ({ study }) => [[study('order-flow-screen'), 8, 8]],
  },
  {
    id: 'arrival-clock',
    job: 'signals',
    name: 'Arrival clock',
    description: 'Which columns change if events are sorted by their arrival.',
    note: '# Arrival clock\n\nA strategy sees events when they arrive; a column that changes much tells less live.',
    parts: ({ study }) => [[study('arrival-clock'), 8, 7]],
  },
  {
    id: 'portfolio-morning',
    job: 'morning',
    name: 'Portfolio morning',
    description: 'The tear sheet of a portfolio beside the market that it trades.',
    note: '# Portfolio morning\n\nWhat did it earn, and what did the market do?',
    interval: '1h',
    parts: ({ chart, tearSheet }) => [
      [tearSheet(), 8, 8],
      [chart('Market', { Price: price, Funding: [['funding.funding_rate', 'step']] }), BOARD_COLUMNS, 5],
    ],
  },
]

const USUAL_INTERVAL = '5m'
const USUAL_DAYS = 30

/** The ready playbooks for a venue and symbol. */
export const playbooksFor = (place: PlaybookPlace): Playbook[] => recipes.map((recipe) => playbookOf(recipe, place))

/** Id of the playbook of which a board still has parts; null if it has none. */
export function playbookIdOf({ parts }: BoardDocument): string | null {
  const ids = parts.map(({ id }) => id.replace(/-\d+$/, ''))
  return recipes.find(({ id }) => ids.includes(id))?.id ?? null
}

function playbookOf(recipe: Recipe, { venue, symbol, portfolio, nowMs }: PlaybookPlace): Playbook {
  const { id, job, name, description, note, interval = USUAL_INTERVAL, days = USUAL_DAYS } = recipe
  const contents = recipe.parts(makerOf({ venue, symbol, portfolio, interval, nowMs }))
  const [lead, ...others] = contents
  // The note stands to the right of what leads, as high as that.
  const sized: Sized[] = [
    lead,
    [{ kind: 'text', markdown: noteOf(note, whatToRead[id]) }, BOARD_COLUMNS - lead[1], lead[2]],
    ...others,
  ]
  const parts = sized.map(([content, columns, rows], at) => ({ id: `${id}-${at + 1}`, columns, rows, content }))
  const hasPortfolio = contents.some(([content]) => content.kind === 'tearsheet')
  const parameters: BoardParameters = {
    ...(venue !== null && { venue }),
    ...{ symbol, interval, days },
    ...(hasPortfolio && { portfolio }),
  }
  return { id, job, name, description, document: withParameters({ version: 1, parts, parameters }, {}, nowMs) }
}

const noteOf = (note: string, lines: readonly string[]) =>
  `${note}\n\n## What to read off\n\n${lines.map((line) => `- ${line}`).join('\n')}`

function makerOf({ venue, symbol, portfolio, interval, nowMs }: PlaybookPlace & { interval: string }): Maker {
  const { studies } = readyStudiesOn({ venue, nowMs, leader: symbol })
  const instrument = {
    exchange: venue ?? '',
    symbol,
    interval,
    timestamp: 'exchange',
    resampleTo: '',
    origin: 'service',
  } as const
  return {
    study(id) {
      const found = studies.find((each) => each.id === id)!
      return { kind: 'study', document: { ...found.document, interval }, panel: null, against: null }
    },
    chart(name, panes) {
      let document = emptyDocument()
      for (const [title, columns] of Object.entries(panes)) {
        let paneId: string | null = null
        for (const [source, style = 'line'] of columns) {
          const [dataset, column] = source.split('.')
          const added = addSeries(document, paneId, {
            source: { kind: 'column', ...instrument, dataset, column },
            style,
          })
          document = changeSeries(added.document, added.entry.id, { colour: document.panes.length })
          paneId = added.paneId
        }
        if (paneId !== null) document = changePane(document, paneId, { title })
      }
      return { kind: 'workbench', name, document }
    },
    tearSheet: () => ({
      ...{ kind: 'tearsheet', portfolio, smoothing: null, exchange: null, benchmark: null },
      ...{ riskFree: 0, rolling: null, start: null, end: null, returns: null },
    }),
  }
}
