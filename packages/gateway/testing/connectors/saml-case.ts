/** A sign-in through SAML that has begun, and waits for an answer: the row without a gateway around it. */
import { inflateRawSync } from 'node:zlib';
import { type SamlDocument, samlDocument } from '@gatehouse/contract/identity/connectors/connector-document';
import type { BeginRequest, OpenConnector, ProviderDeps } from '../../src/identity/connectors/providers/provider.ts';
import { createProviderRecall } from '../../src/identity/connectors/providers/provider-memory.ts';
import { samlProvider } from '../../src/identity/connectors/providers/saml/saml-provider.ts';
import { silentLog } from '../../src/platform/std/log.ts';
import { createMemo } from '../../src/platform/std/memo.ts';
import { proveHere } from './prove-here.ts';
import { type AnswerParts, encoded } from './saml-forge.ts';
import { makeSamlKeys, type SamlKeys } from './saml-keys.ts';

export const NOW = Date.UTC(2026, 5, 1, 12);
export const ORIGIN = 'https://gate.example';
export const ISSUER = 'https://idp.example/entity';
const STATE = 'state-of-the-attempt';

export type SamlSpec = Partial<SamlDocument['spec']>;

/** Keys take their time: made once for a file of tests. */
export async function makeCaseKeys() {
  const [idp, stranger] = await Promise.all([
    makeSamlKeys('idp', { from: NOW - 86_400_000 }),
    makeSamlKeys('stranger', { from: NOW - 86_400_000 }),
  ]);
  return { idp, stranger };
}

export function samlConnector(spec: SamlSpec, more: Partial<OpenConnector<'saml'>> = {}): OpenConnector<'saml'> {
  const document = samlDocument.parse({
    kind: 'saml',
    version: 'v2',
    metadata: { name: 'acme' },
    spec: { attributes_to_roles: [{ name: 'groups', value: 'staff', roles: ['access'] }], ...spec },
  });
  return { kind: 'saml', name: 'acme', document, secrets: {}, facts: {}, ...more };
}

export function samlDeps({
  fetch = fetchNothing,
  now = () => NOW,
}: Partial<Pick<ProviderDeps, 'fetch' | 'now'>> = {}): ProviderDeps {
  const recall = createProviderRecall({ fetch, now });
  return { fetch, recall, memo: createMemo(), samlAnswers: proveHere, now, log: silentLog, publicOrigin: () => ORIGIN };
}

async function fetchNothing(): Promise<Response> {
  throw new Error('nothing is to be fetched');
}

export async function beginSamlCase(
  keys: SamlKeys,
  spec: SamlSpec = {},
  more: Partial<OpenConnector<'saml'>> = {},
  wishes: Pick<BeginRequest, 'isFresh'> = {},
) {
  const connector = samlConnector({ issuer: ISSUER, sso: 'https://idp.example/sso', cert: keys.cert, ...spec }, more);
  const deps = samlDeps();
  const callback = samlProvider.callbackOf(connector, ORIGIN);
  const begun = await samlProvider.begin(deps, connector, { state: STATE, callback, ...wishes });
  const requestId = begun.kept.requestId!;
  const parts: AnswerParts = { acs: callback, requestId, issuer: ISSUER, audience: callback, now: NOW };
  return {
    connector,
    begun,
    parts,
    answer: async (xml: string) =>
      await samlProvider.answer(deps, connector, {
        fields: { SAMLResponse: encoded(xml), RelayState: STATE },
        callback,
        state: STATE,
        kept: begun.kept,
        client: '192.0.2.1',
      }),
  };
}

/** What the browser carries to the provider. */
export function requestOf(url: string): string {
  return inflateRawSync(Buffer.from(new URL(url).searchParams.get('SAMLRequest')!, 'base64')).toString();
}
