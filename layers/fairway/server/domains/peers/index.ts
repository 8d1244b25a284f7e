export { callPeer, contextPeers, type ContextPeers } from './call-peer'
export {
  type PeerClaims,
  PEER_TOKEN_LIFE_IN_SECONDS,
  PeerTokenError,
  readPeerToken,
  signPeerToken,
  verifyPeerToken,
} from './peer-token'
