import { defineCollection, outputOf } from '#fw'
import { studios } from '../database/studios'

export default defineCollection({
  description: 'The studios that visitors can book.',
  public: true,
  item: outputOf(studios, { omit: ['orgId', 'createdBy', 'createdByName', 'email'] }),
  source: studios,
  filters: { slug: 'exact' },
  order: ['name'],
  defaultOrder: [{ field: 'name', direction: 'ASC' }],
})
