import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  mkdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Ledger, openLedger, type RunDraft } from '#core/store/ledger/ledger.ts'
import { type RunEntry, returnsFromBytes } from '#core/store/ledger/ledgerEntry.ts'
import { hashOf } from '#core/store/ledger/canonicalJson.ts'
import { openLedgerLog } from '#core/store/ledger/ledgerLog.ts'
import { combinationStudy } from '#shared/lab/portfolio/parameterGrid.ts'
import { familyOf, shapeOf } from '#core/store/ledger/studyIdentity.ts'
import { fakeClock } from '../../fakes/fakeClock.ts'
import { fakeLog } from '../../fakes/fakeLog.ts'
import { runDraft } from '../../fakes/ledgerRuns.ts'
import { openTestLedger } from '../../fakes/openTestLedger.ts'
import { testStudy } from '../../fakes/portfolioWorld.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const copyOf = (folder: string) => join(folder, 'ledger.jsonl')
const databaseOf = (folder: string) => join(folder, 'ledger.sqlite')
const sequences = (ledger: Ledger) => [...ledger.tables.entries()].map(({ entry }) => entry.sequence)
const hashes = (ledger: Ledger) => [...ledger.tables.entries()].map(({ entry }) => entry.hash)

/** Opens a ledger, works with it and closes it, as one run of the program does. */
function withLedger<Result>(folder: string, work: (ledger: Ledger) => Result): Result {
  const ledger = openLedger({ dataDir: folder, clock: fakeClock(), log: fakeLog() })
  try {
    return work(ledger)
  } finally {
    ledger.close()
  }
}

function fillLedger(entries = 3): string {
  const folder = temporaryFolder()
  withLedger(folder, (ledger) => {
    for (let at = 0; at < entries; at++) ledger.append([runDraft({ feeBps: at, returns: [at / 100, 0.01] })], 'cli')
  })
  return folder
}

/** Damages the page of the table `returns`; the entries of the database can still be read. */
function damageReturns(folder: string): void {
  const database = new Sqlite(databaseOf(folder))
  const { rootpage } = database.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'returns'").get() as {
    rootpage: number
  }
  const pageSize = database.pragma('page_size', { simple: true }) as number
  database.close()
  const bytes = readFileSync(databaseOf(folder))
  writeFileSync(databaseOf(folder), bytes.fill(0xff, (rootpage - 1) * pageSize, rootpage * pageSize))
}

/** Changes the lines of the ledger's copy. */
function spoilCopy(folder: string, spoil: (lines: string[]) => string[]): void {
  const lines = readFileSync(copyOf(folder), 'utf8').trimEnd().split('\n')
  writeFileSync(
    copyOf(folder),
    spoil(lines)
      .map((line) => `${line}\n`)
      .join(''),
  )
}

