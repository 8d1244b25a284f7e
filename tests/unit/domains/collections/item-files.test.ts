import { expect, it } from 'vitest'
import { z } from 'zod'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { defineCollection, outputOf } from '#fw'
import { hostFileReader } from '#fairway/server/domains/collections'
import { file, files, organizationColumns, storedFile } from '#fairway/server/fw-tables'

const leases = sqliteTable('leases', {
  id: text('id').primaryKey(),
  ...organizationColumns(),
  contract: file('contract', { upload: 'contract' }),
  photos: files('photos', { upload: 'photos' }).notNull().default([]),
})

const collection = (mcp: boolean) =>
  defineCollection({
    description: 'The leases.',
    mcp,
    item: outputOf(leases, {
      omit: ['orgId'],
      extend: { contract: storedFile.nullable(), photos: z.array(storedFile) },
    }),
    source: leases,
    scope: 'organization',
  })

it('hostFileReader offers files only from collections that hosts can list', () => {
  expect(hostFileReader([])).toBeUndefined()
  expect(hostFileReader([{ name: 'leases', collection: collection(false) }])).toBeUndefined()
  expect(hostFileReader([{ name: 'leases', collection: collection(true) }])).toBeTypeOf('function')
})
