import { resolve } from 'node:path'
import { readStudyDocument } from '#core/lab/readStudyDocument.ts'
import { labKinds } from '#shared/lab/kinds.ts'
import { zonedTime } from '#shared/units/instants.ts'
import { action, type CliCommand, exit } from '../command.ts'
import { tableLines } from '../print.ts'
import { compareOptions, newOptions, panelOptions, runOptions } from '../study/studyOptions.ts'
import { runOrPrintRefusal } from '../studyRefusal.ts'
import { studyText as text } from '../text/commands.ts'
import { UsageError } from '../usageError.ts'
import { noteVenuesOfStudy } from '../venues.ts'

const studyArgument = [{ name: 'STUDY', description: text.run.args.STUDY, path: true, reads: true }] as const

const kindArgument = { name: 'KIND', description: text.new.args.KIND, values: labKinds } as const

const run = action({
  name: 'run',
  summary: text.run.summary,
  interrupted: text.run.interrupted,
  args: studyArgument,
  options: runOptions,
  readsOnly: (options) => options['no-record'],
  run: async (invocation) => (await import('../study/runStudy.ts')).runAndPrint(invocation),
})

const register = action({
  name: 'register',
  summary: text.register.summary,
  args: studyArgument,
  options: {
    expect: { type: 'text', value: 'TEXT', required: true, description: text.register.options.expect },
    kill: { type: 'text', value: 'CRITERION', description: text.register.options.kill },
    note: { type: 'text', value: 'TEXT', description: text.register.options.note },
    'on-panel': { type: 'flag', description: text.register.options['on-panel'] },
  },
  run(invocation) {
    const { app, out, args, options } = invocation
    return runOrPrintRefusal(invocation, async () => {
      const document = readStudyDocument(resolve(args[0]))
      if (!options['on-panel']) await noteVenuesOfStudy(invocation, document)
      const { expect, kill = null, note = null } = options
      const core = await app()
      const registration = { document, onPanel: options['on-panel'], expect, kill, note }
      const { registerStudy } = await import('#core/lab/forward/registerStudy.ts')
      const entry = registerStudy(core.ledger(), registration, 'cli')
      core.ledger().notices.splice(0).forEach(out.note)
      out.result(entry, () => [text.register.done(entry.sequence)])
      if (entry.late) out.note(text.register.late)
      return exit.done
    })
  },
})

const overfitting = action({
  name: 'overfitting',
  readsOnly: true,
  summary: text.overfitting.summary,
  args: [{ name: 'FILE', description: text.overfitting.args.FILE, path: true, reads: true }],
  async run(invocation) {
    const { app, out, args } = invocation
    return runOrPrintRefusal(invocation, async () => {
      const document = readStudyDocument(resolve(args[0]))
      const figures = await (await (await app()).lab()).overfitting(document)
      out.result(figures, () =>
        tableLines(
          Object.entries(figures).flatMap(([name, value]) =>
            value === null || typeof value === 'number' ? [[name, value === null ? '–' : String(value)]] : [],
          ),
        ),
      )
      return exit.done
    })
  },
})

const newAction = action({
  name: 'new',
  readsOnly: true,
  summary: text.new.summary,
  args: [kindArgument],
  options: newOptions,
  run: async (invocation) => (await import('../study/studyDocuments.ts')).printTemplate(invocation),
})

const schema = action({
  name: 'schema',
  summary: text.schema.summary,
  args: [{ ...kindArgument, optional: true }],
  run: async (invocation) => (await import('../study/studyDocuments.ts')).printSchema(invocation),
})

const explain = action({
  name: 'explain',
  readsOnly: true,
  summary: text.explain.summary,
  args: [{ name: 'FILE', description: text.explain.args.FILE, path: true, reads: true }],
  run: async (invocation) => (await import('../study/studyDocuments.ts')).explainStudy(invocation),
})

const compare = action({
  name: 'compare',
  readsOnly: true,
  summary: text.compare.summary,
  args: [
    { name: 'ID', description: text.compare.args.ID, path: true, reads: true },
    { name: 'OTHER', description: text.compare.args.OTHER, path: true, reads: true, optional: true },
  ],
  options: compareOptions,
  run: async (invocation) => (await import('../study/compareStudy.ts')).compareStudy(invocation),
})

