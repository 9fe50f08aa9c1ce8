import { blend, type BlendStudy } from './kinds/blend/fields.ts'
import { clocks } from './kinds/clocks/fields.ts'
import { costs } from './kinds/costs/fields.ts'
import { events } from './kinds/events/fields.ts'
import type { Fields, Values } from './kinds/field.ts'
import { leadlag } from './kinds/leadlag/fields.ts'
import { schedule } from './kinds/schedule/fields.ts'
import { portfolio } from './kinds/portfolio/fields.ts'
import { screen } from './kinds/screen/fields.ts'
import { seasonality } from './kinds/seasonality/fields.ts'
import { series } from './kinds/series/fields.ts'
import { signal } from './kinds/signal/fields.ts'
import { spells } from './kinds/spells/fields.ts'

const kinds = {
  ...{ signal, events, leadlag, seasonality },
  ...{ series, screen, schedule, costs, clocks, spells },
  ...{ portfolio, blend },
}

/** Kinds of Lab documents: studies and tested portfolios. */
export type LabKind = keyof typeof kinds
/** Kinds that study the rows of a panel. */
export type StudyKind = Exclude<LabKind, 'portfolio' | 'blend'>
export const labKinds = Object.keys(kinds) as LabKind[]
export const studyKinds = labKinds.filter((kind): kind is StudyKind => kind !== 'portfolio' && kind !== 'blend')

/** Kinds by what they compare, in the order in which a person chooses one. */
export const kindGroups = [
  { title: 'Across symbols', kinds: ['signal', 'events', 'leadlag', 'seasonality'] },
  { title: 'Along time', kinds: ['series', 'screen', 'schedule', 'costs', 'clocks', 'spells'] },
  { title: 'Portfolios', kinds: ['portfolio', 'blend'] },
] as const satisfies readonly { title: string; kinds: readonly LabKind[] }[]
type KindGroup = (typeof kindGroups)[number]['title']

export const groupOf = (kind: LabKind): KindGroup =>
  kindGroups.find(({ kinds }) => kinds.some((each) => each === kind))?.title ?? kindGroups[0].title

type StudyOf = { [Kind in LabKind]: Values<(typeof kinds)[Kind]['fields']> }
/** A study with all defaults filled in. */
export type Study = StudyOf[StudyKind]
/** A study or tested portfolio with all defaults filled in. */
type AnyStudy = StudyOf[Exclude<LabKind, 'blend'>]
/** A document of any kind with all defaults filled in. */
export type AnyDocument = AnyStudy | BlendStudy

/** A formula of a study and its field. */
export interface StudyFormula {
  field: string
  formula: string
  /** Names in the formula that are computed, so that no dataset in the cache needs to have them. */
  provided?: readonly string[]
  /** True for a template, which has no values until a column is put in. */
  isTemplate?: boolean
  /** True if the study can run without the formula's values, which are then unknown. */
  isOptional?: boolean
  /** True if the values are ranked or averaged across symbols. */
  isCompared?: boolean
}

/** What every face knows of a kind. */
export interface KindFacts {
  title: string
  /** The question that a study of the kind answers. */
  description: string
  fields: Fields
  /** The sentence that says what a document does; `{source}` or `{delayBars}` stands for what its field says. */
  recipe: string
  /** Lists the formulas of a study by field, in document order. */
  formulas(study: AnyDocument): StudyFormula[]
  /** Checks what fields alone cannot tell, and fills in what depends on other fields. */
  fillIn?(study: AnyDocument): AnyDocument
  /** True if a study of the kind can be repeated on the rows of the other clock. */
  comparesClocks?: boolean
  /** True if a study of the kind looks at each symbol by itself along time, so that which symbols are listed biases nothing. */
  treatsSymbolsAlone?: boolean
  /** True if a study of the kind reads the rows of both clocks from the cache, and no panel. */
  readsBothClocks?: boolean
  /** Tells whether the answer of a study depends on funding periods, whatever its formulas. */
  goesByFunding?(study: AnyStudy): boolean
  /** Estimates the memory that a study takes besides its values if its cells are in a file, in bytes. */
  ownBytes?(study: AnyStudy, times: number, symbols: number): number
}

export const kindFacts = (kind: LabKind): KindFacts => kinds[kind] as KindFacts

/** Names a document by its kind, such as `Signal study`; a portfolio test and a blend are not called studies. */
export const kindName = (kind: LabKind): string =>
  kind === 'portfolio' || kind === 'blend' ? kinds[kind].title : `${kinds[kind].title} study`

/** Tells whether a study tries every column that there is, so that its formulas do not name them. */
export const readsEveryColumn = (study: AnyDocument): boolean => study.kind === 'screen' && study.columns === null

export const formulasOf = (study: AnyDocument): StudyFormula[] => kindFacts(study.kind).formulas(study)

/** Lists the formulas of a study that have values by themselves. */
export const valueFormulasOf = (study: AnyDocument): StudyFormula[] =>
  formulasOf(study).filter(({ isTemplate }) => !isTemplate)

/** Finds the kind that an unchecked document names; null if it names none. */
export const kindOf = (document: unknown): LabKind | null =>
  (typeof document === 'object' && document !== null && 'kind' in document
    ? labKinds.find((each) => each === document.kind)
    : null) ?? null

/** Kinds whose runs count against later results: tested portfolios and blends are trials, a screen tries many formulas. */
const countedKinds = ['portfolio', 'blend', 'screen'] as const

/** Finds the kind of an unchecked document that only runs when the user says so, because that counts; null for others. */
export const countedKindOf = (document: unknown): (typeof countedKinds)[number] | null => {
  const kind = kindOf(document)
  return countedKinds.find((counted) => counted === kind) ?? null
}

/** Tells whether running an unchecked document counts against later results. */
export const countsWhenRun = (document: unknown): boolean => countedKindOf(document) !== null

/** Tells whether an unchecked document claims to be a blend. */
export const isBlendDocument = (document: unknown): boolean => kindOf(document) === 'blend'

/** Tells whether an unchecked document claims to be a tested portfolio. */
export const isPortfolioDocument = (document: unknown): boolean => kindOf(document) === 'portfolio'
