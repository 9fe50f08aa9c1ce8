import { resolve } from 'node:path'
import type { LedgerEntry, RegisteredEntry, RunEntry } from '#core/store/ledger/ledgerEntry.ts'
import { returnsFromBytes } from '#core/store/ledger/ledgerEntry.ts'
import { familyOf } from '#core/store/ledger/studyIdentity.ts'
import type { Ledger } from '#core/store/ledger/ledger.ts'
import type { Progress } from '#shared/contract/protocol.ts'
import type { Score } from '#shared/contract/areas/ledger.ts'
import { calibrationSheet } from '#shared/lab/forward/calibrationSheet.ts'
import { evidenceText } from '#shared/lab/forward/forwardScore.ts'
import type { StoredEntry } from '#core/store/ledger/ledgerTables.ts'
import { killText } from '#shared/lab/forward/killCriterion.ts'
import { column, type ReadColumn } from '#shared/sheet/sheet.ts'
import { zonedTime } from '#shared/units/instants.ts'
import { roundToDigits } from '#shared/units/numbers.ts'
import { action, type CliCommand, exit } from '../command.ts'
import { Failure } from '../failure.ts'
import { recordLines, sheetLines } from '../sheetLines.ts'
import { ledgerText as text } from '../text/commands.ts'
import { UsageError } from '../usageError.ts'

/**
 * Returns an entry in the form that is printed, which includes its chain if the entry was merged from another machine.
 */
const printableEntry = ({ entry, chain }: StoredEntry) => (chain === '' ? entry : { ...entry, chain })

const list = action({
  name: 'list',
  readsOnly: true,
  summary: text.list.summary,
  options: {
    family: { type: 'text', value: 'HASH', description: text.list.options.family },
  },
  async run({ app, out, options }) {
    const ledger = openedLedger((await app()).ledger(), out.note)
    const family = options.family === undefined ? null : options.family.toLowerCase()
    const entries = [...ledger.tables.entries()].filter(
      ({ entry }) => family === null || (familyIn(entry)?.startsWith(family) ?? false),
    )
    out.result({ entries: entries.map(printableEntry) }, () => recordLines(columns, entries, text.list.none))
    return exit.done
  },
})

/** Returns the family with which an entry counts; an earlier version may have stated another one. */
function familyIn(entry: LedgerEntry): string | null {
  if (entry.event === 'run') return familyOf(entry.study)
  return 'family' in entry ? entry.family : null
}

const runOf = ({ entry }: StoredEntry): RunEntry | null => (entry.event === 'run' ? entry : null)

const columns: readonly ReadColumn<StoredEntry>[] = [
  column('sequence', 'No.', 'text', ({ entry, chain }) =>
    chain === '' ? String(entry.sequence) : `${chain.slice(0, 6)}:${entry.sequence}`,
  ),
  column('time', 'Time', 'text', ({ entry }) => zonedTime(entry.time, 'utc')),
  column('event', 'Event', 'text', ({ entry }) =>
    entry.event === 'run' ? (entry.role === 'study' ? entry.kind : entry.role) : entry.event,
  ),
  column('counts', 'Counts', 'text', (stored) => countsText(runOf(stored))),
  column('sharpe', 'Sharpe/day', 'statistic', (stored) => runOf(stored)?.summary?.sharpe, {
    format: (sharpe) => String(roundToDigits(Number(sharpe), 4)),
  }),
  column('days', 'Days', 'count', (stored) => runOf(stored)?.summary?.days),
  column('family', 'Family', 'text', ({ entry }) => familyIn(entry)?.slice(0, 12)),
  column('note', 'Note', 'text', ({ entry }) => (entry.event === 'run' ? runNote(entry) : noteOf(entry))),
]

/** Says whether a run counts as a trial; empty for one that never does. */
function countsText(run: RunEntry | null): string {
  if (run?.isTrial) return text.list.trial
  if (run?.cells !== undefined && run.repeats === null) return text.list.lines(run.cells)
  return run && run.repeats !== null ? text.list.repeats(run.repeats) : ''
}

