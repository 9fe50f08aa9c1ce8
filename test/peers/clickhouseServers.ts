import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test, type TestContext } from 'vitest'
import { enginePassword, engineUser } from '../fakes/fakeClickHouse.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'
import { available } from './peer.ts'

/** Name of the cluster that the started servers form. */
export const cluster = 'desk'
/** Number of queries per hour that the user `limited` may run. */
export const queriesPerHour = 2

interface ServerOptions {
  /** Number of servers in the cluster; 1 by default. */
  servers?: number
  /** Address of an S3-compatible service that holds the buckets of `s3://` addresses. */
  storage?: string
}

const userOf = (name: string, profile: string, quota: string, password = enginePassword) =>
  `<${name}><password>${password}</password><networks><ip>::/0</ip></networks><profile>${profile}</profile><quota>${quota}</quota></${name}>`

/** User settings of the servers, which query each other as `default`. */
const users = `<clickhouse>
  <profiles><default/><reader><readonly>1</readonly></reader></profiles>
  <users>${userOf('default', 'default', 'default', '')}${userOf(engineUser, 'default', 'default')}${userOf('limited', 'default', 'few')}${userOf('reader', 'reader', 'default')}</users>
  <quotas>
    <default><interval><duration>3600</duration><queries>0</queries></interval></default>
    <few><interval><duration>3600</duration><queries>${queriesPerHour}</queries></interval></few>
  </quotas>
</clickhouse>`

interface Ports {
  http: number
  native: number
}

const shardOf = ({ native }: Ports) =>
  `<shard><replica><host>127.0.0.1</host><port>${native}</port><user>${engineUser}</user><password>${enginePassword}</password></replica></shard>`

const storageOf = (url: string) => `<url_scheme_mappers><s3><to>${url}/{bucket}</to></s3></url_scheme_mappers>
  <s3><team><endpoint>${url}/</endpoint><access_key_id>TEAM-KEY-ID</access_key_id><secret_access_key>secret</secret_access_key></team></s3>`

const configOf = (folder: string, own: Ports, all: readonly Ports[], storage: string | undefined) => `<clickhouse>
  <logger><level>error</level><console>0</console></logger>
  <listen_host>127.0.0.1</listen_host><http_port>${own.http}</http_port><tcp_port>${own.native}</tcp_port>
  <path>${folder}/data/</path><users_config>${folder}/users.xml</users_config>
  <remote_servers><${cluster}>${all.map(shardOf).join('')}</${cluster}></remote_servers>
  ${storage === undefined ? '' : storageOf(storage)}
</clickhouse>`

async function freePorts(count: number): Promise<number[]> {
  const sockets = Array.from({ length: count }, () => createServer())
  const ports: number[] = []
  for (const socket of sockets) {
    await new Promise<void>((ready) => socket.listen(0, '127.0.0.1', ready))
    ports.push((socket.address() as AddressInfo).port)
  }
  for (const socket of sockets) socket.close()
  return ports
}

/** Statements that keep the server running for longer than the longest test. */
const listenStatements =
  'SYSTEM START LISTEN TCP; SYSTEM START LISTEN HTTP; SELECT sleepEachRow(3) FROM numbers(1000) FORMAT Null SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 10000000'

async function startServer(python: string, library: string, own: Ports, all: readonly Ports[], storage?: string) {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'data'))
  writeFileSync(join(folder, 'users.xml'), users)
  writeFileSync(join(folder, 'config.xml'), configOf(folder, own, all, storage))
  const program = join(import.meta.dirname, 'clickhouseServer.py')
  const args = [
    program,
    library,
    '--config-file',
    join(folder, 'config.xml'),
    '--multiquery',
    '--query',
    listenStatements,
  ]
  const env = { ...process.env, TZ: 'America/New_York' }
  const server = spawn(python, args, { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] })
  onTestFinished(async () => {
    if (server.exitCode !== null) return
    server.kill('SIGKILL')
    await once(server, 'exit')
  })
  const url = `http://127.0.0.1:${own.http}`
  const isUp = () =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    )
  await expect.poll(isUp, { timeout: 60_000 }).toBe(true)
  return url
}

/** Starts the servers of a cluster. @returns their addresses */
async function startCluster(python: string, library: string, { servers = 1, storage }: ServerOptions) {
  const ports = await freePorts(2 * servers)
  const all = Array.from({ length: servers }, (_, i) => ({ http: ports[2 * i], native: ports[2 * i + 1] }))
  return Promise.all(all.map((own) => startServer(python, library, own, all, storage)))
}

/** Finds ClickHouse's library in the npm packages. */
function libraryIn(modules: string): string {
  const packages = join(modules, '@chdb')
  const files = readdirSync(packages).flatMap((name) =>
    readdirSync(join(packages, name)).map((file) => join(packages, name, file)),
  )
  return files.find((file) => /libchdb\.(so|dylib)$/.test(file))!
}

export type StartServers = (options?: ServerOptions) => Promise<string[]>

/**
 * Defines a test that runs a proof with ClickHouse servers of a current version, which it starts; without the peer it
 * is skipped with the reason.
 */
export function proveServers(name: string, proof: (start: StartServers, context: TestContext) => Promise<void>): void {
  test(`clickhouse: ${name}`, async (context) => {
    const { python, modules } = available(context, 'clickhouse')
    await proof((options = {}) => startCluster(python!, libraryIn(modules!), options), context)
  })
}
