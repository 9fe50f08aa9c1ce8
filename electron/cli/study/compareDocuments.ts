import { documentDifferences, type FieldDifference } from '#shared/lab/documentDifferences.ts'
import { compareFigures, figuresSideBySide, figureTexts } from '#shared/lab/figureDifferences.ts'
import type { LabResult } from '#shared/lab/labResult.ts'
import type { WrittenStudy } from '#shared/lab/kinds/field.ts'
import { exit, type ExitStatus, type Invocation } from '../command.ts'
import { tableLines } from '../print.ts'
import { numberLines, plainBlanks } from '../sheetLines.ts'
import { type NamedDocument, readNamed } from './studyDocuments.ts'
import { studyText } from '../text/commands.ts'

const text = studyText.compare
const NOTHING = '–'

/** Compares two studies: the fields in which their documents differ, and the figures of their results side by side. */
export async function compareDocuments(invocation: Pick<Invocation, 'app' | 'args' | 'out'>): Promise<ExitStatus> {
  const { out, args } = invocation
  const [before, after] = [await readNamed(invocation, args[0]), await readNamed(invocation, args[1])]
  const differences = documentDifferences(asWritten(before), asWritten(after))
  const results = [before.result, after.result].filter((result) => result !== null)
  const figures = before.result && after.result ? compareFigures(before.result, after.result) : []
  for (const { word, result } of [before, after]) if (!result) out.note(text.noResult(word))
  out.result({ version: 1, before: factsOf(before), after: factsOf(after), differences, figures }, () => [
    ...differenceLines(differences, before.word, after.word),
    ...(figures.length > 0 ? ['', ...figureLines(results, before.word, after.word)] : []),
  ])
  return exit.done
}

const asWritten = ({ study }: NamedDocument) => study as unknown as WrittenStudy

const factsOf = ({ word, study, result }: NamedDocument) => ({
  study: word,
  kind: study.kind,
  name: study.name,
  hasResult: result !== null,
})

const differenceLines = (differences: readonly FieldDifference[], before: string, after: string): string[] =>
  differences.length === 0
    ? [text.equal]
    : tableLines([
        ['FIELD', before, after],
        ...differences.map(({ field, before, after }) => [field, before ?? NOTHING, after ?? NOTHING].map(plainBlanks)),
      ])

const figureLines = (results: readonly LabResult[], before: string, after: string): string[] =>
  numberLines(
    [
      ['FIGURE', before, after],
      ...figuresSideBySide(results).map((row) => [row.name, ...figureTexts(row)].map(plainBlanks)),
    ],
    1,
  )