/** Describes a run by its name. All combinations of a grid share one name, so a combination's signal is added. */
const runNote = ({ study, role }: RunEntry): string =>
  [study.name, role === 'combination' && study.kind === 'portfolio' && study.signal].filter(Boolean).join(': ')

function noteOf(entry: LedgerEntry): string {
  if (entry.event === 'reset') return entry.reason
  if (entry.event === 'holdoutOpened') return entry.holdoutFromDay
  return entry.event === 'registered' ? registrationText(entry) : ''
}

const registrationText = ({ expect, kill, note, late }: RegisteredEntry): string =>
  [late && text.list.late, text.list.expects(expect), kill && text.list.kill(killText(kill)), note]
    .filter(Boolean)
    .join('; ')

const show = action({
  name: 'show',
  readsOnly: true,
  summary: text.show.summary,
  args: [{ name: 'SEQUENCE', description: text.show.args.SEQUENCE }],
  async run({ app, out, args }) {
    const { tables } = openedLedger((await app()).ledger(), out.note)
    const found = findEntry(tables, args[0])
    const { entry } = found
    const bytes = entry.event === 'run' && entry.returnsSha256 !== null ? tables.returns(entry.returnsSha256) : null
    const files =
      entry.event === 'run'
        ? entry.inputs.map(({ sha256 }) => tables.files(sha256)).find((fileList) => fileList !== undefined)
        : undefined
    const shown = {
      ...printableEntry(found),
      ...(entry.event === 'run' &&
        bytes && { returns: { firstDay: entry.firstDay, net: [...returnsFromBytes(bytes)] } }),
      ...(files !== undefined && { files }),
      ...(isAssumedByOldVersion(entry) && { funding: text.show.assumedFunding }),
    }
    out.result(shown, () => [JSON.stringify(shown, null, 2)])
    return exit.done
  },
})

/** Tells whether a run took its funding every 8 hours, as version 0.2.0 did where no raw events said more. */
const isAssumedByOldVersion = (entry: LedgerEntry): boolean =>
  entry.event === 'run' &&
  entry.study.kind === 'portfolio' &&
  entry.study.source?.fundingEvery === '8h' &&
  !entry.inputs.some(({ name }) => name === 'funding-periods')

/** Finds an entry by its sequence number, or by the first digits of its hash. */
function findEntry(tables: Ledger['tables'], sequenceOrHash: string): StoredEntry {
  const bySequence = /^\d{1,9}$/.test(sequenceOrHash) ? tables.bySequence(Number(sequenceOrHash)) : null
  if (bySequence) return bySequence
  const found = /^[0-9a-f]{6,64}$/.test(sequenceOrHash) ? tables.byHashPrefix(sequenceOrHash) : []
  if (found.length === 1) return found[0]
  throw new Failure(found.length === 0 ? text.show.none(sequenceOrHash) : text.show.ambiguous(sequenceOrHash))
}

const score = action({
  name: 'score',
  summary: text.score.summary,
  interrupted: text.score.interrupted,
  options: {
    sequence: { type: 'integer', value: 'N', min: 1, max: 999_999_999, description: text.score.options.sequence },
  },
  async run({ client, out, signal, options: { sequence = null } }) {
    const onProgress = ({ done, total }: Progress) => out.progress({ done, total, message: text.score.progress })
    const { scores } = await (await client()).call('ledger.score', { sequence }, { signal, onProgress })
    if (sequence !== null && scores.length === 0) throw new Failure(text.score.none(sequence))
    out.result(sequence === null ? { scores } : scores[0], () =>
      sequence === null ? recordLines(scoreColumns, scores, text.score.empty) : scoreLines(scores[0]),
    )
    return exit.done
  },
})

