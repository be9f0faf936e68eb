/** Hosts that certificates of database servers are made for. */
import { z } from 'zod';
import { hostName } from '../../std/resource-fields.ts';

const MAX_HOSTS = 32;

/** As somebody dials it: a name, or an address. */
const dialledHost = z.union(
  [hostName, z.ipv4(), z.ipv6(), z.string().regex(/^[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/)],
  'is neither a host name in lower case nor an IP address',
);

export const serverHosts = z.array(dialledHost).min(1).max(MAX_HOSTS);
