import { defineNitroPlugin } from 'nitropack/runtime'
import { declared } from '#fw/declared'
import { isAction, unknownCollections, unknownUploads, unreadAddress } from '#fairway/server/domains/actions'
import { makerOf } from '#fairway/server/kernel/declaration'

/** Stops the start in development, with file and reason, when a file declares nothing or names an unknown collection. */
export default defineNitroPlugin(() => {
  const collections = new Set(declared.filter(({ maker }) => maker === 'defineCollection').map(({ name }) => name))
  const uploads = new Set(declared.filter(({ maker }) => maker === 'defineUpload').map(({ name }) => name))
  const faults = declared.flatMap(({ path, maker, hasAddress, value }) => {
    if (makerOf(value) !== maker) return [`${path}: the default export is not made by ${maker}`]
    if (!isAction(value)) return []
    const wrong = [
      ...unknownCollections(value, collections),
      ...unknownUploads(value, uploads),
      ...unreadAddress(value, hasAddress),
    ]
    return wrong.map(fault => `${path}: ${fault}`)
  })
  if (faults.length === 0) return
  process.stderr.write(`${faults.join('\n')}\n`)
  process.exit(1)
})
