import { expect, test } from 'vitest'
import { venuesOfDocuments } from '#shared/catalog/venues.ts'
import { sqlDictionary } from '#core/sql/sqlDictionary.ts'

test('every table and column that a query sees is described', () => {
  const { views } = sqlDictionary([], venuesOfDocuments)
  expect(views.filter(({ description }) => description === '').map(({ name }) => name)).toEqual([])
  const undescribed = views.flatMap(({ schema, name, columns }) =>
    columns.filter((column) => !column.description).map((column) => `${schema}.${name}.${column.name}`),
  )
  expect(undescribed).toEqual([])
})
