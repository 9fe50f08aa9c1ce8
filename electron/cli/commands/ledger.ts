import { resolve } from 'node:path'
import type { LedgerEntry, RunEntry } from '#core/store/ledger/ledgerEntry.ts'
import { returnsFromBytes } from '#core/store/ledger/ledgerEntry.ts'
import { familyOf } from '#core/store/ledger/studyIdentity.ts'
import type { Ledger } from '#core/store/ledger/ledger.ts'
import type { StoredEntry } from '#core/store/ledger/ledgerTables.ts'
import { zonedTime } from '#shared/units/instants.ts'
import { roundToDigits } from '#shared/units/numbers.ts'
import { action, type Command, exit } from '../command.ts'
import { Failure } from '../failure.ts'
import { tableLines } from '../print.ts'
import { ledgerText as text } from '../text/commands.ts'
import { UsageError } from '../usageError.ts'

/**
 * Returns an entry in the form that is printed, which includes its chain if the entry was merged from another machine.
 */
const printableEntry = ({ entry, chain }: StoredEntry) => (chain === '' ? entry : { ...entry, chain })

const list = action({
  name: 'list',
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
    out.result({ entries: entries.map(printableEntry) }, () =>
      entries.length === 0 ? [text.list.none] : tableLines([text.list.header.slice(), ...entries.map(rowOf)]),
    )
    return exit.done
  },
})

/** Returns the family with which an entry counts; an earlier version may have stated another one. */
function familyIn(entry: LedgerEntry): string | null {
  if (entry.event === 'run') return familyOf(entry.study)
  return 'family' in entry ? entry.family : null
}

const figureText = (value: number | null) => (value === null ? '–' : String(roundToDigits(value, 4)))

function rowOf({ entry, chain }: StoredEntry): string[] {
  const sequenceText = chain === '' ? String(entry.sequence) : `${chain.slice(0, 6)}:${entry.sequence}`
  const head = [sequenceText, zonedTime(entry.time, 'utc')]
  const family = familyIn(entry)?.slice(0, 12) ?? ''
  if (entry.event !== 'run') return [...head, entry.event, '', '', '', family, noteOf(entry)]
  const trialText = entry.isTrial ? text.list.trial : entry.repeats === null ? '' : text.list.repeats(entry.repeats)
  return [
    ...head,
    entry.role === 'study' ? entry.kind : entry.role,
    trialText,
    figureText(entry.summary?.sharpe ?? null),
    figureText(entry.summary?.days ?? null),
    family,
    runNote(entry),
  ]
}

/** Describes a run by its name. All combinations of a grid share one name, so a combination's signal is added. */
const runNote = ({ study, role }: RunEntry): string =>
  [study.name, role === 'combination' && 'signal' in study && study.signal].filter(Boolean).join(': ')

const noteOf = (entry: LedgerEntry): string =>
  entry.event === 'reset' ? entry.reason : entry.event === 'holdoutOpened' ? entry.holdoutFromDay : ''

const show = action({
  name: 'show',
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

const verify = action({
  name: 'verify',
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
  args: [{ name: 'FILE', description: text.merge.args.FILE, path: true }],
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

export const command: Command = {
  verb: 'ledger',
  summary: text.summary,
  description: text.description,
  examples: [
    'perpscope ledger list',
    'perpscope ledger show 12 --json',
    'perpscope ledger merge other-machine/ledger.jsonl',
    'perpscope ledger reset --reason "new idea, new data"',
  ],
  actions: [list, show, verify, reset, merge],
}
