export {
  accessibleTo,
  accessOf,
  callerOf,
  callerPlaceholders,
  ownedBy,
  SHARE_ROLES,
  type ShareRole,
} from './accessible-to'
export { listShares, setVisibility, shareRow, unshareRow } from './share-row'
