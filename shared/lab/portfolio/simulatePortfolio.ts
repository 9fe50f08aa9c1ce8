import type { Matrix } from '../panelFormula.ts'
import type { PortfolioStudy } from '../kinds/portfolio/fields.ts'
import type { TargetWeights } from './targetWeights.ts'

/**
 * Values of all symbols at selected bars, or one number for all cells. The cell of the n-th selected bar, counted from
 * 0, is `n · symbols + symbol`; NaN if missing.
 */
export type BarValues = Float64Array | number

/** Kinds of decisions at a bar. */
export const decisionKinds = { none: 0, signal: 1, flat: 2 } as const

/**
 * Rows of a test. Values that every bar needs are ordered by time (cell `time · symbols + symbol`, NaN if missing).
 * Values that only trades need are extracted at the trade bars, once for all combinations of a grid, and the signal is
 * extracted at the decisions, because reading single bars from the series of many symbols is slow.
 */
export interface PortfolioRows {
  timeCount: number
  symbolCount: number
  /** Membership by cell; null if all symbols are always members. */
  member: Uint8Array | null
  /** Signal at the decisions. */
  signal: BarValues
  /** Prices, of which only positive ones count. */
  price: Matrix
  /** Rates that longs pay at the end of a bar; null if funding is ignored. */
  funding: Matrix | null
  /** Numbers of funding times by bar; null if they are not known, as for the rows of a panel. */
  due: DueFunding | null
  /** Index of each bar among the trade bars. */
  tradePlaces: Int32Array
  spreadBps: BarValues
  sigma: BarValues
  /** Slippage per unit of notional, as a return. */
  perNotional: BarValues
  /** Notional volume of a bar; null if the study names none. */
  volume: BarValues | null
  /** Kind of decision at each bar. */
  decisions: Uint8Array
  /** Index of each bar among the decisions. */
  decisionPlaces: Int32Array
  /** Flags of the bars: 1 for the last bar of a UTC day. */
  dayEnds: Uint8Array
  /** Factors by time that scale the targets; null for no scaling. */
  exposure: Float64Array | null
}

/** Numbers of funding times by bar. Cells are ordered by symbol: `symbol · times + time`. */
export interface DueFunding {
  times: Uint16Array
  /** Numbers of those whose period is inferred, or assumed because it was asked for. */
  assumedTimes: Uint16Array
}

interface PortfolioRules {
  capital: number
  delayBars: number
  band: number
  settleAfterBars: number
  feeBps: number
  slippage: PortfolioStudy['costs']['slippage']
}

/** Cash flows by cause; costs are negative. */
export interface CashFlows {
  price: Float64Array
  funding: Float64Array
  fee: Float64Array
  spread: Float64Array
  slippage: Float64Array
  /** Traded notional, including settlements. */
  traded: Float64Array
}

const emptyFlows = (count: number): CashFlows => ({
  price: new Float64Array(count),
  funding: new Float64Array(count),
  fee: new Float64Array(count),
  spread: new Float64Array(count),
  slippage: new Float64Array(count),
  traded: new Float64Array(count),
})

/** Number of bars, decisions, trades and other events in a run. */
interface RunCounts {
  bars: number
  decisions: number
  skipped: number
  flat: number
  ineligible: number
  untraded: number
  settled: number
  capShort: number
  missingPrice: number
  rebalances: number
  trades: number
  gains: number
  losses: number
  tradesWithoutVolume: number
}

