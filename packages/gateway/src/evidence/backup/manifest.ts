/** What a backup says of itself. Written last: a folder without it is no whole backup. */
import { z } from 'zod';

export const MANIFEST_FILE = 'manifest.json';

export const manifest = z.object({
  format: z.literal(1),
  /** Of the Gatehouse that made it. */
  version: z.string(),
  made: z.string(),
  clusterId: z.string(),
  created: z.string(),
  /** The last step the tables have gone through. */
  schema: z.object({ number: z.number(), name: z.string() }),
  /** The master key that opens its secrets. */
  keyId: z.string(),
  hasKeys: z.boolean(),
  hasRecordings: z.boolean(),
  files: z.array(z.object({ path: z.string(), bytes: z.number(), sha256: z.string() })),
});

export type Manifest = z.infer<typeof manifest>;
export type BackupFile = Manifest['files'][number];
