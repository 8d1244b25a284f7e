/** An author's files for a feature: table, action, collection, page, texts and a test. None of them comes from the platform. */
export const feature: Record<string, string> = {
  'server/database/books.ts': `import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { ownableColumns } from 'nuxt-fairway/tables'

export const books = sqliteTable('books', {
  id: text('id').primaryKey(),
  ...ownableColumns(),
  title: text('title').notNull(),
  createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
})
`,
  'server/actions/add-book.ts': `import { z } from 'zod'
import { defineAction, newId, ownedBy } from '#fw'
import { books } from '../database/books'

export default defineAction({
  description: 'Adds a book that only you can see.',
  input: z.object({ title: z.string().trim().min(1).max(200) }),
  output: z.object({ id: z.string() }),
  async run({ title }, { db, session, now }) {
    const id = newId()
    await db.insert(books).values({ id, ...ownedBy(session), title, createdAt: now() })
    return { id }
  },
})
`,
  'server/collections/book-list.ts': `import { z } from 'zod'
import { defineCollection } from '#fw'
import { books } from '../database/books'

export default defineCollection({
  description: 'Your books.',
  item: z.object({ id: z.string(), title: z.string() }),
  source: books,
  scope: 'shared',
  order: ['title'],
  defaultOrder: [{ field: 'title', direction: 'ASC' }],
})
`,
  'app/pages/books.vue': `<script setup lang="ts">
definePageMeta({ navigation: { text: 'books.title', icon: 'i-lucide-book' } })

const { t } = useI18n()
const list = useCollection('book-list', { refreshAfter: ['add-book'] })
const { items } = list
const add = useAction('add-book')
const title = ref('')
</script>

<template>
  <div>
    <PageHeader :title="t('books.title')" :lead="t('books.lead')" />
    <form @submit.prevent="add.run({ title })">
      <UFormField :label="t('books.new')"><UInput v-model="title" /></UFormField>
      <UButton type="submit" :label="t('books.add')" />
    </form>
    <ul>
      <li v-for="book in items" :key="book.id">{{ book.title }}</li>
    </ul>
  </div>
</template>
`,
  'app/locales/en.json': `{ "books": { "title": "Books", "lead": "What you have read.", "new": "New book", "add": "Add book" } }
`,
  'tests/add-book.test.ts': `import { expect, it } from 'vitest'
import addBook from '../server/actions/add-book'

it('refuses a book without a title', () => {
  expect(addBook.input.safeParse({ title: ' ' }).success).toBe(false)
})
`,
}
