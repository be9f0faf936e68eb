/** Where somebody lands in the console of AWS. The address is taken apart: one that only begins like AWS's is somebody else's. */
import { AWS_CONSOLE_HOSTS, parseAppUri } from '@gatehouse/contract/kinds/app/app-spec';
import type { Partition } from './role-arn.ts';

interface PartitionHosts {
  console: string;
  federation: string;
}

/** Each partition has its own; credentials of one mean nothing in another. */
export const PARTITION_HOSTS: Record<Partition, PartitionHosts> = {
  aws: { console: 'console.aws.amazon.com', federation: 'https://signin.aws.amazon.com/federation' },
  'aws-us-gov': {
    console: 'console.amazonaws-us-gov.com',
    federation: 'https://signin.amazonaws-us-gov.com/federation',
  },
  'aws-cn': { console: 'console.amazonaws.cn', federation: 'https://signin.amazonaws.cn/federation' },
};

/** Nothing when the application's address is no console, or that of another partition than the role's. */
export function consoleAddress(uri: string, partition: Partition): string | undefined {
  const given = parseAppUri(uri);
  const { console } = PARTITION_HOSTS[partition];
  if (given?.scheme === 'cloud') return given.host === 'aws' ? `https://${console}/` : undefined;
  if (given?.scheme !== 'https' || given.port !== 443 || given.hasCredentials) return undefined;
  return AWS_CONSOLE_HOSTS.has(given.host) && given.host === console ? `https://${console}${given.path}` : undefined;
}