describe('the ledger', () => {
  it('chains its entries and keeps returns once', () => {
    const ledger = openTestLedger()
    const [first, second] = ledger.append([runDraft({ feeBps: 1 }), runDraft({ feeBps: 2 })], 'window') as RunEntry[]
    expect(first).toMatchObject({ sequence: 1, previous: null, isTrial: true, repeats: null, who: 'window' })
    expect(second).toMatchObject({ sequence: 2, previous: first.hash, returnsSha256: first.returnsSha256 })
    const kept = ledger.tables.returns(first.returnsSha256 ?? '')
    expect([...returnsFromBytes(kept ?? Buffer.alloc(0))]).toEqual([0.01, -0.005, 0.002])
    expect(ledger.verify()).toBeNull()
  })

  it('writes a plain copy with one line an entry, the returns where they are first named', () => {
    const folder = fillLedger(2)
    withLedger(folder, (ledger) => ledger.append([runDraft({ feeBps: 7, returns: [0, 0.01] })], 'cli'))
    const lines = readFileSync(copyOf(folder), 'utf8').trimEnd().split('\n')
    const parsed = lines.map((line) => JSON.parse(line) as { sequence: number; returns?: string })
    expect(parsed.map(({ sequence }) => sequence)).toEqual([1, 2, 3])
    expect(parsed.map(({ returns }) => returns !== undefined)).toEqual([true, true, false])
  })

  it('counts each document once, and anew after a reset, which every later count knows', () => {
    const ledger = openTestLedger()
    const { family } = runDraft()
    const run = (feeBps: number) => ledger.append([runDraft({ feeBps })], 'cli')[0] as RunEntry
    run(1)
    run(2)
    expect(run(1)).toMatchObject({ isTrial: false, repeats: 1 })
    expect(ledger.tables.trialsOf(family)).toHaveLength(2)
    ledger.append([{ event: 'reset', reason: 'new data' }], 'cli')
    expect(ledger.tables.countTrials()).toBe(0)
    expect(run(1)).toMatchObject({ sequence: 5, isTrial: true, repeats: null })
    expect(ledger.tables.trialsOf(family)).toHaveLength(1)
    expect(ledger.tables.lastReset()).toMatchObject({ sequence: 4, reason: 'new data' })
    expect(sequences(ledger)).toEqual([1, 2, 3, 4, 5])
  })

  it('does not count walk-forwards and other studies', () => {
    const ledger = openTestLedger()
    const [walk] = ledger.append([runDraft({ role: 'walk-forward' })], 'cli') as RunEntry[]
    expect(walk).toMatchObject({ isTrial: false, repeats: null })
    const [test] = ledger.append([runDraft({ role: 'test' })], 'cli') as RunEntry[]
    expect(test).toMatchObject({ isTrial: true })
  })

  it('knows the earliest sealed day of a family and its opening', () => {
    const ledger = openTestLedger()
    const { family } = runDraft()
    ledger.append([runDraft({ holdoutFromDay: '2026-03-01' }), runDraft({ holdoutFromDay: '2026-02-01' })], 'cli')
    expect(ledger.tables.earliestHoldout(family)).toBe('2026-02-01')
    expect(ledger.tables.isHoldoutOpened(family)).toBe(false)
    ledger.append([{ event: 'holdoutOpened', family, holdoutFromDay: '2026-02-01' }], 'cli')
    ledger.append([{ event: 'reset', reason: 'seals survive it' }], 'cli')
    expect(ledger.tables.isHoldoutOpened(family)).toBe(true)
  })
})

