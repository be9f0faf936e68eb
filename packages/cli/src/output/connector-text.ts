/** Connectors and their tests in words. */

import type { ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import type { ConnectorTest, ConnectorTestStep } from '@gatehouse/contract/identity/connectors/connector-tests';
import type { ConnectorItem } from '@gatehouse/contract/identity/connectors/connectors';
import { printable } from '@gatehouse/contract/std/printable';
import { table } from './table.ts';

export function tellConnectors(connectors: readonly ConnectorItem[]): string {
  if (connectors.length === 0) return 'no connectors\n';
  const rows = connectors.map((connector) => [
    connector.name,
    connector.kind,
    connector.display ?? '-',
    String(connector.users ?? 0),
    connector.lastSignIn ?? '-',
    stateOf(connector),
  ]);
  return table([['NAME', 'KIND', 'SHOWN AS', 'USERS', 'LAST SIGN-IN', 'STATE'], ...rows]);
}

function stateOf({ kind, enabled = true, hasSecret = true, trouble }: ConnectorItem): string {
  if (!enabled) return 'off';
  if (trouble) return trouble;
  // SAML needs none: there is nothing to mend.
  return hasSecret || kind === 'saml' ? 'on' : 'on, without a secret';
}

/** `12 users are`. */
export function usersText({ users = 0 }: Pick<ConnectorItem, 'users'>): string {
  if (users === 0) return 'whoever came through it is';
  return users === 1 ? '1 user is' : `${users} users are`;
}

/** Where answers come to, as providers of each kind call it. */
const ANSWERED_AT: Readonly<Record<ConnectorKind, string>> = {
  github: 'callback address',
  oidc: 'callback address',
  saml: 'ACS address',
};
const ENTRIES: Readonly<Record<string, string>> = {
  metadata: 'metadata',
  entity: 'entity id',
  backchannel: 'back-channel logout',
  signout: 'after sign-out',
};

/** What a provider must be told of this gateway. */
export function tellEntries(kind: ConnectorKind, enter: readonly { what: string; value: string }[]): string {
  if (enter.length === 0) return '';
  const words: typeof ENTRIES = { ...ENTRIES, callback: ANSWERED_AT[kind] };
  return `Enter at the provider:\n${indented(enter.map(({ what, value }) => [words[what] ?? what, value]))}`;
}

const MARKS: Readonly<Record<ConnectorTestStep['status'], string>> = { passed: '✓', failed: '✗', skipped: '-' };

export function tellConnectorTest(test: ConnectorTest): string {
  const width = Math.max(0, ...test.steps.map(({ step }) => step.length));
  const steps = test.steps.map(
    ({ step, status, message }) => `${`${MARKS[status]} ${step.padEnd(width)}  ${printable(message)}`.trimEnd()}\n`,
  );
  return [
    ...steps,
    part(
      'Claims:',
      Object.entries(test.claims).map(([claim, values]) => [claim, valuesText(test, claim, values)]),
    ),
    part(
      'Roles:',
      test.roles.map(({ role, entry, exists }) => [role, `by ${entry}${exists ? '' : '; there is no such role'}`]),
    ),
    part(
      'Entries that nothing matched:',
      test.unmatched.map((entry) => [entry]),
    ),
    part(
      'Traits:',
      Object.entries(test.traits).map(([trait, values]) => [trait, values.join(', ')]),
    ),
    part(
      'Claims that are not kept:',
      test.dropped.map(({ claim, why }) => [claim, why]),
    ),
  ].join('');
}

const MAX_VALUES = 20;

/** The gateway counts what it leaves out; here a claim is to fit a screen. */
function valuesText({ counts }: ConnectorTest, claim: string, values: readonly string[]): string {
  const shown = values.slice(0, MAX_VALUES);
  const left = (Object.hasOwn(counts, claim) ? (counts[claim] ?? 0) : values.length) - shown.length;
  return `${shown.join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
}

function part(title: string, rows: readonly (readonly string[])[]): string {
  return rows.length === 0 ? '' : `${title}\n${indented(rows)}`;
}

function indented(rows: readonly (readonly string[])[]): string {
  return table(rows.map((row) => ['', ...row]));
}
