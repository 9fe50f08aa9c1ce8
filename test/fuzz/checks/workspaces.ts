import { venuesOfDocuments } from '#shared/catalog/venues.ts'
import { checkEntryFormula } from '#shared/workspace/checkEntryFormula.ts'
import { expandEntry } from '#shared/workspace/expandFormula.ts'
import { sampleDocument } from '#shared/workspace/sampleWorkspace.ts'
import { allSeries } from '#shared/workspace/workspace.ts'
import type { WorkspaceDocument } from '#shared/workspace/workspaceSchema.ts'
import { workspaceFile, workspaceFileName } from '#shared/workspace/workspaceFile.ts'
import { bytesOf, type Check, textOf } from '../check.ts'

const nothingKnown = { contractSizes: () => [], venues: venuesOfDocuments }

/** Reads a workspace file as the app does when it opens one, with the formulas of its series. */
export const check: Check = {
  seeds,
  isJson: true,
  tokens: [
    '{',
    '}',
    '[',
    ']',
    '"',
    ',',
    'null',
    '1e999',
    '-1',
    '"formula"',
    '\\ud83d',
    'f1 + f1',
    '"id":"a"',
    '__proto__',
  ],
  read(bytes) {
    const read = workspaceFile.read(textOf(bytes))
    if ('problem' in read) return read.problem.length > 0 ? null : 'is refused without a reason'
    const { name, document } = read
    const all = allSeries(document)
    for (const entry of all) {
      expandEntry(entry, all)
      if (entry.source.kind === 'formula') checkEntryFormula(entry.source.formula, entry.name, all, nothingKnown)
    }
    if (!workspaceFileName(name).isWellFormed()) return 'gets a file name with half a character'
    const again = workspaceFile.read(workspaceFile.write(name, document))
    return 'document' in again ? null : `cannot be read again: ${again.problem}`
  },
}

function seeds(): Uint8Array[] {
  const sample = sampleDocument('heron-perps')
  return [sample, withFormulas(sample)].map((document) => bytesOf(workspaceFile.write('Sample', document)))
}

/** Adds formulas, each of which names the one before. */
function withFormulas(document: WorkspaceDocument): WorkspaceDocument {
  const [first] = document.panes
  const [column] = first.series
  const series = [1, 2, 3].map((step) => ({
    ...column,
    id: `formula${step}`,
    name: `f${step}`,
    source: { kind: 'formula' as const, formula: step === 1 ? 'zscore(1 + 2, 20)' : `f${step - 1} + f${step - 1}` },
  }))
  return { ...document, panes: [{ ...first, series: [...first.series, ...series] }, ...document.panes.slice(1)] }
}