describe('the copy of the ledger', () => {
  it('gives back a line that a killed process wrote without its transaction, and loses a torn one', () => {
    const folder = fillLedger(2)
    const other = fillLedger(0)
    copyFileSync(databaseOf(folder), databaseOf(other))
    copyFileSync(copyOf(folder), copyOf(other))
    withLedger(other, (ledger) => ledger.append([runDraft({ feeBps: 77 })], 'cli'))
    const whole = readFileSync(copyOf(other), 'utf8')
    writeFileSync(copyOf(folder), `${whole}{"sequence":4,"eve`)
    withLedger(folder, (ledger) => {
      expect(sequences(ledger)).toEqual([1, 2, 3])
      expect(ledger.verify()).toBeNull()
      expect(readFileSync(copyOf(folder), 'utf8')).toBe(whole)
      expect(ledger.append([runDraft({ feeBps: 78 })], 'cli')[0].sequence).toBe(4)
    })
  })

  it('rebuilds a damaged database, its counts included', () => {
    const folder = fillLedger(5)
    const before = withLedger(folder, hashes)
    writeFileSync(databaseOf(folder), 'this is no database, whatever its name says')
    withLedger(folder, (ledger) => {
      expect(hashes(ledger)).toEqual(before)
      expect(ledger.verify()).toBeNull()
      expect(ledger.lost()).toBeNull()
      expect(ledger.tables.countTrials()).toBe(5)
      expect(ledger.notices.join()).toContain('whether the damaged database had later ones is unknown')
    })
    expect(readdirSync(folder).some((name) => name.startsWith('ledger.sqlite.damaged-'))).toBe(true)
  })

  it('fills a database that was deleted', () => {
    const folder = fillLedger(3)
    const before = withLedger(folder, hashes)
    for (const suffix of ['', '-wal', '-shm']) rmSync(databaseOf(folder) + suffix, { force: true })
    withLedger(folder, (ledger) => {
      expect(hashes(ledger)).toEqual(before)
      expect(ledger.lost()).toBeNull()
    })
  })

  it('puts the lines of a sorted file back into the order of their chain', () => {
    const folder = fillLedger(4)
    const before = withLedger(folder, hashes)
    spoilCopy(folder, (lines) => lines.toReversed())
    for (const suffix of ['', '-wal', '-shm']) rmSync(databaseOf(folder) + suffix, { force: true })
    withLedger(folder, (ledger) => {
      expect(hashes(ledger)).toEqual(before)
      expect(ledger.verify()).toBeNull()
      expect(ledger.lost()).toBeNull()
      expect(ledger.append([runDraft({ feeBps: 9 })], 'cli')).toMatchObject([{ sequence: 5, previous: before.at(-1) }])
    })
  })

  it('names a folder that is in its place', () => {
    const folder = fillLedger(1)
    rmSync(copyOf(folder))
    mkdirSync(copyOf(folder))
    expect(() => withLedger(folder, hashes)).toThrow(
      expect.objectContaining({ detail: `There is a folder where a file should be: ${copyOf(folder)}` }),
    )
  })

  it('says how many entries are lost, now and ever after', () => {
    const folder = fillLedger(6)
    const lines = readFileSync(copyOf(folder), 'utf8').split('\n')
    writeFileSync(copyOf(folder), [lines[0], lines[1], 'garbage', ...lines.slice(4)].join('\n'))
    writeFileSync(databaseOf(folder), 'damaged')
    withLedger(folder, (ledger) => {
      expect(ledger.lost()).toMatchObject({ entries: 2 })
      expect(ledger.verify()).toMatchObject({ sequence: 5 })
    })
    withLedger(folder, (ledger) => expect(ledger.lost()).toMatchObject({ entries: 2 }))
  })

  it.each<[string, (lines: string[]) => string[], number | null]>([
    ['whole lines at its end', (lines) => lines.slice(0, 4), 2],
    ['every line, none of which can be read', (lines) => lines.map(() => 'garbage'), 6],
    ['its last line, which cannot be read', (lines) => [...lines.slice(0, 5), 'garbage'], 1],
    ['a line in the middle, and the last', (lines) => [...lines.slice(0, 2), 'garbage', lines[3], lines[4]], 2],
    ['nothing, with its lines in another order', (lines) => [0, 2, 1, 5, 3, 4].map((at) => lines[at]), null],
    ['nothing, with lines twice', (lines) => [...lines, ...lines.slice(2)], null],
    ['everything', () => [], 6],
  ])('beside a damaged database that lacks %s, says so', (_, spoil, entries) => {
    const folder = fillLedger(6)
    spoilCopy(folder, spoil)
    damageReturns(folder)
    withLedger(folder, (ledger) => {
      expect(ledger.lost()?.entries ?? null).toBe(entries)
      expect(ledger.notices.join()).toMatch(entries === null ? 'No entry is lost.' : /(entry is|entries are) lost/)
    })
  })

  it.each([
    ['whole lines, which nothing can tell', (lines: string[]) => lines.slice(0, 4), null],
    ['its last line, which cannot be read', (lines: string[]) => [...lines.slice(0, 5), 'garbage'], 1],
    ['every line, none of which can be read', (lines: string[]) => lines.map(() => 'garbage'), 6],
  ])(
    'beside a database that cannot be read at all and lacks %s, does not say that all is here',
    (_, spoil, entries) => {
      const folder = fillLedger(6)
      spoilCopy(folder, spoil)
      writeFileSync(databaseOf(folder), 'damaged')
      withLedger(folder, (ledger) => {
        expect(ledger.lost()?.entries ?? null).toBe(entries)
        expect(ledger.notices.join()).not.toContain('No entry is lost')
      })
    },
  )

  it.each([
    ['cannot be opened', (bytes: Buffer) => bytes.fill(0, 0, 100)],
    ['has lost its first page', (bytes: Buffer) => bytes.fill(0xff, 0, 4096)],
  ])('that was cut at its end beside a database that %s lacks what only the database holds', (_, damage) => {
    const folder = fillLedger(6)
    spoilCopy(folder, (lines) => lines.slice(0, -2))
    writeFileSync(databaseOf(folder), damage(readFileSync(databaseOf(folder))))
    withLedger(folder, (ledger) => {
      expect(ledger.tables.count()).toBe(4)
      expect(ledger.lost()).toMatchObject({ entries: 2 })
      expect(ledger.notices.join()).toContain('At least 2 entries are lost.')
    })
    // Later openings of the ledger report the loss as well.
    withLedger(folder, (ledger) => expect(ledger.lost()).toMatchObject({ entries: 2 }))
  })

  it('is written anew where it was cut, replaced or removed', () => {
    const folder = fillLedger(4)
    const whole = readFileSync(copyOf(folder), 'utf8')
    const spoil = [
      () => truncateSync(copyOf(folder), 300),
      () => writeFileSync(copyOf(folder), 'something else\n'),
      () => rmSync(copyOf(folder)),
      () => appendFileSync(copyOf(folder), '<<<<<<< HEAD\n'),
    ]
    for (const each of spoil) {
      each()
      withLedger(folder, (ledger) => expect(ledger.verify()).toBeNull())
      expect(readFileSync(copyOf(folder), 'utf8')).toBe(whole)
    }
    expect(readdirSync(folder).filter((name) => name.startsWith('ledger.jsonl.replaced-')).length).toBeGreaterThan(0)
  })
})

