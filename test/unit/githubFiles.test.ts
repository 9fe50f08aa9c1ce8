import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'

const at = (path: string) => new URL(`../../${path}`, import.meta.url)
const read = (path: string) => readFileSync(at(path), 'utf8')
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }

const builder = createRequire(createRequire(import.meta.url).resolve('electron-builder'))
const { load } = createRequire(builder.resolve('app-builder-lib'))('js-yaml') as { load(text: string): unknown }

interface Job {
  uses?: string
  needs?: string
  permissions?: Record<string, string>
  strategy?: { matrix: { os?: string[]; include?: { os: string }[] } }
  steps?: { run?: string; uses?: string; env?: Record<string, string> }[]
}

interface Workflow {
  on: Record<string, { tags?: string[] } | null>
  permissions: Record<string, string>
  jobs: Record<string, Job>
}

const systems = ['ubuntu-latest', 'macos-latest', 'windows-latest']
const workflowFiles = ['bench.yml', 'ci.yml', 'release.yml'].map((name) => `.github/workflows/${name}`)
const [bench, ci, release] = workflowFiles.map((path) => load(read(path)) as Workflow)
const stepsOf = ({ jobs }: Workflow) => Object.values(jobs).flatMap(({ steps = [] }) => steps)
const commandsOf = (workflow: Workflow) =>
  stepsOf(workflow)
    .map(({ run }) => run ?? '')
    .join('\n')

describe('the workflows', () => {
  it('are all there are', () => {
    expect(readdirSync(at('.github/workflows')).map((name) => `.github/workflows/${name}`)).toEqual(workflowFiles)
  })

  it.each(workflowFiles)('call only scripts that exist: %s', (path) => {
    const commands = commandsOf(load(read(path)) as Workflow)
    const called = [...commands.matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, name]) => name)
    expect(called.length).toBeGreaterThan(0)
    expect(called.filter((name) => !(name in scripts))).toEqual([])
    const files = [...commands.matchAll(/node (\S+\.\w+)/g)].map(([, file]) => file)
    expect(files.length).toBeGreaterThan(0)
    expect(files.filter((file) => !existsSync(at(file)))).toEqual([])
  })

  it.each(workflowFiles)('use actions by their commit, with their version beside it: %s', (path) => {
    const actions = stepsOf(load(read(path)) as Workflow).flatMap(({ uses }) => uses ?? [])
    expect(actions.filter((action) => !/^actions\/[\w-]+@[0-9a-f]{40}$/.test(action))).toEqual([])
    const lines = read(path).match(/uses: actions.*/g) ?? []
    expect(lines.filter((line) => !/ # .*v\d+\.\d+\.\d+$/.test(line))).toEqual([])
  })

  it.each(workflowFiles)('give each job only the rights that it names: %s', (path) => {
    const { permissions, jobs } = load(read(path)) as Workflow
    expect(permissions).toEqual({})
    expect(Object.values(jobs).filter((job) => job.permissions === undefined)).toEqual([])
  })
})

describe('the checks', () => {
  it('run the newcomer’s test command on the three systems, and real Electron', () => {
    expect(ci.jobs.test.strategy?.matrix.os).toEqual(systems)
    expect(stepsOf(ci).map(({ run }) => run)).toContain('npm test')
    expect(commandsOf(ci)).toContain('npm run test:electron')
  })

  it('use no secret', () => {
    for (const path of workflowFiles.slice(0, 2)) expect(read(path)).not.toMatch(/secrets\./)
  })
})

describe('the bench', () => {
  it('runs by the week and keeps its results, and nothing waits for it', () => {
    expect(Object.keys(bench.on)).toEqual(['schedule', 'workflow_dispatch'])
    expect(commandsOf(bench)).toContain('npm run bench -- --peers')
    expect(stepsOf(bench).at(-1)?.uses).toMatch(/upload-artifact/)
    expect(JSON.stringify([ci.jobs, release.jobs])).not.toContain('bench.yml')
  })
})

describe('the release', () => {
  it('starts with a version tag, and only after the checks of every push', () => {
    expect(release.on).toEqual({ push: { tags: ['v*'] } })
    expect(ci.on).toHaveProperty('workflow_call')
    expect(release.jobs.test.uses).toBe(`./${workflowFiles[1]}`)
    expect([release.jobs.installers.needs, release.jobs.publish.needs]).toEqual(['test', 'installers'])
    const machines = release.jobs.installers.strategy?.matrix.include?.map(({ os }) => os) ?? []
    // Installers of each system are built for two processors.
    for (const system of ['ubuntu', 'macos', 'windows'])
      expect(machines.filter((os) => os.startsWith(system))).toHaveLength(2)
  })

  it('gives signing keys to the packing and to the signing of manifests alone, and the right to publish to the last job alone', () => {
    const withSecret = stepsOf(release).filter((step) => JSON.stringify(step).includes('secrets.'))
    expect(withSecret.map(({ run }) => run)).toEqual([
      expect.stringContaining('npm run dist'),
      expect.stringContaining('scripts/updates/sign.mjs'),
    ])
    expect(release.jobs.test.permissions).toEqual({ contents: 'read' })
    expect(release.jobs.installers.permissions).toEqual({ contents: 'read' })
    expect(release.jobs.publish.permissions).toEqual({ contents: 'write' })
  })

  it('finds a section for every version in the changelog, the one of package.json first', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string }
    const versions = [...read('CHANGELOG.md').matchAll(/^## \[([\d.]+)\] - \d{4}-\d{2}-\d{2}$/gm)].map(
      ([, each]) => each,
    )
    expect(versions[0]).toBe(version)
  })
})

describe('what GitHub asks contributors', () => {
  const templates = readdirSync(at('.github/ISSUE_TEMPLATE'))

  it.each(templates.filter((name) => name !== 'config.yml'))('is a form that GitHub can show: %s', (name) => {
    const form = load(read(`.github/ISSUE_TEMPLATE/${name}`)) as Record<string, unknown> & {
      body: { type: string; id?: string; attributes: { label?: string; value?: string } }[]
    }
    expect(form).toMatchObject({ name: expect.any(String), description: expect.any(String) })
    const ids = form.body.flatMap(({ id }) => id ?? [])
    expect(new Set(ids).size).toBe(ids.length)
    for (const { type, attributes } of form.body) {
      expect(['markdown', 'textarea', 'input', 'dropdown', 'checkboxes']).toContain(type)
      expect(type === 'markdown' ? attributes.value : attributes.label).toEqual(expect.any(String))
    }
  })

  it('names only scripts that exist in the pull-request template', () => {
    const names = [...read('.github/PULL_REQUEST_TEMPLATE.md').matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name)
    expect(names.filter((name) => !(name in scripts))).toEqual([])
  })
})

it('looks weekly for updates of every package.json and of the actions, in groups', () => {
  const { updates } = load(read('.github/dependabot.yml')) as {
    updates: {
      'package-ecosystem': string
      directory?: string
      directories?: string[]
      schedule: { interval: string }
      groups: object
    }[]
  }
  expect(updates.map((each) => each['package-ecosystem'])).toEqual(['npm', 'github-actions'])
  for (const { schedule, groups } of updates) {
    expect(schedule.interval).toBe('weekly')
    expect(Object.keys(groups).length).toBeGreaterThan(0)
  }
  const folders = updates[0].directories ?? []
  expect(folders.filter((folder) => !existsSync(at(`.${folder}/package-lock.json`.replace('//', '/'))))).toEqual([])
})
