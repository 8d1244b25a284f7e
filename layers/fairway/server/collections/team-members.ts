import { z } from 'zod'
import { defineCollection, ORG_ROLES, team, TraversablePaginator } from '#fw'

export default defineCollection({
  description: 'The members of your organization, the longest there first.',
  shortName: 'Member',
  item: z.object({
    id: z.string(),
    userId: z.string(),
    email: z.string(),
    /** Filtering by it finds parts of the name or of the address. */
    name: z.string(),
    image: z.string().nullable(),
    role: z.enum(ORG_ROLES),
    joinedAt: z.string(),
  }),
  filters: { name: 'search' },
  search: {
    title: 'name',
    description: 'email',
    to: '/team?members-name={email}',
    icon: 'i-lucide-user',
    text: 'pages.team',
  },
  async source({ filters, pagination: { page, limit } }) {
    const search = filters.find(({ field }) => field === 'name')
    const { members, totalItems } = await team.members({
      page,
      itemsPerPage: limit,
      search: search?.kind === 'search' ? search.value : '',
    })
    const items = members.map(member => ({ id: member.userId, ...member }))
    return new TraversablePaginator(items, page, limit, totalItems)
  },
})
