/** Which databases an agent looks after that are entered at the gateway: by their labels. */
import { z } from 'zod';
import { matcherLabels } from '../../std/matcher-labels.ts';

/** Those that fit one of them. */
export const databaseMatch = z.array(matcherLabels).max(64);
export type DatabaseMatch = z.output<typeof databaseMatch>;
