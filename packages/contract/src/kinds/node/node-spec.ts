/** What the inventory keeps about a server, beside its name and labels. */
import { z } from 'zod';
import { hostPort } from '../../std/resource-fields.ts';

/** Shown, sorted, typed after `@` and used in addresses: letters, digits, dot, dash and underscore. */
export const nodeName = z
  .string()
  .max(253)
  .regex(/^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/, 'must be letters, digits, dots, dashes or underscores');

/** An OS user name as servers take it; a dash in front would be read as an option by some program. */
export const osLogin = z.string().regex(/^[A-Za-z0-9_][A-Za-z0-9_.@+\\-]{0,127}\$?$/, 'is no login name');

/** One line of an OpenSSH public key file: type and base64, comment cut. */
export const sshPublicKey = z
  .string()
  .max(8192)
  .regex(/^(ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp(?:256|384|521)) [A-Za-z0-9+/]+={0,2}$/, 'is no SSH public key');

export const agentNodeSpec = z.object({
  type: z.literal('agent'),
  hostname: z.string(),
  /** What the machine runs, for people. */
  os: z.string().max(128).default(''),
  arch: z.string().max(32).default(''),
  version: z.string().max(64).default(''),
  /** Logins the agent starts shells for; absent: any that exists there. */
  logins: z.array(osLogin).max(64).optional(),
});

export const openSshNodeSpec = z.object({
  type: z.literal('openssh'),
  hostname: z.string(),
  addr: hostPort,
  /** Keys the server may show. A key that is not among them is refused, never learnt. */
  hostKeys: z.array(sshPublicKey).max(16),
  /** Authorities whose host certificates are believed, for the name in `addr`. */
  hostAuthorities: z.array(sshPublicKey).max(16).default([]),
  /** The agent in its network that dials it; absent: the gateway dials. */
  through: z.string().max(64).optional(),
  /** It is on the machine of the gateway itself, and an administrator said so. */
  ownMachine: z.boolean().optional(),
  /** Address of the gateway as that server sees it; put into certificates as their only source. */
  sourceAddresses: z.array(z.string().max(64)).max(16).optional(),
});

export const nodeSpec = z.discriminatedUnion('type', [agentNodeSpec, openSshNodeSpec]);
export type NodeSpec = z.output<typeof nodeSpec>;
export type OpenSshNodeSpec = z.output<typeof openSshNodeSpec>;
