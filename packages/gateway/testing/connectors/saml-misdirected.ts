/** Answers that the provider signed well, and that are still not for this sign-in: others' audience, request, address or time. */
import {
  type AnswerParts,
  assertionXml,
  conditionsXml,
  confirmationXml,
  instant,
  responseXml,
  signed,
  statementXml,
} from './saml-forge.ts';
import type { SamlKeys } from './saml-keys.ts';
import type { ForgedAnswer } from './saml-wrapped.ts';

export function misdirectedAnswers(parts: AnswerParts, idp: SamlKeys): ForgedAnswer[] {
  const { now, acs, requestId } = parts;
  const sign = (change: Partial<AnswerParts>, envelope: Partial<Parameters<typeof responseXml>[1]> = {}) =>
    responseXml(signed(assertionXml({ ...parts, ...change }), '_assertion', { keys: idp }), { ...parts, ...envelope });
  const confirmed = (change: Partial<AnswerParts>) => sign({ confirmation: confirmationXml({ ...parts, ...change }) });
  const data = (attributes: string) =>
    sign({
      confirmation: `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData ${attributes}/></saml:SubjectConfirmation>`,
    });
  const until = `NotOnOrAfter="${instant(now + 60_000)}"`;

  return [
    { name: 'another audience', xml: sign({ audience: 'https://other.example' }), why: /\(Audience\)/ },
    {
      name: 'no audience',
      xml: sign({ conditions: `<saml:Conditions NotOnOrAfter="${instant(now + 60_000)}"/>` }),
      why: /AudienceRestriction/,
    },
    {
      name: 'two restrictions, one for somebody else',
      xml: sign({
        conditions: conditionsXml(parts).replace(
          '</saml:Conditions>',
          '<saml:AudienceRestriction><saml:Audience>https://other.example</saml:Audience></saml:AudienceRestriction></saml:Conditions>',
        ),
      }),
      why: /\(Audience\)/,
    },
    { name: 'no conditions', xml: sign({ conditions: '' }), why: /no Conditions/ },
    {
      name: 'an unknown condition',
      xml: sign({
        conditions: conditionsXml(parts).replace('</saml:Conditions>', '<saml:Condition/></saml:Conditions>'),
      }),
      why: /condition that is not known/,
    },
    {
      name: 'another issuer in the assertion',
      xml: sign({ issuer: 'https://other.example' }),
      why: /the assertion is of 'https:\/\/other\.example'/,
    },
    {
      name: 'another issuer in the Response',
      xml: sign({}, { issuer: 'https://other.example' }),
      why: /the answer is of 'https:\/\/other\.example'/,
    },
    {
      name: 'another destination',
      xml: sign({}, { destination: 'https://other.example/acs' }),
      why: /\(Destination\)/,
    },
    { name: 'no destination', xml: sign({}, { destination: '' }), why: /meant for nothing \(Destination\)/ },
    {
      name: 'the destination with something behind',
      xml: sign({}, { destination: `${acs}/../other` }),
      why: /\(Destination\)/,
    },
    { name: 'another recipient', xml: confirmed({ acs: 'https://other.example/acs' }), why: /\(Recipient\)/ },
    { name: 'no recipient', xml: data(`InResponseTo="${requestId}" ${until}`), why: /meant for nothing \(Recipient\)/ },
    {
      name: 'another request in the Response',
      xml: sign({}, { requestId: '_another' }),
      why: /answer belongs to another request/,
    },
    {
      name: 'no request in the Response',
      xml: sign({}, { requestId: '' }),
      why: /provider began this sign-in by itself/,
    },
    { name: 'another request in the assertion', xml: confirmed({ requestId: '_another' }), why: /InResponseTo/ },
    {
      name: 'no request in the assertion',
      xml: data(`Recipient="${acs}" ${until}`),
      why: /answers no request \(InResponseTo\)/,
    },
    {
      name: 'begun by the provider',
      xml: responseXml(
        signed(
          assertionXml({
            ...parts,
            confirmation: `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData Recipient="${acs}" ${until}/></saml:SubjectConfirmation>`,
          }),
          '_assertion',
          { keys: idp },
        ),
        { ...parts, requestId: '' },
      ),
      why: /provider began this sign-in by itself/,
    },
    {
      name: 'a second confirmation for somebody else',
      xml: sign({ confirmation: confirmationXml(parts) + confirmationXml({ ...parts, acs: 'https://other.example' }) }),
      why: /\(Recipient\)/,
    },
    {
      name: 'confirmed by holding a key',
      xml: sign({ confirmation: confirmationXml(parts).replace('cm:bearer', 'cm:holder-of-key') }),
      why: /not by bearing it/,
    },
    { name: 'no confirmation', xml: sign({ confirmation: '' }), why: /SubjectConfirmation|who may use it/ },
    {
      name: 'no end in the confirmation',
      xml: data(`Recipient="${acs}" InResponseTo="${requestId}"`),
      why: /NotOnOrAfter/,
    },
    {
      name: 'an end that is no time',
      xml: data(`Recipient="${acs}" InResponseTo="${requestId}" NotOnOrAfter="tomorrow"`),
      why: /NotOnOrAfter/,
    },
    { name: 'used too late', xml: confirmed({ now: now - 400_000 }), why: /held until/ },
    {
      name: 'conditions that have ended',
      xml: sign({ conditions: conditionsXml({ ...parts, now: now - 400_000 }) }),
      why: /held until/,
    },
    {
      name: 'conditions to come',
      xml: sign({ conditions: conditionsXml({ ...parts, now: now + 40_000 }) }),
      why: /begins to hold at/,
    },
    {
      name: 'made more than ten minutes ago',
      xml: sign({ issueInstant: now - 640_000 }),
      why: /more than 10 minutes ago/,
    },
    { name: 'made in the future', xml: sign({ issueInstant: now + 40_000 }), why: /which is to come/ },
    {
      name: 'a session that has ended',
      xml: sign({ statement: statementXml(parts, undefined, ` SessionNotOnOrAfter="${instant(now - 40_000)}"`) }),
      why: /session at the provider ended/,
    },
    { name: 'nobody who signed in', xml: sign({ statement: '' }), why: /AuthnStatement/ },
    {
      name: 'not let in',
      xml: sign(
        {},
        {
          status:
            '<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Responder"><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:AuthnFailed"/></samlp:StatusCode>',
        },
      ),
      why: /could not sign them in/,
    },
    { name: 'no status', xml: sign({}, { status: '' }), why: /no status/ },
    {
      name: 'a transient NameID',
      xml: sign({ nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' }),
      why: /NameID is transient/,
    },
    {
      name: 'an e-mail address for a NameID',
      xml: sign({ nameIdFormat: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress' }),
      why: /can be given to somebody else/,
    },
    {
      name: 'a NameID of no format',
      xml: sign({ nameIdFormat: 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified' }),
      why: /'unspecified', not persistent/,
    },
    { name: 'an empty NameID', xml: sign({ nameId: ' ' }), why: /NameID is empty/ },
  ];
}
