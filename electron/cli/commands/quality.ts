import { timestampSources } from '#shared/catalog/intervals.ts'
import type { JudgedFinding } from '#shared/contract/areas/quality.ts'
import { countKinds, findingDefinitions, findingKinds } from '#shared/quality/findings.ts'
import { formatTime } from '#shared/units/instants.ts'
import { exactNumber, roundToDigits } from '#shared/units/numbers.ts'
import { exit, soleAction, type Command } from '../command.ts'
import { findConnection } from '../connections.ts'
import { unknownInCacheMessage } from '../names.ts'
import { tableLines } from '../print.ts'
import { dayRangeOptions, seriesOptions } from '../seriesOptions.ts'
import { checkList, refuseListAndSymbol } from '../symbolLists.ts'
import { qualityText as text } from '../text/commands.ts'
import { noteText, progressText } from '../text/messages.ts'
import { parseDayRange } from '../timeRange.ts'

const heads = [
  'KIND',
  'DATASET',
  'EXCHANGE',
  'SYMBOL',
  'INTERVAL',
  'FROM',
  'TO',
  'COLUMN',
  'COUNT',
  'VALUE',
  'EXPECTED',
  'DETAIL',
]

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
  async run({ client, connection, options, out, signal }) {
    refuseListAndSymbol(options)
    const days = parseDayRange(options.start, options.end)
    if (options.definitions) {
      out.result(findingDefinitions, () => tableLines(findingKinds.map((kind) => [kind, findingDefinitions[kind]])))
      return exit.done
    }
    const core = await client()
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
    if (!out.json && findings.length > 0)
      for (const line of tableLines([heads, ...findings.map(cellsOf)])) out.line(line)
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

const recordOf = ({ accepted: _accepted, ...finding }: JudgedFinding) => finding

const timeText = (timeMs: number) => formatTime(timeMs, 'utc', 'minute')
const numberText = (value: number | null) => (value === null ? '' : exactNumber(roundToDigits(value, 8)))

const cellsOf = (finding: JudgedFinding): string[] => [
  finding.kind,
  finding.origin ? text.run.computed(finding.dataset) : finding.dataset,
  finding.exchange,
  finding.symbol,
  `${finding.interval} ${finding.timestamp}`,
  timeText(finding.from),
  timeText(finding.to),
  finding.column ?? '',
  String(finding.count),
  numberText(finding.value),
  numberText(finding.expected),
  finding.detail,
]

export const command: Command = {
  verb: 'quality',
  summary: text.summary,
  description: text.description,
  examples: ['perpscope quality --dataset ohlcv --start 2026-08-01', 'perpscope quality --list majors --json'],
  actions: [quality],
}
