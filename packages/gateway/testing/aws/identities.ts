/** Who is who in AWS, for tests: a role that may join, and those who only look like it. */
import type { StsIdentity } from './sts-server.ts';

export const ACCOUNT = '123456789012';
export const HOST = 'sts.eu-central-1.amazonaws.com';
export const ROLE: StsIdentity = {
  accessKeyId: 'ASIAWEBNODEEXAMPLE01',
  secretAccessKey: 'secret-of-the-role',
  sessionToken: 'session/token+of==',
  account: ACCOUNT,
  arn: `arn:aws:sts::${ACCOUNT}:assumed-role/web/i-0123456789abcdef0`,
};
export const OTHERS: StsIdentity[] = [
  {
    accessKeyId: 'AKIAOTHERACCOUNT0001',
    secretAccessKey: 'b',
    account: '210987654321',
    arn: 'arn:aws:iam::210987654321:user/web',
  },
  {
    accessKeyId: 'AKIAOTHERROLE0000001',
    secretAccessKey: 'c',
    account: ACCOUNT,
    arn: `arn:aws:sts::${ACCOUNT}:assumed-role/webs/i-1`,
  },
  // A rule that is not anchored would take each of these.
  {
    accessKeyId: 'AKIALOOKALIKE0000001',
    secretAccessKey: 'd',
    account: ACCOUNT,
    arn: `arn:aws:iam::${ACCOUNT}:user/arn:aws:sts::${ACCOUNT}:assumed-role/web/i-1`,
  },
  {
    accessKeyId: 'AKIANEWLINE000000001',
    secretAccessKey: 'e',
    account: ACCOUNT,
    arn: `arn:aws:sts::${ACCOUNT}:assumed-role/web/i-1\nx`,
  },
  {
    accessKeyId: 'AKIATWOACCOUNTS00001',
    secretAccessKey: 'f',
    account: ACCOUNT,
    arn: 'arn:aws:sts::210987654321:assumed-role/web/i-1',
  },
];
