import { execFileSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, test, vi } from 'vitest'
import type { DocumentsFolder } from '#shared/contract/areas/folder.ts'
import { boardKind } from '#shared/contract/documents/boardKind.ts'
import { addSeries } from '#shared/workspace/edit.ts'
import { emptyDocument } from '#shared/workspace/workspace.ts'
import { createApp } from '#core/app.ts'
import { augustSet, emptyFields } from '../contract/examples.ts'
import { dataFolder } from '../fakes/dataFolder.ts'
import { fakeHost, fakePorts } from '../fakes/fakePorts.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'

/** Opens an app with its own data folder, as one person would use it. */
function person(dataDir = dataFolder()) {
  const app = createApp(fakePorts(), { version: '9.8.7', dataDir, watchEveryMs: 20 })
  onTestFinished(() => app.close())
  const client = app.clientFor(fakeHost())
  return {
    app,
    client,
    look: () => client.call('folder.list', {}),
    use: (folder: string) => client.call('folder.use', { folder }),
    boards: () => client.call('documents.list', { kind: 'board' }),
    async resolve(kind: 'board' | 'list' | 'study' | 'query', id: string, choice: 'mine' | 'file' | 'both') {
      const { seen } = await client.call('folder.compare', { kind, id })
      return client.call('folder.resolve', { kind, id, choice, seen })
    },
  }
}

const note = (markdown: string) => ({
  version: 1 as const,
  parts: [{ id: 'p1', columns: 4, rows: 2, content: { kind: 'text' as const, markdown } }],
})

/** Writes a file with a modification time in the past, so that the app does not wait for further changes to it. */
function edit(folder: string, path: string, text: string): void {
  writeFileSync(join(folder, path), text)
  const before = new Date(Date.now() - 10_000 - Math.random() * 1000)
  utimesSync(join(folder, path), before, before)
}
const replaceIn = (folder: string, path: string, from: string, to: string) => {
  const text = readFileSync(join(folder, path), 'utf8')
  expect(text).toContain(from)
  edit(folder, path, text.replace(from, to))
}

const states = ({ documents }: DocumentsFolder) =>
  documents.map(({ kind, name, file, state }) => `${kind} ${name} | ${file ?? '-'} | ${state}`)
