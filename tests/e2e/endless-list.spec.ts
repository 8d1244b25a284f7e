import { join } from 'node:path'
import { type Page, test as base } from '@playwright/test'
import { expectNoViolations } from '../support/accessibility'
import { runNuxt, writeProject } from '../support/author-project'
import { expect, oncePerFile } from '../support/e2e'
import { signUp } from '../support/people'
import { startServer } from '../support/server'

/** All that an author writes for a list without an end: a collection and a page. */
const files = {
  'server/collections/berth-list.ts': `import { z } from 'zod'
import { defineCollection } from '#fw'
const berths = Array.from({ length: 120 }, (_, index) => ({ id: String(index + 1), title: \`Berth \${index + 1}\` }))
export default defineCollection({
  description: 'The berths of the harbour.',
  item: z.object({ id: z.string(), title: z.string() }),
  source: ({ pagination }) =>
    pagination.toPage(berths.slice(pagination.offset, pagination.offset + pagination.limit), berths.length),
  getItem: id => berths.find(berth => berth.id === id),
  guard: ({ session }) => session.email !== 'eve@example.test',
})
`,
  'app/pages/berths/index.vue': `<script setup lang="ts">
definePageMeta({ navigation: { text: 'berths.title', icon: 'i-lucide-anchor', order: 25 } })
const list = useCollection('berth-list', { mode: 'infinite' })
</script>

<template>
  <div>
    <PageHeader :title="$t('berths.title')" lead="" />
    <CollectionTable :list="list" name="Berths" :columns="[{ key: 'title', label: 'Berth' }]" loading="…" failed="Not here.">
      <template #cell-title="{ item }"><NuxtLink :to="\`/berths/\${item.id}\`">{{ item.title }}</NuxtLink></template>
    </CollectionTable>
  </div>
</template>
`,
  'app/pages/berths/[id].vue': `<script setup lang="ts">
const route = useRoute()
const { item, status, isMissing, isForbidden } = useItem('berth-list', () => String(route.params.id))
</script>

<template>
  <div>
    <h1>{{ item?.title ?? status }}</h1>
    <p v-if="isMissing">There is no such berth.</p>
    <p v-if="isForbidden">This is not for you.</p>
    <NuxtLink to="/berths/121">Further</NuxtLink>
  </div>
</template>
`,
  'app/locales/en.json': JSON.stringify({ berths: { title: 'Berths' } }),
}

const test = base.extend<{ origin: string }, { harbour: Awaited<ReturnType<typeof startServer>> }>({
  harbour: [
    oncePerFile(async () => {
      const project = writeProject(files)
      await runNuxt(project, 'build')
      const server = await startServer({ output: join(project.dir, '.output') })
      return { ...server, stop: () => server.stop().finally(() => project.remove()) }
    })[0],
    { scope: 'worker', timeout: 600_000 },
  ],
  origin: async ({ harbour }, use) => use(harbour.origin),
})

const rows = (page: Page) => page.getByRole('main').getByRole('link', { name: /^Berth \d/ })
let people = 0
const somebody = () => ({ name: 'Ada', email: `ada${++people}@example.test`, password: 'quiet harbour lantern 42' })

test('a list goes on as its end comes into sight, and stops at the last row', async ({ page, origin }) => {
  await signUp(page, origin, somebody())
  const asked: string[] = []
  page.on('request', request => {
    if (request.url().includes('/berth-list?')) asked.push(new URL(request.url()).search)
  })
  await page.goto(`${origin}/berths`)
  await expect(rows(page).first()).toBeVisible()
  const before = await rows(page).count()
  expect(before).toBeLessThan(120)
  await page.mouse.move(600, 400)
  await expect
    .poll(async () => {
      await page.mouse.wheel(0, 1500)
      return rows(page).count()
    })
    .toBe(120)
  await expect(page.getByText('1–120 of 120').first()).toBeVisible()
  await expect(page.getByRole('button', { name: 'Load more' })).toHaveCount(0)
  await page.mouse.wheel(0, 3000)
  expect(asked).toEqual(['?page=2', '?page=3', '?page=4'])
  await expectNoViolations(page)
})

test('who comes back finds the rows and the place that were there', async ({ page, origin }) => {
  await signUp(page, origin, somebody())
  await page.goto(`${origin}/berths`)
  await page.mouse.move(600, 400)
  await expect
    .poll(async () => {
      await page.mouse.wheel(0, 1500)
      return rows(page).count()
    })
    .toBe(120)
  await rows(page).nth(95).scrollIntoViewIfNeeded()
  await rows(page).nth(95).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Berth 96')
  await page.goBack()
  await expect(rows(page)).toHaveCount(120)
  await expect(rows(page).nth(95)).toBeInViewport()
})

test('the keyboard and a failure have a button', async ({ page, origin }) => {
  await signUp(page, origin, somebody())
  let isBroken = true
  await page.route('**/berth-list?page=*', route => (isBroken ? route.abort() : route.continue()))
  await page.goto(`${origin}/berths`)
  await expect(rows(page)).toHaveCount(30)
  await page.keyboard.press('End')
  await expect(page.getByText('The next rows could not be loaded.')).toBeVisible()
  await expect(rows(page)).toHaveCount(30)
  isBroken = false
  const button = page.getByRole('button', { name: 'Try again' })
  await button.focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => rows(page).count()).toBeGreaterThan(30)
  await expect
    .poll(async () => {
      await page.keyboard.press('End')
      return rows(page).count()
    })
    .toBe(120)
})

test('an item says whether it is there, missing or not for this person', async ({ page, origin }) => {
  await signUp(page, origin, somebody())
  await page.goto(`${origin}/berths/7`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Berth 7')
  await page.getByRole('link', { name: 'Further' }).click()
  await expect(page.getByText('There is no such berth.')).toBeVisible()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('error')
  await page.context().clearCookies()
  await signUp(page, origin, { name: 'Eve', email: 'eve@example.test', password: 'quiet harbour lantern 42' })
  await page.goto(`${origin}/berths/7`)
  await expect(page.getByText('This is not for you.')).toBeVisible()
})
