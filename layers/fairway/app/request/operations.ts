import type { OperationTypes } from '#fw/operations'
import type * as fwOperations from '#build/fw-operations'
import { shallowRef } from 'vue'
import { operationRequest } from '#fairway/shared/operation-request'
import { withOrg } from '../session/page-org'
import { type SendOptions, sendJson } from './send-json'

export type OperationName = keyof OperationTypes & string
type InputOf<Name extends OperationName> = OperationTypes[Name]['input']
export type OperationOutput<Name extends OperationName> = OperationTypes[Name]['output']

/** The arguments of a call. The input is optional if none of its fields is required. */
export type OperationArgs<Name extends OperationName> =
  Record<never, never> extends InputOf<Name> ? [input?: InputOf<Name>] : [input: InputOf<Name>]

/** The address of each operation. Undefined until a call uses a name without an address from the build. */
const table = shallowRef<typeof fwOperations.operationRoutes>()
let loading: Promise<void> | undefined

const hasAddress = (name: string): boolean => name.includes(' ')

/** The address and method of an operation, if known: `/_fw/jobs/:id GET`. */
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

/** The name without the address that the build appends. */
export const operationName = (name: OperationName): string => name.split(' ', 1)[0] ?? ''

/** Calls an operation of the platform by name and returns its output. Throws ActionFailure. */
export async function callOperation<Name extends OperationName>(
  name: Name,
  ...[input, options]: [...OperationArgs<Name>, options?: Pick<SendOptions, 'body' | 'timeoutInMs'>]
): Promise<OperationOutput<Name>> {
  if (!hasAddress(name)) await loadAddresses()
  const { path, ...request } = requestOf(name, input)
  // The server has validated the response against the schema of this type.
  return (await sendJson(path, { ...request, ...options })) as OperationOutput<Name>
}

/** The address of a read operation in the organization of this page, for links. In development it is empty until an operation has been called. */
export const operationPath = <Name extends OperationName>(name: Name, ...[input]: OperationArgs<Name>): string =>
  withOrg(requestOf(name, input).path)

/** Whether the operation is a read. Valid only after the operation has been called. */
export const isReading = (name: OperationName): boolean => addressOf(name).endsWith(' GET')

const requestOf = (name: OperationName, input: unknown) => {
  const [path, method] = addressOf(name).split(' ') as [string, NonNullable<SendOptions['method']>]
  // `@click="attempt"` passes the click event.
  return operationRequest({ path, method }, input instanceof Event ? {} : input)
}
