import { z } from 'zod'
import { describe, expect, it } from 'vitest'
import { commonTerms, documentSchema, documentTemplate, ownTerms, valuesText } from '#shared/lab/describeFields.ts'
import { fieldsWithin } from '#shared/lab/kinds/field.ts'
import { kindFacts, kindGroups, labKinds } from '#shared/lab/kinds.ts'
import { parseDocument, parseStudy } from '#shared/lab/parseStudy.ts'
import { readyStudiesOn } from '#shared/lab/readyStudies.ts'

it('has every kind in one group', () => {
  expect(kindGroups.flatMap(({ kinds }) => [...kinds] as string[]).toSorted()).toEqual(labKinds.toSorted())
})

describe.each(labKinds)('a document of kind %s', (kind) => {
  const { fields } = kindFacts(kind)

  it('begins with a template that has every field and can be run', () => {
    const template = documentTemplate(kind, ['venuea-futures'])
    expect(Object.keys(template)).toEqual(Object.keys(fields))
    expect(parseDocument(template, { fromCache: true })).toMatchObject(template)
  })

  it('is explained field by field', () => {
    const terms = new Map([...commonTerms(), ...ownTerms(kind)])
    for (const { path, help } of fieldsWithin(fields)) expect(terms.get(`\`${path}\``)).toContain(help)
  })
})

describe('the schema of documents', () => {
  const schema = z.fromJSONSchema(documentSchema() as Parameters<typeof z.fromJSONSchema>[0])

  it('accepts the ready-made studies', () => {
    const { studies, test } = readyStudiesOn({ venue: 'venuea-futures', nowMs: Date.UTC(2026, 7, 15) })
    for (const { document } of [...studies, test]) expect(schema.safeParse(document).success).toBe(true)
  })

  it('refuses what a run refuses', () => {
    const study = { version: 1, kind: 'signal', interval: '1h', signal: 'a' }
    expect(schema.safeParse(study).success).toBe(true)
    for (const wrong of [{ quantiles: 99 }, { horizons: [] }, { sampling: 'some' }, { when: 'a' }, { kind: 'x' }])
      expect(schema.safeParse({ ...study, ...wrong }).success).toBe(false)
  })

  it('says what a value may be', () => {
    expect(valuesText({ type: 'integer', minimum: 2, maximum: 20 })).toBe('a whole number from 2 to 20')
    expect(valuesText({ type: 'number', exclusiveMinimum: 0 })).toBe('a number above 0')
    expect(valuesText({ anyOf: [{ type: 'string' }, { type: 'null' }] })).toBe('a text or `null`')
  })
})

it('answers a kind that does not exist with all kinds', () => {
  expect(() => parseStudy({ version: 1, kind: 'portfolo' }, { fromCache: false })).toThrow(
    `kind: must be one of ${labKinds.join(', ')}.`,
  )
})
