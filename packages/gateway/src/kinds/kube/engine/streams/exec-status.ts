/** How a command ended, as clusters tell it at the end of an exec. */
import { parseJson } from '@gatehouse/contract/std/parse-json';
import { z } from 'zod';

/** A status is some hundred bytes. */
export const MAX_STATUS_BYTES = 64 * 1024;
const MAX_MESSAGE = 500;

const status = z.object({
  status: z.string(),
  reason: z.string().optional(),
  message: z.string().optional(),
  details: z
    .object({ causes: z.array(z.object({ reason: z.string().optional(), message: z.string().optional() })).optional() })
    .optional(),
});

export interface ExecEnd {
  /** Undefined: it did not end by itself, or never began. */
  code?: number;
  /** In the cluster's words, where it did not end well. */
  message?: string;
}

/** Undefined for what is no status: then the way to the cluster was lost. */
export function readExecStatus(raw: Buffer): ExecEnd | undefined {
  const read = status.safeParse(parseJson(raw)).data;
  if (!read) return undefined;
  if (read.status === 'Success') return { code: 0 };
  const message = (read.message ?? read.reason ?? 'the cluster does not say why').slice(0, MAX_MESSAGE);
  const cause = read.details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message ?? '';
  if (read.reason === 'NonZeroExitCode' && /^\d{1,3}$/.test(cause)) return { code: Number(cause), message };
  return { message };
}
