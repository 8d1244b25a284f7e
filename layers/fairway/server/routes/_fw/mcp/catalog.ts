import { catalog } from '#fw/actions'
import { apps, prompts, resources } from '#fw/mcp'
import { toolCatalog } from '#fairway/server/domains/mcp'
import { requireSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'

const declared = { actions: catalog, resources, prompts, apps }

export default defineMethods({
  async GET(event) {
    await requireSession(event)
    return toolCatalog(getApp(event), declared)
  },
})
