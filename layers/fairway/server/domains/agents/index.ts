export { agentsRows, approvalPath, purgeApprovals } from './approvals'
export { decideApproval, showApproval } from './decide-approval'
export { type AgentCall, approverOf, runWhenApproved } from './held-calls'
export { answerPeerCall } from './peer-calls/answer-peer-call'