describe('ledger verify', () => {
  it.each([
    [
      'an entry that was changed',
      'UPDATE entries SET body = replace(body, \'"days":2\', \'"days":3\') WHERE sequence = 3',
      3,
    ],
    ['an entry that was removed', 'DELETE FROM entries WHERE sequence = 2', 3],
    ['returns that were removed', 'DELETE FROM returns', 1],
  ])('finds %s', (_, sql, sequence) => {
    const folder = fillLedger(4)
    const database = new Sqlite(databaseOf(folder))
    database.exec(sql)
    database.close()
    withLedger(folder, (ledger) => expect(ledger.verify()).toMatchObject({ sequence }))
  })

  it('finds a line that was changed in the copy', () => {
    const folder = fillLedger(4)
    const text = readFileSync(copyOf(folder), 'utf8').split('\n')
    text[1] = text[1].replace('"days":2', '"days":9')
    writeFileSync(copyOf(folder), text.join('\n'))
    withLedger(folder, (ledger) => expect(ledger.verify()).toMatchObject({ sequence: 2 }))
  })
})

describe('ledger merge', () => {
  it('takes a last line without its line end, and says where one is cut off', () => {
    const text = readFileSync(copyOf(fillLedger(3)), 'utf8').trimEnd()
    const path = join(temporaryFolder(), 'other.jsonl')
    const mergeText = (content: string) => {
      writeFileSync(path, content)
      return withLedger(temporaryFolder(), (ledger) => ({ ...ledger.merge(path), notices: ledger.notices.join() }))
    }
    expect(mergeText(text)).toEqual({ entries: 3, added: 3, notices: '' })
    expect(mergeText(text.slice(0, -9))).toMatchObject({
      entries: 2,
      added: 2,
      notices: expect.stringContaining('cut off'),
    })
  })

  it.each(['x', '['.repeat(2_000_000), '{"__proto__":1}', '\0'.repeat(1000)])(
    'refuses a file whose only line is no entry, which is not a line that was cut off: %.20s',
    (content) => {
      const path = join(temporaryFolder(), 'other.jsonl')
      writeFileSync(path, content)
      const merge = () => withLedger(temporaryFolder(), (ledger) => ledger.merge(path))
      expect(merge).toThrow('contains no ledger entries')
    },
  )

  it('merges each entry of another machine once, and counts its trials', () => {
    const mine = fillLedger(2)
    const other = temporaryFolder()
    withLedger(other, (ledger) =>
      ledger.append([runDraft({ feeBps: 1, returns: [0.01, 0.01] }), runDraft({ feeBps: 50 })], 'cli'),
    )
    withLedger(mine, (ledger) => {
      expect(ledger.merge(copyOf(other))).toEqual({ entries: 2, added: 2 })
      expect(ledger.merge(copyOf(other))).toEqual({ entries: 2, added: 0 })
      expect(ledger.tables.countTrials()).toBe(3)
      expect(ledger.append([runDraft({ feeBps: 60 })], 'cli')[0].sequence).toBe(3)
      expect(ledger.verify()).toBeNull()
    })
    // Both machines end with the same entries, and the copy on each of them can be rebuilt.
    withLedger(other, (ledger) => expect(ledger.merge(copyOf(mine))).toEqual({ entries: 5, added: 3 }))
    writeFileSync(databaseOf(mine), 'damaged')
    withLedger(mine, (ledger) => {
      expect(ledger.lost()).toBeNull()
      expect(ledger.verify()).toBeNull()
      expect(ledger.tables.countTrials()).toBe(4)
    })
  })

  it('counts the lines of the same screen once, also if another machine ran it too', () => {
    const screened = (feeBps: number, cells: number) => ({ ...runDraft({ feeBps, role: 'screen' }), cells })
    const [mine, other] = [temporaryFolder(), temporaryFolder()]
    withLedger(mine, (ledger) => ledger.append([screened(1, 100), screened(1, 100), runDraft({ feeBps: 9 })], 'cli'))
    withLedger(other, (ledger) => ledger.append([screened(2, 30), screened(1, 100)], 'cli'))
    withLedger(mine, (ledger) => {
      expect(ledger.tables.countTried()).toBe(101)
      expect(ledger.merge(copyOf(other))).toEqual({ entries: 2, added: 2 })
      expect(ledger.tables.countTried()).toBe(131)
      expect(ledger.tables.countTrials()).toBe(1)
      expect(ledger.verify()).toBeNull()
    })
    writeFileSync(databaseOf(mine), 'damaged')
    withLedger(mine, (ledger) => expect(ledger.tables.countTried()).toBe(131))
  })

  it('merges what was added to a copied folder', () => {
    const mine = fillLedger(2)
    const fork = temporaryFolder()
    copyFileSync(copyOf(mine), copyOf(fork))
    withLedger(fork, (ledger) => ledger.append([runDraft({ feeBps: 31 }), runDraft({ feeBps: 32 })], 'cli'))
    withLedger(mine, (ledger) => {
      ledger.append([runDraft({ feeBps: 41 })], 'cli')
      expect(ledger.merge(copyOf(fork))).toEqual({ entries: 4, added: 2 })
      expect(ledger.verify()).toBeNull()
      expect(ledger.tables.countTrials()).toBe(5)
    })
  })

  it('refuses a file with a line that was changed, and takes nothing of it', () => {
    const mine = fillLedger(1)
    const other = fillLedger(3)
    const path = copyOf(other)
    writeFileSync(path, readFileSync(path, 'utf8').replace('"isTrial":true', '"isTrial":false'))
    withLedger(mine, (ledger) => {
      expect(() => ledger.merge(path)).toThrow('Line 1')
      expect(sequences(ledger)).toEqual([1])
    })
    expect(existsSync(copyOf(mine))).toBe(true)
  })

  it.each<[name: string, change: (entry: Record<string, unknown>) => unknown]>([
    ['without a study', ({ study: _study, ...entry }) => entry],
    ['of no kind', (entry) => ({ ...entry, study: { kind: '__proto__', name: null } })],
    ['with inputs that are no list', (entry) => ({ ...entry, inputs: { length: 1 } })],
    ['with figures that are texts', (entry) => ({ ...entry, summary: { days: '3' } })],
    ['of a time that no date has', (entry) => ({ ...entry, time: 1e300 })],
    ['of an event that is a prototype', (entry) => ({ ...entry, event: 'constructor' })],
    ['nested 100,000 deep', (entry) => ({ ...entry, more: 'DEEP' })],
    ['with three million lists', (entry) => ({ ...entry, more: 'WIDE' })],
  ])('refuses an entry %s, though its hash fits', (_name, change) => {
    const other = fillLedger(1)
    const { hash: _hash, ...before } = JSON.parse(readFileSync(copyOf(other), 'utf8')) as Record<string, unknown>
    const { returns: _returns, ...entry } = before
    const forged = change(entry) as Record<string, unknown>
    const text = JSON.stringify({ ...forged, hash: hashOf(forged) })
      .replace('"DEEP"', '['.repeat(100_000) + ']'.repeat(100_000))
      .replace('"WIDE"', () => `[${'[],'.repeat(3_000_000)}[]]`)
    writeFileSync(copyOf(other), `${text}\n`)
    const mine = fillLedger(1)
    withLedger(mine, (ledger) => {
      expect(() => ledger.merge(copyOf(other))).toThrow('Line 1')
      expect(sequences(ledger)).toEqual([1])
    })
    // A copy that contains this line is rebuilt without it.
    withLedger(mine, (ledger) => ledger.append([runDraft({ feeBps: 9 })], 'cli'))
    const whole = readFileSync(copyOf(mine), 'utf8')
    writeFileSync(copyOf(mine), `${text}\n${whole}`)
    writeFileSync(databaseOf(mine), 'damaged')
    withLedger(mine, (ledger) => expect(sequences(ledger)).toEqual([1, 2]))
  })

  it('reads a line that is longer than any entry as none, a piece at a time', () => {
    const mine = fillLedger(2)
    const [first, second] = readFileSync(copyOf(mine), 'utf8').trimEnd().split('\n')
    writeFileSync(copyOf(mine), [first, 'x'.repeat(70 * 2 ** 20), second, ''].join('\n'))
    const lines: string[] = []
    const end = openLedgerLog(copyOf(mine)).readLines(0, (line) => lines.push(line))
    expect(lines).toEqual([first, '', second])
    expect(end).toBe(readFileSync(copyOf(mine)).length)
    expect(() => withLedger(fillLedger(1), (ledger) => ledger.merge(copyOf(mine)))).toThrow('Line 2')
  })
})

