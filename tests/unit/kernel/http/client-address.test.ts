import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { addressKey, canonicalAddress, clientAddress } from '#fairway/server/kernel/http/client-address'

function requestFrom(address: string, forwarded?: string): IncomingMessage {
  const socket = new Socket()
  Object.defineProperty(socket, 'remoteAddress', { value: address })
  const request = new IncomingMessage(socket)
  if (forwarded !== undefined) request.headers['x-forwarded-for'] = forwarded
  return request
}

describe('clientAddress', () => {
  it('returns the socket address and ignores headers without a trusted proxy', () => {
    expect(clientAddress(requestFrom('192.0.2.5', '127.0.0.1'), [])).toBe('192.0.2.5')
  })

  it('returns the right-most hop that is not a proxy, behind a trusted proxy', () => {
    const request = requestFrom('10.0.0.1', '127.0.0.1, 198.51.100.7, 10.0.0.2')
    expect(clientAddress(request, ['10.0.0.1', '10.0.0.2'])).toBe('198.51.100.7')
  })

  it('returns the proxy address when the header contains no address', () => {
    expect(clientAddress(requestFrom('10.0.0.1', 'unknown'), ['10.0.0.1'])).toBe('10.0.0.1')
  })

  it('returns the IPv4 form of an IPv4 address on an IPv6 socket', () => {
    expect(clientAddress(requestFrom('::ffff:192.0.2.5'), [])).toBe('192.0.2.5')
  })
})

describe('canonicalAddress', () => {
  it.each([
    ['192.0.2.5', '192.0.2.5'],
    ['192.0.2.5:4711', '192.0.2.5'],
    ['::ffff:192.0.2.5', '192.0.2.5'],
    ['::FFFF:c000:0205', '192.0.2.5'],
    ['0:0:0:0:0:ffff:192.0.2.5', '192.0.2.5'],
    ['[2001:DB8::1]:443', '2001:db8::1'],
    ['2001:0db8:0000:0000:0000:0000:0000:0001', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['unknown', 'unknown'],
    ['_hidden', '_hidden'],
    ['', ''],
  ])('maps %j to %j', (address, canonical) => {
    expect(canonicalAddress(address)).toBe(canonical)
  })
})

describe('addressKey', () => {
  it.each([
    ['192.0.2.5', '192.0.2.5'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
    ['::ffff:c000:205', '192.0.2.5'],
  ])('maps %s to %s', (address, key) => {
    expect(addressKey(address)).toBe(key)
  })
})
