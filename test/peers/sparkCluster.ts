import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'
import { peerEnvironment } from './peer.ts'

/** Starts a Spark daemon, which is ended with the test. */
function startDaemon(home: string, name: string, args: readonly string[]): ChildProcess {
  const env = { ...peerEnvironment(), SPARK_HOME: home, SPARK_LOCAL_IP: '127.0.0.1', SPARK_DAEMON_MEMORY: '256m' }
  const program = join(home, 'bin', 'spark-class')
  const options = ['--host', '127.0.0.1', '--webui-port', '0', ...args]
  const daemon = spawn(program, [`org.apache.spark.deploy.${name}`, ...options], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onTestFinished(async () => {
    if (daemon.exitCode !== null || daemon.signalCode !== null) return
    daemon.kill()
    await once(daemon, 'exit')
  })
  return daemon
}

/** Waits until a daemon's log matches a pattern. @returns the matching text */
function waitForLogged(daemon: ChildProcess, pattern: RegExp): Promise<string> {
  let log = ''
  return new Promise((resolve, reject) => {
    daemon.stderr!.on('data', (chunk: Buffer) => {
      log += chunk.toString()
      const [found] = pattern.exec(log) ?? []
      if (found) resolve(found)
    })
    daemon.once('exit', () => reject(new Error(`A daemon of Spark ended: ${log.slice(-2000)}`)))
  })
}

/** Starts a standalone cluster of one master and two workers, each with one core. @returns the address of the master */
export async function startSparkCluster(home: string): Promise<string> {
  const master = startDaemon(home, 'master.Master', ['--port', '0'])
  const url = await waitForLogged(master, /spark:\/\/127\.0\.0\.1:\d+/)
  const startWorker = () =>
    startDaemon(home, 'worker.Worker', ['--cores', '1', '--memory', '1g', '--work-dir', temporaryFolder(), url])
  const workers = [startWorker(), startWorker()]
  await Promise.all(workers.map((worker) => waitForLogged(worker, /Successfully registered with master/)))
  return url
}
