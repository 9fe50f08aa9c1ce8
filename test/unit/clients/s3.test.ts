import { expect, it } from 'vitest'
import { createS3Bucket } from '#core/clients/s3.ts'
import type { OpenResponse } from '#core/clients/http.ts'

const { signal } = new AbortController()

/** Creates a bucket whose service answers every request with a listing. */
function bucketThat(listing: (request: number) => string) {
  let requests = 0
  const open = () => {
    const bytes = Buffer.from(`<ListBucketResult>${listing(++requests)}</ListBucketResult>`)
    return Promise.resolve({ body: [bytes] } as unknown as OpenResponse)
  }
  return createS3Bucket({ open }, { bucket: 'research', endpoint: 'https://s3.example', plainHttp: false, key: null })
}

const object = (key: string, size = '12') => `<Contents><Key>${key}</Key><Size>${size}</Size></Contents>`

it('reads a listing of beginnings without an end in one pass', async () => {
  const listing = object('a/1') + '<Contents><Key>'.repeat(200_000) + '<CommonPrefixes>'.repeat(200_000)
  const { objects } = await bucketThat(() => listing).list('a/', signal)
  expect(objects.map(({ key }) => key)).toEqual(['a/1'])
})

it.each([
  ['a name that is no percent encoding', `<EncodingType>url</EncodingType>${object('a/%E9%')}`],
  ['a next page without its token', `<IsTruncated>true</IsTruncated>${object('a/1')}`],
])('refuses %s as no answer of such a service', async (_, listing) => {
  await expect(bucketThat(() => listing).list('a/', signal)).rejects.toMatchObject({ code: 'bad-answer' })
})

it('leaves out an object without a size, and ends with a listing that does not', async () => {
  const { objects } = await bucketThat(() => object('a/1', 'Infinity') + object('a/2')).list('a/', signal)
  expect(objects).toMatchObject([{ key: 'a/2', sizeBytes: 12 }])
  const next = '<IsTruncated>true</IsTruncated><NextContinuationToken>more</NextContinuationToken>'
  const endless = bucketThat(() => next + object('a/1').repeat(1000))
  await expect(endless.list('a/', signal)).rejects.toMatchObject({ code: 'too-large' })
})