/** State of a test by bar, and its sums by symbol. */
export interface PortfolioRun {
  /** Index of the first trade bar; −1 if there is none. */
  first: number
  /** Index after the last bar. */
  end: number
  /** Equity at the end of each bar. */
  equity: Float64Array
  /** Equity in each bar after price changes and funding, before the costs of its trades. */
  equityBefore: Float64Array
  byBar: CashFlows
  bySymbol: CashFlows
  barsHeld: Int32Array
  /** Sum of absolute target changes since the previous trade bar, by bar. */
  targetChange: Float64Array
  /** Long notional divided by equity at the end of each bar; NaN if there is no equity. */
  long: Float64Array
  /** Short notional, a negative number, divided by equity; NaN if there is no equity. */
  short: Float64Array
  /** Largest ratio of a trade to the volume, by bar; NaN where no trade has a volume. */
  participation: Float64Array
  counts: RunCounts
  /** Sum over all bars of the absolute notional held. */
  heldNotional: number
  /** Part of `heldNotional` whose funding rate is unknown. */
  unknownFunding: number
  /** By symbol: 1 if part of its funding is unknown. */
  hasUnknownFunding: Uint8Array
  /** Sum of the absolute notional held over all funding times. */
  dueNotional: number
  /** Part of `dueNotional` at times whose period is inferred, or assumed because it was asked for. */
  assumedNotional: number
  /** Traded notional whose spread is unknown. */
  unknownSpread: number
  /** Traded notional whose slippage is unknown. */
  unknownSlippage: number
  isRuined: boolean
  /** Units after each bar, if requested. */
  units: Float64Array[] | null
  /** Weights at the end of each day from the first trade on, by index of the day's last bar. */
  dayWeights: Map<number, Float64Array>
}

/** Positions, prices and pending targets of a run. */
class PortfolioSimulation {
  readonly #rows: PortfolioRows
  readonly #rules: PortfolioRules
  readonly #weights: TargetWeights
  readonly #units: Float64Array
  /** Last present price of each symbol; NaN before the first. */
  readonly #lastPrice: Float64Array
  /** Number of consecutive bars for which a held symbol has had no price. */
  readonly #missing: Int32Array
  /** Upper bound of the counts in `#missing`. */
  #mostMissing = 0
  /** Price at the last trade bar, for the gains since then. */
  readonly #gainFrom: Float64Array
  /** Pending targets by the bar at whose end they are traded. */
  readonly #pending = new Map<number, Float64Array>()
  /** Targets of the last trade bar. */
  #targets: Float64Array
  /** Signal of the symbols at a decision; NaN if missing. */
  readonly #signal: Float64Array
  readonly #run: PortfolioRun

  constructor(rows: PortfolioRows, rules: PortfolioRules, weights: TargetWeights, keepUnits: boolean) {
    const { timeCount, symbolCount } = rows
    this.#rows = rows
    this.#rules = rules
    this.#weights = weights
    this.#units = new Float64Array(symbolCount)
    this.#lastPrice = new Float64Array(symbolCount).fill(NaN)
    this.#missing = new Int32Array(symbolCount)
    this.#gainFrom = new Float64Array(symbolCount)
    this.#targets = new Float64Array(symbolCount)
    this.#signal = new Float64Array(symbolCount)
    this.#run = emptyRun(timeCount, symbolCount, keepUnits)
  }

  run(): PortfolioRun {
    const { timeCount } = this.#rows
    const run = this.#run
    let equity = this.#rules.capital
    for (let time = 0; time < timeCount && !run.isRuined; time++) {
      equity = this.#processBar(time, equity)
      run.equity[time] = equity
      run.end = time + 1
      if (!(equity > 0)) run.isRuined = true
      this.#recordExposure(time, equity)
      run.units?.push(this.#units.slice())
    }
    this.#countGains()
    run.counts.bars = run.end
    return run
  }

  /** Processes one bar; returns the equity at its end. */
  #processBar(time: number, equity: number): number {
    const run = this.#run
    const before = equity + this.#applyPricesAndFunding(time)
    run.equityBefore[time] = before
    if (!(before > 0)) return before
    this.#settle(time)
    this.#decide(time)
    const targets = this.#pending.get(time)
    if (targets) {
      if (run.first < 0) run.first = time
      this.#pending.delete(time)
      this.#trade(time, before, targets)
    }
    const { fee, spread, slippage } = run.byBar
    return before + (fee[time] + spread[time] + slippage[time])
  }

