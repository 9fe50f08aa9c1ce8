import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '#core/ports.ts'
import { refreshFiles, serveFile } from '#core/record/scheduleFiles.ts'
import { createLease } from '#core/store/lease.ts'
import { cliSession } from '../../fakes/cliSession.ts'
import { program } from '../../fakes/commandLine.ts'
import { compileCacheEnv } from '../../fakes/compileCacheEnv.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const has = (command: string) => spawnSync(command, ['--version']).status === 0
const oddName = `odd "folder" 100% $HOME \\ & <é> 'one'`

/**
 * Creates a home folder and a function that runs commands in it; `systemctl` is a script that records its arguments, or
 * is missing.
 */
function inHome({ systemctl, env = {} }: { systemctl: 'obeys' | 'missing'; env?: Record<string, string> }) {
  const home = temporaryFolder()
  const [bin, calls] = [join(home, 'bin'), join(home, 'calls')]
  mkdirSync(bin)
  if (systemctl === 'obeys') {
    writeFileSync(join(bin, 'systemctl'), `#!/bin/sh\necho "$@" >> '${calls}'\n`)
    chmodSync(join(bin, 'systemctl'), 0o755)
  }
  const own = { HOME: home, PATH: systemctl === 'obeys' ? `${bin}:/usr/bin:/bin` : bin, ...compileCacheEnv, ...env }
  const run = (args: readonly string[], folder = 'data') =>
    spawnSync(process.execPath, [program, ...args, '--data-dir', join(home, folder)], { env: own, encoding: 'utf8' })
  const called = () => (existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : [])
  return { home, run, called, unit: (name: string) => join(home, '.config', 'systemd', 'user', name) }
}

test.runIf(has('systemd-analyze'))('systemd accepts the units, and starts the command that was meant', () => {
  const folder = temporaryFolder()
  const command = ['/bin/echo', 'schedule', 'run', '--set', oddName]
  const folders = { home: folder, config: folder, dataDir: folder }
  const entry = { command, keyFile: `/home/me/${oddName}` }
  const files = [...refreshFiles('linux', entry, folders), serveFile(entry, folders)]
  for (const { path, text } of files) {
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, text)
  }
  const paths = files.map(({ path }) => path)
  const verified = spawnSync('systemd-analyze', ['verify', '--user', '--man=no', ...paths], { encoding: 'utf8' })
  const complaints = verified.stderr.split('\n').filter((line) => line.includes('perpscope'))
  expect(complaints).toEqual([])
  expect(files[1].text).toContain('OnCalendar=*-*-* *:05:00\nPersistent=true\n')
})

test('no name begins a line of its own in a unit', () => {
  const folders = { home: '/home/me', config: '/home/me/.config', dataDir: '/home/me/data' }
  const linesWith = (name: string) => {
    const entry = { command: ['/bin/echo', name], keyFile: `/home/me/${name}` }
    // Different readers take different characters among these for the end of a line.
    return serveFile(entry, folders).text.split(/[\n\r\0\v\f\u0085]/)
  }
  const plain = linesWith('Desk')
  for (const end of ['\n', '\r', '\r\n', '\v', '\f', '\u0085', '\u001b'])
    expect(linesWith(`Desk${end}ExecStartPre=/bin/evil`)).toHaveLength(plain.length)
})

const readXml = `
import json, plistlib, sys, xml.dom.minidom
text = sys.stdin.buffer.read()
if sys.argv[1] == "plist":
    print(json.dumps(plistlib.loads(text)))
else:
    task = xml.dom.minidom.parseString(text)
    one = lambda name: task.getElementsByTagName(name)[0].firstChild.data
    print(json.dumps({name: one(name) for name in ("Command", "Arguments", "Interval", "MultipleInstancesPolicy")}))
`

test.runIf(has('python3'))('a launchd agent and a task of Windows contain the words that were meant', () => {
  const parse = (kind: string, text: string) =>
    JSON.parse(execFileSync('python3', ['-c', readXml, kind], { input: text, encoding: 'utf8' })) as unknown
  const { run } = inHome({ systemctl: 'missing', env: { PERPSCOPE_API_KEY_FILE: '/keys/a & b' } })
  const agent = run(['schedule', 'install', '--print', '--platform', 'macos', '--set', oddName])
  expect(parse('plist', agent.stdout)).toMatchObject({
    Label: 'org.perpscope.refresh',
    ProgramArguments: expect.arrayContaining(['schedule', 'run', '--set', oddName]) as unknown,
    StartCalendarInterval: { Minute: 5 },
    EnvironmentVariables: { PERPSCOPE_API_KEY_FILE: '/keys/a & b' },
  })
  const task = run(['schedule', 'install', '--print', '--platform', 'windows', '--set', 'my "set"'])
  expect(parse('task', task.stdout)).toMatchObject({
    Interval: 'PT1H',
    MultipleInstancesPolicy: 'IgnoreNew',
    Command: process.execPath,
    Arguments: expect.stringContaining('schedule run --set "my \\"set\\""') as unknown,
  })
})

