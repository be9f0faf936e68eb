import { expect, test } from 'vitest';
import { matchPage, PAGES, pageNames, pagePath, redirectTarget } from './pages.ts';

const EXAMPLES: Record<string, string> = {
  tokenId: 't1',
  requestId: 'r1',
  fqdn: 'app.example.com',
  clusterId: 'c1',
  publicAddr: 'app.example.com',
  arn: 'arn:aws:iam::1:role/x',
  desktopName: 'd1',
  username: 'ann',
  serverId: 's1',
  login: 'root',
  sid: 'sid1',
  kind: 'oidc',
  name: 'okta',
  namespace: 'shop',
  pod: 'api-1',
};

test.each(pageNames)('page %s is found again by the address it makes', (name) => {
  const match = matchPage(pagePath(name, EXAMPLES));

  expect(match?.name).toBe(name);
});

test('optional parts of the launch address may be left out from the end', () => {
  expect(matchPage('/web/launch/app.example.com')).toEqual({ name: 'launch', params: { fqdn: 'app.example.com' } });
  expect(matchPage('/web/launch/app.example.com/c1')?.params).toEqual({ fqdn: 'app.example.com', clusterId: 'c1' });
  expect(matchPage(pagePath('launch', EXAMPLES))?.params.arn).toBe('arn:aws:iam::1:role/x');
});

test('auth connectors and clusters match by prefix, other pages do not', () => {
  expect(matchPage('/web/sso/a/b/c')?.name).toBe('connectors');
  expect(matchPage('/web/sso/oidc/okta')?.params).toEqual({ kind: 'oidc', name: 'okta' });
  expect(matchPage('/web/clusters/anything')?.name).toBe('clusters');
  expect(matchPage('/web/users/ann')).toBeUndefined();
});

test.each([
  '/web/nowhere',
  '/web//users',
  '/web/./users',
  '/web/cluster/../users',
  '/web/%2e%2e/users',
  '/web/%zz',
  'web',
  '',
])('path %j is no page', (path) => {
  expect(matchPage(path)).toBeUndefined();
});

test('a redirect to a known private page keeps its path and query', () => {
  expect(redirectTarget('/web/cluster/c1/nodes?search=db')).toBe('/web/cluster/c1/nodes?search=db');
  expect(redirectTarget('https://gate.example.com/web/users')).toBe('/web/users');
});

test.each([
  '//evil.example/web/users',
  '/\\evil.example',
  '\\\\evil.example/web',
  'https:evil.example/web/users',
  'javascript:alert(1)',
  'data:text/html,x',
  'https://evil.example',
  'https://user@evil.example//web/users',
  '/web/../evil',
  '/web/%2e%2e/evil',
  '/web\t/users',
  '/we\nb/users',
  ' /web/users',
  '/v1/webapi/users',
  'evil.example/web/users',
  '/web/login?redirect_uri=/web/login',
  '',
  null,
  undefined,
])('a redirect to %j leads to the root instead', (target) => {
  expect(redirectTarget(target)).toBe(PAGES.root.path);
});

test('whatever a redirect target holds, the result is a path on our own origin', () => {
  for (const host of [
    'evil.example',
    '[::1]',
    'gate.example.com.evil',
    'user:pw@gate.example.com',
    'gate.example.com:81',
  ]) {
    const target = redirectTarget(`https://${host}/web/cluster/c1/audit?x=1#frag`);

    expect(new URL(target, 'https://own.example').host).toBe('own.example');
    expect(target).toBe('/web/cluster/c1/audit?x=1');
  }
});
