import { offeredAppSpec } from '@gatehouse/contract/kinds/app/app-spec';
import { expect, test } from 'vitest';
import { offeredApps } from './offered-apps.ts';

test('no agent sends people into a Kubernetes cluster in their own names', () => {
  const offered = offeredApps({ wrongHost: () => undefined, secrets: { seal: () => expect.unreachable() } });
  const check = offered.checks?.();
  const wrongWith = (uri: string) => check?.({ name: 'x', spec: offeredAppSpec.parse({ uri }) } as never);

  expect(wrongWith('kube://prod/web/svc/api:80')).toContain('entered by an administrator');
  expect(wrongWith('http://api.web.svc')).toBeUndefined();
});
