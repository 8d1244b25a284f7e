import type { OperationTypes } from '#fw/operations'
import type * as fwOperations from '#build/fw-operations'
import { shallowRef } from 'vue'
import { type SendOptions, sendJson } from './send-json'

export type OperationName = keyof OperationTypes & string
type InputOf<Name extends OperationName> = OperationTypes[Name]['input']
export type OperationOutput<Name extends OperationName> = OperationTypes[Name]['output']

/** The arguments of a call; the input may be left out where nothing of it is required. */
export type OperationArgs<Name extends OperationName> =
  Record<never, never> extends InputOf<Name> ? [input?: InputOf<Name>] : [input: InputOf<Name>]

/** The address of each operation; undefined until a name is called whose address the build has not written beside it. */
const table = shallowRef<typeof fwOperations.operationRoutes>()
let loading: Promise<void> | undefined

const hasAddress = (name: string): boolean => name.includes(' ')

/** The address of an operation and its method, as far as it is known: `/_fw/jobs/:id GET`. */
const addressOf = (name: OperationName): string =>
  hasAddress(name) ? name.slice(name.indexOf(' ') + 1) : (table.value?.[name] ?? '')

async function loadAddresses(): Promise<void> {
  loading ??= import('#build/fw-operations').then(
    ({ operationRoutes }) => void (table.value = operationRoutes),
    (error: unknown) => {
      loading = undefined
      throw error
    },
  )
  return loading
}

/** The name alone, without the address that the build has written beside it. */
export const operationName = (name: OperationName): string => name.split(' ', 1)[0] ?? ''

/** Calls an operation of the platform by its name and returns its output; throws ActionFailure. */
export async function callOperation<Name extends OperationName>(
  name: Name,
  ...[input, options]: [...OperationArgs<Name>, options?: Pick<SendOptions, 'body' | 'timeoutInMs'>]
): Promise<OperationOutput<Name>> {
  if (!hasAddress(name)) await loadAddresses()
  const { path, ...request } = requestOf(name, input)
  // The server has checked the answer against the schema that this type is made from.
  return (await sendJson(path, { ...request, ...options })) as OperationOutput<Name>
}

/** The address of an operation that reads, for links. In development it is empty until an operation has been called. */
export const operationPath = <Name extends OperationName>(name: Name, ...[input]: OperationArgs<Name>): string =>
  requestOf(name, input).path

/** Whether it changes nothing; only of an operation that has been called. */
export const isReading = (name: OperationName): boolean => addressOf(name).endsWith(' GET')

interface OperationRequest extends Pick<SendOptions, 'method' | 'body'> {
  path: string
}

/** Fields that the address names become part of it; the others are the query of GET, and the body of everything else. */
function requestOf(name: OperationName, input: unknown): OperationRequest {
  const [template, method] = addressOf(name).split(' ') as [string, NonNullable<SendOptions['method']>]
  // `@click="attempt"` hands over the event of the click.
  const given = input instanceof Event ? {} : (input ?? {})
  const fields = new Map(Object.entries(given).filter(([, value]) => value !== undefined))
  const path = template.replaceAll(/:(\w+)/g, (_, field: string) => {
    const value = fields.get(field)
    fields.delete(field)
    return encodeURIComponent(String(value))
  })
  const isInQuery = (field: string) => method === 'GET' || field === 'dryRun'
  const query = new URLSearchParams(
    [...fields].flatMap(([field, value]) => (isInQuery(field) ? [[field, String(value)]] : [])),
  )
  const body = Object.fromEntries([...fields].filter(([field]) => !isInQuery(field)))
  return {
    method,
    path: query.size > 0 ? `${path}?${query}` : path,
    ...(Object.keys(body).length > 0 ? { body } : {}),
  }
}
