/** How a machine in AWS joins without a secret: by a request to STS that it has signed and that the gateway sends. */
import { z } from 'zod';

export const JOIN_METHODS = ['token', 'iam'] as const;
export type JoinMethod = (typeof JOIN_METHODS)[number];

/** A name, and no secret: what it lets in are machines that AWS vouches for. */
export const iamTokenName = z
  .string()
  .regex(/^iam-[0-9a-f]{32}$/, "is no name of a token of the method 'iam': iam- and 32 hexadecimal characters");

const REGIONS = [
  'af-south-1 ap-east-1 ap-northeast-1 ap-northeast-2 ap-northeast-3 ap-south-1 ap-south-2 ap-southeast-1 ap-southeast-2',
  'ap-southeast-3 ap-southeast-4 ap-southeast-5 ap-southeast-7 ca-central-1 ca-west-1 eu-central-1 eu-central-2 eu-north-1',
  'eu-south-1 eu-south-2 eu-west-1 eu-west-2 eu-west-3 il-central-1 me-central-1 me-south-1 mx-central-1 sa-east-1',
  'us-east-1 us-east-2 us-gov-east-1 us-gov-west-1 us-west-1 us-west-2',
].flatMap((line) => line.split(' '));
const CHINA = ['cn-north-1', 'cn-northwest-1'];

/** Every host that a signed request is ever sent to, with the region it is signed for. Nothing a machine says adds to it. */
export const STS_HOSTS: ReadonlyMap<string, string> = new Map([
  ['sts.amazonaws.com', 'us-east-1'],
  ...REGIONS.map((region) => [`sts.${region}.amazonaws.com`, region] as const),
  ...CHINA.map((region) => [`sts.${region}.amazonaws.com.cn`, region] as const),
]);

/** The one of the region; the global one for a region that is not known here. */
export function stsHostOf(region: string): string {
  const names = [`sts.${region}.amazonaws.com`, `sts.${region}.amazonaws.com.cn`];
  return names.find((name) => STS_HOSTS.has(name)) ?? 'sts.amazonaws.com';
}

/** What differs between two such requests. All the rest of it the gateway writes itself. */
export const iamProof = z.strictObject({
  host: z.string().max(64),
  /** `20260102T030405Z`, as it was signed. */
  date: z.string().regex(/^\d{8}T\d{6}Z$/, 'must be a time like 20260102T030405Z'),
  authorization: z
    .string()
    .max(1024)
    .regex(/^[\x20-\x7e]+$/, 'must be one line of plain letters'),
  sessionToken: z
    .string()
    .max(8192)
    .regex(/^[\x21-\x7e]+$/, 'must be one line of plain letters')
    .optional(),
});
export type IamProof = z.output<typeof iamProof>;
