import { expect, test } from 'vitest';
import type { RoleDocumentError } from '../../../access/document/role-document-error.ts';
import { parseConnector } from './parse-connector.ts';

function linesOf(text: string): number[] {
  try {
    parseConnector('oidc', text);
    return [];
  } catch (error) {
    return (error as RoleDocumentError).issues.map(({ line }) => line);
  }
}

test.each([
  [
    'fields that cannot be read',
    "kind: oidc\nversion: v3\nmetadata:\n  name: ''\nspec:\n  claims_to_roles: []\n  issuer_url: ftp://x\n  client_id: ''\n",
  ],
  [
    'fields that do not work together',
    "kind: oidc\nversion: v3\nmetadata: { name: a }\nspec:\n  prompt: none\n  issuer_url: https://a.example/?x=1\n  client_id: x\n  claims_to_roles:\n    - { claim: a, value: '^($', roles: [b] }\n  redirect_url: https://a.example/\n",
  ],
])('what is wrong with a document is told from above: %s', (_, text) => {
  const lines = linesOf(text);

  expect(lines.length).toBeGreaterThan(2);
  expect(lines).toEqual(lines.toSorted((a, b) => a - b));
});

test.each(['••••••••', '••••••••and more'])(
  'what a page shows in place of a secret is not taken for one: %s',
  (shown) => {
    const text = `kind: oidc\nversion: v3\nmetadata: { name: a }\nspec:\n  issuer_url: https://a.example\n  client_id: x\n  client_secret: ${shown}\n  claims_to_roles: [{ claim: a, value: b, roles: [c] }]\n`;

    expect(() => parseConnector('oidc', text)).toThrow('write the whole secret');
  },
);

test('a client id that was copied with a blank is refused at its line', () => {
  const text =
    "kind: oidc\nversion: v3\nmetadata: { name: a }\nspec:\n  issuer_url: https://a.example\n  client_id: 'x '\n  claims_to_roles: [{ claim: a, value: b, roles: [c] }]\n";

  expect(linesOf(text)).toEqual([6]);
  expect(() => parseConnector('oidc', text)).toThrow('begins or ends with a blank');
});