const scoreColumns: readonly ReadColumn<Score>[] = [
  column('sequence', 'No.', 'text', ({ sequence, chain }) =>
    chain === undefined ? String(sequence) : `${chain.slice(0, 6)}:${sequence}`,
  ),
  column('state', 'State', 'text', ({ state, never }) => (never === null ? state : text.score.never)),
  column('expected', 'Expected', 'statistic', ({ expected }) => expected),
  column('days', 'Days', 'count', ({ days }) => days),
  column('sharpe', 'Sharpe', 'statistic', ({ sharpe }) => sharpe),
  column('ic', 'IC', 'statistic', ({ ic }) => ic),
  column('totalReturn', 'Return', 'statistic', ({ totalReturn }) => totalReturn),
  column('evidence', 'Evidence', 'text', ({ evidence }) => evidenceText(evidence)),
  column('killed', 'Killed', 'text', ({ killed }) => killed),
  column('supported', 'Supported', 'text', ({ supported }) => supported),
  column('name', 'Name', 'text', ({ name }) => name),
]

const scoreLines = (found: Score): string[] => [
  ...recordLines(scoreColumns, [found], ''),
  ...(found.expect === null ? [] : [text.score.registered(found.expect, found.kill && killText(found.kill))]),
  ...(found.never === null ? [] : [found.never]),
  ...(found.expectedDays === null ? [] : [text.score.needs(found.expectedDays)]),
  ...found.warnings.map(({ message }) => message),
]

const calibration = action({
  name: 'calibration',
  readsOnly: true,
  summary: text.calibration.summary,
  async run({ client, out, signal }) {
    const { points: _points, ...found } = await (await client()).call('ledger.calibration', {}, { signal })
    out.result(found, () => sheetLines(calibrationSheet(found)))
    return exit.done
  },
})

const verify = action({
  name: 'verify',
  readsOnly: true,
  summary: text.verify.summary,
  async run({ app, out }) {
    const ledger = openedLedger((await app()).ledger(), out.note)
    const broken = ledger.verify()
    const entries = ledger.tables.count()
    const lost = ledger.lost()
    out.result({ entries, broken, lost }, () => (broken ? [] : [text.verify.intact(entries)]))
    if (!broken) return exit.done
    out.problem(text.verify.broken(broken.sequence, broken.problem))
    return exit.failed
  },
})

const reset = action({
  name: 'reset',
  summary: text.reset.summary,
  options: {
    reason: { type: 'text', value: 'TEXT', required: true, description: text.reset.options.reason },
  },
  async run({ app, out, options }) {
    const reason = options.reason.trim()
    if (reason === '') throw new UsageError(text.reset.empty)
    const [entry] = openedLedger((await app()).ledger(), out.note).append([{ event: 'reset', reason }], 'cli')
    out.result(entry, () => [text.reset.done(entry.sequence)])
    return exit.done
  },
})

const merge = action({
  name: 'merge',
  summary: text.merge.summary,
  args: [{ name: 'FILE', description: text.merge.args.FILE, path: true, reads: true }],
  async run({ app, out, args }) {
    const ledger = openedLedger((await app()).ledger(), out.note)
    const merged = ledger.merge(resolve(args[0]))
    ledger.notices.splice(0).forEach(out.note)
    out.result(merged, () => [text.merge.done(merged.added, merged.entries)])
    return exit.done
  },
})

/** Prints the messages that were produced while the ledger was opened, and returns the ledger. */
function openedLedger(ledger: Ledger, note: (text: string) => void): Ledger {
  ledger.notices.splice(0).forEach(note)
  return ledger
}

export const command: CliCommand = {
  verb: 'ledger',
  summary: text.summary,
  description: text.description,
  examples: [
    'perpscope ledger list',
    'perpscope ledger show 12 --json',
    'perpscope ledger score',
    'perpscope ledger calibration --json',
    'perpscope ledger merge other-machine/ledger.jsonl',
    'perpscope ledger reset --reason "new idea, new data"',
  ],
  actions: [list, show, score, calibration, verify, reset, merge],
}
