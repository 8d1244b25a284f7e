import { z } from 'zod'
import { defineCollection, team } from '#fw'
import { containsFolded } from '#fairway/shared/fold-text'

type Team = Awaited<ReturnType<typeof team.teams>>[number]
const toItem = ({ id, name, total, isFromDirectory }: Team) => ({ id, name, people: total, isFromDirectory })

export default defineCollection({
  description: 'The teams of your organization, by name.',
  shortName: 'Team',
  paginationItemsPerPage: 50,
  item: z.object({
    id: z.string(),
    name: z.string(),
    people: z.int().describe('How many members are in it.'),
    isFromDirectory: z.boolean().describe('Whether a group of the directory decides its people.'),
  }),
  filters: { name: 'search' },
  async source({ filters, pagination }) {
    const [search] = filters
    const wanted = search?.kind === 'search' ? search.value : ''
    const matching = (await team.teams()).filter(({ name }) => containsFolded(name, wanted))
    const items = matching.map(toItem)
    return pagination.toPage(items.slice(pagination.offset, pagination.offset + pagination.limit), matching.length)
  },
  getItem: async wanted => (await team.teams()).filter(({ id }) => id === wanted).map(toItem)[0],
})
