export { listOrgCredentialKeys } from './list-org-credential-keys'
