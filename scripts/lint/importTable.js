/**
 * This table lists the folders and packages that each folder may import. The lint rule enforces it, and a test keeps the table in
 * ARCHITECTURE.md equal to it. A folder may always import itself. "node:*" stands for Node's own modules.
 */
export const importTable = [
  { folder: 'shared/catalog', may: [] },
  { folder: 'shared/time', may: [] },
  { folder: 'shared/search', may: [] },
  { folder: 'shared/units', may: ['shared/catalog'] },
  { folder: 'shared/statistics', may: [] },
  {
    folder: 'shared/workspace',
    may: ['shared/catalog', 'shared/time', 'shared/units', 'shared/formula', 'zod'],
  },
  {
    folder: 'shared/contract',
    may: ['shared/catalog', 'shared/time', 'shared/units', 'shared/workspace', 'shared/lab', 'zod'],
  },
  {
    folder: 'shared/metrics',
    may: ['shared/catalog', 'shared/time', 'shared/search', 'shared/units', 'shared/statistics', 'shared/contract'],
  },
  {
    folder: 'shared/portfolio',
    may: ['shared/catalog', 'shared/time', 'shared/units', 'shared/search', 'shared/statistics', 'shared/contract'],
  },
  {
    folder: 'shared/formula',
    may: ['shared/catalog', 'shared/time', 'shared/search', 'shared/units', 'shared/statistics', 'shared/contract'],
  },
  {
    folder: 'shared/lab',
    may: [
      'shared/catalog',
      'shared/time',
      'shared/units',
      'shared/search',
      'shared/statistics',
      'shared/formula',
      'shared/portfolio',
    ],
  },
  { folder: 'shared/export', may: ['shared/time', 'shared/contract'] },
  { folder: 'shared/overview', may: ['shared/time', 'shared/contract'] },
  { folder: 'electron/core/ports', may: ['shared', 'node:*'] },
  { folder: 'electron/core/threads', may: ['shared', 'node:*'] },
  { folder: 'electron/core/guard', may: ['shared', 'electron/core/ports', 'electron/core/threads', 'node:*'] },
  {
    folder: 'electron/core/clients',
    may: [
      'shared',
      'electron/core/ports',
      'electron/core/guard',
      'electron/core/smallFile',
      'electron/core/threads',
      'node:*',
      'undici',
      'zod',
    ],
  },
  {
    folder: 'electron/core/store',
    may: ['shared', 'electron/core/ports', 'electron/core/threads', 'node:*', 'better-sqlite3', 'zod'],
  },
  {
    folder: 'electron/core/downloads',
    may: [
      'shared',
      'electron/core/ports',
      'electron/core/clients',
      'electron/core/guard',
      'electron/core/store',
      'electron/core/parquet',
      'electron/core/threads',
      'node:*',
    ],
  },
  {
    folder: 'electron/core/parquet',
    may: [
      'shared',
      'electron/core/threads',
      'node:*',
      'hyparquet',
      'hyparquet-compressors',
      'hyparquet-writer',
      'hysnappy',
    ],
  },
  {
    folder: 'electron/core/compute',
    may: [
      'shared',
      'electron/core/ports',
      'electron/core/abortable',
      'electron/core/guard',
      'electron/core/parquet',
      'electron/core/store',
      'electron/core/threads',
      'node:*',
      'hyparquet-writer',
    ],
  },
  {
    folder: 'electron/core/raw',
    may: [
      'shared',
      'electron/core/ports',
      'electron/core/abortable',
      'electron/core/compute',
      'electron/core/downloads',
      'electron/core/guard',
      'electron/core/parquet',
      'electron/core/series',
      'electron/core/store',
      'electron/core/threads',
      'node:*',
    ],
  },
  {
    folder: 'electron/core/export',
    may: [
      'shared',
      'electron/core/ports',
      'electron/core/parquet',
      'electron/core/series',
      'electron/core/store',
      'electron/core/threads',
      'node:*',
      'hyparquet-writer',
      'tar-stream',
    ],
  },
  {
    folder: 'electron/core/lab',
    may: [
      'shared',
      'electron/core/ports',
      'electron/core/guard',
      'electron/core/abortable',
      'electron/core/downloads',
      'electron/core/portfolio',
      'electron/core/parquet',
      'electron/core/series',
      'electron/core/smallFile',
      'electron/core/store',
      'electron/core/threads',
      'node:*',
      'hyparquet-writer',
    ],
  },
  {
    folder: 'electron/core/handlers',
    may: [
      'shared',
      'electron/core/ports',
      'electron/core/handler',
      'electron/core/eventBus',
      'electron/core/receivedFiles',
      'electron/core/keys',
      'electron/core/connections',
      'electron/core/discovery',
      'electron/core/lab',
      'electron/core/portfolio',
      'electron/core/raw',
      'electron/core/requests',
      'electron/core/store',
      'electron/core/downloads',
      'electron/core/parquet',
      'electron/core/cache',
      'electron/core/series',
      'electron/core/export',
      'electron/core/sample',
      'electron/core/clients',
      'node:*',
      'zod',
    ],
  },
  { folder: 'electron/core/keys', may: ['shared', 'electron/core/ports', 'node:*'] },
  {
    folder: 'electron/core/connections',
    may: [
      'shared',
      'electron/core/ports',
      'electron/core/keys',
      'electron/core/store',
      'electron/core/clients',
      'node:*',
      'zod',
    ],
  },
  {
    folder: 'electron/core/discovery',
    may: [
      'shared',
      'electron/core/ports',
      'electron/core/clients',
      'electron/core/connections',
      'electron/core/store',
      'zod',
    ],
  },
  {
    folder: 'electron/core/cache',
    may: [
      'shared',
      'electron/core/abortable',
      'electron/core/ports',
      'electron/core/downloads',
      'electron/core/parquet',
      'electron/core/store',
      'electron/core/threads',
      'node:*',
    ],
  },
  {
    folder: 'electron/core/series',
    may: [
      'shared',
      'electron/core/ports',
      'electron/core/downloads',
      'electron/core/parquet',
      'electron/core/store',
      'electron/core/threads',
      'node:*',
    ],
  },
  {
    folder: 'electron/core/portfolio',
    may: [
      'shared',
      'electron/core/ports',
      'electron/core/clients',
      'electron/core/connections',
      'electron/core/store',
      'node:*',
    ],
  },
  {
    folder: 'electron/core/sample',
    may: [
      'shared',
      'electron/core/ports',
      'electron/core/connections',
      'electron/core/store',
      'electron/core/downloads',
      'electron/core/cache',
    ],
  },
  { folder: 'electron/core/requests', may: ['shared', 'electron/core/ports', 'electron/core/clients', 'node:*'] },
  { folder: 'electron/core', may: ['shared', 'electron/core', 'node:*', 'zod'] },
  { folder: 'electron/vault', may: ['shared', 'electron/core/ports', 'node:*', 'keytar'] },
  { folder: 'electron/loopback', may: ['shared', 'node:*'] },
  {
    folder: 'electron/sandbox',
    may: ['electron/loopback', 'shared', 'node:*', 'hyparquet', 'hyparquet-compressors', 'hyparquet-writer'],
  },
  {
    folder: 'electron/main',
    may: [
      'electron/core/app',
      'electron/core/dataDir',
      'electron/core/guard/guardedProcess',
      'electron/core/log/fileLog',
      'electron/core/policy',
      'electron/core/ports',
      'electron/vault',
      'electron/sandbox',
      'electron/web/content',
      'electron/cli/runProgram',
      'shared',
      'node:*',
      'electron',
      'electron-updater',
      'zod',
    ],
  },
  {
    folder: 'electron/web',
    may: [
      'electron/loopback',
      'electron/core/app',
      'electron/core/ports',
      'electron/vault',
      'electron/sandbox',
      'shared',
      'node:*',
      'ws',
      'zod',
      'vite',
    ],
  },
  {
    folder: 'electron/cli',
    may: [
      'electron/core/app',
      'electron/core/compute',
      'electron/core/dataDir',
      'electron/core/lab',
      'electron/core/log/fileLog',
      'electron/core/policy',
      'electron/core/ports',
      'electron/core/route',
      'electron/core/smallFile',
      'electron/core/store/backup',
      'electron/core/store/ledger',
      'electron/core/store/studyStore',
      'electron/vault',
      'electron/web',
      'electron/sandbox',
      'shared',
      'node:*',
    ],
  },
  { folder: 'electron/preload', may: ['shared/contract', 'electron'] },
  { folder: 'renderer/host', may: ['shared'] },
  { folder: 'renderer/text', may: ['shared'] },
  { folder: 'renderer/export', may: ['shared', 'renderer/text', 'renderer/host/host', 'renderer/charts'] },
  { folder: 'renderer/theme', may: ['vue', 'naive-ui'] },
  { folder: 'renderer/stores', may: ['shared', 'renderer/text', 'renderer/host/host', 'vue', 'pinia'] },
  { folder: 'renderer/charts', may: ['shared', 'renderer/text', 'renderer/theme', 'vue', 'uplot'] },
  { folder: 'renderer/tables', may: ['shared', 'renderer/text', 'renderer/theme', 'vue', 'naive-ui', '@lucide/vue'] },
  {
    folder: 'renderer/components',
    may: ['shared', 'renderer/text', 'renderer/theme', 'vue', 'naive-ui', '@lucide/vue', 'vue-router'],
  },
  {
    folder: 'renderer/views',
    may: [
      'shared',
      'renderer/text',
      'renderer/stores',
      'renderer/charts',
      'renderer/tables',
      'renderer/components',
      'renderer/export',
      'renderer/theme',
      'vue',
      'vue-router',
      'pinia',
      'naive-ui',
      '@lucide/vue',
    ],
  },
  {
    folder: 'renderer',
    may: ['shared', 'renderer', 'vue', 'vue-router', 'pinia', 'naive-ui', '@lucide/vue', '@fontsource-variable/inter'],
  },
]

const longestFirst = [...importTable].sort((a, b) => b.folder.length - a.folder.length)

const isInside = (path, folder) => path === folder || path.startsWith(`${folder}/`) || path.startsWith(`${folder}.`)

/** Returns the table row that a file (path from the project's root, with /) belongs to. */
export const rowOf = (file) => longestFirst.find((row) => isInside(file, row.folder))

/**
 * Tells whether `file` may import `target`: a path from the project's root, or the name of a package.
 * @returns {boolean}
 */
export function mayImport(file, target) {
  const row = rowOf(file)
  if (!row) return true
  if (target.startsWith('node:')) return row.may.includes('node:*')
  const targetRow = rowOf(target)
  if (targetRow === row) return true
  return row.may.some((allowed) => isInside(target, allowed))
}
