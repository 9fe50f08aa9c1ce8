/** A package of other people in the program, as the build notes it. */
export interface Licence {
  name: string
  version: string
  licence: string
  licenceText: string
}

/** The build lays the list beside the page. @throws where the window does not come from a build */
export async function loadLicences(): Promise<Licence[]> {
  const file = new URL('licences.js', document.baseURI).href
  const { packages } = (await import(/* @vite-ignore */ file)) as { packages: Licence[] }
  return packages
}
