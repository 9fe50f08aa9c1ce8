import { factors, findFactor } from './factors.ts'

/** Rule that turns scores into weights: both sides around the middle rank, or only the best third. */
export type Construction = 'long_short' | 'long_only'
export type UniverseSize = 20 | 30 | 40 | 'full'

/** A portfolio before its universe is chosen. */
export interface Template {
  name: string
  label: string
  construction: Construction
  /** Factor ids and their weights; a negative weight reverses the factor's direction. */
  parts: readonly { factor: string; weight: number }[]
  defaultSmoothing: number
}

export interface PortfolioDefinition {
  id: string
  template: Template
  size: UniverseSize
}

const partsOf = (weights: Record<string, number>) =>
  Object.entries(weights).map(([factor, weight]) => ({ factor, weight }))

const singleFactorTemplates: Template[] = factors.flatMap(({ id, label, defaultSmoothing }) => [
  {
    name: `${id}_ls`,
    label: `${label}, long and short`,
    construction: 'long_short',
    parts: [{ factor: id, weight: 1 }],
    defaultSmoothing,
  },
  {
    name: `${id}_lo`,
    label: `${label}, long only`,
    construction: 'long_only',
    parts: [{ factor: id, weight: 1 }],
    defaultSmoothing,
  },
])

const multiFactorTemplates: Template[] = [
  {
    name: 'multi_core',
    label: 'Momentum, carry, flow and volatility',
    construction: 'long_short',
    parts: partsOf({ momentum: 1, carry: 1, flow_size: 1, volatility: 0.5 }),
    defaultSmoothing: 10,
  },
  {
    name: 'multi_trend_carry',
    label: 'Trend and carry',
    construction: 'long_short',
    parts: partsOf({ trend: 1, momentum_long: 1, carry: 1 }),
    defaultSmoothing: 15,
  },
  {
    name: 'multi_defensive',
    label: 'Low volatility and little crowding, long only',
    construction: 'long_only',
    parts: partsOf({ volatility: 1, skewness: 0.5, oi_divergence: 1 }),
    defaultSmoothing: 20,
  },
]

const templates = new Map(
  [...singleFactorTemplates, ...multiFactorTemplates].map((template) => [template.name, template]),
)

export const isMultiFactor = (template: Template) => template.parts.length > 1

const sizesOf = (template: Template): UniverseSize[] => (isMultiFactor(template) ? [20, 30, 40] : [20, 30, 40, 'full'])

const portfolios = new Map<string, PortfolioDefinition>(
  [...templates.values()].flatMap((template) =>
    sizesOf(template).map((size) => {
      const id = `${template.name}.${size}`
      return [id, { id, template, size }] as const
    }),
  ),
)

export const portfolioIds: readonly string[] = [...portfolios.keys()]

/** Universe size that is used if the id of an overlay's portfolio has no size suffix. */
const defaultSize = 40

export function findPortfolio(id: string): PortfolioDefinition | null {
  return portfolios.get(id) ?? null
}

/** Finds a template's portfolio by its id, with or without the size suffix. */
export function findOverlayPortfolio(id: string): PortfolioDefinition | null {
  return findPortfolio(id) ?? findPortfolio(`${id}.${defaultSize}`)
}

/** Finds a template by name; a factor's id means the template of that factor alone. */
export function findTemplate(name: string): Template | null {
  return templates.get(name) ?? templates.get(`${findFactor(name)?.id}_ls`) ?? null
}
