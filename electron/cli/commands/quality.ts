import { timestampSources } from '#shared/catalog/intervals.ts'
import type { JudgedFinding } from '#shared/contract/areas/quality.ts'
import { countKinds, findingDefinitions, type FindingKind, findingKinds } from '#shared/quality/findings.ts'
import { findingColumns } from '#shared/sheet/findings.ts'
import { column } from '#shared/sheet/sheet.ts'
import { exit, soleAction, type CliCommand } from '../command.ts'
import { findConnection } from '../connections.ts'
import { unknownInCacheMessage } from '../names.ts'
import { ownDataset } from '../ownDataset.ts'
import { dayRangeOptions, seriesOptions } from '../seriesOptions.ts'
import { recordLines } from '../sheetLines.ts'
import { checkList, refuseListAndSymbol } from '../symbolLists.ts'
import { qualityCommandText as text } from '../text/commands.ts'
import { noteText, progressText } from '../text/messages.ts'
import { parseDayRange } from '../timeRange.ts'

const quality = soleAction({
  summary: text.run.summary,
  interrupted: text.run.interrupted,
  options: {
    ...seriesOptions(text.run.options),
    timestamp: { type: 'list', value: 'T[,T]', values: timestampSources, description: text.run.options.timestamp },
    ...dayRangeOptions(text.run.options),
    kind: { type: 'list', value: 'K[,K]', values: findingKinds, description: text.run.options.kind },
    definitions: { type: 'flag', description: text.run.options.definitions },
  },
  readsOnly: true,
  async run({ client, connection, options, out, signal }) {
    refuseListAndSymbol(options)
    const days = parseDayRange(options.start, options.end)
    if (options.definitions) {
      out.result(findingDefinitions, () => recordLines(definitionColumns, findingKinds))
      return exit.done
    }
    const core = await client()
    for (const each of options.dataset ?? []) await ownDataset(core, each)
    const { id: connectionId } = await findConnection(core, connection)
    await checkList(core, connectionId, options, out)
    const { dataset, exchange, symbol, list, interval, timestamp } = options
    const names = { dataset, exchange, symbol, interval, timestamp }
    const filter = {
      datasets: dataset,
      exchanges: exchange,
      symbols: symbol,
      list,
      intervals: interval,
      timestamps: timestamp,
    }
    const report = await core.call(
      'quality.check',
      { connectionId, ...filter, ...days },
      { signal, onProgress: ({ done, total }) => out.progress({ done, total, message: progressText.filesChecked }) },
    )
    const findingsOfKind = report.findings.filter(({ kind }) => !options.kind || options.kind.includes(kind))
    const findings = findingsOfKind.filter(({ accepted }) => accepted === null)
    if (!out.json) recordLines(findingColumns, findings).forEach(out.line)
    for (const finding of findings) if (out.json) out.record(recordOf(finding), () => '')
    const summary = { files: report.files, days: report.days, findings: countKinds(findings) }
    if (out.json) out.record({ summary }, () => '')
    else out.line(text.run.summaryLine(report.files, report.days, summary.findings))
    for (const { path, message } of report.unread) out.problem(noteText.notChecked(path, message))
    if (findingsOfKind.length > findings.length)
      out.note(noteText.acceptedFindings(findingsOfKind.length - findings.length))
    if (report.more > 0) out.note(noteText.moreFindings(report.more))
    const unknownMessage = report.files === 0 && (await unknownInCacheMessage(core, connectionId, names))
    if (unknownMessage) out.note(unknownMessage)
    return findings.length > 0 || report.unread.length > 0 ? exit.partial : exit.done
  },
})

const definitionColumns = [
  column<FindingKind>('kind', 'Kind', 'text', (kind) => kind),
  column<FindingKind>('definition', 'Definition', 'text', (kind) => findingDefinitions[kind]),
]

const recordOf = ({ accepted: _accepted, ...finding }: JudgedFinding) => finding

export const command: CliCommand = {
  verb: 'quality',
  summary: text.summary,
  description: text.description,
  examples: ['perpscope quality --dataset ohlcv --start 2026-08-01', 'perpscope quality --list majors --json'],
  actions: [quality],
}
