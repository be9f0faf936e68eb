import { expect, test } from 'vitest';
import { readContext, readKubeconfig } from './read-kubeconfig.ts';

const PEM = '-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----\n';

const config = (user: string, cluster = '', context = '') => `
apiVersion: v1
kind: Config
current-context: prod
contexts:
  - name: dev
    context: { cluster: nowhere, user: me }
  - name: prod
    context: { cluster: prod, user: me${context} }
clusters:
  - name: prod
    cluster: { server: "https://10.0.0.1:6443", certificate-authority-data: ${btoa(PEM)}${cluster} }
users:
  - name: me
    user: { ${user} }
`;

test('the contexts are found, the chosen one first', () => {
  expect(readKubeconfig(config('token: abc'))).toEqual({ contexts: ['dev', 'prod'], current: 'prod' });
  expect(readKubeconfig('a: [')).toEqual({ fault: 'unreadable' });
  expect(readKubeconfig('hello')).toEqual({ fault: 'unreadable' });
  expect(readKubeconfig('apiVersion: v1')).toEqual({ fault: 'no-contexts' });
});

test('a context gives address, authority and credential, and its namespace', () => {
  expect(readContext(config('token: abc', '', ', namespace: shop'), 'prod')).toEqual({
    imported: {
      server: 'https://10.0.0.1:6443',
      ca: PEM,
      serverName: '',
      insecureSkipVerify: false,
      namespaces: ['shop'],
      credential: { token: 'abc' },
    },
  });
  const both = `client-certificate-data: ${btoa(PEM)}, client-key-data: ${btoa('key')}`;
  expect(readContext(config(both), 'prod')).toMatchObject({ imported: { credential: { cert: PEM, key: 'key' } } });
});

test.each([
  ['plugin', 'exec: { command: aws }', ''],
  ['plugin', 'auth-provider: { name: gcp }, token: abc', ''],
  ['files', 'tokenFile: /var/run/token', ''],
  ['files', 'client-certificate: /home/me/cert.pem, client-key: /home/me/key.pem', ''],
  ['password', 'username: admin, password: hunter2', ''],
  ['no-credential', '', ''],
  ['not-pem', 'client-certificate-data: "***", client-key-data: "***"', ''],
  ['proxy', 'token: abc', ', proxy-url: "http://proxy:3128"'],
])('what the gateway cannot use is said: %s by %s', (fault, user, cluster) => {
  expect(readContext(config(user, cluster), 'prod')).toEqual({ fault });
});

test('a context that leads nowhere is said', () => {
  expect(readContext(config('token: abc'), 'dev')).toEqual({ fault: 'no-cluster' });
  expect(readContext(config('token: abc'), 'other')).toEqual({ fault: 'no-context' });
});
