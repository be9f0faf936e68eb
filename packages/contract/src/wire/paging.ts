/** What every list takes and gives: a bounded page, an opaque key for the next one, and a count under the same filter. */
import { z } from 'zod';

export const DEFAULT_LIMIT = 1000;
export const MAX_LIMIT = 10_000;

/** Reference clients write all six names with empty values when unused: empty means absent. */
const optionalText = (max: number) =>
  z
    .string()
    .max(max)
    .optional()
    .transform((text) => text || undefined);

export const listQuery = z.object({
  searchAsRoles: z.enum(['yes', '']).optional(),
  limit: z
    .string()
    .optional()
    .transform((text, context) => {
      if (text === undefined || text === '') return DEFAULT_LIMIT;
      const limit = Number(text);
      if (Number.isInteger(limit) && limit > 0) return Math.min(limit, MAX_LIMIT);
      context.addIssue({ code: 'custom', message: `limit must be a whole number above 0, not '${text.slice(0, 20)}'` });
      return z.NEVER;
    }),
  startKey: optionalText(2048),
  /** Ours: so many items after the start key are passed over, so that a list can be scrolled to anywhere. */
  skip: z
    .string()
    .regex(/^\d{0,7}$/, 'must be a whole number')
    .optional()
    .transform((text) => Number(text ?? '')),
  query: optionalText(4096),
  search: optionalText(1024),
  sort: optionalText(64),
});
export type ListQuery = z.output<typeof listQuery>;

/** Go clients and servers send empty lists as null. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z
    .array(item)
    .nullable()
    .transform((items) => items ?? []);
}

export function listReply<Item extends z.ZodType>(item: Item) {
  return z.object({ items: listOf(item), startKey: z.string(), totalCount: z.number().int() });
}
