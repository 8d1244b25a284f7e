/** @public The types that the build generates for providers refer to it. */
export type { ProviderRecord } from './define-provider'
export { getAccessToken, getMachineToken } from './access-tokens'
export { endConnection, startConnection, oauthClientRows } from './connect'
export { publicClientKeys } from './client-assertion-keys'
export {
  type ConnectionClient,
  endConnectionSignIn,
  fetchIssuerKeys,
  readIssuer,
  startConnectionSignIn,
} from './connection-sign-in'
export { type ConnectedPerson, isEntra } from './connected-person'
export { defineProvider } from './define-provider'
export { endHubSignIn, findHubClient, startHubSignIn } from './hub-sign-in'
export { SIGNATURES } from './provider-client'
export { declareProviders } from './provider-registry'
export { endProviderSignIn, startProviderSignIn } from './provider-sign-in'
export { connectionSealedColumns, disconnect, listConnections } from './stored-connections'
