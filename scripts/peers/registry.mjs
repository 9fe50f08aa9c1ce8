/**
 * Peers: third-party programs that the tests in test/peers compare results with. A peer is one line here; its test is a
 * file in test/peers that requests it by name (peer.ts). Each environment is its own Python virtual environment,
 * because the packages of some peers conflict with those of others.
 */
const minutes = (count) => count * 60_000

export const environments = [
  {
    name: 'frames',
    packages: ['polars==2.1.0', 'pandas==3.1.1', 'pyarrow==26.0.1', 'numpy==2.4.6'],
    peers: { polars: 'Polars', pandas: 'pandas', pyarrow: 'pyarrow' },
    timeoutMs: minutes(30),
  },
  {
    name: 'spark',
    packages: ['pyspark==4.3.0'],
    peers: { pyspark: 'PySpark' },
    timeoutMs: minutes(30),
    program: { name: 'java', why: 'Spark needs Java 17 or newer, and there is none' },
  },
  {
    name: 'alphalens',
    packages: ['alphalens-reloaded==0.5.1'],
    peers: { alphalens: 'alphalens-reloaded' },
    timeoutMs: minutes(30),
  },
  { name: 'vectorbt', packages: ['vectorbt==1.2.0'], peers: { vectorbt: 'vectorbt' }, timeoutMs: minutes(30) },
  // A third-party implementation of the S3 API; it does not check signatures.
  { name: 'moto', packages: ['moto[server]==5.2.5'], peers: { moto: 'moto' }, timeoutMs: minutes(10) },
  // The npm build has what the PyPI build leaves out: the command line, which runs a server.
  {
    name: 'clickhouse',
    npmPackages: ['chdb@3.4.0'],
    peers: { clickhouse: 'ClickHouse server' },
    timeoutMs: minutes(40),
  },
  // About 550 MB, so it has its own timeout and environment, and the other comparisons do not depend on it.
  { name: 'chdb', packages: ['chdb==4.4.0'], peers: { chdb: 'chDB' }, timeoutMs: minutes(40) },
]

/** npm packages of the same peers, used on machines without Python. */
export const npmEnvironments = [
  { name: 'npm-polars', packages: ['nodejs-polars@0.26.1'], peers: { polars: 'Polars' }, timeoutMs: minutes(5) },
  { name: 'npm-chdb', packages: ['chdb@3.4.0'], peers: { chdb: 'chDB' }, timeoutMs: minutes(40) },
]
