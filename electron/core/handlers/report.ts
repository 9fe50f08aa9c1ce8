import { basename, dirname } from 'node:path'
import { Readable } from 'node:stream'
import type { ParsedInput } from '#shared/contract/calls.ts'
import { AppError } from '#shared/contract/errors.ts'
import { NoRowsError } from '#shared/lab/panel.ts'
import { badInput } from '#shared/contract/studyRefusal.ts'
import type { ReportQuery } from '#shared/report/reportContent.ts'
import { safeFileName } from '#shared/units/fileNames.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'
import type { RecordService } from '#core/record/recordService.ts'
import type { Store } from '#core/store/store.ts'

export function reportHandlers(
  reports: RecordService,
  { returns, settings }: Pick<Store, 'returns' | 'settings'>,
): Handlers<CallsOf<'report'>> {
  return {
    'report.save': async ({ connectionId, query }, { signal, host }) => {
      const queryWithFolder =
        query.kind === 'board'
          ? { query: reports.boardQuery(query.name, query.document, connectionId), baseFolder: '' }
          : withBaseFolder(query, returns)
      const { provenance } = settings.read()
      const { html, title, sources } = await asRefusal(() =>
        reports.make({ ...queryWithFolder, connectionId, note: '', provenance, signal, who: 'window' }),
      )
      const name = safeFileName(`${title}.html`)
      const saved = await host.save({ name, type: 'text/html' }, () => Readable.from([html]))
      return saved && { ...saved, sources: sources.length }
    },
  }
}

interface QueryWithFolder {
  query: ReportQuery
  baseFolder: string
}

/** Separates a query from the folder of its files, because a replay looks for the files next to the report. */
function withBaseFolder(
  query: Exclude<ParsedInput<'report.save'>['query'], { kind: 'board' }>,
  files: Store['returns'],
): QueryWithFolder {
  if (query.kind === 'study') return studyWithBaseFolder(query)
  if (query.kind !== 'tearsheet') return { query: query as ReportQuery, baseFolder: '' }
  if (query.returns === null) return { query: { ...query, returns: null }, baseFolder: '' }
  const { path, name, unit, cost } = files.read(query.returns)
  if (path === null)
    throw new AppError(
      'bad-input',
      `${name} was opened in a browser, which does not reveal the folder of a file, so a report could not name its source. Use “perpscope report tearsheet --returns FILE”, or open the file in the desktop app.`,
    )
  const returns = { file: basename(path), unit, cost }
  return { query: { ...query, portfolio: null, returns }, baseFolder: dirname(path) }
}

function studyWithBaseFolder(query: Extract<ParsedInput<'report.save'>['query'], { kind: 'study' }>): QueryWithFolder {
  const { panel, against } = query
  if (panel === null) return { query: query as ReportQuery, baseFolder: '' }
  if (against !== null && dirname(against) !== dirname(panel))
    throw new AppError('bad-input', 'Put the panels of both clocks in one folder to include them in a report.')
  const names = { panel: basename(panel), against: against === null ? null : basename(against) }
  return { query: { ...query, ...names } as ReportQuery, baseFolder: dirname(panel) }
}

/** Turns the refusal of a study into the error that a window shows: rows that are not cached, or a bad input. */
export async function asRefusal<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (thrown) {
    if (thrown instanceof NoRowsError) throw new AppError('not-here', thrown.message)
    throw badInput(thrown)
  }
}
