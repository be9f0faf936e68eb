import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { withSecrets } from './connector-secrets.ts';
import { kindIn, missingSecrets, nameIn, putInSecret } from './connector-text.ts';

const BLOCK = `# ours
kind: oidc
version: v3
metadata:
  name: okta
spec:
  # what they gave us
  issuer_url: https://acme.okta.com  # no slash
  client_id: 0oa1
  claims_to_roles: [{ claim: groups, value: ops, roles: [access] }]
`;
const FLOW = `kind: github\nversion: v3\nmetadata: {name: acme}\nspec: {client_id: Iv1, teams_to_roles: []}\n`;
const JSON_TEXT = JSON.stringify(
  { kind: 'oidc', version: 'v3', metadata: { name: 'x' }, spec: { client_id: 'a' } },
  null,
  2,
);
const SAML = `kind: saml
version: v2
metadata: {name: corp}
spec:
  signing_key_pair:
    cert: |
      -----BEGIN CERTIFICATE-----
  assertion_key_pair: {cert: abc}
`;

test.each([
  ['lines', BLOCK],
  ['braces', FLOW],
  ['JSON', JSON_TEXT],
])('a secret is put into a document of %s, and nothing else changes', (_, text) => {
  const secret = 'quote " back \\ and: #colon\nline';
  const [place] = missingSecrets(text, kindIn(text));

  const written = putInSecret(text, place!, secret);

  const expected = parse(text);
  expected.spec.client_secret = secret;
  expect(parse(written)).toEqual(expected);
  // Everything of the author's is still there, in its order.
  const inserted = written.length - text.length;
  const at = [...text, ''].findIndex((letter, index) => letter !== written[index]);
  expect(written.slice(0, at) + written.slice(at + inserted)).toBe(text);
  expect(missingSecrets(written, kindIn(written))).toEqual([]);
});

test.each([
  ['at the end of the document', BLOCK],
  ['without a line end', BLOCK.trimEnd()],
  ['before other fields', `spec:\n  client_id: 0oa1 # theirs\n  scopes:\n    - openid\n\nkind: oidc\n`],
  ['behind a text of several lines', `kind: oidc\nspec:\n  client_id: 0oa1\n  display: |\n    one\n\n    two\n\n`],
])('no line of the map moves by it, %s', (_, text) => {
  const [place] = missingSecrets(text, 'oidc');
  const written = putInSecret(text, place!, 'x');
  const end = text.split('\n').findLastIndex((line) => line.startsWith('  '));

  expect(parse(written)).toEqual({ ...parse(text), spec: { ...parse(text).spec, client_secret: 'x' } });
  expect(written.split('\n').slice(0, end + 1)).toEqual(text.split('\n').slice(0, end + 1));
});

test('keys of SAML have places of their own, where the document has them', () => {
  const places = missingSecrets(SAML, 'saml');

  expect(places.map(({ field }) => field)).toEqual(['signing_key_pair', 'assertion_key_pair']);
  const written = places.reduce((text, place) => putInSecret(text, place, `key of ${place.field}`), SAML);
  expect(parse(written).spec).toMatchObject({
    signing_key_pair: { private_key: 'key of signing_key_pair' },
    assertion_key_pair: { private_key: 'key of assertion_key_pair', cert: 'abc' },
  });
  expect(missingSecrets('kind: saml\nspec: {sso: https://x}\n', 'saml')).toEqual([]);
  expect(missingSecrets('kind: oidc\nspec: {}\n', 'oidc')).toEqual([]);
});

test('what is no connector is refused in words', () => {
  expect(nameIn(BLOCK)).toBe('okta');
  expect(() => kindIn('kind: role\n')).toThrow('must be one of github, oidc, saml');
  expect(() => kindIn('just text')).toThrow('must hold fields');
  expect(() => kindIn('kind: [')).toThrow('neither YAML nor JSON');
  expect(() => kindIn('kind: oidc\n\tx: 1\n')).toThrow(/[^:]$/);
  expect(() => kindIn(`${BLOCK}---\n${BLOCK}`)).toThrow(
    'more than one document here, the second begins at line 11: give each connector a file of its own',
  );
});

function terminal(files: Record<string, string>, typed: string[] = []) {
  const questions: string[] = [];
  return {
    questions,
    io: {
      stdout() {},
      stderr() {},
      env: {},
      cwd: files.cwd ?? '/nonexistent',
      askSecret: async (question: string) => {
        questions.push(question);
        return typed.shift() ?? '';
      },
    },
  };
}

test('somebody at a terminal is asked for what the document leaves out, once and where nothing is kept', async () => {
  const { io, questions } = terminal({}, ['s3cret']);

  const written = await withSecrets(io, { text: BLOCK, kind: 'oidc', isNew: true }, {});
  const kept = await withSecrets(io, { text: BLOCK, kind: 'oidc', isNew: false }, {});
  const given = await withSecrets(io, { text: written, kind: 'oidc', isNew: true }, {});

  expect(parse(written).spec.client_secret).toBe('s3cret');
  expect(kept).toBe(BLOCK);
  expect(given).toBe(written);
  expect(questions).toEqual(['client_secret (not shown): ']);
  expect(await withSecrets(terminal({}).io, { text: BLOCK, kind: 'oidc', isNew: true }, { secret: false })).toBe(BLOCK);
});

test('a file without a place, or without its place named, is told', async () => {
  const { io } = terminal({});
  const both = { text: SAML, kind: 'saml' as const, isNew: true };

  await expect(withSecrets(io, both, { secretFile: ['sp.key'] })).rejects.toThrow(
    'leaves out several secrets (signing_key_pair, assertion_key_pair): write which it is, like signing_key_pair=sp.key',
  );
  await expect(withSecrets(io, both, { secretFile: ['signing_key_pair=sp.key'] })).rejects.toThrow(
    "the file 'sp.key' is not there",
  );
  const none = { text: 'kind: saml\nspec: {sso: https://x}\n', kind: 'saml' as const, isNew: true };
  await expect(withSecrets(io, none, { secretFile: ['x'] })).rejects.toThrow('has no place for the secret');
});
