// Decides what an import does with each row. It only reads, so a dry run and an import decide alike.
import { findOrganizationsNamed, findStandings, type ImportedMember } from '../../server/domains/organizations'
import { findAccountsOf, type ImportedAccount, isLocalIdentity, type KnownAccount } from '../../server/domains/people'
import { seatsLeft } from '../../server/domains/plans'
import type { App } from '../../server/kernel/app-context'
import { newId } from '../../server/kernel/crypto/random'
import { nameSchema } from '../../shared/schemas/name'
import type { FilePerson, FileRow } from './read-people'

export interface Planned {
  row: number
  email: string
  /** `added`: an account that exists becomes a member. */
  outcome: 'created' | 'added' | 'exists' | 'refused'
  /** The reason, or the organization and role. */
  detail?: string
  /** What is written. */
  account?: ImportedAccount
  organization?: { id: string; name: string; ownerId: string }
  member?: ImportedMember
}

interface Organization {
  id: string
  name: string
  /** Whether this import creates it. */
  isNew: boolean
}

/** An address of the file. */
interface Seen {
  row: number
  spelling: string
  passwordHash: string | null
  organizations: Set<string>
  /** The account, once a row has created it. */
  account?: ImportedAccount
}

class Refusal extends Error {}

/** What the database knows about the rows of a piece. */
interface Known {
  accounts: ReadonlyMap<string, KnownAccount>
  /** By `standingKey`. */
  standings: ReadonlyMap<string, { isMember: number; isKeptOut: number }>
}

const standingKey = (orgId: string, userId: string): string => `${orgId} ${userId}`

/** Plans the rows of one file, in pieces. */
export class ImportPlan {
  readonly #seen = new Map<string, Seen>()
  readonly #named = new Map<string, { id: string; name: string }[]>()
  readonly #created = new Map<string, Organization>()
  readonly #seats = new Map<string, Awaited<ReturnType<typeof seatsLeft>>>()

  constructor(
    private readonly app: App,
    private readonly options: { createsOrganizations: boolean },
  ) {}

  /** Plans the next rows of the file. */
  async next(rows: readonly FileRow[]): Promise<Planned[]> {
    const known = await this.#read(rows)
    const planned: Planned[] = []
    for (const read of rows) {
      const { row, spelling, email, person } = read
      try {
        if (email !== null) this.#checkRepeated({ ...read, email })
        if ('fault' in person) throw new Refusal(person.fault)
        planned.push({ row, email: person.email, ...(await this.#decide(person, known)) })
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        planned.push({ row, email: spelling, outcome: 'refused', detail: error.message })
      }
    }
    return planned
  }

  async #read(rows: readonly FileRow[]): Promise<Known> {
    const people = rows.flatMap(({ person }) => ('fault' in person ? [] : person))
    const known = await findAccountsOf(
      this.app,
      people.map(({ email }) => email),
    )
    const accounts = new Map(known.map(account => [account.email, account]))
    const pairs: { orgId: string; userId: string }[] = []
    for (const { email, organization } of people) {
      if (organization === '') continue
      const userId = accounts.get(email)?.id
      const named = await this.#organizationsNamed(organization)
      if (userId !== undefined) pairs.push(...named.map(({ id: orgId }) => ({ orgId, userId })))
    }
    const standings = await findStandings(this.app, pairs)
    return { accounts, standings: new Map(standings.map(each => [standingKey(each.orgId, each.userId), each])) }
  }

  async #organizationsNamed(text: string): Promise<{ id: string; name: string }[]> {
    const named = this.#named.get(text) ?? (await findOrganizationsNamed(this.app, text))
    this.#named.set(text, named)
    return named
  }

  /** Several rows of one address add one person to several organizations. Anything else that repeats an address is refused. */
  #checkRepeated({ row, spelling, email, person }: FileRow & { email: string }): void {
    const [passwordHash, organization] = 'fault' in person ? [null, ''] : [person.passwordHash, person.organization]
    const before = this.#seen.get(email)
    if (!before) {
      this.#seen.set(email, { row, spelling, passwordHash, organizations: new Set([organization.toLowerCase()]) })
      return
    }
    if (before.spelling !== spelling) throw new Refusal(`Row ${before.row} has this address in another spelling.`)
    if (passwordHash !== null && passwordHash !== before.passwordHash)
      throw new Refusal(`Row ${before.row} has this address with another password hash.`)
    if (organization === '' || before.organizations.has(organization.toLowerCase()))
      throw new Refusal(`Row ${before.row} has this address.`)
    before.organizations.add(organization.toLowerCase())
  }

  async #decide(person: FilePerson, known: Known): Promise<Omit<Planned, 'row' | 'email'>> {
    const { email, name, isConfirmed, passwordHash } = person
    if (isLocalIdentity({ email, kind: 'person' })) throw new Refusal('The address is reserved.')
    const seen = this.#seen.get(email)
    const present = known.accounts.get(email) ?? seen?.account
    const account = present ? undefined : { id: newId(), email, name, isConfirmed, passwordHash }
    const who = present ?? account
    const joined = who && person.organization !== '' ? await this.#join(person, who, known) : {}
    if (seen && account) seen.account = account
    return { outcome: account ? 'created' : joined.member ? 'added' : 'exists', account, ...joined }
  }

  async #join(
    { organization: text, role }: FilePerson,
    who: { id: string; isConfirmed: boolean },
    { standings }: Known,
  ): Promise<Pick<Planned, 'detail' | 'organization' | 'member'>> {
    // A stranger may have signed up with the address of a future member, here or there.
    if (!who.isConfirmed)
      throw new Refusal('The address is not confirmed, so the person cannot become a member. Invite them instead.')
    const { id, name, isNew } = await this.#find(text, role)
    const standing = standings.get(standingKey(id, who.id))
    if (standing?.isMember) return { detail: `already a member of ${name}` }
    if (standing?.isKeptOut) throw new Refusal(`The directory of ${name} has removed this person.`)
    await this.#takeSeat({ id, isNew })
    const isFirst = isNew && !this.#created.has(text.toLowerCase())
    if (isFirst) this.#created.set(text.toLowerCase(), { id, name, isNew })
    return {
      detail: `${role} of ${name}${isFirst ? ', a new organization' : ''}`,
      member: { orgId: id, userId: who.id, role },
      ...(isFirst ? { organization: { id, name, ownerId: who.id } } : {}),
    }
  }

  async #find(text: string, role: FilePerson['role']): Promise<Organization> {
    const created = this.#created.get(text.toLowerCase())
    if (created) return created
    const [first, second] = await this.#organizationsNamed(text)
    if (second && first?.id !== text)
      throw new Refusal(`Several organizations have the name “${text}”. Write the ID of one.`)
    if (first) return { ...first, isNew: false }
    const { data: name } = nameSchema(100).safeParse(text)
    if (name === undefined) throw new Refusal('The organization has no valid name.')
    if (!this.options.createsOrganizations)
      throw new Refusal(`There is no organization “${name}”. With --create-organizations it is created.`)
    if (role !== 'owner') throw new Refusal(`There is no organization “${name}” yet. The row of its owner comes first.`)
    return { id: newId(), name, isNew: true }
  }

  async #takeSeat({ id, isNew }: Pick<Organization, 'id' | 'isNew'>): Promise<void> {
    if (!this.#seats.has(id)) this.#seats.set(id, await seatsLeft(this.app, isNew ? null : id))
    const seats = this.#seats.get(id)
    if (!seats) return
    if (seats.left <= 0) throw new Refusal(seats.sentence)
    seats.left -= 1
  }
}
