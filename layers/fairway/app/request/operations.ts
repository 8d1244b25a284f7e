import type { OperationTypes } from '#fw/operations'
import { operationPrefix, operationRoutes } from '#build/fw-operations'
import { type SendOptions, sendJson } from './send-json'

export type OperationName = keyof OperationTypes & string
type InputOf<Name extends OperationName> = OperationTypes[Name]['input']
export type OperationOutput<Name extends OperationName> = OperationTypes[Name]['output']

/** The arguments of a call; the input may be left out where nothing of it is required. */
export type OperationArgs<Name extends OperationName> =
  Record<never, never> extends InputOf<Name> ? [input?: InputOf<Name>] : [input: InputOf<Name>]

/** Calls an operation of the platform by its name and returns its output; throws ActionFailure. */
export async function callOperation<Name extends OperationName>(
  name: Name,
  ...[input, options]: [...OperationArgs<Name>, options?: Pick<SendOptions, 'body' | 'timeoutInMs'>]
): Promise<OperationOutput<Name>> {
  const { path, ...request } = requestOf(name, input)
  // The server has checked the answer against the schema that this type is made from.
  return (await sendJson(path, { ...request, ...options })) as OperationOutput<Name>
}

/** The address of an operation that reads, for links. */
export const operationPath = <Name extends OperationName>(name: Name, ...[input]: OperationArgs<Name>): string =>
  requestOf(name, input).path

/** Whether it changes nothing. */
export const isReading = (name: OperationName): boolean => operationRoutes[name].endsWith(' GET')

interface OperationRequest extends Pick<SendOptions, 'method' | 'body'> {
  path: string
}

/** Fields that the address names become part of it; the others are the query of GET, and the body of everything else. */
function requestOf(name: OperationName, input: unknown): OperationRequest {
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
