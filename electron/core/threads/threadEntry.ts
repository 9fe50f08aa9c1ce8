/** The file of a thread, beside the module that starts it: sources run unbuilt in tests and command lines, the bundle has its own. */
export const threadEntry = (name: string, moduleUrl: string): URL =>
  new URL(moduleUrl.endsWith('.ts') ? `./${name}.ts` : `./${name}.js`, moduleUrl)
