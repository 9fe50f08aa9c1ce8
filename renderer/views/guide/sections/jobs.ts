import { whatToRead } from '#shared/contract/playbooks/whatToRead.ts'
import type { GuideBlock, GuideSection } from '../guideSection.ts'
import { jobPageOf } from '../jobPages.ts'

/** A page for a job: what one asks, what one does, what one reads off, and what can mislead. */
interface Job {
  /** Id of its playbook. */
  id: string
  title: string
  keywords: string
  question: string
  /** What the picture shows, for those who do not see it. */
  shown: string
  steps: readonly string[]
  commands: readonly string[]
  misleads: readonly string[]
}

const SYMBOL = 'perpetual-BTC-USDT:USDT'
const fetchOf = (datasets: string, interval: string) =>
  `perpscope fetch --dataset ${datasets} --exchange VENUE --symbol ${SYMBOL} --interval ${interval} --timestamp exchange --days 30`

/** Makes the board of a playbook and writes it as a report. */
const boardOf = (playbookId: string, name: string) => [
  `perpscope board new --from ${playbookId} --set symbol=${SYMBOL}`,
  `perpscope report board "${name}" --out ${playbookId}.html`,
]

const chooseStep = (name: string) =>
  `Open [Boards](/boards) and choose “${name}”. Enter the symbol; the dialog says which files are missing and downloads them.`

