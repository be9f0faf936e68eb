import { expect, test } from 'vitest';
import { BrokenKubeconfig, readKubeconfig } from './kubeconfig-entries.ts';

/** As kubectl and people wrote it. */
const FOREIGN = `# mine, do not touch
apiVersion: v1
clusters:
- cluster:
    # the old one
    server: https://10.0.0.1:6443
  name: old
contexts:
- context:
    cluster: old
    user: old
  name: old # still needed
current-context: old
kind: Config
preferences: {}
users:
- name: old
  user:
    token: "0123" # not a number
`;

test('what others wrote stays line by line, with its comments and in its order', () => {
  const config = readKubeconfig(FOREIGN);

  config.put('clusters', 'prod@gate', { server: 'https://gate/v1/kube/prod' });
  config.put('users', 'prod@gate', { exec: { command: 'gatehouse' } });
  config.put('contexts', 'prod@gate', { cluster: 'prod@gate', user: 'prod@gate' });
  config.setCurrent('prod@gate');

  // Each line where it was, before and behind the same ones.
  let at = -1;
  const lines = config.text().split('\n');
  for (const line of FOREIGN.replace('current-context: old\n', '').split('\n')) {
    at = lines.indexOf(line, at + 1);
    expect(at, line).toBeGreaterThanOrEqual(0);
  }
  expect(readKubeconfig(config.text()).find('clusters', 'prod@gate')).toEqual({ server: 'https://gate/v1/kube/prod' });
  expect(readKubeconfig(config.text()).current()).toBe('prod@gate');
});

test('what was put in is replaced by what is put in again, and taken out without a trace', () => {
  const config = readKubeconfig(FOREIGN);
  config.put('clusters', 'prod@gate', { server: 'https://gate/v1/kube/prod' });
  const once = config.text();

  config.put('clusters', 'prod@gate', { server: 'https://gate/v1/kube/prod' });
  expect(config.text()).toBe(once);
  config.remove('clusters', 'prod@gate');
  expect(config.text()).toBe(FOREIGN);
});

test.each([
  ['nothing', ''],
  ['empty lists', 'apiVersion: v1\nkind: Config\nclusters: []\nusers: null\n'],
  ['JSON', '{"apiVersion":"v1","kind":"Config","clusters":[{"name":"a","cluster":{"server":"https://a"}}]}'],
  ['entries set in', 'clusters:\n  - name: a\n    cluster: {server: "https://a"}\n'],
  ['lines of Windows', FOREIGN.replaceAll('\n', '\r\n')],
])('a file of %s takes an entry, and a second look finds all there is', (_, before) => {
  const config = readKubeconfig(before);
  const names = config.names('clusters');

  config.put('clusters', 'x', { server: 'https://x' });
  config.put('users', 'x', { token: 't' });

  const after = readKubeconfig(config.text());
  expect(after.names('clusters')).toEqual([...names, 'x']);
  expect(after.find('users', 'x')).toEqual({ token: 't' });
  expect(config.text().includes('\r\n')).toBe(before.includes('\r\n'));
});

test.each([
  ['a text', 'hello'],
  ['a list', '- a\n'],
  ['broken YAML', 'a: [\n'],
  ['two documents', 'a: 1\n---\nb: 2\n'],
])('%s is no kubeconfig file', (_, text) => {
  expect(() => readKubeconfig(text)).toThrow(BrokenKubeconfig);
});

test('a list that is none is not written over', () => {
  const config = readKubeconfig('clusters: {a: b}\n');

  expect(() => config.put('clusters', 'x', {})).toThrow("'clusters' is no list");
});
