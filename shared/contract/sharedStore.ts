import * as z from '../schemas/lazySchemas.ts'

/** Location of a shared store: a folder, or a bucket of an S3-compatible service. */
type StorePlace = { kind: 'folder'; path: string } | { kind: 'bucket'; bucket: string; prefix: string }

const bucketNamePattern = /^(?=.{3,63}$)[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/
const bucketAddressPattern = /^s3:\/\/([^/]*)(?:\/(.*))?$/is

/** Tells whether a location is a bucket address rather than a folder. */
export const isBucketAddress = (text: string): boolean => /^s3:/i.test(text)

/** Parses the location of a store; null if the text is neither a folder nor a bucket address. */
export function parseStorePlace(text: string): StorePlace | null {
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(text) && !isBucketAddress(text)) return { kind: 'folder', path: text }
  const [, bucket = '', rest = ''] = bucketAddressPattern.exec(text) ?? []
  const prefix = rest.replace(/^\/+|\/+$/g, '')
  const isValid = bucketNamePattern.test(bucket) && !prefix.split('/').some((part) => /^\.\.?$/.test(part))
  return isValid ? { kind: 'bucket', bucket, prefix } : null
}

/** Folder or `s3://BUCKET/PREFIX` of a shared store; empty for none. */
export const storeLocation = z
  .string()
  .trim()
  .max(2000, 'must have at most 2000 characters')
  .refine(
    (text) => parseStorePlace(text) !== null,
    'must be a folder or s3://BUCKET/PREFIX, with a bucket name of 3 to 63 lower-case letters, digits, “.” and “-”',
  )

/** Tells whether text is an http or https address without user name, query or fragment. */
export function isBareAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password, search, hash } = new URL(text)
  return (protocol === 'https:' || protocol === 'http:') && !username && !password && !search && !hash
}

/** Address of an S3-compatible service; empty for Amazon S3. */
export const storeEndpoint = z
  .string()
  .trim()
  .max(2000, 'must have at most 2000 characters')
  .refine((text) => text === '' || isBareAddress(text), 'must be an https or http address, without query or user name')

/** Parses the key of a store, written as `ID:SECRET`; null if it has another form. */
export function parseStoreKey(key: string): { id: string; secret: string } | null {
  const colon = key.indexOf(':')
  return colon > 0 && colon < key.length - 1 ? { id: key.slice(0, colon), secret: key.slice(colon + 1) } : null
}