const git = (folder: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.org', ...args], { cwd: folder, stdio: 'pipe' })

it('writes documents of every kind as text files, a field a line, and reads them back elsewhere under the same ids', async () => {
  const folder = temporaryFolder()
  const one = person()
  const { id: connectionId } = await one.client.call('connections.add', { ...emptyFields, name: 'Desk', tier: 2 })
  await one.client.call('documents.create', { kind: 'workspace', name: 'Week 47', document: emptyDocument() })
  await one.client.call('downloads.saveSet', { set: { ...augustSet(connectionId), name: 'August' } })
  await one.client.call('lists.import', { text: 'list,exchange,symbol\nmajors,venuea-futures,BTC\n' })
  const sql = 'SELECT 1\nFROM x'
  await one.client.call('documents.create', {
    kind: 'query',
    name: 'Funding',
    document: { version: 1, sql, parameters: { a: '1' } },
  })
  const study = { version: 1, kind: 'signal', interval: '1h', signal: 'momentum' }
  const panel = { path: '/home/one/panel.csv', against: null }
  await one.client.call('documents.create', { kind: 'study', name: 'Momentum', document: { version: 1, study, panel } })
  const board = await one.client.call('documents.create', { kind: 'board', name: 'Morning', document: note('# Today') })

  const used = await one.use(folder)
  expect(states(used)).toEqual([
    'board Morning | boards/Morning.board.json | ok',
    'list majors | lists/majors.csv | ok',
    'query Funding | queries/Funding.sql | ok',
    'set August | sets/August.set.json | ok',
    'study Momentum | studies/Momentum.study.json | ok',
    'workspace Week 47 | workspaces/Week 47.workspace.json | ok',
  ])
  const read = (path: string) => readFileSync(join(folder, path), 'utf8')
  expect(read('boards/Morning.board.json').split('\n').slice(0, 6)).toEqual([
    '{',
    '  "format": "perpscope board",',
    `  "id": "${board.id}",`,
    '  "name": "Morning",',
    '  "document": {',
    '    "version": 1,',
  ])
  expect(read('queries/Funding.sql')).toMatch(
    /^-- name: Funding\n-- \$a = "1"\n-- perpscope id: [\w-]+\nSELECT 1\nFROM x\n$/,
  )
  expect(read('lists/majors.csv')).toBe('list,exchange,symbol,group\nmajors,venuea-futures,BTC,\n')
  expect(read('studies/Momentum.study.json')).not.toContain('/home/one')
  expect(read('sets/August.set.json')).toContain('"connection": "Desk"')
  expect(read('sets/August.set.json')).not.toContain(connectionId)

  const two = person()
  await two.client.call('connections.add', { ...emptyFields, name: 'Desk', tier: 1 })
  expect(states(await two.use(folder))).toEqual(states(used))
  expect((await two.boards()).map(({ id }) => id)).toEqual([board.id])
  const [query] = await two.client.call('documents.list', { kind: 'query' })
  expect((await two.client.call('documents.read', { kind: 'query', id: query.id })).document).toEqual({
    version: 1,
    sql,
    parameters: { a: '1' },
  })
  // A second look at the folder writes nothing.
  const written = readdirSync(folder, { recursive: true }).toSorted()
  const before = written.map((path) => [path, read(String(path).includes('.') ? String(path) : 'perpscope.json')])
  await two.look()
  await one.look()
  expect(written.map((path) => [path, read(String(path).includes('.') ? String(path) : 'perpscope.json')])).toEqual(
    before,
  )
  expect(written.every((path) => !String(path).includes('.tmp'))).toBe(true)
})

it('merges what two people wrote by git, and takes the result over on both sides', async () => {
  const origin = temporaryFolder()
  git(origin, 'init', '-q', '-b', 'main', '.')
  git(origin, 'config', 'receive.denyCurrentBranch', 'updateInstead')
  const one = person()
  const parts = ['one', 'two', 'three'].map((id) => ({ ...note(`${id} as it was`).parts[0], id }))
  const { id } = await one.client.call('documents.create', {
    kind: 'board',
    name: 'Morning',
    document: { version: 1, parts },
  })
  await one.client.call('lists.import', {
    text: 'list,exchange,symbol\nmajors,v,A\nmajors,v,B\nmajors,v,C\nmajors,v,D\n',
  })
  await one.use(origin)
  git(origin, 'add', '.')
  git(origin, 'commit', '-qm', 'first')

  const clone = join(temporaryFolder(), 'clone')
  git(origin, 'clone', '-q', origin, clone)
  const two = person()
  await two.use(clone)
  const [first, ...others] = parts
  const [opened] = await two.boards()
  const changed = { version: 1 as const, parts: [{ ...first, rows: 5 }, ...others] }
  await two.client.call('documents.save', { kind: 'board', id: opened.id, document: changed })
  await two.client.call('lists.import', {
    text: 'list,exchange,symbol\nmajors,v,A2\nmajors,v,B\nmajors,v,C\nmajors,v,D\n',
  })
  await two.look()
  git(clone, 'commit', '-qam', 'two')

  const third = { ...parts[2], columns: 12 }
  await one.client.call('documents.save', {
    kind: 'board',
    id,
    document: { version: 1, parts: [parts[0], parts[1], third] },
  })
  await one.client.call('lists.import', {
    text: 'list,exchange,symbol\nmajors,v,A\nmajors,v,B\nmajors,v,C\nmajors,v,D2\n',
  })
  await one.look()
  git(origin, 'commit', '-qam', 'one')

  git(clone, 'pull', '-q', '--no-rebase', '--no-edit')
  git(clone, 'push', '-q')
  for (const each of [one, two]) {
    expect((await each.look()).documents.map(({ state }) => state)).toEqual(['ok', 'ok'])
    const { document } = await each.client.call('documents.read', { kind: 'board', id })
    expect(document.parts.map(({ rows, columns }) => [rows, columns])).toEqual([
      [5, 4],
      [2, 4],
      [2, 12],
    ])
    const listed = await each.client.call('lists.list', { connectionId: '' })
    expect(listed.map(({ symbol }) => symbol)).toEqual(['A2', 'B', 'C', 'D2'])
  }
  expect(git(clone, 'status', '--porcelain').toString()).toBe('')
})

it('shows both versions of a file that git could not merge, and writes the one that is kept', async () => {
  const folder = temporaryFolder()
  git(folder, 'init', '-q', '-b', 'main', '.')
  const one = person()
  const { id } = await one.client.call('documents.create', {
    kind: 'board',
    name: 'Morning',
    document: note('as it was'),
  })
  const query = await one.client.call('documents.create', {
    kind: 'query',
    name: 'Q',
    document: { version: 1, sql: 'SELECT 1', parameters: {} },
  })
  await one.use(folder)
  git(folder, 'add', '.')
  git(folder, 'commit', '-qm', 'first')
  git(folder, 'checkout', '-qb', 'other')
  replaceIn(folder, 'boards/Morning.board.json', 'as it was', 'theirs')
  replaceIn(folder, 'queries/Q.sql', 'SELECT 1', 'SELECT 2')
  git(folder, 'commit', '-qam', 'other')
  git(folder, 'checkout', '-q', 'main')
  replaceIn(folder, 'boards/Morning.board.json', 'as it was', 'ours')
  replaceIn(folder, 'queries/Q.sql', 'SELECT 1', 'SELECT 3')
  git(folder, 'commit', '-qam', 'main')
  await one.look()
  expect(() => git(folder, 'merge', '-q', 'other')).toThrow()
  for (const path of ['boards/Morning.board.json', 'queries/Q.sql'])
    edit(folder, path, readFileSync(join(folder, path), 'utf8'))

  const found = await one.look()
  expect(found.documents.map(({ name, state, conflict }) => [name, state, conflict])).toEqual([
    ['Morning', 'conflict', 'unmerged'],
    ['Q', 'conflict', 'unmerged'],
  ])
  expect(JSON.stringify(await one.client.call('documents.read', { kind: 'board', id }))).toContain('ours')
  const sides = await one.client.call('folder.compare', { kind: 'board', id })
  expect([sides.mine, sides.file].map((text) => /"markdown": "(\w+)"/.exec(text!)![1])).toEqual(['ours', 'theirs'])
  // A board that is saved in the app meanwhile does not change the file.
  await one.client.call('documents.save', { kind: 'board', id, document: note('meanwhile') })
  await one.look()
  expect(readFileSync(join(folder, 'boards/Morning.board.json'), 'utf8')).toContain('<<<<<<<')

  await expect(one.resolve('board', id, 'both')).rejects.toMatchObject({ code: 'bad-input' })
  const { documents } = await one.resolve('board', id, 'file')
  expect(documents.map(({ name, conflict }) => [name, conflict])).toEqual([
    ['Morning', 'changed'],
    ['Q', 'unmerged'],
  ])
  expect(await one.client.call('folder.compare', { kind: 'board', id })).toMatchObject({
    mine: expect.stringContaining('"meanwhile"'),
    file: expect.stringContaining('"theirs"'),
  })
  await one.resolve('query', query.id, 'file')
  expect((await one.client.call('documents.read', { kind: 'query', id: query.id })).document.sql).toBe('SELECT 2')
  expect(readFileSync(join(folder, 'queries/Q.sql'), 'utf8')).not.toMatch(/<<<|>>>|===/)
})

test.each([
  ['a merge', ['merge', 'other']],
  ['a rebase', ['rebase', 'other']],
  ['a rebase with patches', ['rebase', '--apply', 'other']],
] as const)('keeps the user’s own version after %s', async (_, command) => {
  const { one, folder, id } = await repository()
  const inFolder = (text: string) => {
    replaceIn(folder, 'boards/Morning.board.json', '"before"', `"${text}"`)
    git(folder, 'commit', '-qam', text)
  }
  git(folder, 'switch', '-qc', 'other')
  inFolder('theirs')
  git(folder, 'switch', '-q', 'main')
  inFolder('mine')
  expect(() => git(folder, ...command)).toThrow()
  await expectOwnVersion(one, id)
})

it('keeps the user’s own version after a stash that could not be applied', async () => {
  const { one, folder, id } = await repository()
  replaceIn(folder, 'boards/Morning.board.json', '"before"', '"mine"')
  git(folder, 'stash', '-q')
  replaceIn(folder, 'boards/Morning.board.json', '"before"', '"theirs"')
  git(folder, 'commit', '-qam', 'theirs')
  expect(() => git(folder, 'stash', 'pop')).toThrow()
  await expectOwnVersion(one, id)
})

/** Creates a repository with one board, in a subfolder of which the documents are kept. */
async function repository() {
  const root = temporaryFolder()
  git(root, 'init', '-qb', 'main')
  const folder = join(root, 'documents')
  mkdirSync(folder)
  const one = person()
  const { id } = await one.client.call('documents.create', { kind: 'board', name: 'Morning', document: note('before') })
  await one.use(folder)
  git(root, 'add', '.')
  git(root, 'commit', '-qm', 'before')
  return { one, folder, id }
}

async function expectOwnVersion(one: ReturnType<typeof person>, id: string): Promise<void> {
  await vi.waitFor(async () =>
    expect((await one.look()).documents).toMatchObject([{ name: 'Morning', conflict: 'unmerged' }]),
  )
  const { mine, file } = await one.client.call('folder.compare', { kind: 'board', id })
  expect([mine, file].map((text) => /"markdown": "(\w+)"/.exec(text!)![1])).toEqual(['mine', 'theirs'])
}

it('leaves a file alone whose conflict markers do not make two documents', async () => {
  const folder = temporaryFolder()
  const one = person()
  await one.client.call('documents.create', { kind: 'board', name: 'Morning', document: note('as it was') })
  await one.use(folder)
  const path = 'boards/Morning.board.json'
  const whole = readFileSync(join(folder, path), 'utf8')
  const line = '          "markdown": "as it was"'
  for (const middle of [
    `<<<<<<< HEAD\n${line}\n=======\n"markdown": \n>>>>>>> other\n`,
    `<<<<<<< HEAD\n${line}\n>>>>>>> other\n=======\n${line}\n`,
  ]) {
    edit(folder, path, whole.replace(line, middle))
    expect((await one.look()).documents).toMatchObject([
      { name: 'Morning', state: 'broken', detail: expect.stringContaining('Git conflict markers') },
    ])
    expect(readFileSync(join(folder, path), 'utf8')).toContain('<<<<<<<')
  }
})

test.each([
  ['mine', ['here'], ['here']],
  ['file', ['there'], ['there']],
  ['both', ['here', 'there'], ['here', 'there']],
] as const)('keeps %s of two versions, and overwrites neither before', async (choice, inApp, inFolder) => {
  const folder = temporaryFolder()
  const one = person()
  const { id } = await one.client.call('documents.create', { kind: 'board', name: 'Morning', document: note('before') })
  await one.use(folder)
  await one.client.call('documents.save', { kind: 'board', id, document: note('here') })
  replaceIn(folder, 'boards/Morning.board.json', 'before', 'there')
  const texts = async () => {
    const all = await Promise.all(
      (await one.boards()).map((board) => one.client.call('documents.read', { kind: 'board', id: board.id })),
    )
    return all.map(({ document: { parts } }) => (parts[0].content as { markdown: string }).markdown).toSorted()
  }
  const files = () =>
    readdirSync(join(folder, 'boards'))
      .map((name) => /"markdown": "(\w+)"/.exec(readFileSync(join(folder, 'boards', name), 'utf8'))![1])
      .toSorted()
  expect((await one.look()).documents).toMatchObject([{ state: 'conflict', conflict: 'changed' }])
  expect([await texts(), files()]).toEqual([['here'], ['there']])

  const { seen, mine, file } = await one.client.call('folder.compare', { kind: 'board', id })
  expect(mine).toContain('"here"')
  expect(file).toContain('"there"')
  replaceIn(folder, 'boards/Morning.board.json', 'there', 'elsewhere')
  const stale = one.client.call('folder.resolve', { kind: 'board', id, choice, seen })
  await expect(stale).rejects.toMatchObject({ code: 'conflict' })
  replaceIn(folder, 'boards/Morning.board.json', 'elsewhere', 'there')

  const after = await one.resolve('board', id, choice)
  expect(after.documents.every(({ state }) => state === 'ok')).toBe(true)
  expect([await texts(), files()]).toEqual([[...inApp], [...inFolder]])
  // The document in the folder keeps the id, so that links of other people still work.
  const kept = await one.client.call('documents.read', { kind: 'board', id })
  expect(JSON.stringify(kept)).toContain(choice === 'mine' ? 'here' : 'there')
})

it('removes no document because its file is gone, and no changed file because its document is', async () => {
  const folder = temporaryFolder()
  const one = person()
  const make = (name: string) => one.client.call('documents.create', { kind: 'board', name, document: note(name) })
  const [stay, go, removed, disputed] = [
    await make('Stay'),
    await make('Go'),
    await make('Removed'),
    await make('Disputed'),
  ]
  await one.use(folder)
  for (const name of ['Stay', 'Go']) rmSync(join(folder, `boards/${name}.board.json`))
  await one.client.call('documents.remove', { kind: 'board', id: removed.id })
  await one.client.call('documents.remove', { kind: 'board', id: disputed.id })
  replaceIn(folder, 'boards/Disputed.board.json', '"markdown": "Disputed"', '"markdown": "changed there"')
  const found = await one.look()
  expect(found.documents.map(({ name, conflict }) => [name, conflict])).toEqual([
    ['Disputed', 'removed-here'],
    ['Go', 'file-removed'],
    ['Stay', 'file-removed'],
  ])
  expect((await one.boards()).map(({ name }) => name).toSorted()).toEqual(['Go', 'Stay'])
  expect(readdirSync(join(folder, 'boards'))).toEqual(['Disputed.board.json'])

  await one.resolve('board', stay.id, 'mine')
  await one.resolve('board', go.id, 'file')
  await one.resolve('board', disputed.id, 'file')
  expect((await one.boards()).map(({ name }) => name).toSorted()).toEqual(['Disputed', 'Stay'])
  expect(readdirSync(join(folder, 'boards')).toSorted()).toEqual(['Disputed.board.json', 'Stay.board.json'])
})

it('writes no second file beside one that was just written or that it cannot read, in a folder that it does not know', async () => {
  const folder = temporaryFolder()
  const one = person()
  await one.client.call('documents.create', { kind: 'board', name: 'Morning', document: note('before') })
  await one.client.call('documents.create', { kind: 'board', name: 'Evening', document: note('before') })
  await one.use(folder)
  await one.client.call('folder.stop', {})
  const path = join(folder, 'boards/Morning.board.json')
  const whole = readFileSync(path, 'utf8')
  writeFileSync(path, whole.slice(0, -20))
  const before = readdirSync(join(folder, 'boards'))
  const again = await person().use(folder)
  expect(again.documents.map(({ name, state }) => [name, state])).toEqual([
    ['Morning', 'broken'],
    ['Evening', 'ok'],
  ])
  const found = await one.use(folder)
  expect(found.documents.map(({ name, state }) => [name, state])).toContainEqual(['Morning', 'broken'])
  expect(readdirSync(join(folder, 'boards'))).toEqual(before)
  edit(folder, 'boards/Morning.board.json', whole)
  expect((await one.look()).documents.map(({ state }) => state)).toEqual(['ok', 'ok'])
  expect(readdirSync(join(folder, 'boards'))).toEqual(before)
})

it('waits for a folder that went away, and does not accept an empty one in its place', async () => {
  const parent = temporaryFolder()
  const folder = join(parent, 'docs')
  mkdirSync(folder)
  const one = person()
  const { id } = await one.client.call('documents.create', { kind: 'board', name: 'Morning', document: note('before') })
  await one.use(folder)
  renameSync(folder, join(parent, 'unplugged'))
  expect(await one.look()).toMatchObject({ folder, problem: `The folder ${folder} no longer exists.`, documents: [] })
  mkdirSync(folder)
  expect((await one.look()).problem).toContain('is no longer a documents folder')
  expect(readdirSync(folder)).toEqual([])
  await one.client.call('documents.save', { kind: 'board', id, document: note('written meanwhile') })
  rmSync(folder, { recursive: true })
  renameSync(join(parent, 'unplugged'), folder)
  expect(await one.look()).toMatchObject({ problem: null, documents: [{ state: 'ok' }] })
  expect(readFileSync(join(folder, 'boards/Morning.board.json'), 'utf8')).toContain('written meanwhile')
})

it('names broken files with their reason and goes on with the others', async () => {
  const folder = temporaryFolder()
  const outside = temporaryFolder()
  const one = person()
  const board = await one.client.call('documents.create', { kind: 'board', name: 'Whole', document: note('before') })
  await one.use(folder)
  const whole = readFileSync(join(folder, 'boards/Whole.board.json'), 'utf8')
  const at = (name: string) => join(folder, 'boards', name)
  writeFileSync(at('cut.board.json'), whole.slice(0, -30))
  writeFileSync(at('deep.board.json'), '['.repeat(100_000))
  writeFileSync(at('id.board.json'), whole.replace(board.id, '../../etc/passwd'))
  writeFileSync(at('kind.board.json'), whole.replace('perpscope board', 'perpscope workspace'))
  writeFileSync(at('huge.board.json'), Buffer.alloc(5_000_000, 0x20))
  writeFileSync(at('null.board.json'), 'null')
  writeFileSync(at('proto.board.json'), '{"__proto__": {"format": "perpscope board"}, "constructor": 1}')
  writeFileSync(at('twice.board.json'), whole)
  writeFileSync(join(outside, 'secret.board.json'), whole.replace(board.id, 'secret'))
  symlinkSync(join(outside, 'secret.board.json'), at('link.board.json'))
  symlinkSync(outside, at('linked-folder'))
  execFileSync('mkfifo', [at('pipe.board.json')])
  mkdirSync(at('folder.board.json'))
  writeFileSync(join(folder, 'lists', 'two.csv').replace('/lists/', '/boards/'), 'ignored')
  mkdirSync(join(folder, 'lists'), { recursive: true })
  writeFileSync(join(folder, 'lists/two.csv'), 'list,exchange,symbol\na,v,X\nb,v,Y\n')
  writeFileSync(join(folder, 'lists/bad.csv'), 'list,exchange,symbol\na,,X\n')
  mkdirSync(join(folder, 'sets'))
  const set = { format: 'perpscope download set', name: 'S', connection: 'Elsewhere', document: {} }
  writeFileSync(join(folder, 'sets/s.set.json'), JSON.stringify(set))
  writeFileSync(at('new.board.json'), whole.replace(board.id, 'new-one').replace('"Whole"', '"New"'))
  for (const path of readdirSync(folder, { recursive: true }).map((path) => join(folder, String(path))))
    if (!path.includes('link') && !path.includes('pipe')) utimesSync(path, new Date(1e12), new Date(1e12))

  const found = await one.look()
  const broken = found.documents.filter(({ state }) => state === 'broken').map(({ file, detail }) => [file, detail])
  expect(Object.fromEntries(broken)).toEqual({
    'boards/cut.board.json': 'is cut off, or is not JSON.',
    'boards/deep.board.json': expect.stringContaining('more than 64 levels'),
    'boards/huge.board.json': 'has more than 4000000 bytes.',
    'boards/id.board.json': expect.stringContaining('invalid id'),
    'boards/kind.board.json': 'is a workspace, not a board.',
    'boards/link.board.json': expect.stringContaining('symbolic link'),
    'boards/null.board.json': 'is not a board of Perpscope.',
    'boards/pipe.board.json': 'is a named pipe, not a file.',
    'boards/proto.board.json': 'is not a board of Perpscope.',
    'boards/twice.board.json': 'is a copy of boards/Whole.board.json: remove its id.',
    'lists/bad.csv': expect.stringContaining('line 2'),
    'lists/two.csv': 'contains 2 lists; a file must contain one.',
    'sets/s.set.json': 'belongs to the connection “Elsewhere”, which does not exist here.',
  })
  expect((await one.boards()).map(({ name }) => name).toSorted()).toEqual(['New', 'Whole'])
  expect(readFileSync(at('cut.board.json'), 'utf8')).toBe(whole.slice(0, -30))

  // A copy without an id is a new document and receives its own id.
  writeFileSync(at('twice.board.json'), whole.replace(/ {2}"id": .*\n/, '').replace('"Whole"', '"Copy"'))
  await one.look()
  expect((await one.boards()).map(({ name }) => name).toSorted()).toEqual(['Copy', 'New', 'Whole'])
  expect(readFileSync(at('twice.board.json'), 'utf8')).toMatch(/"id": "[\w-]{36}"/)
})

const kindsOfFiles = [
  ['workspace', 'workspaces', '.workspace.json'],
  ['set', 'sets', '.set.json'],
  ['list', 'lists', '.csv'],
  ['query', 'queries', '.sql'],
  ['study', 'studies', '.study.json'],
  ['board', 'boards', '.board.json'],
] as const

/** Opens an app whose folder has a document of each kind; also returns the text of the file of one kind. */
async function personWithAll(kind: (typeof kindsOfFiles)[number][0]) {
  const folder = temporaryFolder()
  const one = person()
  const { id: connectionId } = await one.client.call('connections.add', { ...emptyFields, name: 'Desk', tier: 2 })
  await one.client.call('documents.create', { kind: 'workspace', name: 'Whole', document: emptyDocument() })
  await one.client.call('downloads.saveSet', { set: { ...augustSet(connectionId), name: 'Whole' } })
  await one.client.call('lists.import', { text: 'list,exchange,symbol\nWhole,v,A\n' })
  await one.client.call('documents.create', {
    kind: 'query',
    name: 'Whole',
    document: { version: 1, sql: 'SELECT 1', parameters: {} },
  })
  const study = { version: 1, kind: 'signal', interval: '1h', signal: 'momentum' }
  await one.client.call('documents.create', {
    kind: 'study',
    name: 'Whole',
    document: { version: 1, study, panel: null },
  })
  await one.client.call('documents.create', { kind: 'board', name: 'Whole', document: note('x') })
  const { documents } = await one.use(folder)
  const { file } = documents.find((each) => each.kind === kind)!
  return { folder, one, whole: readFileSync(join(folder, file!), 'utf8') }
}

test.each(kindsOfFiles)(
  'a %s file that is a link, a pipe, a gigabyte or broken is named and left alone, and the others are read',
  async (kind, kindFolder, suffix) => {
    const { folder, one, whole } = await personWithAll(kind)
    const outside = temporaryFolder()
    const at = (name: string) => join(folder, kindFolder, name + suffix)
    writeFileSync(join(outside, `secret${suffix}`), whole)
    symlinkSync(join(outside, `secret${suffix}`), at('link'))
    symlinkSync('/dev/zero', at('endless'))
    execFileSync('mkfifo', [at('pipe')])
    mkdirSync(at('folder'))
    writeFileSync(at('huge'), whole)
    truncateSync(at('huge'), 1_000_000_000)
    writeFileSync(at('bytes'), Buffer.alloc(5000, 0))
    if (suffix.endsWith('.json')) {
      writeFileSync(at('cut'), whole.slice(0, -20))
      writeFileSync(at('deep'), `{"a":${'['.repeat(200_000)}`)
      writeFileSync(at('other'), whole.replace(/"format": "[\w ]+"/, '"format": "perpscope something"'))
      writeFileSync(at('path'), whole.replace(/"id": "[\w-]+"/, '"id": "../../x"').replace(/"document": /, '"of": '))
    }
    const found = await one.look()
    const broken = found.documents.filter(({ state }) => state === 'broken')
    const names = ['bytes', 'endless', 'huge', 'link', 'pipe']
    const json = suffix.endsWith('.json') ? ['cut', 'deep', 'other', 'path'] : []
    expect(broken.map(({ file }) => file).toSorted()).toEqual(
      [...names, ...json].map((name) => `${kindFolder}/${name}${suffix}`).toSorted(),
    )
    const reasonOf = (name: string) => broken.find(({ file }) => file === `${kindFolder}/${name}${suffix}`)?.detail
    expect(reasonOf('link')).toContain('symbolic link')
    expect(reasonOf('endless')).toContain('symbolic link')
    expect(reasonOf('pipe')).toBe('is a named pipe, not a file.')
    expect(reasonOf('huge')).toMatch(/^has more than \d+ bytes\.$/)
    expect(found.documents.filter(({ state }) => state === 'ok')).toHaveLength(kindsOfFiles.length)
    expect(readdirSync(outside)).toEqual([`secret${suffix}`])
  },
)

test.each(kindsOfFiles)(
  'a linked folder in the place of that of %s files is not followed',
  async (kind, kindFolder) => {
    const { folder, one } = await personWithAll(kind)
    const outside = temporaryFolder()
    rmSync(join(folder, kindFolder), { recursive: true })
    symlinkSync(outside, join(folder, kindFolder))
    expect(await one.look()).toMatchObject({ problem: `${kindFolder} is a symbolic link, which is not followed.` })
    expect(readdirSync(outside)).toEqual([])
  },
)

const costly = 'The formulas are too many or too long to be computed.'
const source = (at: number) => ({
  ...{ kind: 'formula' as const },
  formula: Array.from({ length: at + 1 }, (_, other) => `f${other}`).join('+'),
})

test('a workspace whose formulas would take long is refused by itself and on a board, before it is opened', async () => {
  const { folder, one } = await personWithAll('board')
  const { document } = addSeries(emptyDocument(), null, { source: { kind: 'formula', formula: 'f0' } })
  const [pane] = document.panes
  const panes = Array.from({ length: 10 }, (_, at) => ({
    ...{ ...pane, id: `p${at}` },
    series: Array.from({ length: 50 }, (_one, inPane) => {
      const number = at * 50 + inPane
      return { ...pane.series[0], id: `s${number}`, name: `f${number}`, source: source(number) }
    }),
  }))
  const workspace = { ...document, panes }
  const content = { kind: 'workbench', name: 'Chart', document: workspace }
  const parts = [{ id: 'p1', columns: 4, rows: 2, content }]
  const text = (format: string, of: unknown) => JSON.stringify({ format, name: 'Costly', document: of })
  edit(folder, 'workspaces/costly.workspace.json', text('perpscope workspace', workspace))
  edit(folder, 'boards/costly.board.json', text('perpscope board', { version: 1, parts }))
  const { documents } = await one.look()
  expect(documents.filter(({ state }) => state === 'broken').map(({ detail }) => detail)).toEqual([
    `cannot be used: parts.0.content.document: ${costly}`,
    `cannot be used: ${costly}`,
  ])
  expect(boardKind.file.read(text('perpscope board', { version: 1, parts }), '')).toEqual({ problem: costly })
})

test('names from a stranger are cleaned, become files of the folder alone, and are cut short in messages', async () => {
  const { folder, one, whole } = await personWithAll('board')
  const names = ['..', '../../up', 'CON', 'evil\u202egpj', '\u001b[31mred\nline', 'zero\u200bwidth', 'x'.repeat(5000)]
  for (const [at, name] of names.entries())
    edit(
      folder,
      `boards/stranger ${at}.board.json`,
      whole.replace(/ {2}"id": .*\n/, '').replace('"Whole"', JSON.stringify(name)),
    )
  edit(
    folder,
    'sets/stranger.set.json',
    JSON.stringify({ format: 'perpscope download set', connection: 'y'.repeat(1e6), document: {} }),
  )
  const { documents } = await one.look()
  const boards = documents.filter(({ kind, name }) => kind === 'board' && name !== 'Whole')
  expect(boards.map(({ name }) => name).toSorted()).toEqual(
    ['..', '../../up', 'CON', 'evilgpj', ' [31mred line'.trim(), 'zerowidth', 'x'.repeat(120)].toSorted(),
  )
  expect(documents.find(({ state }) => state === 'broken')?.detail?.length).toBeLessThan(600)
  for (const [at, { id }] of boards.entries())
    await one.client.call('documents.rename', { kind: 'board', id: id!, name: `${names[at]} again`.slice(0, 110) })
  await one.look()
  const files = readdirSync(join(folder, 'boards'))
  expect(files).toHaveLength(names.length + 1)
  expect(readdirSync(join(folder, '..')).filter((name) => name.includes(' again'))).toEqual([])
})

test('a name typed with invisible characters is stored as its file reads it, so that no second document appears', async () => {
  const folder = temporaryFolder()
  const one = person()
  const { id: connectionId } = await one.client.call('connections.add', { ...emptyFields, name: 'Desk', tier: 2 })
  const name = 'new\nline\u200b'
  await one.client.call('downloads.saveSet', { set: { ...augustSet(connectionId), name } })
  await one.client.call('documents.create', { kind: 'board', name, document: note('x') })
  expect(states(await one.use(folder))).toEqual([
    'board new line | boards/new line.board.json | ok',
    'set new line | sets/new line.set.json | ok',
  ])
  await expect(
    one.client.call('documents.create', { kind: 'board', name: ' \u200b\n', document: note('x') }),
  ).rejects.toMatchObject({
    code: 'bad-input',
  })
})

test('another file in the place of the marker is neither read at length nor replaced', async () => {
  for (const put of [
    (path: string) => writeFileSync(path, '{"name":"of another program"}'),
    (path: string) => (writeFileSync(path, '{'), truncateSync(path, 1_000_000_000)),
    (path: string) => symlinkSync('/dev/zero', path),
    (path: string) => execFileSync('mkfifo', [path]),
  ]) {
    const folder = temporaryFolder()
    const path = join(folder, 'perpscope.json')
    put(path)
    const { ino, size } = lstatSync(path)
    await expect(person().use(folder)).rejects.toMatchObject({ code: 'conflict' })
    expect(lstatSync(path)).toMatchObject({ ino, size })
  }
})

it('finds a file name for every name, and none twice', async () => {
  const folder = temporaryFolder()
  const one = person()
  const names = [
    'a/b',
    '..',
    'con',
    'trailing.',
    'Basis',
    'ba\u0301sis',
    '🚀 龙',
    'x'.repeat(120),
    '-rf',
    ' <b>',
    'NUL.txt',
  ]
  for (const name of names) await one.client.call('documents.create', { kind: 'board', name, document: note(name) })
  for (const list of ['Majors', 'majors', 'MAJORS'])
    await one.client.call('lists.import', { text: `list,exchange,symbol\n${list},v,${list}\n` })
  const long = `list,exchange,symbol\n${'y'.repeat(300)},v,A\n`
  await one.client.call('lists.import', { text: long })
  const used = await one.use(folder)
  expect(used.documents.map(({ state }) => state)).toEqual(Array.from({ length: names.length + 4 }, () => 'ok'))
  const files = [...readdirSync(join(folder, 'boards')), ...readdirSync(join(folder, 'lists'))]
  expect(files).toHaveLength(names.length + 4)
  expect(new Set(files.map((name) => name.normalize('NFC').toLowerCase())).size).toBe(files.length)
  for (const file of files) {
    expect(Buffer.byteLength(file)).toBeLessThan(255)
    expect(file).not.toMatch(/^(con|nul)\.|[<>:"/\\|?*]|^[. ]|\. |\.\./i)
  }
  const two = person()
  await two.use(folder)
  expect((await two.boards()).map(({ name }) => name).toSorted()).toEqual(
    (await one.boards()).map(({ name }) => name).toSorted(),
  )
  expect(await two.client.call('lists.list', { connectionId: '' })).toEqual(
    await one.client.call('lists.list', { connectionId: '' }),
  )
})

it('follows names: of a document to its file, and of a file that was moved or named by the person', async () => {
  const folder = temporaryFolder()
  const one = person()
  const { id } = await one.client.call('documents.create', { kind: 'board', name: 'Morning', document: note('x') })
  const other = await one.client.call('documents.create', { kind: 'board', name: 'Evening', document: note('y') })
  await one.use(folder)
  await one.client.call('documents.rename', { kind: 'board', id, name: 'Noon' })
  await one.look()
  expect(readdirSync(join(folder, 'boards')).toSorted()).toEqual(['Evening.board.json', 'Noon.board.json'])
  mkdirSync(join(folder, 'boards/team'))
  renameSync(join(folder, 'boards/Noon.board.json'), join(folder, 'boards/team/desk.board.json'))
  await one.client.call('documents.rename', { kind: 'board', id, name: 'Night' })
  const { documents } = await one.look()
  expect(documents.map(({ name, file, state }) => [name, file, state])).toEqual([
    ['Evening', 'boards/Evening.board.json', 'ok'],
    ['Night', 'boards/team/desk.board.json', 'ok'],
  ])
  // Two documents that swap their names in the folder swap them in the app as well.
  replaceIn(folder, 'boards/team/desk.board.json', '"Night"', '"Evening"')
  replaceIn(folder, 'boards/Evening.board.json', '"Evening"', '"Night"')
  await one.look()
  expect((await one.client.call('documents.read', { kind: 'board', id })).name).toBe('Evening')
  expect((await one.client.call('documents.read', { kind: 'board', id: other.id })).name).toBe('Night')
})

it('lets one process write at a time; the other sees the same and its changes are written by the first', async () => {
  const folder = temporaryFolder()
  const dataDir = dataFolder()
  const window = person(dataDir)
  await window.use(folder)
  window.app.watchDocuments()
  const other = person(dataDir)
  await other.client.call('documents.create', { kind: 'board', name: 'From the other', document: note('x') })
  await vi.waitFor(() => expect(existsSync(join(folder, 'boards/From the other.board.json'))).toBe(true), 20_000)
  expect(states(await other.look())).toEqual(['board From the other | boards/From the other.board.json | ok'])
  replaceIn(folder, 'boards/From the other.board.json', '"x"', '"by an editor"')
  const [{ id }] = await window.boards()
  await vi.waitFor(
    async () =>
      expect(JSON.stringify(await window.client.call('documents.read', { kind: 'board', id }))).toContain(
        'by an editor',
      ),
    20_000,
  )
})

it('writes on closing what a command changed, and does nothing more once the folder is left', async () => {
  const folder = temporaryFolder()
  const dataDir = dataFolder()
  const setUp = createApp(fakePorts(), { version: '9.8.7', dataDir })
  await setUp.clientFor(fakeHost()).call('folder.use', { folder })
  await setUp.close()
  const command = createApp(fakePorts(), { version: '9.8.7', dataDir })
  await command.clientFor(fakeHost()).call('lists.import', { text: 'list,exchange,symbol\nmajors,v,A\n' })
  await command.close()
  expect(readdirSync(join(folder, 'lists'))).toEqual(['majors.csv'])
  const one = person(dataDir)
  await one.client.call('folder.stop', {})
  await one.client.call('lists.remove', { name: 'majors' })
  expect(await one.look()).toEqual({ folder: null, problem: null, documents: [] })
  expect(readdirSync(join(folder, 'lists'))).toEqual(['majors.csv'])
})

it('refuses what cannot be a folder of documents', async () => {
  const dataDir = dataFolder()
  const one = person(dataDir)
  mkdirSync(join(dataDir, 'docs'))
  writeFileSync(join(dataDir, 'file'), '')
  for (const [folder, says] of [
    ['docs', /not a full path/],
    [join(dataDir, 'nowhere'), /There is no folder/],
    [join(dataDir, 'file'), /not a folder/],
    [dataDir, /Perpscope data folder/],
    [join(dataDir, 'docs'), /Perpscope data folder/],
  ] as const)
    await expect(one.use(folder)).rejects.toMatchObject({ detail: expect.stringMatching(says) })
  expect((await one.look()).folder).toBeNull()
})

it('lists everything also while another process of the data folder brings both sides up to date', async () => {
  const folder = temporaryFolder()
  const dataDir = dataFolder()
  const [one, two] = [person(dataDir), person(dataDir)]
  await one.use(folder)
  mkdirSync(join(folder, 'queries'))
  for (let at = 0; at < 40; at += 1) edit(folder, `queries/q${at}.sql`, `SELECT ${at}`)
  const [theirs, own] = await Promise.all([two.look(), one.look()])
  expect(own.documents).toHaveLength(40)
  expect(theirs.documents).toEqual(own.documents)
})