const jobs: readonly Job[] = [
  {
    id: 'order-flow',
    title: 'Order flow',
    keywords: 'volume delta taker toxicity toxic informed aggressive buyers sellers cvd deciles',
    question: 'Who trades, how urgently, and what do prices do after toxic flow?',
    shown: 'A board: candles above volume delta and toxicity, and below them the study of what follows toxic bars.',
    steps: [
      chooseStep('Order flow'),
      'Look at the chart: price, volume delta (buyers minus sellers) and toxicity have one time axis. To zoom, choose “Add to” the [workbench](/workbench) by saving a workspace with the same columns.',
      'Read the sentence of the study “Toxicity deciles” first, then its table of returns by bucket.',
      'To change the horizons or the signal, open the same study in the [Lab](/lab): it is among the ready-made ones. Each run is a trial.',
    ],
    commands: [fetchOf('ohlcv,flow', '5m'), ...boardOf('order-flow', 'Order flow')],
    misleads: [
      'Delta is in the base asset; compare symbols by notional or by z-score.',
      'Volume delta and the return of the same bar move together by construction. Only later bars are a forecast, and the study enters one bar later.',
      'Thirty days at 5 minutes are 8,640 bars of one regime; try another month before you believe it.',
    ],
  },
  {
    id: 'top-of-book',
    title: 'Top of book',
    keywords: 'spread imbalance bid ask best quotes microprice depth level one l1',
    question: 'How wide and how deep are the best prices, and does their imbalance tell the next bars?',
    shown: 'A board: candles above the spread and the imbalance, and below them the study of the imbalance.',
    steps: [
      chooseStep('Top of book'),
      'Look for spells where the spread widens: is it the same hour every day, or after moves?',
      'Read the sentence of the study, then the interval around each IC and how fast it goes with the horizon.',
    ],
    commands: [fetchOf('ohlcv,l1_liquidity,l1_imbalance', '5m'), ...boardOf('top-of-book', 'Top of book')],
    misleads: [
      'A mean of a bar hides its end: the imbalance at which you would trade may be another one.',
      'Size at the best price is an offer, not a promise; it can be withdrawn before you arrive. Look at the [arrival clock](/guide/job-arrival-clock) too.',
      'An IC that is sure is not yet worth its costs: compare the return between the outer buckets with the spread.',
    ],
  },
  {
    id: 'column-screen',
    title: 'Column screen',
    keywords: 'data mining multiple testing false discovery scan all columns best of noise family ledger',
    question: 'Which of all columns of order flow and order book tells the next returns, beyond what noise would show?',
    shown: 'A board: the best line of the screen beside the best of noise, and the table of lines below.',
    steps: [
      chooseStep('Column screen'),
      'Press “Refresh”: a screen counts everything it tries in the ledger, so it never runs by itself.',
      'Read the picture first: the winner’s z beside the best z of worlds without an effect.',
      'Only if it stands apart: open the line in the [Lab](/lab) as a series study or a test, on the later days.',
    ],
    commands: [
      fetchOf('ohlcv,flow,run_structure,l1_imbalance,l2_imbalance', '5m'),
      ...boardOf('column-screen', 'Column screen'),
      'perpscope study list\nperpscope study open ID --line 1 --as test > line.json\nperpscope study run line.json',
    ],
    misleads: [
      'The best of many is large by chance. Its z means something only beside the best of noise.',
      'Running the screen again with other horizons tries more lines; the ledger remembers, a memory does not.',
      'Columns of one dataset move together: ten lines beyond noise may be one effect.',
    ],
  },
  {
    id: 'arrival-clock',
    title: 'Arrival clock',
    keywords: 'latency exchange time true timestamp look-ahead late events live',
    question: 'Which columns would have looked different to a strategy that sees events when they arrive?',
    shown: 'A board: bars of how far the arrival clock moves each column, and the table of columns.',
    steps: [
      chooseStep('Arrival clock'),
      'The playbook needs the same days by both clocks; the dialog counts both.',
      'Read which columns move most. Then run your study by the arrival clock as well: “Both clocks” in the [Lab](/lab).',
    ],
    commands: [
      fetchOf('ohlcv,flow,l1_liquidity', '5m'),
      fetchOf('ohlcv,flow,l1_liquidity', '5m').replace('--timestamp exchange', '--timestamp true'),
      ...boardOf('arrival-clock', 'Arrival clock'),
    ],
    misleads: [
      'Short bars move more than long ones: a shift at 1 minute says little about 1 hour.',
      'A venue that gives no time of its own has only arrival times; its clocks agree because they are the same.',
      'A small mean can hide one bad hour; [Latency](/raw/latency) of raw events shows when.',
    ],
  },
  {
    id: 'derivatives',
    title: 'Derivatives',
    keywords: 'open interest funding basis premium perpetual positions leverage',
    question: 'Who pays to hold the position, and how many hold it?',
    shown: 'A board: candles above funding, basis and open interest on one time axis.',
    steps: [
      chooseStep('Derivatives'),
      'Read the panes from the top: price, then who pays (funding, basis), then how many hold (open interest).',
      'To compare venues, add the same columns of another one in the [workbench](/workbench).',
    ],
    commands: [
      fetchOf('ohlcv,funding,basis,open_interest', '1h'),
      ...boardOf('derivatives', 'Derivatives'),
      'perpscope watch',
    ],
    misleads: [
      'Funding is per period, and periods differ by venue and symbol: compare % a year.',
      'Open interest in the base asset falls when the price rises and traders hold the same notional.',
      'Open interest of one venue says nothing about the others; a move of positions looks like a close.',
    ],
  },
  {
    id: 'funding',
    title: 'Funding',
    keywords: 'carry cost of holding rate period settle payment annual yield longs pay',
    question: 'What does holding the position cost, and how does that move with the basis?',
    shown: 'A board: candles above funding in steps and the basis.',
    steps: [
      chooseStep('Funding'),
      'Check the period: [Watch](/watch) shows the rate with its period and in % a year; a missing period is typed in its cell.',
      'For what was paid in sum, chart `ffill(cumsum(settled(funding.funding_rate)))` in the [workbench](/workbench).',
      'For carry over many symbols, open “Funding carry, tested” in the [Lab](/lab).',
    ],
    commands: [
      fetchOf('ohlcv,funding,basis', '1h'),
      `perpscope funding list --exchange VENUE`,
      ...boardOf('funding', 'Funding'),
    ],
    misleads: [
      'The rate of a bar is the one announced, not a payment; only settlements cost. `settled(…)` keeps those.',
      'A period that the service does not name stays unknown, and costs that need it are missing, never 0.',
      'A carry that looks steady pays in rare, large moves; look at the worst month too.',
    ],
  },
  {
    id: 'crowding',
    title: 'Crowding',
    keywords: 'crowded trade positioning squeeze unwind open interest funding spells state',
    question: 'When are funding, basis and open interest high at once, and what follows?',
    shown: 'A board: when the market was crowded and what prices did, and below it the study of the score.',
    steps: [
      chooseStep('Crowding'),
      'Read “Crowded spells”: how often, how long, and what the price did after a start and after an end.',
      'Read “Crowding score” for what follows each tenth of the score.',
      'To see the spells below your own chart, shade where the formula holds in the [workbench](/workbench).',
    ],
    commands: [fetchOf('ohlcv,funding,basis,open_interest', '5m'), ...boardOf('crowding', 'Crowding')],
    misleads: [
      'The score ranks within a week, so a month that was crowded throughout looks like any other.',
      'A spell is known only after its shortest length; the study counts from there, your eye from its first bar.',
      'Spells of several symbols begin together; they are fewer than they look.',
    ],
  },
  {
    id: 'liquidity-by-hour',
    title: 'Liquidity by hour',
    keywords: 'schedule seasonality best time to trade execution spread depth cheap hours',
    question: 'At which hours is it cheap to trade, and do those hours stay so?',
    shown: 'A board: spread and depth by hour with the hours that the study chose, and their course through time.',
    steps: [
      chooseStep('Liquidity by hour'),
      'Read the sentence: hours are chosen on the first days and judged on the later ones.',
      'Compare spread and depth of the chosen hours: a narrow spread on an empty book is no use for size.',
    ],
    commands: [fetchOf('ohlcv,l1_liquidity', '5m'), ...boardOf('liquidity-by-hour', 'Liquidity by hour')],
    misleads: [
      'Hours are UTC; summer time moves what people do by an hour, and the table does not know.',
      'Funding times and the opening of stock markets make a few hours special; an average over weekdays hides weekends.',
      'The best price is not the whole book: for size, read [Slippage](/guide/job-slippage).',
    ],
  },
  {
    id: 'slippage',
    title: 'Slippage',
    keywords: 'transaction cost impact execution size market order kyle model calibration',
    question: 'What does a trade cost by its size and hour?',
    shown: 'A board: the cost in basis points by size and by hour, and how far the model is from what was paid.',
    steps: [
      chooseStep('Slippage'),
      'Read the curve at your own size; the sentence names the cost of the reference size.',
      'Look at “Model against measured” before you use the model.',
      'Open the study in the [Lab](/lab): “Use in a test” makes it the slippage of a portfolio test.',
    ],
    commands: [
      fetchOf('ohlcv,l1_liquidity,impact,slippage', '5m'),
      'perpscope study new costs > costs.json',
      'perpscope study explain costs.json\nperpscope study run costs.json',
      ...boardOf('slippage', 'Slippage'),
    ],
    misleads: [
      'What trades paid is what others paid when they chose to trade; your order at a bad hour pays more.',
      'The model is linear in size: far beyond the sizes that traded, it is a guess.',
      'Fees are not in it; a test adds its own.',
    ],
  },
  {
    id: 'portfolio-morning',
    title: 'Portfolio morning',
    keywords: 'daily review returns drawdown benchmark tear sheet weights follow',
    question: 'What did the portfolio earn, and what did the market do?',
    shown: 'A board: the tear sheet of a portfolio beside a chart of the market.',
    steps: [
      'Open [Boards](/boards) and choose “Portfolio morning”. Enter the portfolio and the symbol that stands for its market.',
      'Read the last month and the drawdown, then look at the same days in the market’s chart.',
      'For what changed in its weights, open the portfolio under [Portfolios](/portfolios), tab Weights.',
      'Let a [check](/inbox) tell you when a formula hits, so that you need not look.',
    ],
    commands: [
      'perpscope portfolio tearsheet --portfolio momentum_ls.20',
      ...boardOf('portfolio-morning', 'Portfolio morning'),
    ],
    misleads: [
      'Returns as published may be revised; the ones you looked at yesterday are kept under their arrival.',
      'A Sharpe ratio of a month says almost nothing; its error is above 3.',
      'Served returns have the service’s costs, not yours.',
    ],
  },
]

const pageOf = (job: Job): GuideSection => ({
  id: jobPageOf(job.id),
  title: `Job: ${job.title.toLowerCase()}`,
  keywords: `job playbook how to ${job.keywords}`,
  blocks: [
    job.question,
    { picture: job.id, shown: job.shown },
    { heading: 'In the window' },
    { steps: job.steps },
    { heading: 'On the command line' },
    { code: job.commands.join('\n'), language: 'Shell' },
    { heading: 'What to read off' },
    { list: whatToRead[job.id] },
    { heading: 'What can mislead' },
    { list: job.misleads },
  ] satisfies GuideBlock[],
})

/** A page for each job that has a playbook. */
export const jobSections: readonly GuideSection[] = jobs.map(pageOf)
