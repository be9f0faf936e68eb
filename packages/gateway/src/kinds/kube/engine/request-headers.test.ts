import { expect, test } from 'vitest';
import { ownHeaders, passedHeaders, readAskedIdentity } from './request-headers.ts';

test('only what is on the list passes, whatever a client invents', () => {
  const passed = passedHeaders([
    ...[
      'Accept',
      'application/json',
      'accept',
      'application/yaml',
      'Accept-Encoding',
      'gzip',
      'User-Agent',
      'kubectl/v1.32',
    ],
    ...['Content-Type', 'application/json', 'If-Match', '"7"', 'Content-Length', '5', 'Transfer-Encoding', 'chunked'],
    ...[
      'Authorization',
      'Bearer pass',
      'Cookie',
      'a=b',
      'Host',
      'gate',
      'Connection',
      'close, accept',
      'Upgrade',
      'websocket',
    ],
    ...[
      'X-Remote-User',
      'root',
      'X-Remote-Group',
      'system:masters',
      'X-Forwarded-For',
      '10.0.0.1',
      'Forwarded',
      'for=x',
    ],
    ...[
      'Impersonate-User',
      'root',
      'Impersonate_Group',
      'system:masters',
      'Impersonate-Extra-Scopes',
      'all',
      'Audit-ID',
      'mine',
    ],
    ...[
      'Sec-WebSocket-Protocol',
      'base64url.bearer.authorization.k8s.io.eA',
      'If_Match',
      '"8"',
      'Accept-',
      'x',
      ':path',
      '/',
    ],
  ]);

  expect(passed).toEqual([
    ['accept', 'application/json, application/yaml'],
    ['accept-encoding', 'gzip'],
    ['user-agent', 'kubectl/v1.32'],
    ['content-type', 'application/json'],
    ['if-match', '"7"'],
  ]);
});

test.each([
  [['Accept', 'a\r\nImpersonate-User: root'], 'accept'],
  [['User-Agent', 'caf\u00e9'], 'user-agent'],
  [['User-Agent', 'a\tb'], 'user-agent'],
  [['If-Match', `"${'x'.repeat(9_000)}"`], 'if-match'],
  [['Content-Type', 'application/json', 'content-type', 'application/yaml'], 'twice'],
  [['Content-Encoding', 'gzip', 'Content-Encoding', 'gzip'], 'twice'],
])('headers that two could read differently are refused: %j', (raw, words) => {
  expect(() => passedHeaders(raw)).toThrow(words);
});

test('whom somebody asks to be is read, and what roles cannot give is refused', () => {
  const asked = [
    'Impersonate-User',
    'ann',
    'impersonate-group',
    'dev',
    'Impersonate-Group',
    'ops',
    'Impersonate-Group',
    'dev',
  ];

  expect(readAskedIdentity(asked)).toEqual({ user: 'ann', groups: ['dev', 'ops'] });
  expect(readAskedIdentity(['Accept', '*/*'])).toEqual({ user: undefined, groups: [] });
  expect(() => readAskedIdentity(['Impersonate-Uid', '7'])).toThrow('--as-uid');
  expect(() => readAskedIdentity(['Impersonate-Extra-scopes', 'x'])).toThrow('extra');
  expect(() => readAskedIdentity(['Impersonate-User', 'a', 'Impersonate-User', 'b'])).toThrow('more than one user');
  expect(() => readAskedIdentity(['Impersonate-Group', ''])).toThrow('visible ASCII');
  expect(() => readAskedIdentity(Array.from({ length: 300 }, () => ['Impersonate-Group', 'g']).flat())).toThrow('256');
});

test('ours name the person, each group by itself, and the request', () => {
  const identity = { user: 'ann@example.com', groups: ['dev', 'ops team'] };

  expect(ownHeaders({ token: 'abc', identity, requestId: 'r-1' })).toEqual([
    ['authorization', 'Bearer abc'],
    ['impersonate-user', 'ann@example.com'],
    ['impersonate-group', 'dev'],
    ['impersonate-group', 'ops team'],
    ['audit-id', 'r-1'],
  ]);
  expect(ownHeaders({ token: undefined, identity, requestId: 'r-1' })[0]![0]).toBe('impersonate-user');
});

test('nothing is sent without a user, nor with names that would be cut into other headers', () => {
  const own = (user: string, groups: string[] = []) =>
    ownHeaders({ token: 't', identity: { user, groups }, requestId: 'r' });

  expect(() => own('')).toThrow('no user');
  expect(() => own('ann\r\nImpersonate-Group: system:masters')).toThrow('visible ASCII');
  expect(() => own('ann', ['système'])).toThrow('visible ASCII');
  expect(() => own('ann', [''])).toThrow('visible ASCII');
});
