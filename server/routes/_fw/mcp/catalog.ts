import { catalog } from '#fw/actions'
import { apps, prompts, resources } from '#fw/mcp'
import { toolCatalog } from '#server/domains/mcp'
import { requireSession } from '#server/domains/sessions'
import { getApp } from '#server/foundation/app-context'
import { defineMethods } from '#server/foundation/http/methods'

const declared = { actions: catalog, resources, prompts, apps }

export default defineMethods({
  async GET(event) {
    await requireSession(event)
    return toolCatalog(getApp(event), declared)
  },
})
