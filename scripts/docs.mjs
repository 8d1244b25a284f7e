// `npm run docs`: writes .env.example and docs/reference from the code; `-- <folder>` writes them to that folder.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createJiti } from 'jiti'
import {
  commandsPage,
  componentsPage,
  composablesPage,
  endpointsPage,
  errorsPage,
  namesPage,
} from './reference/pages.mjs'
import { sampleDir } from './sample.mjs'

const platform = fileURLToPath(new URL('../layers/fairway', import.meta.url))
const { aliases } = await createJiti(import.meta.url).import('../layers/fairway/modules/registry/roots.ts')
const jsx = { runtime: 'automatic', importSource: 'vue' }
const jiti = createJiti(import.meta.url, { alias: aliases(sampleDir), jsx })
const { configurationDoc, envExample } = await jiti.import('../layers/fairway/server/kernel/config/env-doc.ts')
const { published } = await jiti.import('../layers/fairway/published.ts')
const { errorCatalog } = await jiti.import('../layers/fairway/shared/errors.ts')
const { fieldErrors } = await jiti.import('../layers/fairway/shared/field-errors.ts')
const { findOperations } = await jiti.import('../layers/fairway/modules/registry/operation-files.ts')
const { limits } = await jiti.import('../layers/fairway/server/kernel/limits/limits.ts')
const { ORG_PERMISSIONS } = await jiti.import('../layers/fairway/shared/roles.ts')
const { commandLine } = await jiti.import('../layers/fairway/cli/main.ts')

const missing = []
const files = {
  '.env.example': envExample(),
  'docs/reference/fw.md': namesPage(
    {
      title: '#fw',
      lead: 'What server code and `fw.config.ts` import from `#fw`.',
      order: 10,
      file: join(platform, 'server/fw.ts'),
      names: published.server,
      platform,
    },
    missing,
  ),
  'docs/reference/client.md': namesPage(
    {
      title: '#fw/client',
      lead: 'What pages and components import from `#fw/client`; [composables](composables.md) and [components](components.md) come without an import.',
      order: 20,
      file: join(platform, 'app/client.ts'),
      names: published.client,
      platform,
    },
    missing,
  ),
  'docs/reference/composables.md': composablesPage({ names: published.composables, platform, order: 30 }, missing),
  'docs/reference/components.md': componentsPage({ names: published.components, platform, order: 40 }, missing),
  'docs/reference/command-line.md': await commandsPage({
    program: commandLine(url => import(url)),
    names: published.commands,
    order: 50,
  }),
  'docs/reference/settings.md': configurationDoc(),
  'docs/reference/errors.md': errorsPage({ catalog: errorCatalog, fieldErrors, order: 70 }),
  'docs/reference/endpoints.md': endpointsPage({
    operations: findOperations(),
    limits,
    permissions: ORG_PERMISSIONS,
    order: 65,
  }),
}
const [hidden] = /^.*=> …$/m.exec(files['docs/reference/fw.md']) ?? []
if (hidden) throw new Error(`Write down the return type that the reference shows: ${hidden}`)
if (missing.length > 0) throw new Error(`No sentence stands above what is published: ${missing.join(', ')}.`)

const folder = process.argv[2] ?? '.'
for (const [path, text] of Object.entries(files)) {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}
