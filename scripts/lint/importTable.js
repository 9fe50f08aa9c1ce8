/**
 * Says what each room (a folder, or a file of a shared folder) may import: the rooms of the floors above in this list,
 * those to its left on its own floor, and the packages of its floor. A lint rule enforces this table, and a test checks
 * that the one in ARCHITECTURE.md is the same. A floor `under` another may use only what is at or above that one.
 */
export const floors = [
  {
    name: 'words',
    rooms: 'shared/schemas shared/catalog shared/time shared/search shared/statistics shared/sql shared/contract/frame',
    packages: 'zod',
  },
  { name: 'units', rooms: 'shared/units shared/funding shared/metrics shared/engines shared/tables' },
  {
    name: 'meaning',
    rooms: 'shared/contract/errors shared/formula shared/quality shared/sheet shared/workspace',
    packages: 'zod',
  },
  { name: 'results', rooms: 'shared/portfolio shared/lab shared/overview shared/report shared/export' },
  { name: 'contract', rooms: 'shared/contract', packages: 'zod' },
  {
    name: 'system',
    rooms:
      'electron/core/abortable electron/core/partFile electron/core/environmentSecrets electron/core/onDemand electron/core/resolveLinks electron/core/smallFile electron/core/threads electron/core/parquet electron/core/ports electron/core/writeSynced electron/core/eventBus electron/vault',
    packages: 'node hyparquet hyparquet-compressors hyparquet-writer hysnappy keytar',
  },
  {
    name: 'keeping',
    rooms:
      'electron/core/guard electron/core/keys electron/core/clients electron/core/store electron/core/compute electron/core/documents electron/core/diagnosis electron/core/log electron/core/requests electron/core/sharedStore',
    packages: 'node better-sqlite3 zod aws4fetch undici hyparquet-writer',
  },
  {
    name: 'data',
    rooms:
      'electron/core/connections electron/core/downloads electron/core/cache electron/core/discovery electron/core/own electron/core/series electron/core/funding',
    packages: 'node zod',
  },
  {
    name: 'features',
    rooms:
      'electron/core/export electron/core/portfolio electron/core/quality electron/core/raw electron/core/sample electron/core/sql electron/core/engines electron/core/lab electron/core/watch electron/core/record electron/sqlEngine',
    packages: 'node zod hyparquet-writer tar-stream apache-arrow @duckdb/node-api',
  },
  {
    name: 'core',
    rooms: 'electron/core/handler electron/core/receivedFiles electron/core/handlers electron/core',
    packages: 'node zod',
  },
  {
    name: 'sandbox',
    rooms: 'electron/loopback electron/sandbox',
    under: 'contract',
    packages: 'node hyparquet hyparquet-compressors hyparquet-writer',
  },
  {
    name: 'hosts',
    under: 'core sandbox',
    rooms: 'electron/web electron/localApi electron/mcp electron/cli electron/main',
    packages: 'node ws zod vite electron electron-updater',
  },
  {
    name: 'bridge',
    rooms: 'renderer/theme renderer/text renderer/host electron/preload',
    under: 'contract',
    packages: 'vue naive-ui electron',
  },
  {
    name: 'parts',
    rooms: 'renderer/components renderer/editor',
    under: 'bridge',
    packages:
      'vue vue-router pinia naive-ui @lucide/vue @codemirror/state @codemirror/view @codemirror/commands @codemirror/autocomplete @codemirror/language @codemirror/lang-sql @lezer/highlight',
  },
  {
    name: 'drawing',
    rooms: 'renderer/tables renderer/charts renderer/export',
    under: 'parts',
    packages: 'vue uplot naive-ui @lucide/vue',
  },
  {
    name: 'window',
    rooms:
      'renderer/stores renderer/widgets renderer/cards renderer/views renderer/screens renderer/shell renderer/public renderer',
    under: 'drawing',
    packages: 'vue vue-router pinia naive-ui @lucide/vue @fontsource-variable/inter',
  },
].map(({ rooms, packages = '', under, ...floor }, at, all) => ({
  ...floor,
  under: under?.split(' ') ?? (at > 0 ? [all[at - 1].name] : []),
  rooms: rooms.split(' '),
  packages: packages.split(' ').filter(Boolean),
}))

/** Imports that the floors do not allow, with their reason. */
export const exceptions = [
  { from: 'shared', to: 'shared/contract/areas', why: 'the types of answers stand with their calls' },
  {
    from: 'electron/core/series',
    to: 'electron/core/funding',
    why: 'a formula asks for funding periods, whose evidence is read from series',
  },
]

const roomNames = floors.flatMap(({ rooms }) => rooms).sort((a, b) => b.length - a.length)
const floorByName = new Map(floors.map((floor) => [floor.name, floor]))
const floorByRoom = new Map(floors.flatMap((floor) => floor.rooms.map((room) => [room, floor])))

const isInside = (path, room) => path === room || path.startsWith(`${room}/`) || path.startsWith(`${room}.`)
/** The rooms that hold whatever is directly in them; their subfolders need places of their own. */
const shallowRooms = new Set(['electron/core', 'renderer'])
const isInSubfolder = (path, room) => path.slice(room.length + 1).includes('/')

/** Returns the innermost room of a file (a path from the project's root, with /); without one, lint refuses the file. */
export const roomOf = (file) =>
  roomNames.find((room) => isInside(file, room) && !(shallowRooms.has(room) && isInSubfolder(file, room)))

const isAtOrBelow = (floor, wanted) =>
  floor === wanted || floor.under.some((name) => isAtOrBelow(floorByName.get(name), wanted))

/**
 * Tells whether a file may import `target`: a path from the project's root, a `node:` module or the name of a package.
 * @returns {boolean}
 */
export function mayImport(file, target) {
  const room = roomOf(file)
  if (!room) return false
  const floor = floorByRoom.get(room)
  if (target.startsWith('node:')) return floor.packages.includes('node')
  const targetRoom = roomOf(target)
  if (!targetRoom) return floor.packages.includes(target)
  if (targetRoom === room) return true
  if (exceptions.some(({ from, to }) => isInside(file, from) && isInside(target, to))) return true
  const targetFloor = floorByRoom.get(targetRoom)
  if (targetFloor === floor) return floor.rooms.indexOf(targetRoom) < floor.rooms.indexOf(room)
  return isAtOrBelow(floor, targetFloor)
}
