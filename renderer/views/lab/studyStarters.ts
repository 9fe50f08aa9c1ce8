import { columnsNamed } from '#shared/formula/columnsNamed.ts'
import { fieldsWithin, hasDefault } from '#shared/lab/kinds/field.ts'
import { formulasOf, kindFacts, kindGroups, kindName, type LabKind } from '#shared/lab/kinds.ts'
import { FEWEST_SYMBOLS, type ReadyStudy } from '#shared/lab/kinds/readyGround.ts'
import { parseDocument } from '#shared/lab/parseStudy.ts'
import type { Starter } from '../../components/starter.ts'
import { labText } from '../../text/lab.ts'

const { list: t } = labText

/** A kind of study to begin empty, or a ready-made study. */
export type StudyStarter = Starter & ({ kind: LabKind } | { study: ReadyStudy })

/** Fields that a person has to fill in before a study of a kind can run. */
const labelsOf = (kind: LabKind): string[] =>
  fieldsWithin(kindFacts(kind).fields)
    .filter((field) => field.group === 'main' && !hasDefault(field, true))
    .map(({ label }) => label)

function starterOf(kind: LabKind): StudyStarter {
  const labels = labelsOf(kind)
  return {
    ...{ id: kind, kind, name: t.new(kindName(kind)), description: kindFacts(kind).description },
    ...(labels.length > 0 && { needs: t.fields(labels) }),
  }
}

interface Offer {
  onSandbox: boolean
  /** Symbols of which the files are here. */
  cached: ReadonlySet<string>
}

/** The parts of a ready-made document that say what it reads. */
interface Reading {
  interval: string
  source: { exchanges: readonly string[]; symbols: readonly string[] }
  columns?: readonly string[]
}

/** Says what a ready-made study reads, its datasets in the order in which its formulas name them. */
function needsOf({ document }: ReadyStudy, cached: ReadonlySet<string>): string | undefined {
  const { interval, source, columns = [] } = document as unknown as Reading
  // On a connection whose venues or symbols are not known, the document is not complete.
  if (source.exchanges.length === 0 || source.symbols.length === 0) return undefined
  const study = parseDocument({ ...document, name: null }, { fromCache: true })
  const names = [...columnsNamed(formulasOf(study).map(({ formula }) => formula)), ...columns]
  const { symbols } = source
  const areCached = symbols.length > 1 && symbols.every((symbol) => cached.has(symbol))
  const symbolsText = areCached ? t.cachedSymbols(symbols.length, symbols.length < FEWEST_SYMBOLS) : t.symbols(symbols)
  return t.needs([...new Set(names.map((name) => name.split('.')[0]))], interval, symbolsText)
}

function readyStarter(study: ReadyStudy, { onSandbox, cached }: Offer): StudyStarter {
  const { id, name, description, planted } = study
  const needs = needsOf(study, cached)
  return {
    ...{ id, study, name, isPart: true, ...(needs !== undefined && { needs }) },
    description: onSandbox && planted ? `${description} ${planted}` : description,
  }
}

/** Groups what the Lab offers by what it compares: each kind, and below it its ready-made studies. */
export function studyStarters(
  ready: readonly ReadyStudy[],
  offer: Offer,
): { title: string; note: string; entries: StudyStarter[] }[] {
  return kindGroups.map(({ title, kinds }) => ({
    title,
    note: t.groupNotes[title],
    entries: kinds.flatMap((kind) => [
      starterOf(kind),
      ...ready.filter(({ document }) => document.kind === kind).map((study) => readyStarter(study, offer)),
    ]),
  }))
}
