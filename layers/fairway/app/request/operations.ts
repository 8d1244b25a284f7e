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

type Table = typeof fwOperations

/** Where the operations are; undefined until somebody calls one. */
const table = shallowRef<Table>()
let loading: Promise<Table> | undefined

/** Loads where the operations are: the page of somebody who is signed out calls none. */
export function loadOperations(): Promise<Table> {
  loading ??= import('#build/fw-operations').then(
    loaded => (table.value = loaded),
    (error: unknown) => {
      loading = undefined
      throw error
    },
  )
  return loading
}

/** Calls an operation of the platform by its name and returns its output; throws ActionFailure. */
export async function callOperation<Name extends OperationName>(
  name: Name,
  ...[input, options]: [...OperationArgs<Name>, options?: Pick<SendOptions, 'body' | 'timeoutInMs'>]
): Promise<OperationOutput<Name>> {
  const { path, ...request } = requestOf(await loadOperations(), name, input)
  // The server has checked the answer against the schema that this type is made from.
  return (await sendJson(path, { ...request, ...options })) as OperationOutput<Name>
}

/** The address of an operation that reads, for links; empty until the operations are loaded, which what is computed follows. */
export const operationPath = <Name extends OperationName>(name: Name, ...[input]: OperationArgs<Name>): string =>
  table.value ? requestOf(table.value, name, input).path : ''

/** Whether it changes nothing; only of an operation that has been called. */
export const isReading = (name: OperationName): boolean => table.value?.operationRoutes[name].endsWith(' GET') ?? false

interface OperationRequest extends Pick<SendOptions, 'method' | 'body'> {
  path: string
}

/** Fields that the address names become part of it; the others are the query of GET, and the body of everything else. */
function requestOf({ operationPrefix, operationRoutes }: Table, name: OperationName, input: unknown): OperationRequest {
  const [template, method] = operationRoutes[name].split(' ') as [string, NonNullable<SendOptions['method']>]
  // `@click="attempt"` hands over the event of the click.
  const given = input instanceof Event ? {} : (input ?? {})
  const fields = new Map(Object.entries(given).filter(([, value]) => value !== undefined))
  const path = (operationPrefix + template).replaceAll(/:(\w+)/g, (_, field: string) => {
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
