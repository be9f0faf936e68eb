import { expect, test } from 'vitest';
import { findInBody, isReadBody } from './body-findings.ts';
import { readKubeRequest } from './engine/kube-request.ts';

const NS = '/api/v1/namespaces/dev';
const found = (line: string, body: unknown) => {
  const [method = '', target = ''] = line.split(' ');
  return findInBody(
    readKubeRequest(method, target),
    Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  );
};
const PLAIN = { containers: [{ name: 'c', image: 'web', securityContext: { runAsNonRoot: true, privileged: false } }] };
const privileged = { containers: [{ name: 'c', securityContext: { privileged: true } }] };
const template = (spec: object) => ({ spec: { template: { metadata: { labels: { hostNetwork: true } }, spec } } });

test.each([
  ['a pod', `POST ${NS}/pods`, { spec: privileged }, ['privileged']],
  [
    'one of the host',
    `POST ${NS}/pods`,
    { spec: { ...PLAIN, hostNetwork: true, hostPID: true, hostIPC: true } },
    ['hostIPC', 'hostNetwork', 'hostPID'],
  ],
  [
    'a directory of the host',
    `POST ${NS}/pods`,
    { spec: { ...PLAIN, volumes: [{ name: 'v', hostPath: { path: '/' } }] } },
    ['hostPath'],
  ],
  ['a deployment', 'PUT /apis/apps/v1/namespaces/dev/deployments/api', template(privileged), ['privileged']],
  [
    'a cron job',
    'POST /apis/batch/v1/namespaces/dev/cronjobs',
    {
      spec: {
        jobTemplate: template({
          initContainers: [{ securityContext: { capabilities: { add: ['CAP_SYS_ADMIN', 'NET_BIND_SERVICE'] } } }],
        }),
      },
    },
    ['capability SYS_ADMIN'],
  ],
  [
    'a patch that says what changes',
    'PATCH /apis/apps/v1/namespaces/dev/daemonsets/x',
    template({ hostPID: true }),
    ['hostPID'],
  ],
  [
    'a list of changes',
    `PATCH ${NS}/pods/x`,
    [{ op: 'add', path: '/spec/containers/0/securityContext', value: { privileged: true } }],
    ['privileged'],
  ],
  ['one change', `PATCH ${NS}/pods/x`, [{ op: 'replace', path: '/spec/hostNetwork', value: true }], ['hostNetwork']],
  [
    'a change that takes its value from elsewhere',
    `PATCH ${NS}/pods/x`,
    [{ op: 'copy', from: '/spec/enableServiceLinks', path: '/spec/hostNetwork' }],
    ['hostNetwork'],
  ],
  [
    'a changed capability',
    `PATCH ${NS}/pods/x`,
    [{ op: 'add', path: '/spec/containers/0/securityContext/capabilities/add/-', value: 'SYS_PTRACE' }],
    ['capability SYS_PTRACE'],
  ],
  [
    'capabilities taken from elsewhere',
    `PATCH ${NS}/pods/x`,
    [{ op: 'copy', from: '/metadata/annotations/a', path: '/spec/containers/0/securityContext/capabilities/add/-' }],
    ['capabilities', 'securityContext'],
  ],
  [
    'what one container may, given to another',
    `PATCH ${NS}/pods/x`,
    [{ op: 'copy', from: '/spec/containers/1/securityContext', path: '/spec/containers/0/securityContext' }],
    ['securityContext'],
  ],
  [
    'another directory of the host',
    `PATCH ${NS}/pods/x`,
    [{ op: 'replace', path: '/spec/volumes/0/hostPath/path', value: '/' }],
    ['hostPath'],
  ],
  [
    'a directory of the host taken from elsewhere',
    `PATCH ${NS}/pods/x`,
    [{ op: 'move', from: '/spec/volumes/1/hostPath', path: '/spec/volumes/0/hostPath' }],
    ['hostPath'],
  ],
  [
    'no directory of the host any more, and a label of that name',
    `PATCH ${NS}/pods/x`,
    [
      { op: 'remove', path: '/spec/volumes/0/hostPath' },
      { op: 'copy', from: '/metadata/name', path: '/metadata/labels/hostPath' },
    ],
    [],
  ],
  [
    'what is put among the text of people and taken out of there',
    'PATCH /apis/apps/v1/namespaces/dev/deployments/api',
    [
      { op: 'add', path: '/metadata/annotations/a', value: { name: 'c', image: 'i', ...privileged.containers[0] } },
      { op: 'move', from: '/metadata/annotations/a', path: '/spec/template/spec/containers/-' },
    ],
    ['privileged'],
  ],
  [
    'what is built there piece by piece',
    'PATCH /apis/apps/v1/namespaces/dev/deployments/api',
    [
      { op: 'add', path: '/metadata', value: { name: 'api', labels: { a: { securityContext: {} } } } },
      { op: 'add', path: '/metadata/labels/a/securityContext/privileged', value: true },
      { op: 'copy', from: '/metadata/labels/a', path: '/spec/template/spec/containers/0' },
    ],
    ['privileged'],
  ],
  [
    'what is put too deep to count and taken out of there',
    'PATCH /apis/apps/v1/namespaces/dev/deployments/api',
    [
      { op: 'add', path: '/spec/x', value: JSON.parse(`${'{"a":'.repeat(40)}{"privileged":true}${'}'.repeat(40)}`) },
      { op: 'move', from: `/spec/x${'/a'.repeat(39)}`, path: '/spec/template/spec/containers/0/a' },
    ],
    ['privileged'],
  ],
  [
    'text that is copied to other text',
    `PATCH ${NS}/pods/x`,
    [
      { op: 'add', path: '/metadata/labels/privileged', value: true },
      { op: 'copy', from: '/metadata/labels/privileged', path: '/metadata/annotations/privileged' },
    ],
    [],
  ],
  [
    'a debug container',
    `PATCH ${NS}/pods/x/ephemeralcontainers`,
    { spec: { ephemeralContainers: [{ image: 'i', securityContext: { privileged: true } }] } },
    ['privileged'],
  ],
  [
    'nothing of the kind',
    `POST ${NS}/pods`,
    { metadata: { annotations: { privileged: true, 'x/y': '{"hostNetwork":true}' } }, spec: PLAIN },
    [],
  ],
  ['what holds no pods', `POST ${NS}/configmaps`, { spec: privileged }, []],
  ['what is not JSON', `POST ${NS}/pods`, 'spec:\n  hostNetwork: true', []],
  ['what is nothing', `POST ${NS}/pods`, 'null', []],
])('powers over the host are found in %s', (_, line, body, expected) => {
  expect(found(line, body).powers).toEqual(expected);
});

