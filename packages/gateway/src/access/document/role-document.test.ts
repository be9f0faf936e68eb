import { SOON_MS } from '@gatehouse/testkit/soon';
import { expect, test } from 'vitest';
import { parseRole } from './role-document.ts';
import { RoleDocumentError } from './role-document-error.ts';
import { nameProblem, shapeOfName } from './role-name.ts';

const FULL = `# who may reach what
kind: role
version: v6
metadata:
  name: dev
  description: developers
  labels: { team: dev }
spec:
  allow:
    logins: [root, '{{internal.logins}}']
    node_labels:
      env: [dev, 'stag*', '^prod-[0-9]+$']
      '*': '*'
    app_labels: { env: dev }
    db_labels: { env: dev }
    db_users: ['{{internal.db_users}}']
    db_names: ['*']
    db_service_labels: { '*': '*' }
    kubernetes_labels: { '*': '*' }
    kubernetes_groups: ['system:masters']
    kubernetes_users: []
    kubernetes_resources: [{ kind: pod, namespace: 'dev-*', name: '*' }]
    windows_desktop_labels: { '*': '*' }
    windows_desktop_logins: [Administrator]
    cluster_labels: { '*': '*' }
    aws_role_arns: ['arn:aws:iam::1:role/x']
    azure_identities: []
    gcp_service_accounts: []
    rules:
      - resources: [session]
        verbs: [list, read]
        where: contains(session.participants, user.metadata.name)
      - resources: [user, role]
        verbs: [edit, remove]
    join_sessions: [{ name: j, roles: ['dev*'], kinds: [ssh], modes: [observer] }]
    require_session_join:
      - { name: r, filter: 'contains(user.roles, "auditor")', kinds: [k8s], count: 1, modes: [moderator], on_leave: pause }
    request: {}
  deny:
    logins: [root]
    impersonate: { users: ['*'] }
  options:
    max_session_ttl: 8h30m0s
    client_idle_timeout: never
    record_session: { default: best_effort, ssh: strict, desktop: true }
    require_session_mfa: yes
    desktop_clipboard: false
    forward_agent: true
    enhanced_recording: []
    device_trust_mode: optional
    idp: { saml: { enabled: true } }
`;

test('a document with every field is read', () => {
  const { document, notes } = parseRole(FULL);

  expect(document.spec.allow?.logins).toEqual(['root', '{{internal.logins}}']);
  expect(document.spec.allow?.node_labels).toEqual({ env: ['dev', 'stag*', '^prod-[0-9]+$'], '*': ['*'] });
  expect(document.spec.allow?.rules?.[1]).toEqual({ resources: ['user', 'role'], verbs: ['update', 'delete'] });
  expect(document.spec.options).toMatchObject({
    max_session_ttl: 30_600_000,
    client_idle_timeout: 0,
    require_session_mfa: true,
  });
  expect(notes).toEqual([]);
});

test('what only a provider says is not taken for what the user record holds', () => {
  const text = under(
    "  allow:\n    logins: ['{{internal.logins}}', '{{external.logins}}', '{{external.team}}']\n  deny:\n    node_labels: {x: ['{{external.db_users}}']}\n",
  );

  expect(parseRole(text).notes).toEqual([
    "spec.allow.logins: '{{external.logins}}' is what a sign-in provider says; what the user's record holds is internal.logins",
    "spec.deny.node_labels: '{{external.db_users}}' is what a sign-in provider says; what the user's record holds is internal.db_users",
  ]);
});

test('JSON is read as well', () => {
  const text = JSON.stringify({
    kind: 'role',
    version: 'v5',
    metadata: { name: 'a' },
    spec: { allow: { logins: ['x'] } },
  });

  expect(parseRole(text).document.spec.allow?.logins).toEqual(['x']);
});

const under = (part: string) => `kind: role\nversion: v6\nmetadata:\n  name: dev\nspec:\n${part}`;

