import { basename, dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import { readStudyDocument } from '#core/lab/readStudyDocument.ts'
import type { FinishedReport } from '#core/record/recordService.ts'
import type { Client } from '#shared/contract/client.ts'
import { type ProvenanceForm, provenanceForms } from '#shared/export/provenanceForms.ts'
import { notebookText } from '#shared/report/notebook.ts'
import type { ReportQuery } from '#shared/report/reportContent.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import { MOST_FILE_BYTES, WORKSPACE_SUFFIX } from '#shared/workspace/workspaceLimits.ts'
import { workspaceFile } from '#shared/workspace/workspaceFile.ts'
import type { WorkspaceDocument } from '#shared/workspace/workspaceSchema.ts'
import { action, type CliCommand, exit, type ExitStatus, type Invocation } from '../command.ts'
import { findConnection } from '../connections.ts'
import { dayRange } from '../dayOptions.ts'
import { Failure } from '../failure.ts'
import { readGivenText } from '../givenText.ts'
import type { Output } from '../print.ts'
import { formatBytes } from '../sizes.ts'
import { nearest } from '../suggest.ts'
import { checkTargetFile, writeAtomically } from '../targets.ts'
import { withReturnsMessages } from '../tearsheet/ownReturns.ts'
import { checkSource, parseRate, tearSheetOptions } from '../tearsheet/tearSheetAction.ts'
import { sqlCommandText, studyText } from '../text/commands.ts'
import { reportText as text } from '../text/recordCommands.ts'
import { planOptions, planQuery } from './plan.ts'
import { parametersOf, sqlTextOf, readableSqlError } from './sql.ts'
import { runOrPrintRefusal } from '../studyRefusal.ts'
import { version } from '../version.ts'

const formats = ['html', 'ipynb'] as const

const outOptions = {
  out: { type: 'path', value: 'FILE', required: true, description: text.options.out },
  format: { type: 'text', value: 'F', values: formats, description: text.options.format },
  note: { type: 'path', value: 'FILE.md', reads: true, description: text.options.note },
  provenance: { type: 'text', value: 'FORM', values: provenanceForms, description: text.options.provenance },
} as const

const MOST_NOTE_CHARACTERS = 200_000

type ReportInvocation = Pick<Invocation, 'app' | 'client' | 'connection' | 'out' | 'signal'> & {
  options: {
    out: string
    note: string | undefined
    format: (typeof formats)[number] | undefined
    provenance: ProvenanceForm | undefined
  }
}

/** Computes the report of a query and writes it. */
async function writeReport(
  { app, client, connection, out, signal, options }: ReportInvocation,
  queryOf: (core: Client, connectionId: string) => ReportQuery | Promise<ReportQuery>,
): Promise<ExitStatus> {
  const file = resolve(options.out)
  checkTargetFile(file)
  const note = options.note === undefined ? '' : readGivenText(options.note, MOST_NOTE_CHARACTERS)
  const core = await client()
  const { id: connectionId } = await findConnection(core, connection)
  const query = await queryOf(core, connectionId)
  if (options.format === 'ipynb' || (options.format === undefined && /\.ipynb$/i.test(file)))
    return writeNotebook({ query, note, file, out })
  const reports = await (await app()).reports()
  const { provenance = 'brief' } = options
  const context = { baseFolder: dirname(file), note, provenance, signal, who: 'cli' } as const
  const report = await reports.make({ query, connectionId, ...context })
  signal.throwIfAborted()
  writeAtomically(file, report.html)
  for (const warning of report.warnings) (report.isPartial ? out.problem : out.note)(warning)
  out.result(describe(report, file), () => [
    text.written(file, formatBytes(Buffer.byteLength(report.html)), plainPlural(report.sources.length, 'file')),
  ])
  return report.isPartial ? exit.partial : exit.done
}

/** Writes the notebook of a report, which computes nothing before it is run. */
function writeNotebook({ query, note, file, out }: { query: ReportQuery; note: string; file: string; out: Output }) {
  const notebook = notebookText(query, { version, note })
  writeAtomically(file, notebook)
  const bytes = Buffer.byteLength(notebook)
  out.result({ file, bytes, kind: query.kind, sources: [], format: 'ipynb' }, () => [
    text.notebookWritten(file, formatBytes(bytes)),
  ])
  return exit.done
}

const describe = ({ html, kind, sources }: FinishedReport, file: string) => ({
  file,
  bytes: Buffer.byteLength(html),
  kind,
  sources: sources.map(({ path, sha256 }) => ({ path, sha256 })),
})

/** Returns the path of a file relative to the report, because an absolute path means nothing on another machine. */
function pathFromReport(path: string, out: string): string {
  const fromReport = relative(dirname(resolve(out)), resolve(path))
  if (isAbsolute(fromReport)) throw new Failure(text.outside(path))
  return fromReport.split(sep).join('/')
}

const workbench = action({
  name: 'workbench',
  summary: text.workbench.summary,
  interrupted: text.interrupted,
  options: {
    workspace: {
      type: 'text',
      value: 'NAME|FILE',
      required: true,
      description: text.workbench.options.workspace,
    },
    ...outOptions,
  },
  run: (invocation) =>
    writeReport(invocation, async (core, connectionId) => {
      const { name, document } = await workspaceOf(core, invocation.options.workspace)
      const reports = await (await invocation.app()).reports()
      const range = reports.rangeOf(document, connectionId)
      if (range === null) throw new Failure(text.workbench.empty)
      return { kind: 'workbench', name, document, ...range }
    }),
})

async function workspaceOf(core: Client, given: string): Promise<{ name: string; document: WorkspaceDocument }> {
  if (given.endsWith(WORKSPACE_SUFFIX)) {
    const parsed = workspaceFile.read(readGivenText(given, MOST_FILE_BYTES))
    if ('problem' in parsed) throw new Failure(`${basename(given)}: ${parsed.problem}`)
    return parsed
  }
  const all = await core.call('documents.list', { kind: 'workspace' })
  const listed = all.find(({ name }) => name === given)
  if (!listed) {
    const names = all.map(({ name }) => name)
    throw new Failure(text.workbench.none(given, nearest(given, names) ?? null))
  }
  return core.call('documents.read', { kind: 'workspace', id: listed.id })
}

const { format: _tearSheetFormat, refresh: _refresh, ...sheetOptions } = tearSheetOptions

const tearsheet = action({
  name: 'tearsheet',
  summary: text.tearsheet.summary,
  interrupted: text.interrupted,
  options: { ...sheetOptions, ...outOptions },
  run: (invocation) =>
    withReturnsMessages(() => {
      const { options } = invocation
      checkSource({ ...options, format: undefined, refresh: false })
      const { start = null, end = null } = dayRange(options)
      const {
        portfolio = null,
        smoothing = null,
        exchange = null,
        benchmark = null,
        cost = null,
        returns: file,
      } = options
      const unit = options.percent ? 'percent' : options.fraction ? 'fraction' : null
      const riskFree = parseRate(options['risk-free'])
      const rolling = options.rolling === undefined ? null : Number(options.rolling)
      const returns = file === undefined ? null : ({ file: pathFromReport(file, options.out), unit, cost } as const)
      return writeReport(invocation, () => ({
        kind: 'tearsheet',
        portfolio,
        smoothing,
        exchange,
        benchmark,
        riskFree,
        rolling,
        start,
        end,
        returns,
      }))
    }),
})

const study = action({
  name: 'study',
  summary: text.study.summary,
  interrupted: text.interrupted,
  args: [{ name: 'STUDY', description: studyText.run.args.STUDY, path: true, reads: true }],
  options: {
    panel: { type: 'path', value: 'FILE', reads: true, description: studyText.run.options.panel },
    against: { type: 'path', value: 'FILE', reads: true, description: studyText.run.options.against },
    ...outOptions,
  },
  run: (invocation) =>
    runOrPrintRefusal(invocation, () => {
      const { options, args } = invocation
      const document = readStudyDocument(resolve(args[0]))
      const pathOf = (path: string | undefined) => (path === undefined ? null : pathFromReport(path, options.out))
      const query = {
        kind: 'study' as const,
        document,
        panel: pathOf(options.panel),
        against: pathOf(options.against),
      }
      return writeReport(invocation, () => query)
    }),
})

const sql = action({
  name: 'sql',
  summary: text.sql.summary,
  interrupted: text.interrupted,
  args: [{ name: 'QUERY', description: sqlCommandText.args.QUERY, optional: true }],
  options: {
    file: { type: 'path', value: 'FILE', reads: true, description: sqlCommandText.options.file },
    param: { type: 'repeated', value: 'NAME=VALUE', description: sqlCommandText.options.param },
    ...outOptions,
  },
  async run(invocation) {
    const { options, args } = invocation
    const statement = await sqlTextOf(options.file, args.at(0))
    const parameters = parametersOf(options.param ?? [])
    try {
      return await writeReport(invocation, () => ({ kind: 'sql', sql: statement, parameters }))
    } catch (thrown) {
      throw readableSqlError(thrown)
    }
  },
})

const plan = action({
  name: 'plan',
  summary: text.plan.summary,
  interrupted: text.interrupted,
  options: { ...planOptions, ...outOptions },
  run: (invocation) => {
    const query = { kind: 'plan' as const, ...planQuery(invocation.options) }
    return writeReport(invocation, () => query)
  },
})

const calibration = action({
  name: 'calibration',
  summary: text.calibration.summary,
  interrupted: text.interrupted,
  options: outOptions,
  run: (invocation) => writeReport(invocation, () => ({ kind: 'calibration' })),
})

const board = action({
  name: 'board',
  summary: text.board.summary,
  interrupted: text.interrupted,
  args: [{ name: 'NAME', description: text.board.args.NAME }],
  options: outOptions,
  run: (invocation) =>
    runOrPrintRefusal(invocation, () =>
      writeReport(invocation, async (core, connectionId) => {
        const [given] = invocation.args
        const all = await core.call('documents.list', { kind: 'board' })
        const found = all.find(({ name }) => name === given)
        const suggestion = () =>
          nearest(
            given,
            all.map(({ name }) => name),
          ) ?? null
        if (!found) throw new Failure(text.board.none(given, suggestion()))
        const { name, document } = await core.call('documents.read', { kind: 'board', id: found.id })
        return (await (await invocation.app()).reports()).boardQuery(name, document, connectionId)
      }),
    ),
})

export const command: CliCommand = {
  verb: 'report',
  summary: text.summary,
  description: text.description,
  examples: [
    'perpscope report workbench --workspace Basis --out basis.html',
    'perpscope report tearsheet --portfolio momentum_ls.20 --benchmark BTC --out momentum.html --note note.md',
    'perpscope report study carry.json --out carry.html',
    'perpscope report study carry.json --format ipynb --out carry.ipynb',
    'perpscope report sql --file Q.sql --out result.html',
    'perpscope report plan --weights live:momentum_ls.20 --capital 250000 --positions positions.csv --out plan.html',
    'perpscope report calibration --out calibration.html',
    'perpscope report board "Morning look" --out morning.html',
  ],
  actions: [workbench, tearsheet, study, sql, plan, calibration, board],
}
