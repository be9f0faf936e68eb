import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { setInYaml } from './edit-yaml.ts';
import { lineDiff } from './line-diff.ts';

const ROLE = `# Who is on call for the databases.
kind: role
version: v6
metadata:
  name: db-oncall
  description: "Production databases, on call"   # shown in lists
spec:
  options:
    max_session_ttl: 8h
    require_session_mfa:   true
  allow:
    # Everything of production.
    node_labels:
      env: prod
      role: [ledger,  payments] # two teams
    logins:
      # the deployer
      - deploy
      - ubuntu   # for repairs

      - 'root'
    db_labels: { env: prod, "team": [a, b] }
    db_users: [readonly]
    rules:
      # reading only
      - resources: [session]
        verbs: [list, read]
      - resources:
          - event
        verbs: [list]
  deny: {}
`;

/** The lines that went and came. */
function changed(after: string, before = ROLE) {
  const lines = lineDiff(before, after);
  return lines
    .filter(({ type }) => type !== 'same')
    .map(({ type, text }) => `${type === 'removed' ? '-' : '+'}${text}`);
}

test.each<[string, (string | number)[], unknown, string[]]>([
  [
    'a text in double quotes with a comment behind it',
    ['metadata', 'description'],
    'Night shift: databases',
    [
      '-  description: "Production databases, on call"   # shown in lists',
      "+  description: 'Night shift: databases'   # shown in lists",
    ],
  ],
  ['a length', ['spec', 'options', 'max_session_ttl'], '4h', ['-    max_session_ttl: 8h', '+    max_session_ttl: 4h']],
  [
    'a switch with odd spaces',
    ['spec', 'options', 'require_session_mfa'],
    false,
    ['-    require_session_mfa:   true', '+    require_session_mfa:   false'],
  ],
  [
    'a list on one line',
    ['spec', 'allow', 'node_labels', 'role'],
    ['payments', 'worker'],
    ['-      role: [ledger,  payments] # two teams', '+      role: [payments, worker] # two teams'],
  ],
  ['an added item of a list below', ['spec', 'allow', 'logins'], ['deploy', 'ubuntu', 'root', 'ops'], ['+      - ops']],
  [
    'a removed item of a list below',
    ['spec', 'allow', 'logins'],
    ['deploy', 'root'],
    ['-      - ubuntu   # for repairs'],
  ],
  [
    'a label in braces',
    ['spec', 'allow', 'db_labels', 'team'],
    ['a'],
    ['-    db_labels: { env: prod, "team": [a, b] }', '+    db_labels: { env: prod, team: [ a ] }'],
  ],
  ['a new label', ['spec', 'allow', 'node_labels', 'tier'], 'gold', ['+      tier: gold']],
  ['a label that goes', ['spec', 'allow', 'node_labels', 'env'], undefined, ['-      env: prod']],
  ['a new list', ['spec', 'allow', 'db_names'], ['*'], ["+    db_names: ['*']"]],
  [
    'a template',
    ['spec', 'allow', 'db_users'],
    ['{{internal.db_users}}'],
    ['-    db_users: [readonly]', "+    db_users: ['{{internal.db_users}}']"],
  ],
  [
    'the first denial, in place of empty braces',
    ['spec', 'deny', 'node_labels', 'tier'],
    'sealed',
    ['-  deny: {}', '+  deny:', '+    node_labels:', '+      tier: sealed'],
  ],
  [
    'a nested option that was not there',
    ['spec', 'options', 'record_session', 'default'],
    'strict',
    ['+    record_session:', '+      default: strict'],
  ],
  [
    'a rule that goes',
    ['spec', 'allow', 'rules', 1],
    undefined,
    ['-      - resources:', '-          - event', '-        verbs: [list]'],
  ],
  [
    'the verbs of a rule',
    ['spec', 'allow', 'rules', 0, 'verbs'],
    ['list'],
    ['-        verbs: [list, read]', '+        verbs: [list]'],
  ],
  [
    'a new rule',
    ['spec', 'allow', 'rules', 2],
    { resources: ['user'], verbs: ['list'] },
    ['+      - resources: [user]', '+        verbs: [list]'],
  ],
])('changing %s changes only its lines', (_, path, value, lines) => {
  expect(changed(setInYaml(ROLE, path, value))).toEqual(lines);
});

test('a map that is left empty goes with its last entry', () => {
  const text = 'kind: role\nspec:\n  allow:\n    node_labels:\n      env: prod\n    logins: [a]\n';

  expect(setInYaml(text, ['spec', 'allow', 'node_labels', 'env'], undefined)).toBe(
    'kind: role\nspec:\n  allow:\n    logins: [a]\n',
  );
});

test.each([
  ['kind: role', ['spec', 'allow', 'logins'], ['a']],
  ['kind: role\nspec:\n', ['spec', 'allow', 'logins'], ['a']],
  ['kind: role\nspec: # below\n', ['spec', 'options', 'max_session_ttl'], '1h'],
  ['kind: role\nspec:\n  allow:\n', ['spec', 'allow', 'logins'], ['a', 'b']],
  ['{"kind": "role", "spec": {"allow": {"logins": ["a"]}}}', ['spec', 'allow', 'logins'], ['b']],
  ['kind: role\nmetadata:\n  description: |\n    two\n    lines\n  name: x\n', ['metadata', 'description'], 'one'],
  ['spec: &all\n  allow: { logins: [a] }\nmore: *all\n', ['spec', 'allow', 'logins'], ['b']],
  ['kind: role\r\nspec:\r\n  allow:\r\n    logins: [a]\r\n', ['spec', 'allow', 'logins'], ['b']],
] as [string, string[], unknown][])(
  'whatever way %j is written, the value is there afterwards',
  (text, path, value) => {
    const after: unknown = parse(setInYaml(text, path, value));

    expect(path.reduce<unknown>((held, key) => (held as Record<string, unknown>)[key], after)).toEqual(value);
  },
);

test('any value set on any path is read back, and nothing else changes', () => {
  const values = ['x', 'a: b', '*', '{{internal.logins}}', '^a, b$', "it's", '"q"', '- x', '#c', 'yes', '1', ''];
  const paths = [
    ['metadata', 'description'],
    ['spec', 'allow', 'node_labels', 'env'],
    ['spec', 'allow', 'app_labels', 'a b:c'],
    ['spec', 'options', 'max_session_ttl'],
  ];
  for (const path of paths) {
    for (const value of [...values, values, ['*']]) {
      const after = setInYaml(ROLE, path, value);
      const back = setInYaml(after, path, undefined);
      const read = (text: string) =>
        path.reduce<unknown>((held, key) => (held as Record<string, unknown>)?.[key], parse(text));

      expect({ path, value: read(after) }).toEqual({ path, value });
      expect({ path, value, gone: read(back) }).toEqual({ path, value, gone: undefined });
      expect(changed(after).filter((line) => line.startsWith('-')).length).toBeLessThan(2);
    }
  }
});
