/** A trust as a leaf's administrator writes it: whose people come, by which address, and what their roles mean here. */
import { z } from 'zod';
import { text } from '../../access/roles/role-values.ts';
import { providerAddress } from '../../identity/connectors/connector-document.ts';

export const MAX_TRUST_CHARACTERS = 256 * 1024;
export const MAX_MAP_ENTRIES = 1_000;

/** 16 random bytes: spent by the join, and never shown again. */
export const clusterJoinToken = z.string().regex(/^[0-9a-f]{32}$/, 'is no token of a root: 32 hexadecimal characters');

/** Of a federation key, as commands and pages write it. */
export const keyFingerprint = z
  .string()
  .regex(/^SHA256:[A-Za-z0-9+/]{43}$/, 'must be a fingerprint: SHA256: and 43 characters');

/** SHA-256 of a certificate, as `openssl x509 -fingerprint -sha256` prints it; colons may be left out. */
export const certificatePin = z
  .string()
  .regex(/^(sha256:)?([0-9a-f]{2}:?){31}[0-9a-f]{2}$/i, 'must be the SHA-256 fingerprint of a certificate');

/** `remote`: a role of the root by its name, with `*` for any letters, or `^…$`; `local` may use what that caught, as `$1`. */
export const roleMapEntry = z.strictObject({ remote: text.max(256), local: z.array(text.max(256)).min(1).max(64) });
export type RoleMapEntry = z.output<typeof roleMapEntry>;

export const roleMap = z.array(roleMapEntry).max(MAX_MAP_ENTRIES);
export type RoleMap = z.output<typeof roleMap>;

/** Where the root's people come from: HTTPS, and plain HTTP on this machine alone. */
export const rootAddress = providerAddress;

export const trustedClusterDocument = z.strictObject({
  kind: z.literal('trusted_cluster'),
  version: z.literal('v2'),
  metadata: z.strictObject({
    name: z.string(),
    description: z.string().max(4096).optional(),
    labels: z.record(text.max(256), z.string().max(1024)).optional(),
  }),
  spec: z.strictObject({
    enabled: z.boolean().default(true),
    /** Only while the trust is made. */
    token: clusterJoinToken.optional(),
    web_proxy_addr: z.string().min(1).max(2048),
    /** Of older documents: noted, and never dialled. */
    tunnel_addr: z.string().max(2048).optional(),
    /** Ours: what the root's key must be. */
    root_key: keyFingerprint.optional(),
    /** Ours: of the root's certificate or its authority, where no authority that this machine knows vouches for it. */
    ca_pin: certificatePin.optional(),
    role_map: roleMap.default([]),
    /** Ours: which traits of its people the root is asked for, beside those that mapped roles name. */
    traits: z.array(text.max(256)).max(128).optional(),
  }),
});
export type TrustedClusterDocument = z.output<typeof trustedClusterDocument>;
