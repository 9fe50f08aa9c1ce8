import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runPanelStudy } from '#core/lab/panelStudy.ts'
import type { Study } from '#shared/lab/kinds.ts'
import { parseStudy } from '#shared/lab/parseStudy.ts'
import { expect } from 'vitest'
import { studyDifferences } from '../conformance/compareStudies.ts'
import { oddAlongStudy, type OddStudy, oddStudy } from '../fakes/oddStudies.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'
import { provePython, type RunPython } from './peer.ts'

interface PeerCase {
  id: string
  study: Study
  panel: string
  against: string | null
}

const data = join(import.meta.dirname, '..', 'conformance', 'data', 'studies')
const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'))
const readCode = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8')
/** Programs that define `run`, by the studies that they read. */
const readings = {
  acrossSymbols: readCode('studyReading.py'),
  alongTime: `${readCode('studyReading.py')}\n${readCode('alongReading.py')}\nrun = lambda study, panel, against: run_along(study, panel)`,
}
const parse = (document: unknown) => parseStudy(document, { fromCache: false })

/** Lists the cases of the conformance set that have a result. */
function conformanceCases(): PeerCase[] {
  const cases = readJson(join(data, 'cases.json')) as Record<string, string | undefined>[]
  return cases
    .filter(({ expected }) => expected)
    .map(({ id = '', study = '', panel = '', against }) => ({
      id,
      study: parse(readJson(join(data, study))),
      panel: join(data, panel),
      against: against === undefined ? null : join(data, against),
    }))
}

function oddCases(seeds: number, studyOf: (seed: number) => OddStudy = oddStudy): PeerCase[] {
  const folder = temporaryFolder()
  return Array.from({ length: seeds }, (_, seed) => {
    const { id, document, csv } = studyOf(seed)
    const panel = join(folder, `${id}.csv`)
    writeFileSync(panel, csv)
    return { id, study: parse(document), panel, against: null }
  })
}

/** Runs every case here and in Python, and compares all their figures. */
async function expectSameResults(
  python: RunPython,
  cases: readonly PeerCase[],
  reading = readings.acrossSymbols,
): Promise<void> {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'cases.json'), JSON.stringify(cases))
  const program = `${reading}
import warnings
warnings.filterwarnings("ignore")
results = {case["id"]: run(case["study"], case["panel"], case["against"]) for case in json.load(open("cases.json", encoding="utf-8"))}
print(json.dumps(results, default=lambda value: value.item()))`
  const theirs = (await python(program, folder)) as Record<string, unknown>
  expect(Object.keys(theirs)).toEqual(cases.map(({ id }) => id))
  for (const { id, study, panel, against } of cases) {
    const task = {
      study,
      rows: { path: panel },
      against: against === null ? null : { path: against },
      scratchFolder: '',
    }
    const ours: unknown = JSON.parse(JSON.stringify(await runPanelStudy(task, () => undefined)))
    expect(studyDifferences(theirs[id], ours), id).toEqual([])
  }
}

provePython('pandas', 'every study of the conformance set has the result of pandas and NumPy', (python) =>
  expectSameResults(python, conformanceCases()),
)

provePython('pandas', 'sixty odd panels have the results of pandas and NumPy', (python) =>
  expectSameResults(python, oddCases(60)),
)

provePython('pandas', 'a hundred odd panels have the results along time of pandas and NumPy', (python) =>
  expectSameResults(python, oddCases(100, oddAlongStudy), readings.alongTime),
)