describe('the family of a test', () => {
  it('is left by another shape of formula, not by numbers, costs or range', () => {
    const family = (fields: object) => familyOf(testStudy({ signal: 'sma(signal, 10) - 2', ...fields }))
    const own = family({})
    expect(family({ signal: 'sma(signal,3)-0.5', costs: { feeBps: 1 }, start: '2026-01-01', smoothing: 3 })).toBe(own)
    expect(family({ signal: 'sma(signal, {n}) - {k}', parameters: { n: [1], k: [2] }, walkForward: {} })).toBe(own)
    expect(family({ signal: 'ema(signal, 10) - 2' })).not.toBe(own)
    expect(family({ weights: { rule: 'direct' } })).not.toBe(own)
    expect(family({ price: 'close * 2' })).not.toBe(own)
  })

  it('is another one for the combinations of a grid that have a negative number, as their tokens say', () => {
    const grid = testStudy({ signal: '{n} * lag(signal, 1)', parameters: { n: [1, -1] }, walkForward: {} })
    const familyWith = (n: number) => familyOf(combinationStudy(grid, { n }))
    expect(familyWith(2)).toBe(familyOf(grid))
    expect(familyWith(-1)).not.toBe(familyOf(grid))
    expect(familyWith(-0.5)).toBe(familyWith(-1))
    expect(shapeOf('(-1) * lag(x, 1)')).toBe('( - # ) * lag ( x , # )')
  })

  it('has the tokens of the formula as they are written', () => {
    expect(shapeOf('"a b"*ema( x,{n} ) >= -1.5e3')).toBe('"a b" * ema ( x , # ) >= - #')
  })
})