  /** Adds price changes and funding of a bar; returns their sum. */
  #applyPricesAndFunding(time: number): number {
    const { symbolCount, price } = this.#rows
    const { byBar, bySymbol, barsHeld } = this.#run
    const priceBySymbol = bySymbol.price
    const units = this.#units
    const lastPrice = this.#lastPrice
    const missing = this.#missing
    const from = time * symbolCount
    let sum = 0
    for (let symbol = 0; symbol < symbolCount; symbol++) {
      const barPrice = price[from + symbol]
      const isPriced = barPrice > 0
      const unitsHeld = units[symbol]
      if (unitsHeld !== 0) {
        barsHeld[symbol]++
        if (isPriced) {
          const change = unitsHeld * (barPrice - lastPrice[symbol])
          sum += change
          priceBySymbol[symbol] += change
          missing[symbol] = 0
        } else this.#countMissing(symbol)
      }
      if (isPriced) lastPrice[symbol] = barPrice
    }
    byBar.price[time] = sum
    const funding = this.#rows.funding ? this.#fund(time, this.#rows.funding) : 0
    byBar.funding[time] = funding
    return sum + funding
  }

  #countMissing(symbol: number): void {
    this.#run.counts.missingPrice++
    this.#missing[symbol]++
    this.#mostMissing = Math.max(this.#mostMissing, this.#missing[symbol])
  }

  /** Pays funding on the positions held during a bar; returns the sum. */
  #fund(time: number, rates: Matrix): number {
    const run = this.#run
    const { due, timeCount } = this.#rows
    const fundingBySymbol = run.bySymbol.funding
    const units = this.#units
    const lastPrice = this.#lastPrice
    const from = time * units.length
    // The sums are local variables, because writing a property at each step takes longer than the rest of the loop.
    let { heldNotional, unknownFunding, dueNotional, assumedNotional } = run
    let sum = 0
    for (let symbol = 0; symbol < units.length; symbol++) {
      const unitsHeld = units[symbol]
      if (unitsHeld === 0) continue
      const notional = unitsHeld * lastPrice[symbol]
      const rate = rates[from + symbol]
      const size = Math.abs(notional)
      heldNotional += size
      if (due) {
        const cell = symbol * timeCount + time
        dueNotional += size * due.times[cell]
        assumedNotional += size * due.assumedTimes[cell]
      }
      if (rate === rate) {
        const fundingFlow = -notional * rate
        sum += fundingFlow
        fundingBySymbol[symbol] += fundingFlow
      } else {
        unknownFunding += size
        run.hasUnknownFunding[symbol] = 1
      }
    }
    run.heldNotional = heldNotional
    run.unknownFunding = unknownFunding
    run.dueNotional = dueNotional
    run.assumedNotional = assumedNotional
    return sum
  }

  /** Closes positions whose price has been missing for too long. */
  #settle(time: number): void {
    const { settleAfterBars } = this.#rules
    if (this.#mostMissing < settleAfterBars) return
    this.#mostMissing = 0
    for (let symbol = 0; symbol < this.#units.length; symbol++) {
      if (this.#missing[symbol] < settleAfterBars) {
        this.#mostMissing = Math.max(this.#mostMissing, this.#missing[symbol])
        continue
      }
      const notional = Math.abs(this.#units[symbol]) * this.#lastPrice[symbol]
      this.#countGain(symbol)
      this.#units[symbol] = 0
      this.#missing[symbol] = 0
      this.#run.counts.settled++
      this.#payFee(time, symbol, notional)
    }
  }

  #payFee(time: number, symbol: number, notional: number): void {
    const { byBar, bySymbol } = this.#run
    const fee = -(notional * this.#rules.feeBps) / 1e4
    byBar.traded[time] += notional
    bySymbol.traded[symbol] += notional
    byBar.fee[time] += fee
    bySymbol.fee[symbol] += fee
  }

  #decide(time: number): void {
    const { decisions, symbolCount, member, exposure } = this.#rows
    const { counts } = this.#run
    const kind = decisions[time]
    if (kind === decisionKinds.none) return
    counts.decisions++
    const from = time * symbolCount
    let targets: Float64Array
    if (kind === decisionKinds.flat) {
      counts.flat++
      targets = this.#weights.decideFlat(member, from)
    } else {
      this.#readSignal(time)
      counts.ineligible += this.#countIneligible(from)
      const decision = this.#weights.decide(this.#signal, member, from)
      if (!decision) return void counts.skipped++
      if (decision.isFlat) counts.flat++
      if (decision.hasUnallocated) counts.capShort++
      targets = decision.targets
    }
    const factor = exposure ? exposure[time] : 1
    this.#pending.set(time + this.#rules.delayBars, factor === 1 ? targets : targets.map((target) => target * factor))
  }

  #readSignal(time: number): void {
    const { signal, decisionPlaces, symbolCount } = this.#rows
    if (typeof signal === 'number') this.#signal.fill(signal)
    else {
      const from = decisionPlaces[time] * symbolCount
      this.#signal.set(signal.subarray(from, from + symbolCount))
    }
  }

  /**
   * Counts the members without a signal.
   * @param from cell of the first symbol at the time
   */
  #countIneligible(from: number): number {
    const { member } = this.#rows
    let count = 0
    this.#signal.forEach((value, symbol) => {
      if (value !== value && (!member || member[from + symbol])) count++
    })
    return count
  }

  #trade(time: number, equity: number, targets: Float64Array): void {
    const { symbolCount, price } = this.#rows
    const { counts } = this.#run
    counts.rebalances++
    this.#countGains()
    const from = time * symbolCount
    let targetChange = 0
    for (let symbol = 0; symbol < symbolCount; symbol++) {
      const units = this.#units[symbol]
      const target = targets[symbol]
      targetChange += Math.abs(target - this.#targets[symbol])
      const barPrice = price[from + symbol]
      if (!(barPrice > 0)) {
        if (units !== 0 || target !== 0) counts.untraded++
        continue
      }
      const deviation = Math.abs(target - (units * barPrice) / equity)
      if (!(deviation > this.#rules.band || (target === 0 && units !== 0))) continue
      const targetUnits = (target * equity) / barPrice
      if (targetUnits === units) continue
      counts.trades++
      this.#units[symbol] = targetUnits
      this.#payTrade(time, symbol, Math.abs(targetUnits - units) * barPrice)
    }
    this.#run.targetChange[time] = targetChange
    this.#targets = targets
    this.#gainFrom.set(this.#lastPrice)
  }

  #payTrade(time: number, symbol: number, notional: number): void {
    const run = this.#run
    this.#payFee(time, symbol, notional)
    const spreadBps = this.#atTrade(this.#rows.spreadBps, symbol, time)
    if (spreadBps >= 0) {
      const spreadFlow = -(notional * spreadBps) / 2 / 1e4
      run.byBar.spread[time] += spreadFlow
      run.bySymbol.spread[symbol] += spreadFlow
    } else run.unknownSpread += notional
    const volume = this.#recordParticipation(time, symbol, notional)
    const slippage = this.#slippageOf(time, symbol, notional, volume)
    if (slippage === null) run.unknownSlippage += notional
    else {
      run.byBar.slippage[time] -= slippage
      run.bySymbol.slippage[symbol] -= slippage
    }
  }

  #atTrade(values: BarValues, symbol: number, time: number): number {
    const { tradePlaces, symbolCount } = this.#rows
    return typeof values === 'number' ? values : values[tradePlaces[time] * symbolCount + symbol]
  }

  /** Records the ratio of a trade to the volume; returns the volume, NaN if unknown. */
  #recordParticipation(time: number, symbol: number, notional: number): number {
    const { volume } = this.#rows
    if (volume === null) return NaN
    const { participation, counts } = this.#run
    const value = this.#atTrade(volume, symbol, time)
    if (!(value > 0)) {
      counts.tradesWithoutVolume++
      return NaN
    }
    const share = notional / value
    if (!(share <= participation[time])) participation[time] = share
    return value
  }

  #slippageOf(time: number, symbol: number, notional: number, volume: number): number | null {
    const { slippage } = this.#rules
    if ('bps' in slippage) return (notional * slippage.bps) / 1e4
    if ('perNotional' in slippage) {
      const perNotional = this.#atTrade(this.#rows.perNotional, symbol, time)
      return perNotional >= 0 ? notional * (perNotional * notional) : null
    }
    const sigma = this.#atTrade(this.#rows.sigma, symbol, time)
    return sigma >= 0 && volume > 0 ? notional * slippage.k * sigma * Math.sqrt(notional / volume) : null
  }

  #countGains(): void {
    for (let symbol = 0; symbol < this.#units.length; symbol++) this.#countGain(symbol)
  }

  #countGain(symbol: number): void {
    const units = this.#units[symbol]
    if (units === 0) return
    const gain = units * (this.#lastPrice[symbol] - this.#gainFrom[symbol])
    if (gain > 0) this.#run.counts.gains++
    else if (gain < 0) this.#run.counts.losses++
  }

  #recordExposure(time: number, equity: number): void {
    const { long, short, first } = this.#run
    if (first < 0) return
    const units = this.#units
    const lastPrice = this.#lastPrice
    let longNotional = 0
    let shortNotional = 0
    for (let symbol = 0; symbol < units.length; symbol++) {
      const unitsHeld = units[symbol]
      if (unitsHeld > 0) longNotional += unitsHeld * lastPrice[symbol]
      else if (unitsHeld < 0) shortNotional += unitsHeld * lastPrice[symbol]
    }
    if (this.#rows.dayEnds[time]) {
      const weights = units.map((unitsHeld, symbol) => (unitsHeld === 0 ? 0 : (unitsHeld * lastPrice[symbol]) / equity))
      this.#run.dayWeights.set(time, weights)
    }
    long[time] = equity > 0 ? longNotional / equity : NaN
    short[time] = equity > 0 ? shortNotional / equity : NaN
  }
}