const list = action({
  name: 'list',
  readsOnly: true,
  summary: text.list.summary,
  async run({ app, out }) {
    const { studyRuns, ledger } = await app()
    const studies = studyRuns
      .list()
      .map((study) => ({ ...study, recorded: ledger().tables.isRecorded(study.documentHash) }))
    out.result(studies, () =>
      studies.length === 0
        ? [text.list.none]
        : tableLines([
            ['ID', 'KIND', 'LAST RUN', 'NAME'],
            ...studies.map(({ id, kind, lastRun, name }) => [id, kind, zonedTime(lastRun, 'utc'), name ?? '']),
          ]),
    )
    return exit.done
  },
})

const show = action({
  name: 'show',
  readsOnly: true,
  summary: text.show.summary,
  args: [{ name: 'ID', description: text.show.args.ID }],
  async run({ app, out, args }) {
    const { studyRuns, lab } = await app()
    const storedStudy = studyRuns.read(args[0])
    const { study } = storedStudy
    const isCacheStudy = study.kind !== 'portfolio' && study.kind !== 'blend' && study.source !== null
    const facts = isCacheStudy ? await (await lab()).cacheFacts({ document: study }) : null
    if (facts && 'newestFetchMs' in facts && facts.newestFetchMs > storedStudy.lastRun) out.note(text.show.changed)
    const { studySummary } = await import('../study/studySummary.ts')
    out.result(storedStudy, () => [JSON.stringify(storedStudy.study, null, 2), '', ...studySummary(storedStudy.result)])
    return exit.done
  },
})

const open = action({
  name: 'open',
  readsOnly: true,
  summary: text.open.summary,
  args: [{ name: 'ID', description: text.open.args.ID }],
  options: {
    line: { type: 'integer', value: 'N', min: 1, max: 50_000, description: text.open.options.line },
    as: { type: 'text', value: 'KIND', values: ['series', 'test'], description: text.open.options.as },
  },
  async run({ app, out, args: [id], options: { line = 1, as = 'test' } }) {
    const { result } = (await app()).studyRuns.read(id)
    if (result.kind !== 'screen') throw new UsageError(text.open.noScreen(id))
    if (result.cells.length === 0) throw new UsageError(text.open.noLines)
    const cell = result.cells.at(line - 1)
    if (!cell) throw new UsageError(text.open.noLine(result.cells.length))
    const { seriesOf, testOf } = await import('#shared/lab/kinds/screen/openCell.ts')
    const document = (as === 'series' ? seriesOf : testOf)(result, cell)
    out.result(document, () => [JSON.stringify(document, null, 2)])
    return exit.done
  },
})

const panel = action({
  name: 'panel',
  readsOnly: true,
  summary: text.panel.summary,
  interrupted: text.panel.interrupted,
  args: studyArgument,
  options: panelOptions,
  run: async (invocation) => (await import('../study/runStudy.ts')).writeRows(invocation),
})

export const command: CliCommand = {
  verb: 'study',
  summary: text.summary,
  description: text.description,
  examples: [
    'perpscope study new signal > carry.json',
    'perpscope study register carry.json --expect up --kill "sharpe < 0 after 60d"',
    'perpscope study run carry.json',
    'perpscope study run momentum.json --panel panel.parquet',
    'perpscope study run momentum.json --panel panel.csv --json',
    'perpscope study run carry-portfolio.json --panel panel.parquet --part 3/8',
    'perpscope study open 8c1d20ffa3e4 --line 2 --as test > line.json',
    'perpscope study explain carry.json',
    'perpscope study compare carry.json carry-band.json',
    'perpscope study compare 3f2a9c01b7de --portfolio momentum_ls.20',
    'perpscope study panel momentum.json --panel panel.csv --out used.parquet',
  ],
  actions: [newAction, schema, explain, register, run, list, show, open, compare, panel, overfitting],
}
