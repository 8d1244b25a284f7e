import { z } from 'zod'
import { defineCollection, ORG_ROLES, team, TraversablePaginator } from '#fw'

export default defineCollection({
  description: 'The members of your organization, the longest there first.',
  shortName: 'Member',
  paginationItemsPerPage: 20,
  item: z.object({
    id: z.string(),
    userId: z.string(),
    email: z.string(),
    /** Filters match parts of the name or of the address. */
    name: z.string(),
    image: z.string().nullable(),
    role: z.enum(ORG_ROLES),
    joinedAt: z.string(),
    /** Null when the person is signed out everywhere, and for readers who may not see it. */
    lastActiveAt: z.string().nullable(),
  }),
  filters: { name: 'search', role: 'exact' },
  order: ['name', 'role', 'joinedAt', 'lastActiveAt'],
  search: {
    title: 'name',
    description: 'email',
    to: '/team?members-name={email}',
    icon: 'i-lucide-user',
    text: 'pages.team',
  },
  async source({ filters, order: [first], pagination: { page, limit } }) {
    const search = filters.find(({ field }) => field === 'name')
    const wanted = filters.find(({ field }) => field === 'role')
    const roles = wanted?.kind === 'exact' ? ORG_ROLES.filter(role => wanted.values.includes(role)) : undefined
    // An empty list of roles matches no person.
    if (roles?.length === 0) return new TraversablePaginator([], page, limit, 0)
    const { members, totalItems } = await team.members({
      page,
      itemsPerPage: limit,
      search: search?.kind === 'search' ? search.value : '',
      roles,
      order: first && { field: orderSchema.parse(first.field), isDescending: first.direction === 'DESC' },
    })
    const items = members.map(member => ({ id: member.userId, ...member }))
    return new TraversablePaginator(items, page, limit, totalItems)
  },
})

const orderSchema = z.enum(['name', 'role', 'joinedAt', 'lastActiveAt'])
