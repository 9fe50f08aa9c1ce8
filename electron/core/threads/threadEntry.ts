/**
 * Returns the file of a thread, next to the module that starts it: the source where the sources run unbuilt, as in
 * tests, or the built file in the bundle.
 */
export const threadEntry = (name: string, moduleUrl: string): URL =>
  new URL(moduleUrl.endsWith('.ts') ? `./${name}.ts` : `./${name}.js`, moduleUrl)
