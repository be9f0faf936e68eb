/** What upkeep of recordings is asked with. */
import { z } from 'zod';
import { eventRange } from '../audit/search-query.ts';

export const coverageQuery = z.object({ ...eventRange });

export const pruneBody = z.object({ dryRun: z.boolean() });
