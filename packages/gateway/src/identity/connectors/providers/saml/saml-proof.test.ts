/** When a SAML provider says that somebody signed in there, and what that proves. */
import { expect, test } from 'vitest';
import { beginSamlCase, makeCaseKeys, NOW, requestOf } from '../../../../../testing/connectors/saml-case.ts';
import {
  assertionXml,
  instant,
  responseXml,
  signed,
  statementXml,
} from '../../../../../testing/connectors/saml-forge.ts';

const keys = await makeCaseKeys();

test('force_authn is not satisfied by a sign-in of before', async () => {
  const { answer, parts } = await beginSamlCase(keys.idp, { force_authn: true });
  const statement = statementXml({ now: NOW - 60_000 });

  const asked = answer(
    responseXml(signed(assertionXml({ ...parts, statement }), '_assertion', { keys: keys.idp }), parts),
  );

  await expect(asked).rejects.toThrow(
    `force_authn asked them to sign in anew, and the provider tells of a sign-in at ${instant(NOW - 60_000)}`,
  );
});

test('where a proof of now is asked for the provider is told, and a sign-in of before is none', async () => {
  const { answer, begun, parts } = await beginSamlCase(keys.idp, {}, {}, { isFresh: true });
  const told = (at: number) => {
    const statement = statementXml({ now: at });
    return answer(responseXml(signed(assertionXml({ ...parts, statement }), '_assertion', { keys: keys.idp }), parts));
  };

  expect(requestOf(begun.url)).toContain('ForceAuthn="true"');
  await expect(told(NOW - 60_000)).rejects.toThrow(`tells of a sign-in at ${instant(NOW - 60_000)} (AuthnInstant)`);
  expect(await told(NOW - 1_000)).toMatchObject({ provenAt: NOW - 1_000 });
  // A clock that is a little ahead makes nothing fresh that is to come.
  expect(await told(NOW + 20_000)).toMatchObject({ provenAt: NOW });
});

test('of several sign-ins that a provider tells of, the earliest is when they proved it', async () => {
  const { answer, parts } = await beginSamlCase(keys.idp);
  const statement = [NOW, NOW - 7_200_000, NOW - 60_000].map((now) => statementXml({ now })).join('');
  const xml = responseXml(signed(assertionXml({ ...parts, statement }), '_assertion', { keys: keys.idp }), parts);

  expect(await answer(xml)).toMatchObject({ provenAt: NOW - 7_200_000 });
});
