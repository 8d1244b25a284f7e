export { answerPeerCall } from './answer-peer-call'
export { sweepApprovals } from './approvals'
export { decideApproval } from './decide-approval'
export { showApproval } from './show-approval'
