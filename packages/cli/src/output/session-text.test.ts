import { type ActiveSession, activeSession } from '@gatehouse/contract/sessions/sessions';
import { expect, test } from 'vitest';
import { placeOf, tellSession, tellSessions } from './session-text.ts';

const at = '2026-11-19T20:00:00.000Z';
const pod: ActiveSession = activeSession.parse({
  ...{ kind: 'k8s', id: '6f1c2d3e-1111-4222-8333-444455556666', namespace: 'default', parties: [], login: '' },
  ...{ terminal_params: { w: 80, h: 24 }, created: at, last_active: at, server_id: '', server_hostname: '' },
  ...{ app_name: '', kubernetes_cluster_name: 'prod', database_name: '', desktop_name: '', server_hostport: 0 },
  ...{ server_addr: '', cluster_name: 'one', owner: 'ann', participantModes: [], state: 'live', needs: [] },
  ...{ resource_kind: 'kube', resource_name: 'prod', resource_inside: 'shop/web-1/api', recorded: false },
  ...{ with_mfa: false, mayEnd: true },
});

test('a session in a pod is told with the pod, as recordings are listed', () => {
  expect(tellSessions([pod])).toMatch(/^ID .*\n6f1c2d3e\S+ +ann +prod\/shop\/web-1\/api +- +live +0 +no /);
  expect(tellSession(pod)).toMatch(/On +kube prod\/shop\/web-1\/api\n/);
});

test('one with the whole of something is told by its name', () => {
  const { resource_inside: _, ...whole } = pod;
  expect(placeOf(whole)).toBe('prod');
  expect(tellSessions([])).toBe('no open sessions\n');
});
