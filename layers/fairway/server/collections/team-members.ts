import { z } from 'zod'
import { defineCollection, ORG_ROLES, team } from '#fw'
import { organizationMemberSchema } from '#fairway/shared/schemas/organization'

export default defineCollection({
  description: 'The members of your organization, the longest there first.',
  shortName: 'Member',
  paginationItemsPerPage: 20,
  // Filters by name match parts of the name or of the address.
  item: z.object({ id: z.string(), ...organizationMemberSchema.shape }),
  filters: { name: 'search', role: 'exact' },
  order: ['name', 'role', 'joinedAt', 'lastActiveAt'],
  search: {
    title: 'name',
    description: 'email',
    to: '/team?members-name={email}',
    icon: 'i-lucide-user',
    text: 'pages.team',
  },
  async source({ filters, order: [first], pagination }) {
    const search = filters.find(({ field }) => field === 'name')
    const wanted = filters.find(({ field }) => field === 'role')
    const { members, totalItems } = await team.members({
      page: pagination.page,
      itemsPerPage: pagination.limit,
      search: search?.kind === 'search' ? search.value : '',
      roles: wanted?.kind === 'exact' ? ORG_ROLES.filter(role => wanted.values.includes(role)) : undefined,
      order: first && { field: orderSchema.parse(first.field), isDescending: first.direction === 'DESC' },
    })
    const items = members.map(member => ({ id: member.userId, ...member }))
    return pagination.toPage(items, totalItems)
  },
})

const orderSchema = z.enum(['name', 'role', 'joinedAt', 'lastActiveAt'])
