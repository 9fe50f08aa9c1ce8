import type { OrderRule } from '#shared/portfolio/book/orderRules.ts'
import type { Database } from './database.ts'

/** What the user typed of the orders of a symbol: its lot, its smallest orders, and what it is of a ticker. */
export interface OrderRuleStore {
  list(): OrderRule[]
  /** Saves a rule in place of the one of its symbol; one without any value removes it. */
  set(rule: OrderRule): void
}

export const createOrderRuleStore = ({ reads, writes }: Database): OrderRuleStore => ({
  list: () =>
    reads.all<OrderRule>(
      'SELECT symbol, ticker, multiplier, lot, min_units AS minUnits, min_order AS minOrder FROM order_rules ORDER BY symbol',
    ),
  set({ symbol, ...values }) {
    const { ticker, multiplier, lot, minUnits, minOrder } = values
    if (Object.values(values).every((value) => value === null))
      writes.run('DELETE FROM order_rules WHERE symbol = ?', symbol)
    else
      writes.run(
        'INSERT OR REPLACE INTO order_rules (symbol, ticker, multiplier, lot, min_units, min_order) VALUES (?, ?, ?, ?, ?, ?)',
        ...[symbol, ticker, multiplier, lot, minUnits, minOrder],
      )
  },
})