function emptyRun(timeCount: number, symbolCount: number, keepUnits: boolean): PortfolioRun {
  return {
    first: -1,
    end: 0,
    equity: new Float64Array(timeCount),
    equityBefore: new Float64Array(timeCount),
    byBar: emptyFlows(timeCount),
    bySymbol: emptyFlows(symbolCount),
    barsHeld: new Int32Array(symbolCount),
    long: new Float64Array(timeCount),
    short: new Float64Array(timeCount),
    participation: new Float64Array(timeCount).fill(NaN),
    targetChange: new Float64Array(timeCount),
    counts: {
      bars: 0,
      decisions: 0,
      skipped: 0,
      flat: 0,
      ineligible: 0,
      untraded: 0,
      settled: 0,
      capShort: 0,
      missingPrice: 0,
      rebalances: 0,
      trades: 0,
      gains: 0,
      losses: 0,
      tradesWithoutVolume: 0,
    },
    heldNotional: 0,
    unknownFunding: 0,
    hasUnknownFunding: new Uint8Array(symbolCount),
    dueNotional: 0,
    assumedNotional: 0,
    unknownSpread: 0,
    unknownSlippage: 0,
    isRuined: false,
    units: keepUnits ? [] : null,
    dayWeights: new Map(),
  }
}

/** Runs a portfolio bar by bar: prices, funding, settlement, decision, trade. */
export const simulatePortfolio = (
  rows: PortfolioRows,
  rules: PortfolioRules,
  weights: TargetWeights,
  keepUnits = false,
): PortfolioRun => new PortfolioSimulation(rows, rules, weights, keepUnits).run()
