export { listOrgCredentialKeys } from './list-org-credential-keys'
export { requireCredential } from './require-credential'
export { vaultSealedColumns } from './sealed-columns'
export { vaultRoutes } from './vault-routes'
