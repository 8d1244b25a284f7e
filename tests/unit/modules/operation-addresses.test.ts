import { expect, it } from 'vitest'
import { withAddresses } from '../../../layers/fairway/modules/registry/operation-addresses'

const addresses = new Map([['show-job', '/_fw/jobs/:id GET']])

it.each([
  [`callOperation('show-job', { id })`, `callOperation('show-job /_fw/jobs/:id GET', { id })`],
  [`useOperation("show-job")`, `useOperation("show-job /_fw/jobs/:id GET")`],
  ['operationPath(`show-job`)', 'operationPath(`show-job /_fw/jobs/:id GET`)'],
  [`callOperation('unknown')`, `callOperation('unknown')`],
  [`callOperation(name)`, `callOperation(name)`],
  [`otherOperation('show-job')`, `otherOperation('show-job')`],
])('withAddresses writes the address of an operation next to its name: %s', (code, written) => {
  expect(withAddresses(code, addresses)).toBe(written)
})