test.each([
  ['an unknown field', under('  allow:\n    node_label: {}\n'), 7, 5, "did you mean 'node_labels'?"],
  ['a field of the wrong part', under('  allow:\n    max_session_ttl: 1h\n'), 7, 5, 'is not a field here'],
  ['a bad regular expression', under('  allow:\n    node_labels:\n      env: ["^(a$"]\n'), 8, 13, 'missing closing )'],
  [
    'an expression with a look-ahead',
    under('  deny:\n    app_labels:\n      env: "^(?=a)$"\n'),
    8,
    12,
    'not a regular expression',
  ],
  [
    'an unknown resource',
    under('  allow:\n    rules:\n    - {resources: [noode], verbs: [list]}\n'),
    8,
    20,
    "did you mean 'node'?",
  ],
  [
    'an unknown verb',
    under('  allow:\n    rules:\n    - {resources: [node], verbs: [raed]}\n'),
    8,
    35,
    "did you mean 'read'?",
  ],
  ['a number where text belongs', under('  allow:\n    logins: [1000]\n'), 7, 14, 'must be text'],
  ['a map where a list belongs', under('  allow:\n    logins: {a: b}\n'), 7, 13, 'must be a list'],
  ['an unknown trait', under('  allow:\n    logins: ["{{internal.login}}"]\n'), 7, 14, "did you mean 'logins'?"],
  [
    'an unknown function',
    under('  allow:\n    logins: ["{{email.locl(external.email)}}"]\n'),
    7,
    14,
    "did you mean 'email.local'?",
  ],
  [
    'a condition about nothing',
    under('  allow:\n    rules:\n    - resources: [node]\n      verbs: [list]\n      where: equals(usr.name, "x")\n'),
    10,
    14,
    'did you mean',
  ],
  ['a wrong kind', 'kind: user\nversion: v6\nmetadata: {name: a}\n', 1, 7, 'must be one of role'],
  ['a wrong version', 'kind: role\nversion: v9\nmetadata: {name: a}\n', 2, 10, 'must be one of v3, v4, v5, v6'],
  ['a missing name', 'kind: role\nversion: v6\nmetadata: {}\n', 3, 11, 'is missing'],
  [
    'a template in a label name',
    under('  allow:\n    node_labels:\n      "{{external.a}}": x\n'),
    8,
    7,
    'must not be a template',
  ],
  ['a pattern for any label', under('  allow:\n    node_labels:\n      "*": prod\n'), 8, 12, "must be '*' too"],
  ['a length of time nobody knows', under('  options:\n    max_session_ttl: 8 hours\n'), 7, 22, 'length of time'],
  ['YAML that is none', 'kind: [role\n', 2, 1, 'not valid YAML'],
  ['a field written twice', 'kind: role\nkind: role\n', 2, 1, 'not valid YAML'],
  ['two documents', 'kind: role\n---\nkind: role\n', 2, 1, 'not valid YAML'],
])('%s is refused with its line, column and the way out', (_, text, line, column, message) => {
  const [issue] = issuesOf(text);

  expect(issue).toMatchObject({ line, column });
  expect(issue?.message).toContain(message);
});

test('what is meant is of the same subject, and what there is stands there once', () => {
  const asked = under(
    '  allow:\n    rules:\n    - resources: [user]\n      verbs: [list]\n      where: contains(resource.spec.roles, "x")\n',
  );

  expect(issuesOf(asked)[0]?.message).not.toContain('user.spec');
  expect(issuesOf(under('  options:\n    lock: sometimes\n'))[0]?.message).toBe(
    "is 'sometimes' but must be one of strict, best_effort",
  );
});

test.each([
  ['options', 'device_trust_mode: required'],
  ['options', 'enhanced_recording: [command]'],
  ['options', 'create_host_user: true'],
  ['options', 'cert_extensions: [{name: a, type: ssh, mode: extension, value: b}]'],
  ['options', 'cert_format: oldssh'],
  ['options', 'require_session_mfa: hardware_key'],
  ['allow', 'impersonate: {users: [ann]}'],
  ['allow', 'review_requests: {roles: [a]}'],
  ['allow', 'request: {roles: [a]}'],
  ['allow', 'host_groups: [sudo]'],
  ['allow', 'host_sudoers: [ALL]'],
  ['allow', 'rules: [{resources: [node], verbs: [list], actions: [log()]}]'],
])('what is not enforced is refused by name: %s.%s', (part, line) => {
  const field = line.includes('actions') ? 'actions' : (line.split(':')[0] as string);

  expect(issuesOf(under(`  ${part}:\n    ${line}\n`))).toMatchObject([
    { line: 7, path: expect.stringContaining(field) },
  ]);
});

test.each([
  'device_trust_mode: off',
  'enhanced_recording: []',
  'create_host_user: false',
  'cert_extensions: []',
  'cert_format: standard',
  'require_session_mfa: false',
])('a value that restricts nothing is accepted: %s', (line) => {
  expect(() => parseRole(under(`  options:\n    ${line}\n`))).not.toThrow();
});