/**
 * Part of the schema of the Task Scheduler (version 1.2): the elements that an element may contain, in this order, or
 * the form of its text.
 */
const taskSchema: Record<string, readonly string[] | RegExp> = {
  Task: ['RegistrationInfo', 'Triggers', 'Principals', 'Settings', 'Data', 'Actions'],
  RegistrationInfo: ['Date', 'Author', 'Version', 'Description', 'URI'],
  Description: /\S/,
  Triggers: ['CalendarTrigger'],
  CalendarTrigger: [
    'Enabled',
    'StartBoundary',
    'EndBoundary',
    'Repetition',
    'ExecutionTimeLimit',
    'RandomDelay',
    'ScheduleByDay',
  ],
  StartBoundary: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/,
  Repetition: ['Interval', 'Duration', 'StopAtDurationEnd'],
  Interval: /^PT(?:[1-9]\d*H|[1-9]\d*M)$/,
  Duration: /^P(?:[1-9]\d*D|T[1-9]\d*[HM])$/,
  ScheduleByDay: ['DaysInterval'],
  DaysInterval: /^[1-9]\d*$/,
  Principals: ['Principal'],
  Principal: ['UserId', 'LogonType', 'GroupId', 'DisplayName', 'RunLevel'],
  LogonType: /^(?:S4U|Password|InteractiveToken|InteractiveTokenOrPassword)$/,
  RunLevel: /^(?:LeastPrivilege|HighestAvailable)$/,
  Settings: [
    'MultipleInstancesPolicy',
    'DisallowStartIfOnBatteries',
    'StopIfGoingOnBatteries',
    'StartWhenAvailable',
    'ExecutionTimeLimit',
  ],
  MultipleInstancesPolicy: /^(?:Parallel|Queue|IgnoreNew|StopExisting)$/,
  DisallowStartIfOnBatteries: /^(?:true|false)$/,
  StopIfGoingOnBatteries: /^(?:true|false)$/,
  StartWhenAvailable: /^(?:true|false)$/,
  ExecutionTimeLimit: /^P(?:[1-9]\d*D|T[1-9]\d*[HM])$/,
  Actions: ['Exec'],
  Exec: ['Command', 'Arguments', 'WorkingDirectory'],
  Command: /\S/,
  Arguments: /\S/,
}

/** Lists what the schema does not allow in a document without white space between its elements. */
function schemaProblems(xml: string): string[] {
  const problems: string[] = []
  const open: { name: string; at: number }[] = []
  for (const [, slash, name, , text] of xml.matchAll(/<(\/?)([A-Za-z]+)((?: [^>]*)?)>([^<]*)/g)) {
    if (slash) {
      if (open.pop()?.name !== name) problems.push(`${name} is not open`)
      continue
    }
    const parent = open.at(-1)
    const allowedChildren = parent && taskSchema[parent.name]
    const at = Array.isArray(allowedChildren) ? allowedChildren.indexOf(name, parent?.at) : parent ? -1 : 0
    if (at < 0) problems.push(`${name} may not stand here in ${parent?.name}`)
    if (parent) parent.at = at + 1
    const form = taskSchema[name]
    if (form === undefined) problems.push(`${name} is unknown`)
    if (form instanceof RegExp && !form.test(text)) problems.push(`${name}: ${text}`)
    open.push({ name, at: 0 })
  }
  return [...problems, ...open.map(({ name }) => `${name} is not closed`)]
}

test('a task of Windows has the form that its schema requires', () => {
  const folders = { home: '/h', config: '/h', dataDir: '/h/data' }
  const [{ text }] = refreshFiles(
    'windows',
    { command: ['C:\\p <&>.exe', 'schedule', 'run', oddName], keyFile: null },
    folders,
  )
  const [declaration, ...lines] = text.split('\n')
  expect([declaration, lines[0]]).toEqual([
    '<?xml version="1.0"?>',
    '<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">',
  ])
  const xml = lines.join('\n')
  expect(schemaProblems(xml)).toEqual([])
  expect(schemaProblems(xml.replace('PT1H', '1h'))).toEqual(['Interval: 1h'])
  const [, boundary] = /(<StartBoundary>.*<\/StartBoundary>)/.exec(xml) ?? []
  const later = xml.replace(boundary, '').replace('</ScheduleByDay>', `</ScheduleByDay>${boundary}`)
  expect(schemaProblems(later)).toEqual(['StartBoundary may not stand here in CalendarTrigger'])
})

