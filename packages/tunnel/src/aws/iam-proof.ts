/**
 * A request to STS that asks who signed it, bound to one join: a header of ours, which is signed with the rest, holds a digest of
 * the challenge and of everything the join says. The gateway writes the request anew and takes over nothing but the signature,
 * its date and the session token: a request for anything else than this has another signature.
 */
import { createHash } from 'node:crypto';
import type { IamProof } from '@gatehouse/contract/reach/join-tokens/iam';
import type { JoinProofFields } from '../handshake/join-proof.ts';
import { type AwsKeys, signedHeaders } from './sign-aws.ts';

export const CHALLENGE_HEADER = 'x-gatehouse-challenge';
const CONTEXT = 'gatehouse iam proof 1';
const STS_BODY = 'Action=GetCallerIdentity&Version=2011-06-15';
const CONTENT_TYPE = 'application/x-www-form-urlencoded; charset=utf-8';

export interface IamProofFields extends JoinProofFields {
  /** Public key that the machine leaves. */
  key: string;
}

export interface StsCaller {
  keys: AwsKeys;
  host: string;
  region: string;
  now: number;
}

export function signIamProof(fields: IamProofFields, { keys, host, region, now }: StsCaller): IamProof {
  const headers = signedHeaders(
    { method: 'POST', url: new URL(`https://${host}/`), body: STS_BODY, headers: ownHeaders(fields) },
    { keys, region, service: 'sts', now },
  );
  const { sessionToken } = keys;
  return {
    host,
    date: headers['x-amz-date'] ?? '',
    authorization: headers.authorization ?? '',
    ...(sessionToken ? { sessionToken } : {}),
  };
}

/** Which headers must be signed: exactly these, in this order. */
export function signedNames({ sessionToken }: Pick<IamProof, 'sessionToken'>): string {
  const token = sessionToken === undefined ? [] : ['x-amz-security-token'];
  return ['content-type', 'host', 'x-amz-date', ...token, CHALLENGE_HEADER].join(';');
}

/** The request as the gateway sends it. */
export function stsRequest(fields: IamProofFields, { host, date, authorization, sessionToken }: IamProof) {
  return {
    body: STS_BODY,
    headers: {
      ...ownHeaders(fields),
      host,
      'x-amz-date': date,
      ...(sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken }),
      authorization,
      accept: 'application/json',
    },
  };
}

function ownHeaders(fields: IamProofFields): Record<string, string> {
  return { 'content-type': CONTENT_TYPE, [CHALLENGE_HEADER]: challengeOf(fields) };
}

/** Fixed lengths after the context: no two different sets of fields give the same digest. */
function challengeOf({ nonce, token, name, audience, key }: IamProofFields): string {
  const digests = [nonce, token, name, audience, key].map((text) => createHash('sha256').update(text).digest());
  return createHash('sha256')
    .update(Buffer.concat([Buffer.from(`${CONTEXT}\0`), ...digests]))
    .digest('base64url');
}
