/** Leaves out of an installation what only tests, lint, packages and benchmarks need, so that the app opens sooner. */

/** Packages that neither the program nor its build imports; `npm test` installs them too. */
export const packagesForLater = [
  '@electron/fuses',
  '@shockpkg/icon-encoder',
  '@types/better-sqlite3',
  '@types/upng-js',
  '@types/ws',
  '@vue/test-utils',
  'assemblyscript',
  'axe-core',
  'electron-builder',
  'eslint',
  'eslint-plugin-vue',
  'fast-check',
  'happy-dom',
  'oxfmt',
  'pixelmatch',
  'playwright-core',
  'typescript-eslint',
  'upng-js',
  'vitest',
  'vue-tsc',
]

const groups = ['dependencies', 'devDependencies', 'optionalDependencies']

const without = (packages = {}, names) =>
  Object.fromEntries(Object.entries(packages).filter(([name]) => !names.includes(name)))

const withoutLater = (manifest) => ({
  ...manifest,
  ...Object.fromEntries(groups.map((group) => [group, without(manifest[group], packagesForLater)])),
})

/** Finds the installed package that a name means in the folder of another, as Node looks for it. */
function findPlace(places, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1))) {
    const place = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
    if (places[place]) return place
    if (folder === '') return null
  }
}

/** Lists what a package needs beside it. */
const neededNames = ({ dependencies, optionalDependencies, peerDependencies }) =>
  Object.keys({ ...dependencies, ...optionalDependencies, ...without(peerDependencies, packagesForLater) })

/**
 * Returns the manifest and the lock file of an installation without the packages for later and without what only they
 * need; every package that stays keeps its version and its place.
 */
export function forStart(manifest, lock) {
  const own = withoutLater(lock.packages[''])
  const kept = new Map([['', own]])
  const visit = (from, names) => {
    for (const name of names) {
      const place = findPlace(lock.packages, from, name)
      if (place === null || kept.has(place)) continue
      kept.set(place, lock.packages[place])
      visit(place, neededNames(lock.packages[place]))
    }
  }
  visit(
    '',
    groups.flatMap((group) => Object.keys(own[group])),
  )
  return { manifest: withoutLater(manifest), lock: { ...lock, packages: Object.fromEntries(kept) } }
}
