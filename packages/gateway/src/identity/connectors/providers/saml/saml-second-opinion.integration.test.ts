/** pysaml2 as a second opinion: a provider that shares no code with us reads our metadata and our request, and we read its answer. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ORIGIN, type SamlSpec, samlConnector, samlDeps } from '../../../../../testing/connectors/saml-case.ts';
import { encoded } from '../../../../../testing/connectors/saml-forge.ts';
import { makeSamlKeys } from '../../../../../testing/connectors/saml-keys.ts';
import { serviceMetadata } from './metadata.ts';
import { samlProvider } from './saml-provider.ts';

/** Debian's own, whatever else is called python3 here: the package is Debian's. */
const PYTHON = '/usr/bin/python3';
const PROGRAM = join(import.meta.dirname, '../../../../../testing/connectors/saml-second-opinion.py');
const ISSUER = 'https://pysaml2.example/idp';

const from = Date.now() - 3_600_000;
const theirs = await makeSamlKeys('pysaml2', { from });
const ours = await makeSamlKeys('gateway', { from });
const deps = samlDeps({ now: Date.now });

const described = z.object({ descriptor: z.string() });
const answered = z.object({
  xml: z.string(),
  destination: z.string(),
  entity: z.string(),
  relayState: z.string(),
  wantsSignedAssertions: z.string(),
});

async function pysaml2(input: object): Promise<unknown> {
  const given = {
    issuer: ISSUER,
    sso: 'https://pysaml2.example/sso',
    key: theirs.key,
    cert: theirs.cert,
    wantsSigned: false,
    ...input,
  };
  return await new Promise((resolve, reject) => {
    const child = execFile(PYTHON, [PROGRAM], { maxBuffer: 4 * 1024 * 1024 }, (error, stdout, stderr) =>
      error ? reject(new Error(stderr)) : resolve(JSON.parse(stdout.trim().split('\n').at(-1)!)),
    );
    child.stdin?.end(JSON.stringify(given));
  });
}

interface SecondOpinion {
  spec?: SamlSpec;
  secrets?: Record<string, string>;
  wantsSigned?: boolean;
  signsResponse?: boolean;
  encrypts?: boolean;
}

async function signIn({
  spec = {},
  secrets = {},
  wantsSigned = false,
  signsResponse = false,
  encrypts = false,
}: SecondOpinion) {
  const { descriptor } = described.parse(await pysaml2({}));
  const connector = samlConnector({ entity_descriptor: descriptor, username_attribute: 'login', ...spec }, { secrets });
  const callback = samlProvider.callbackOf(connector, ORIGIN);
  const { url, kept } = await samlProvider.begin(deps, connector, { state: 'st', callback });
  const answer = answered.parse(
    await pysaml2({
      metadata: serviceMetadata(connector, ORIGIN),
      url,
      wantsSigned,
      signsResponse,
      encrypts,
      nameId: 'ann-0001',
      attributes: { login: ['ann'], groups: ['staff', 'ops & more'] },
      contextClass: 'https://refeds.org/profile/mfa',
    }),
  );
  const fields = { SAMLResponse: encoded(answer.xml), RelayState: answer.relayState };
  const request = { fields, callback, state: 'st', kept, client: '192.0.2.1' };
  return { answer, assertion: await samlProvider.answer(deps, connector, request) };
}

test('pysaml2 understands our metadata and our request, and we its answer', async () => {
  const { answer, assertion } = await signIn({});

  expect(answer).toMatchObject({
    destination: `${ORIGIN}/v1/webapi/saml/acs/acme`,
    entity: `${ORIGIN}/v1/webapi/saml/acs/acme`,
    wantsSignedAssertions: 'true',
  });
  expect(assertion).toMatchObject({ issuer: ISSUER, subject: 'ann-0001', username: 'ann', mfa: true });
  expect(assertion.claims.get('groups')).toEqual(['staff', 'ops & more']);
});

test('pysaml2 finds that our request is signed, and we that its Response is', async () => {
  const { answer, assertion } = await signIn({
    spec: { signing_key_pair: { cert: ours.cert } },
    secrets: { 'spec.signing_key_pair.private_key': ours.key },
    wantsSigned: true,
    signsResponse: true,
  });

  expect(answer.xml.match(/:Signature /g)).toHaveLength(2);
  expect(assertion).toMatchObject({ subject: 'ann-0001' });
});

test('pysaml2 encrypts for the key in our metadata, by Triple DES, and that is refused in words', async () => {
  const asked = signIn({
    spec: { assertion_key_pair: { cert: ours.cert } },
    secrets: { 'spec.assertion_key_pair.private_key': ours.key },
    encrypts: true,
  });

  await expect(asked).rejects.toThrow(
    "encrypted with 'xmlenc#tripledes-cbc', which is not taken: let the provider use AES-256-GCM",
  );
});