it('tells of each new list of files once, so that their bytes are kept', () => {
  const reportedFiles: unknown[] = []
  const onFiles = (files: unknown) => void reportedFiles.push(files)
  const ledger = openLedger({ dataDir: temporaryFolder(), clock: fakeClock(), log: fakeLog(), onFiles })
  onTestFinished(() => ledger.close())
  const listOf = (files: unknown) => ({ files, inputs: [{ name: 'cache', sha256: hashOf(files), bytes: 10 }] })
  const [one, other] = [[{ sha256: 'aa' }], [{ sha256: 'bb' }]]
  ledger.append(
    [1, 2, 3].map((feeBps) => ({ ...runDraft({ feeBps }), ...listOf(one) })),
    'cli',
  )
  ledger.append([{ ...runDraft({ feeBps: 4 }), ...listOf(one) }], 'cli')
  ledger.append([{ ...runDraft({ feeBps: 5 }), ...listOf(other) }], 'cli')
  expect(reportedFiles).toEqual([one, other])
})

it('keeps the funding periods of runs, each table once, also when it is built again and merged', () => {
  const rows = [{ symbol: 'a/B', from: 0, to: 86_400_000, every: '8h', basis: 'announced' as const }]
  const paying = (feeBps: number) => ({
    ...runDraft({ feeBps }),
    inputs: [{ name: 'funding-periods', sha256: hashOf(rows), bytes: 10 }],
    fundingPeriods: rows,
  })
  const folder = temporaryFolder()
  withLedger(folder, (ledger) => {
    const entries = ledger.append([paying(1), paying(2), runDraft({ feeBps: 3 })], 'cli') as RunEntry[]
    expect(entries.map(({ fundingPeriods }) => fundingPeriods)).toEqual([rows, undefined, undefined])
  })
  rmSync(databaseOf(folder))
  const other = temporaryFolder()
  withLedger(other, (ledger) => ledger.merge(copyOf(folder)))
  for (const each of [folder, other])
    withLedger(each, (ledger) => {
      expect(ledger.tables.funding(hashOf(rows))).toEqual(rows)
      expect(ledger.tables.funding(hashOf([]))).toBeNull()
      expect(ledger.verify()).toBeNull()
    })
})

