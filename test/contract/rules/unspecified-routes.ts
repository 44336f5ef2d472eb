import { section } from '../rule.ts'
import { expectError } from '../service.ts'

const unspecifiedRoutes = [
  ['GET', '/v1/segments'],
  ['GET', '/v1/segments/seg_1'],
  ['POST', '/v1/slices'],
  ['GET', '/v1/slices/slc_1'],
  ['POST', '/v1/exports'],
  ['GET', '/v1/assets'],
  ['GET', '/v1/event_streams'],
  ['GET', '/v1/webhook_endpoints'],
  ['GET', '/v1/webhook_endpoints/whe_1'],
  ['DELETE', '/v1/webhook_endpoints/whe_1'],
  ['GET', '/v1/sites'],
  ['PUT', '/v1/sessions'],
  ['PATCH', '/v1/sessions/ses_1'],
  ['GET', '/v1/sessions/ses_1/complete'],
  ['GET', '/v1/sessions/'],
  ['GET', '/'],
] as const

export const unspecifiedRouteRules = section('§4.8', {
  'routes that the contract does not specify return 404 not_found': async ({ service }) => {
    for (const [method, path] of unspecifiedRoutes) {
      expectError(await service.call(method, path), 404, 'not_found', 'route_not_found')
    }
  },
})
