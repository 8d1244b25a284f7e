// Reads the file of `fw people import`.
import { csvFaults, type CsvRow, readCsv } from '../../shared/csv/read-csv'
import { suggestion } from '../../shared/nearest-name'
import { ORG_ROLES, type OrgRole } from '../../shared/roles'
import { emailSchema } from '../../shared/schemas/email'
import { optionalNameSchema, toPlainLine } from '../../shared/schemas/name'
import { ForeignHashFault, readForeignHash } from '../../server/kernel/crypto/foreign-hash'
import { UsageFault } from '../terminal'

const COLUMNS = ['email', 'name', 'confirmed', 'password_hash', 'organization', 'role'] as const
type Cells = Partial<Record<(typeof COLUMNS)[number], string>>

/** A person as a row of the file describes them. */
export interface FilePerson {
  /** In the form of accounts. */
  email: string
  name: string
  isConfirmed: boolean
  passwordHash: string | null
  /** The name or ID of an organization; empty for none. */
  organization: string
  role: OrgRole
}

export interface FileRow {
  /** The number that a spreadsheet shows. */
  row: number
  /** The address as the file spells it, in one plain line. */
  spelling: string
  /** The address in the form of accounts; null when it is none. */
  email: string | null
  /** The person, or why the row cannot be imported. */
  person: FilePerson | { fault: string }
}

/** Yields the rows of the file. Throws a UsageFault for a header that is missing, or has unknown columns. */
export async function* readPeople(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<FileRow> {
  let columns: Cells | undefined
  for await (const read of readCsv(bytes)) {
    if (columns) yield toRow(read, columns)
    else columns = columnsOf(read)
  }
  if (!columns) throw new UsageFault('The file is empty. Its first row has the names of the columns.')
}

/** The columns of the header: the name of each with its position as a text. */
function columnsOf({ cells, fault }: CsvRow): Cells {
  if (fault) throw new UsageFault(`The first row ${csvFaults[fault]}`)
  const names = cells.map(cell => cell.toLowerCase())
  for (const name of names) {
    if (COLUMNS.some(column => column === name)) continue
    throw new UsageFault(
      `The file has an unknown column “${toPlainLine(name)}”.${suggestion(name, COLUMNS)} The columns are ${COLUMNS.join(', ')}.`,
    )
  }
  if (!names.includes('email')) throw new UsageFault('The file has no column email.')
  return Object.fromEntries(names.map((name, index) => [name, String(index)]))
}

function toRow({ row, cells, fault }: CsvRow, columns: Cells): FileRow {
  const values: Cells = Object.fromEntries(
    Object.entries(columns).map(([name, index]) => [name, (cells[Number(index)] ?? '').trim()]),
  )
  const spelling = toPlainLine(values.email ?? '').slice(0, 254)
  const parsed = emailSchema.safeParse(values.email)
  const email = parsed.success ? parsed.data : null
  if (fault) return { row, spelling, email, person: { fault: `The row ${csvFaults[fault]}` } }
  if (email === null) return { row, spelling, email, person: { fault: 'The address is not valid.' } }
  return { row, spelling, email, person: toPerson(email, values) }
}

/** Why a row cannot be imported. */
class RowFault extends Error {}

function toPerson(email: string, cells: Cells): FileRow['person'] {
  const { organization = '', role = '' } = cells
  try {
    if (role !== '' && organization === '') throw new RowFault('A role needs an organization.')
    return {
      email,
      name: nameOf(cells.name ?? ''),
      isConfirmed: confirmedOf(cells.confirmed ?? ''),
      passwordHash: hashOf(cells.password_hash ?? ''),
      organization,
      role: roleOf(role),
    }
  } catch (error) {
    if (error instanceof RowFault || error instanceof ForeignHashFault) return { fault: error.message }
    throw error
  }
}

function nameOf(text: string): string {
  const name = optionalNameSchema(100).safeParse(text)
  if (!name.success) throw new RowFault('The name has more than 100 characters.')
  return name.data
}

const YES = ['true', 'yes', '1', 'y', 't']
const NO = ['false', 'no', '0', 'n', 'f', '']

function confirmedOf(text: string): boolean {
  const word = text.toLowerCase()
  if (!YES.includes(word) && !NO.includes(word))
    throw new RowFault(`“${toPlainLine(text)}” in confirmed is neither true nor false.`)
  return YES.includes(word)
}

/** The hash, which another program made. It is read here, so that no row has one that cannot be verified. */
function hashOf(text: string): string | null {
  if (text === '') return null
  readForeignHash(text)
  return text
}

function roleOf(text: string): OrgRole {
  const role = text === '' ? 'member' : ORG_ROLES.find(each => each === text.toLowerCase())
  if (!role) throw new RowFault(`“${toPlainLine(text)}” is no role. The roles are ${ORG_ROLES.join(', ')}.`)
  return role
}
