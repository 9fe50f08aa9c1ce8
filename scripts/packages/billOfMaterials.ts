import type { PackageFacts } from './packageFacts.ts'

/** Writes the packages of the program as a CycloneDX document. The same sources give the same document: no time, no number drawn. */
export function billOfMaterials(app: { name: string; version: string; licence: string }, packages: PackageFacts[]) {
  const own = { ...component(app), type: 'application' }
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: own },
    components: packages.map((each) => ({
      ...component(each),
      ...(each.integrity.startsWith('sha512-') && {
        hashes: [{ alg: 'SHA-512', content: Buffer.from(each.integrity.slice(7), 'base64').toString('hex') }],
      }),
    })),
    dependencies: [{ ref: own['bom-ref'], dependsOn: packages.map(purlOf) }],
  }
}

function component({ name, version, licence }: { name: string; version: string; licence: string }) {
  const purl = purlOf({ name, version })
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    // An expression may stand alone only; a plain identifier is one too.
    ...(licence && { licenses: [{ expression: licence }] }),
  }
}

const purlOf = ({ name, version }: { name: string; version: string }) =>
  `pkg:npm/${name.replace('@', '%40')}@${version}`