describe('a registration', () => {
  const hashOfRun = ({ documentHash }: { documentHash: string }) => documentHash
  const registrationOf = (run: RunDraft) => ({
    event: 'registered' as const,
    documentHash: run.documentHash,
    family: run.family,
    expect: 'up',
    kill: { figure: 'sharpe' as const, below: 0, afterDays: 60 },
    note: null,
  })

  it('is named by later runs of its document only, also where they differ in name', () => {
    withLedger(temporaryFolder(), (ledger) => {
      const [one, other] = [runDraft({ feeBps: 1 }), runDraft({ feeBps: 2 })]
      ledger.append([other, registrationOf(one), registrationOf(one)], 'cli')
      const renamed = { ...one, study: { ...one.study, name: 'another name' } }
      const runs = ledger.append([one, other, renamed], 'cli') as RunEntry[]
      expect(runs.map(({ registration }) => registration)).toEqual([2, null, 2])
      expect(runs.map(({ familyRuns }) => familyRuns)).toEqual([1, 2, 3])
      expect(new Set([runs[0], runs[2]].map(hashOfRun)).size).toBe(1)
      expect(ledger.verify()).toBeNull()
    })
  })

  it('is late after a run of its document, and never counts', () => {
    withLedger(temporaryFolder(), (ledger) => {
      const run = runDraft()
      const [, registered] = ledger.append([run, registrationOf(run)], 'cli')
      expect(registered).toMatchObject({ event: 'registered', late: true })
      const [again] = ledger.append([run], 'cli') as RunEntry[]
      expect(again.registration).toBeNull()
    })
  })

  it('breaks the chain where its text is changed', () => {
    const folder = temporaryFolder()
    withLedger(folder, (ledger) => ledger.append([registrationOf(runDraft()), runDraft()], 'cli'))
    const database = new Sqlite(databaseOf(folder))
    database.exec(`UPDATE entries SET body = replace(body, '"expect":"up"', '"expect":"down"') WHERE sequence = 1`)
    database.close()
    withLedger(folder, (ledger) => expect(ledger.verify()).toMatchObject({ sequence: 1 }))
  })

  it('is as before after the database is rebuilt from its copy, and after a merge, whose time is kept', () => {
    const folder = temporaryFolder()
    const draft = runDraft()
    withLedger(folder, (ledger) => ledger.append([registrationOf(draft), draft], 'cli'))
    const other = temporaryFolder()
    withLedger(other, (ledger) => ledger.merge(copyOf(folder)))
    const timesOf = (ledger: Ledger) => [...ledger.tables.entries()].map(({ mergedAtMs }) => mergedAtMs)
    let times: (number | null)[] = []
    withLedger(other, (ledger) => (times = timesOf(ledger)))
    expect(times.every((time) => time !== null)).toBe(true)
    writeFileSync(databaseOf(other), 'damaged')
    withLedger(other, (ledger) => {
      expect(timesOf(ledger)).toEqual(times)
      expect(ledger.verify()).toBeNull()
      // A registration of another machine is none of this one’s runs.
      const [run] = ledger.append([draft], 'cli') as RunEntry[]
      expect(run.registration).toBeNull()
    })
  })
})