if (!has('systemd-analyze')) console.log('The units were not verified: there is no systemd-analyze on this machine.')

test.runIf(process.platform === 'linux')('install enables the timer, status tells of it, remove takes it away', () => {
  const { run, called, unit, home } = inHome({ systemctl: 'obeys', env: { PERPSCOPE_API_KEY_FILE: '/keys/one' } })
  expect(JSON.parse(run(['schedule', 'status', '--json']).stdout)).toEqual({ installed: false, next: null, last: null })
  expect(run(['schedule', 'install']).status).toBe(0)
  expect(called()).toEqual(['--user daemon-reload', '--user enable --now perpscope-refresh.timer'])
  const service = readFileSync(unit('perpscope-refresh.service'), 'utf8')
  expect(service).toContain('Environment="PERPSCOPE_API_KEY_FILE=/keys/one"\n')
  expect(service).toContain('SuccessExitStatus=4\n')
  expect(service).toContain(`"--data-dir" "${join(home, 'data')}"`)
  const { installed, next } = JSON.parse(run(['schedule', 'status', '--json']).stdout) as Record<
    string,
    string | boolean
  >
  expect([installed, new Date(String(next)).getUTCMinutes()]).toEqual([true, 5])
  expect(run(['schedule', 'status']).stdout).toMatch(
    /^installed; next run: \d{4}-\d\d-\d\d \d\d:05 UTC; last run: never\n$/,
  )
  expect(run(['schedule', 'remove']).status).toBe(0)
  expect(existsSync(unit('perpscope-refresh.timer'))).toBe(false)
})

test.runIf(process.platform === 'linux')(
  'a set that does not exist is refused, also where the units are printed',
  () => {
    const { run, called } = inHome({ systemctl: 'obeys' })
    for (const print of [[], ['--print']]) {
      const refused = run(['schedule', 'install', '--set', 'nope', ...print])
      expect([refused.status, refused.stdout, called()]).toEqual([1, '', []])
      expect(refused.stderr).toContain('no download set “nope”')
    }
  },
)

test.runIf(process.platform === 'linux')('where systemd refuses, the files are written and the status is 3', () => {
  const { run, unit } = inHome({ systemctl: 'missing' })
  expect(run(['schedule', 'install']).status).toBe(3)
  expect(existsSync(unit('perpscope-refresh.timer'))).toBe(true)
  const { stdout, stderr } = run(['schedule', 'status', '--json'])
  expect(JSON.parse(stdout)).toEqual({ installed: true, next: null, last: null })
  expect(stderr).toContain('the system does not run them')
  const served = run(['serve', '--install', '--port', '9123'])
  expect(served.status).toBe(3)
  expect(readFileSync(unit('perpscope-serve.service'), 'utf8')).toMatch(/^ExecStart=.*"serve" "--port" "9123".*$/m)
})

test.runIf(process.platform === 'linux')(
  'a schedule belongs to one data folder, and keeps proxy and certificates',
  () => {
    const { run, home, unit } = inHome({ systemctl: 'obeys' })
    const route = ['--proxy', 'http://proxy.example:3128', '--ca-file', join(home, 'ca $1.pem')]
    expect(run(['schedule', 'install', ...route]).status).toBe(0)
    expect(readFileSync(unit('perpscope-refresh.service'), 'utf8')).toContain(
      `"--proxy" "http://proxy.example:3128" "--ca-file" "${home}/ca $$1.pem"`,
    )
    const other = (...args: string[]) => run(args, 'data $2')
    expect(JSON.parse(other('schedule', 'status', '--json').stdout)).toMatchObject({ installed: false, next: null })
    expect(other('schedule', 'status').stderr).toContain('for another data folder')
    expect(other('schedule', 'remove')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('for another data folder') as string,
    })
    expect(other('schedule', 'install').stderr).toContain('replaces the schedule of another data folder')
    expect(JSON.parse(other('schedule', 'status', '--json').stdout)).toMatchObject({ installed: true })
    expect(JSON.parse(run(['schedule', 'status', '--json']).stdout)).toMatchObject({ installed: false })
  },
)

