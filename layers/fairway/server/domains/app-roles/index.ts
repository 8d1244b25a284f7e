export { assignAppRole, listAppRoles } from './assignments'
export { defineAppRoles } from './define-app-roles'
