import { defineNitroPlugin } from 'nitropack/runtime'
import { catalog } from '#fw/actions'
import { pages } from '#fw/pages'
import { checkEmbedDeclarations } from '#fairway/server/domains/pages'

/** Stops the start when an action names a missing embed page. */
export default defineNitroPlugin(() => {
  try {
    checkEmbedDeclarations(catalog, pages)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(1)
  }
})
