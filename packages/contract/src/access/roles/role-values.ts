/** The sorts of values role documents are made of, each bounded. */
import { z } from 'zod';

export const MAX_TEXT = 1024;
const MAX_LIST = 1000;
const DAY_MS = 86_400_000;

const CONTROL = /\p{Cc}/u;

export const text = z
  .string()
  .min(1)
  .max(MAX_TEXT)
  .refine((value) => !CONTROL.test(value), 'must not hold control characters');

/** One name may stand for a list of one. */
export const texts = z.preprocess(
  (value) => (typeof value === 'string' ? [value] : value),
  z.array(text).max(MAX_LIST),
);

const labelKey = text
  .max(256)
  .refine((key) => key !== '__proto__', 'is not a label name')
  .refine((key) => !key.includes('{{'), 'must not be a template: only values may be');

export const labelSelector = z.record(labelKey, texts);
export type LabelSelector = z.output<typeof labelSelector>;

const SWITCHES: Readonly<Record<string, boolean>> = { yes: true, on: true, no: false, off: false };

/** `yes` and `no` are text in today's YAML, and truth values in the documents people have. */
export const toggle = z.preprocess(
  (value) => (typeof value === 'string' ? (SWITCHES[value.toLowerCase()] ?? value) : value),
  z.boolean(),
);

export const count = z.number().int().min(0).max(1_000_000);

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: DAY_MS };

/** `8h`, `1h30m`, `30h0m0s`; `never` and `0s` mean no limit and become 0. */
export const duration = z
  .string()
  .max(64)
  .transform((value, context) => {
    if (value === 'never' || value === '0') return 0;
    const parts = [...value.matchAll(/(\d{1,9})(ms|s|m|h|d)/g)];
    if (parts.length > 0 && parts.map(([part]) => part).join('') === value) {
      const total = parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * UNIT_MS[unit as string]!, 0);
      if (total <= 3650 * DAY_MS) return total;
    }
    context.addIssue({ code: 'custom', message: "must be a length of time such as '8h' or '1h30m'" });
    return z.NEVER;
  });
