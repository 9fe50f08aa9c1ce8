import { combinationsOf, combinationStudy } from '#shared/lab/portfolio/parameterGrid.ts'
import type { PortfolioStudy } from '#shared/lab/kinds/portfolio/fields.ts'
import type { ScreenStudy } from '#shared/lab/kinds/screen/fields.ts'
import { comparable, formulasBehind } from '#shared/lab/kinds/screen/openCell.ts'
import { templateFiller } from '#shared/lab/kinds/screen/templates.ts'
import { portfolioWarning, type PortfolioWarning } from '#shared/lab/portfolio/portfolioWarnings.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import type { LedgerTables } from '#core/store/ledger/ledgerTables.ts'

/** Warns if the signal of a test, its parameters filled in, is a formula that a recorded screen tried on its rows. */
export function screenedWarning(tables: LedgerTables, test: PortfolioStudy): PortfolioWarning[] {
  const screens = tables.screens().filter(({ entry: { study } }) => study.kind === 'screen' && shareRows(study, test))
  if (screens.length === 0) return []
  const signals = test.parameters
    ? combinationsOf(test.parameters).map((parameters) => combinationStudy(test, parameters).signal)
    : [test.signal]
  const behind = new Set(signals.flatMap(formulasBehind))
  const screened = screens.find(({ entry: { study, columns } }) =>
    formulasOfScreen(study as ScreenStudy, columns).some((formula) => behind.has(formula)),
  )
  if (!screened) return []
  const { sequence, cells = 0 } = screened.entry
  return [
    portfolioWarning(
      'screened',
      `The signal is a formula of a screen (entry ${sequence} of the ledger), which tried ${plainPlural(cells, 'cell')}: chosen among them, it looks better than it is.`,
    ),
  ]
}

const formulasOfScreen = ({ columns, templates }: ScreenStudy, triedColumns: readonly string[] = []): string[] =>
  templates.flatMap((template) => {
    const fill = templateFiller(template)
    return (columns ?? triedColumns).map((column) => comparable(fill(column)))
  })

/** Tells whether two documents have rows in common: the same interval and clock, and a venue and symbol of both. */
function shareRows(screen: ScreenStudy, test: PortfolioStudy): boolean {
  if (screen.interval !== test.interval) return false
  const [one, other] = [screen.source, test.source]
  if (!one || !other) return one === null && other === null
  const haveSymbol = !one.symbols || !other.symbols || one.symbols.some((symbol) => other.symbols?.includes(symbol))
  return (
    one.timestamp === other.timestamp &&
    haveSymbol &&
    one.exchanges.some((exchange) => other.exchanges.includes(exchange))
  )
}