test.runIf(process.platform === 'linux')('a saved study is installed by its name, and its unit runs it', () => {
  const { run, home, unit } = inHome({ systemctl: 'obeys' })
  const { documents } = openTestStore(join(home, 'data'))
  documents.study.create('Morning blend', { version: 1, study: { version: 1, kind: 'blend' }, panel: null })
  expect(run(['schedule', 'install', '--study', 'Morning blend'])).toMatchObject({ status: 0, stderr: '' })
  expect(readFileSync(unit('perpscope-refresh.service'), 'utf8')).toContain(
    '"schedule" "run" "--study" "Morning blend"',
  )
  expect(run(['schedule', 'install', '--study', 'Morning blond']).stderr).toContain('Did you mean “Morning blend”?')
})

test('a run fetches the sets once, checks, and leaves its time; a second one beside it does nothing', async () => {
  const { run, runHere, start, dataDir } = await cliSession()
  const selection =
    '--dataset flow --exchange venuea-futures --symbol perpetual-BTC-USDT:USDT --interval 1h --timestamp exchange'
  expect((await runHere(['set', 'save', 'daily', ...selection.split(' '), '--last', '3'])).status).toBe(0)
  expect((await runHere(['check', 'save', 'any', '--sql', 'SELECT * FROM cache.files'])).status).toBe(0)
  const { database } = openTestStore(dataDir)
  const leaseOf = (pid: number) =>
    createLease({ database, clock: systemClock, name: 'refresh', holder: 'another', pid })
  expect(leaseOf(process.pid).take()).toBe(true)
  const beside = await run(['schedule', 'run'])
  expect([beside.status, beside.stdout]).toEqual([0, ''])
  expect(beside.stderr).toContain('Another run is under way')
  // The process that held the lease has ended without releasing it.
  expect(leaseOf(999_999_999).take()).toBe(true)
  const { status, stdout, stderr } = await start(['schedule', 'run', '--json']).ended
  expect([status, stderr]).toEqual([4, expect.stringContaining('any: hit')])
  expect(stdout).toContain('"downloaded"')
  expect((await runHere(['schedule', 'status', '--json'])).lines[0].last).toMatch(/^\d{4}-/)
  expect(leaseOf(process.pid).holder()).toBeNull()
  expect((await runHere(['inbox', 'list', '--json'])).stdout).toContain('"any"')
})

test('a run ends with the worst status of its sets, whatever their order', async () => {
  const { runHere: run, sandbox } = await cliSession()
  const selection =
    '--dataset vtwap,flow --exchange venuea-futures --symbol perpetual-BTC-USDT:USDT --timestamp exchange'
  const save = ['set', 'save', 'part', ...selection.split(' '), '--interval', '1h', '--last', '3']
  expect((await run(save)).status).toBe(0)
  const scheduled = (...names: string[]) =>
    run(['schedule', 'run', ...names.flatMap((name) => ['--set', name])], { key: sandbox.keys['0'] })
  expect((await scheduled('part')).status).toBe(3)
  expect((await scheduled('gone', 'part')).status).toBe(1)
  expect((await scheduled('part', 'gone')).status).toBe(1)
})

test.runIf(process.platform !== 'win32')('the key comes from a file of mode 0600 alone', () => {
  const keyFile = join(temporaryFolder(), 'key')
  writeFileSync(keyFile, 'secret-key-of-a-file\n', { mode: 0o644 })
  chmodSync(keyFile, 0o644)
  const { run } = inHome({ systemctl: 'missing', env: { PERPSCOPE_API_KEY_FILE: keyFile } })
  const refused = run(['key', 'status', 'Sandbox'])
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('chmod 600')])
  chmodSync(keyFile, 0o600)
  expect(statSync(keyFile).mode & 0o777).toBe(0o600)
  const { stdout, status } = run(['key', 'status', 'Sandbox', '--json'])
  expect([status, stdout.includes('secret-key-of-a-file')]).toEqual([0, false])
  expect(run(['key', 'status', 'Sandbox']).stdout).toContain('from PERPSCOPE_API_KEY or PERPSCOPE_API_KEY_FILE')
  run(['connection', 'add', 'Desk', '--metrics-url', 'https://metrics.example', '--portfolio-url', 'https://p.example'])
  const ofPortfolio = () => run(['key', 'status', 'Desk', '--service', 'portfolio']).stdout
  expect(ofPortfolio()).toContain('not set')
  writeFileSync(keyFile, 'secret-key-of-a-file\nportfolio=other-key-of-a-file-7777\n')
  expect(ofPortfolio()).toContain('ends in …7777 (from PERPSCOPE_PORTFOLIO_KEY or PERPSCOPE_API_KEY_FILE)')
  expect(run(['key', 'status', 'Desk']).stdout).toContain('ends in …file')
})
