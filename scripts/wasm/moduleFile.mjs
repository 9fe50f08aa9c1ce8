/**
 * Returns the text of the TypeScript file that contains a compiled module.
 * @param {Uint8Array} bytes
 */
export const moduleFile = (
  bytes,
) => `/** WebAssembly of scripts/wasm/csvRows.as in base64; \`npm run wasm\` writes this file. */
export const csvRowsModule =
  '${Buffer.from(bytes).toString('base64')}'
`
