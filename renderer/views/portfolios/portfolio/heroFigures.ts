import type { ChartedPortfolio } from '#shared/portfolio/tearSheetSections.ts'
import type { TearSheet } from '#shared/portfolio/tearSheet.ts'
import { figures } from '#shared/portfolio/figures.ts'
import { figureKind, type NumberKind, shownFigure } from '#shared/units/numberKinds.ts'
import { tearSheetText } from '../../../text/portfolios.ts'

const { hero: text } = tearSheetText

interface HeroFigure {
  name: string
  formula: string
  kind: NumberKind
  value: (sheet: TearSheet) => number | null
}

const leading: readonly HeroFigure[] = [
  ...['cagr', 'volatility', 'sharpe', 'maxDrawdown'].flatMap((id) => {
    const figure = figures.find((each) => each.id === id)
    if (!figure) return []
    const { name, formula, unit } = figure
    return [{ name, formula, kind: unit, value: (sheet: TearSheet) => sheet.figures[id] ?? null }]
  }),
  { ...text.lastMonth, kind: 'percentFigure', value: lastMonth },
  { ...text.worstMonth, kind: 'percentFigure', value: worstMonth },
]

function lastMonth({ years }: TearSheet): number | null {
  const [last] = years.toSorted((a, b) => b.year - a.year)
  return last?.months.findLast((month) => month !== null) ?? null
}

function worstMonth({ years }: TearSheet): number | null {
  const months = years.flatMap((year) => year.months.filter((month) => month !== null))
  return months.length === 0 ? null : Math.min(...months)
}

/** A figure of each line that is compared, with its difference to the first line; empty for the first one. */
interface HeroRow {
  name: string
  formula: string
  cells: { text: string; difference: string }[]
}

/** The six figures that lead, a row each. */
export const heroRows = (portfolios: readonly ChartedPortfolio[]): HeroRow[] =>
  leading.map(({ name, formula, kind, value }) => {
    const values = portfolios.map(({ inView }) => value(inView))
    const textOf = (each: number | null) => {
      const { text: shown, unit } = shownFigure(figureKind(kind), each)
      return shown === null ? '–' : [shown, unit].filter(Boolean).join(' ')
    }
    const cells = values.map((each, at) => {
      const change = at === 0 || each === null || values[0] === null ? null : each - values[0]
      return { text: textOf(each), difference: change === null ? '' : `${change > 0 ? '+' : ''}${textOf(change)}` }
    })
    return { name, formula, cells }
  })