test.each([
  ['deep nesting', `kind: ${'['.repeat(5000)}`],
  ['deep block nesting', '- '.repeat(5000)],
  [
    'aliases that multiply',
    `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c]`,
  ],
  ['a document of no size', 'x'.repeat(300_000)],
  ['an expression that unfolds', under('  allow:\n    node_labels: {a: ["^(\\\\w{1000})+$"]}\n')],
  [
    'expressions without end',
    under(
      `  allow:\n    node_labels: {a: [${Array.from({ length: 900 }, (_, index) => `'^(a{${index}})+$'`).join(',')}]}\n`,
    ),
  ],
  ['nothing at all', ''],
  ['a prototype', 'kind: role\nversion: v6\nmetadata: {name: a}\n__proto__: {x: 1}\n'],
  ['a prototype label', under('  allow:\n    node_labels: { __proto__: x }\n')],
])('%s is refused quickly', (_, text) => {
  const began = performance.now();

  expect(() => parseRole(text)).toThrow(RoleDocumentError);
  expect(performance.now() - began).toBeLessThan(SOON_MS);
});

test.each(['a/b', '../a', 'a b', 'a\u0000', '.a', '-a', '', 'e\u0301', 'a\u202eb', 'a'.repeat(200), 'a\u200bb', 'a:b'])(
  'the name %j is refused',
  (name) => {
    expect(nameProblem(name)).toBeDefined();
  },
);

test.each(['a', 'ab', 'dev-team', 'ann@example.org', 'größe', '開発', 'v1.2'])('the name %j is allowed', (name) => {
  expect(nameProblem(name)).toBeUndefined();
});

test.each([
  ['admin', 'Admin'],
  ['admin', 'аdmin'],
  ['admin', 'adrnin'],
  ['access', 'aссess'],
  ['role1', 'rolel'],
  ['editor', 'editοr'],
  ['admin', 'ａdmin'],
])('%s and %s look alike', (left, right) => {
  expect(left).not.toBe(right);
  expect(shapeOfName(left)).toBe(shapeOfName(right));
});

test.each([
  ['a', 'ab'],
  ['dev', 'dev2'],
  ['a.b', 'a-b'],
  ['access', 'access-all'],
])('%s and %s do not look alike', (left, right) => {
  expect(shapeOfName(left)).not.toBe(shapeOfName(right));
});

function issuesOf(text: string) {
  try {
    parseRole(text);
  } catch (error) {
    if (error instanceof RoleDocumentError) return error.issues;
    throw error;
  }
  throw new Error('the document was accepted');
}

test.each([
  ['v6', { kind: 'pods', namespace: '*', name: '*' }, "must be 'pod'"],
  ['v6', { kind: 'deployment', namespace: '*', name: '*' }, 'from version v7 on'],
  ['v6', { kind: 'pod', name: '*' }, 'must say namespace'],
  ['v6', { kind: 'pod', api_group: '', namespace: '*', name: '*' }, 'from version v8 on'],
  ['v7', { kind: 'pods', namespace: '*', name: '*' }, 'must be one of *, pod'],
  ['v7', { kind: 'kube_node', namespace: 'dev', name: '*' }, 'lies in no namespace'],
  ['v7', { kind: '*', name: '*' }, 'must say namespace'],
  ['v8', { kind: 'pod', namespace: '*', name: '*' }, "its plural from version v8 on: 'pods'"],
  ['v8', { kind: 'kube_node', name: '*' }, 'a plural in lower case'],
  ['v8', { kind: 'Deployments', api_group: 'apps', namespace: '*', name: '*' }, 'a plural in lower case'],
  ['v8', { kind: 'widgets', namespace: '*', name: '*' }, 'must say api_group'],
  ['v8', { kind: '*', namespace: '*', name: '*' }, 'must say api_group'],
  ['v8', { kind: 'widgets', api_group: 'Example Com', namespace: '*', name: '*' }, 'must be a group'],
  ['v8', { kind: 'secrets', name: '*' }, 'must say namespace'],
  ['v8', { kind: 'nodes', namespace: 'dev', name: '*' }, 'lies in no namespace'],
  ['v8', { kind: 'pods', namespace: '*', name: '*', verbs: ['execute'] }, 'verbs'],
  ['v8', { kind: 'pods', namespace: '^(', name: '*' }, undefined],
  ['v8', { kind: 'pods', namespace: '^($', name: '*' }, 'regular expression'],
])('%s: an entry about objects that would say nothing there is refused: %j', (version, entry, words) => {
  const content = JSON.stringify({
    ...{ kind: 'role', version, metadata: { name: 'r' } },
    spec: { deny: { kubernetes_resources: [entry] } },
  });

  if (words === undefined) expect(parseRole(content).document.version).toBe(version);
  else expect(() => parseRole(content)).toThrow(words);
});

test('of thousands of fields that are none the first are named, and the rest takes no time', () => {
  const content = `{${Array.from({ length: 10_000 }, (_, at) => `k${at}: 1`).join(', ')}}`;
  const before = process.threadCpuUsage();
  // The three that are missing, and twenty.
  expect(() => parseRole(content)).toThrow(/^(?:[^\n]*\n){22}[^\n]*'k19' is not a field here[^\n]*$/);
  expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(8_000);
});
