/** What is wrong with a proof before anybody is asked about it; undefined where nothing is. */
import { type IamProof, STS_HOSTS } from '@gatehouse/contract/reach/join-tokens/iam';
import { CHALLENGE_HEADER, signedNames } from '@gatehouse/tunnel/aws/iam-proof';

const MAX_SKEW_MS = 5 * 60_000;
const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=[A-Z0-9]{16,128}\/(\d{8})\/([a-z0-9-]{1,32})\/([a-z0-9-]{1,32})\/aws4_request, SignedHeaders=([a-z0-9;-]{1,256}), Signature=[0-9a-f]{64}$/;

export function wrongWithProof(proof: IamProof, now: number): string | undefined {
  const { host, date, authorization } = proof;
  const region = STS_HOSTS.get(host);
  if (region === undefined) return 'the request is signed for a host that is none of STS';
  const [, day, signedRegion, service, names] = AUTHORIZATION.exec(authorization) ?? [];
  if (day === undefined) return 'the signature of the request cannot be read';
  if (service !== 'sts') return 'the request is signed for another service than STS';
  if (signedRegion !== region) return 'the request is signed for another region than that of its host';
  if (names !== signedNames(proof))
    return names?.split(';').includes(CHALLENGE_HEADER)
      ? 'other headers of the request are signed than those that it has'
      : 'the challenge is not among the signed headers of the request';
  const signed = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (Number.isNaN(signed) || !date.startsWith(day)) return 'the date of the request cannot be read';
  if (Math.abs(signed - now) > MAX_SKEW_MS)
    return `the clock of the machine is wrong: it signed at ${new Date(signed).toISOString()}, and here it is ${new Date(now).toISOString()}`;
  return undefined;
}