test.each([
  ['an object', '{"spec":{"hostNetwork":true},"spec":{"containers":[]}}'],
  ['in another writing', '{"spec":{"hostNetwork":true},"spe\\u0063":{"containers":[]}}'],
  ['a word', '{"spec":{"hostPID":true,"hostPID" : false}}'],
  ['in a list', '[[{"a":1,"a":[]}]]'],
  ['what objects have by themselves', '{"__proto__":{},"__proto__":{}}'],
])('what says a field twice is refused, as servers read both: %s', (_, body) => {
  expect(() => found(`POST ${NS}/pods`, body)).toThrow('says a field twice');
});

test.each([
  ['{"a\\"":"b\\\\","c":"\\": d","e": [{"f" :null},"g:",{}], "__proto__":{"h":":"}}'],
  ['"a: b"'],
  ['[1,{"":{"":{}}}]'],
])('each field once is nothing of the kind: %s', (body) => {
  expect(found(`POST ${NS}/pods`, body).powers).toEqual([]);
});

test('a debug container is told with its image, its target and its command', () => {
  const added = {
    name: 'debugger-1',
    image: 'busybox',
    targetContainerName: 'web',
    command: ['sh'],
    args: ['-c', 'id'],
  };
  const told = [{ name: 'debugger-1', image: 'busybox', target: 'web', command: ['sh', '-c', 'id'] }];

  expect(
    found(`PATCH ${NS}/pods/x/ephemeralcontainers`, { spec: { $setElementOrder: [], ephemeralContainers: [added] } })
      .debug,
  ).toEqual(told);
  // As clients before 1.23 say it.
  expect(
    found(`PUT ${NS}/pods/x/ephemeralcontainers`, { kind: 'EphemeralContainers', ephemeralContainers: [added] }).debug,
  ).toEqual(told);
  expect(
    found(`PATCH ${NS}/pods/x/ephemeralcontainers`, [{ op: 'add', path: '/spec/ephemeralContainers/-', value: added }])
      .debug,
  ).toEqual(told);
  expect(found(`PATCH ${NS}/pods/x`, { spec: { ephemeralContainers: [added] } }).debug).toEqual([]);
  expect(
    found(`PATCH ${NS}/pods/x/ephemeralcontainers`, { spec: { ephemeralContainers: [{ image: 7, command: 'sh' }, 5] } })
      .debug,
  ).toEqual([]);
});

