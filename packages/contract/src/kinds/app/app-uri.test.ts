import { expect, test } from 'vitest';
import { appSpec, appType, appUri, offeredAppSpec, parseAppUri, soleAddress } from './app-spec.ts';

test.each(['http://h/ł/', 'http://h/a\u010d\u010aSET', 'https://h/\u{1f600}', 'http://h/\ud800'])(
  'an address with letters that no request carries (%j) is refused and told how to write them',
  (uri) => {
    const { error } = appUri.safeParse(uri);

    expect(error?.issues[0]?.message).toMatch(/^holds '.+', which no request can carry: write it as %[0-9A-F%]+$/u);
    expect(offeredAppSpec.safeParse({ uri }).success).toBe(false);
  },
);

test('one that was stored before is read as it should have been written', () => {
  expect(appSpec.parse({ uri: 'http://h/ł/\u{1f600}' }).uri).toBe('http://h/%C5%82/%F0%9F%98%80');
  expect(appSpec.parse({ uri: 'http://h/%C5%82/?'.slice(0, -1) }).uri).toBe('http://h/%C5%82/');
});

test('a port in a Kubernetes cluster is one address of its own, and no other spelling of one', () => {
  const uri = 'kube://prod.eu/web/svc/api:8080';
  expect(parseAppUri(uri)).toMatchObject({
    ...{ scheme: 'kube', host: 'api.web.svc', port: 8080, path: '/' },
    kube: { cluster: 'prod.eu', namespace: 'web', of: 'svc', name: 'api', port: 8080 },
  });
  expect(soleAddress(uri)).toBe(uri);
  expect(appType(uri)).toBe('web');
  for (const wrong of [
    ...['kube://prod', 'kube://prod/web/svc/api', 'kube://prod/web/svc/api:0', 'kube://prod/web/svc/api:99999'],
    ...['kube://prod/web/deploy/api:80', 'kube://prod/we%62/svc/api:80', 'kube://prod/web/svc/../x:80'],
    ...[
      'kube://a@prod/web/svc/api:80',
      'kube://prod/web/svc/api:80/x',
      'kube://prod/web/svc/api:80?x',
      'KUBE://prod/web/svc/api:80',
    ],
  ])
    expect(appUri.safeParse(wrong).success, wrong).toBe(false);
});
