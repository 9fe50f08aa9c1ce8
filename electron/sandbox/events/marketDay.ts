import { dailyMarketOf } from '../market/daily.ts'
import type { SandboxInstrument } from '../market/instruments.ts'
import { Memo } from '../market/memo.ts'
import { drawBook, type Book } from './book.ts'
import { drawFairPath, type FairPath } from './fairPath.ts'
import { instrumentDayOf, type InstrumentDay } from './instrumentDay.ts'
import { drawTape, type Quotes, type Trades } from './tape.ts'
import { drawFunding, drawIndex, drawMark, drawOpenInterest, type Funding, type Values } from './values.ts'

const fairPaths = new Memo<string, FairPath>(2)

function fairPathOf(seed: number, base: string, day: number): FairPath {
  return fairPaths.get(`${seed} ${base} ${day}`, () => drawFairPath(dailyMarketOf(seed), base, day))
}

/** Names of the `MarketDay` properties that contain the events, by source. */
export const feedBySource = {
  trades: 'trades',
  quotes: 'quotes',
  mark_price: 'mark',
  index_price: 'index',
  funding_rate: 'funding',
  open_interest: 'openInterest',
  book: 'book',
} as const

/** All events of one instrument on one UTC day by exchange time; each feed is drawn on first use. */
export class MarketDay {
  private readonly input: InstrumentDay
  private tapeDrawn: { trades: Trades; quotes: Quotes } | null = null
  private readonly drawn: { mark?: Values; index?: Values; openInterest?: Values; funding?: Funding; book?: Book } = {}

  constructor(seed: number, instrument: SandboxInstrument, day: number, revision = 0) {
    let fair: FairPath | null = null
    const drawFair = () => (fair ??= fairPathOf(seed, instrument.base, day))
    this.input = instrumentDayOf(dailyMarketOf(seed), instrument, day, drawFair, revision)
  }

  private get tape() {
    return (this.tapeDrawn ??= drawTape(this.input))
  }

  get trades(): Trades {
    return this.tape.trades
  }

  get quotes(): Quotes {
    return this.tape.quotes
  }

  get mark(): Values {
    return (this.drawn.mark ??= drawMark(this.input))
  }

  get index(): Values {
    return (this.drawn.index ??= drawIndex(this.input))
  }

  get openInterest(): Values {
    return (this.drawn.openInterest ??= drawOpenInterest(this.input))
  }

  get funding(): Funding {
    return (this.drawn.funding ??= drawFunding(this.input))
  }

  get book(): Book {
    return (this.drawn.book ??= drawBook(this.input, this.quotes))
  }
}

/**
 * Cached days. A file needs its day and the one before, which neighbouring files share; more would only cost memory.
 */
const days = new Memo<string, MarketDay>(2)

/** Returns the day's events; the last two days requested are cached. */
export function marketDayOf(seed: number, instrument: SandboxInstrument, day: number, revision: number): MarketDay {
  const key = `${seed} ${JSON.stringify(instrument.venue)} ${instrument.symbol} ${day} ${revision}`
  return days.get(key, () => new MarketDay(seed, instrument, day, revision))
}