const ADDED = { name: 'd', image: 'busybox', targetContainerName: 'web', command: ['sh'] };
const WHOLE = { name: 'd', image: 'busybox', target: 'web', command: ['sh'] };
const UNKNOWN = { name: undefined, image: undefined, target: undefined, command: undefined };
test.each([
  ['in a list', [{ op: 'add', path: '/spec/ephemeralContainers', value: [ADDED] }], [WHOLE]],
  [
    'with the spec it is in',
    [{ op: 'replace', path: '/spec', value: { ...PLAIN, ephemeralContainers: [ADDED] } }],
    [WHOLE],
  ],
  [
    'with the pod it is in',
    [{ op: 'replace', path: '', value: { metadata: { name: 'x' }, spec: { ...PLAIN, ephemeralContainers: [ADDED] } } }],
    [WHOLE],
  ],
  [
    'field by field',
    [
      { op: 'add', path: '/spec/ephemeralContainers/0', value: {} },
      ...Object.entries(ADDED).map(([name, value]) => ({
        ...{ op: 'add', path: `/spec/ephemeralContainers/0/${name}`, value },
      })),
    ],
    [WHOLE],
  ],
  [
    'taken from elsewhere',
    [
      { op: 'add', path: '/metadata/annotations/a', value: { b: ADDED } },
      { op: 'move', from: '/metadata/annotations/a/b', path: '/spec/ephemeralContainers/-' },
    ],
    [UNKNOWN],
  ],
  [
    'with a spec taken from elsewhere',
    [
      { op: 'add', path: '/x', value: { spec: [PLAIN] } },
      { op: 'move', from: '/x/spec/0', path: '/spec' },
    ],
    [UNKNOWN],
  ],
  [
    'not where it is only looked at, taken away, or text',
    [
      { op: 'test', path: '/spec/ephemeralContainers/0/image', value: 'i' },
      { op: 'remove', path: '/spec/ephemeralContainers/0' },
      { op: 'copy', from: '/metadata/name', path: '/metadata/labels/x' },
    ],
    [],
  ],
])('a debug container that a list of changes brings is told: %s', (_, changes, told) => {
  expect(found(`PATCH ${NS}/pods/x/ephemeralcontainers`, changes).debug).toEqual(told);
});

test('only bodies that can say something are read, however deep they are', () => {
  expect(isReadBody(readKubeRequest('GET', `${NS}/pods/x`))).toBe(false);
  expect(isReadBody(readKubeRequest('POST', `${NS}/pods/x/exec`))).toBe(false);
  expect(isReadBody(readKubeRequest('POST', `${NS}/pods`))).toBe(true);
  expect(found(`POST ${NS}/pods`, `${'['.repeat(100_000)}${']'.repeat(100_000)}`).powers).toEqual([]);
});

test('what is made is told by the name its body says', () => {
  expect(found(`POST ${NS}/pods`, { metadata: { name: 'web' }, spec: privileged }).name).toBe('web');
  expect(found(`POST ${NS}/pods`, { metadata: { generateName: 'web-' }, spec: privileged }).name).toBe('');
  expect(found(`PUT ${NS}/pods/own`, { metadata: { name: 'web' }, spec: privileged }).name).toBe('own');
});
