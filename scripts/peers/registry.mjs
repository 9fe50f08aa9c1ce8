/**
 * Lists the peers: third-party programs that the tests in test/peers compare our results with. The test of a peer
 * requests it by its key in `peers` (peer.ts). Each environment is a separate Python virtual environment (or npm folder),
 * because packages of different peers conflict.
 */

const minutes = (count) => count * 60_000

const openApiForNpm = {
  name: 'openapi-npm',
  packages: ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', 'typescript@5.9.3'],
  peers: { 'openapi-typescript': 'openapi-typescript' },
  timeoutMs: minutes(5),
}

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
  {
    name: 'openapi-python',
    packages: ['openapi-python-client==0.29.1'],
    peers: { 'openapi-python-client': 'openapi-python-client' },
    timeoutMs: minutes(5),
  },
  {
    name: 'notebooks',
    packages: ['nbclient==0.11.0', 'ipykernel==7.4.0', 'matplotlib==3.11.2', 'polars==2.1.0', 'pyarrow==26.0.1'],
    peers: { nbclient: 'nbclient' },
    timeoutMs: minutes(10),
  },
  { name: 'pyright', npmPackages: ['pyright@1.1.414'], peers: { pyright: 'pyright' }, timeoutMs: minutes(5) },
  { ...openApiForNpm, npmPackages: openApiForNpm.packages },
  // This build from npm includes the command line, which can run a server; the build from PyPI does not.
  {
    name: 'clickhouse',
    npmPackages: ['chdb@3.4.0'],
    peers: { clickhouse: 'ClickHouse server' },
    timeoutMs: minutes(40),
  },
  // This package is about 550 MB, so it gets its own timeout and environment, and other peers do not wait for it.
  { name: 'chdb', packages: ['chdb==4.4.0'], peers: { chdb: 'chDB' }, timeoutMs: minutes(40) },
]

/** npm packages of some of these peers, used on machines without Python. */
export const npmEnvironments = [
  openApiForNpm,
  { name: 'npm-polars', packages: ['nodejs-polars@0.26.1'], peers: { polars: 'Polars' }, timeoutMs: minutes(5) },
  { name: 'npm-chdb', packages: ['chdb@3.4.0'], peers: { chdb: 'chDB' }, timeoutMs: minutes(40) },
]
