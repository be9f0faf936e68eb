/**
 * What an agent offers, told on a stream the gateway opens right after the tunnel is up.
 *
 *   gateway  CONNECT agent.report
 *   agent    200
 *            ── messages as in reach/tunnel/handshake.ts: 32-bit big-endian length, JSON ──
 *   agent    report(seq, resources, databaseMatch)  everything it offers now, and which databases of the gateway it looks
 *                                       after: at once, when something changes, and each `nextMs`
 *   gateway  taken(seq, nextMs, refused)
 *   agent    alive(seq)                 instead of a report while nothing has changed since the last taken one
 *   gateway  taken(seq, nextMs)
 *
 * A resource the gateway refuses is named with the reason; the others are taken. What is not in a report is gone.
 */
import { z } from 'zod';
import { databaseMatch } from '../../kinds/db/db-match.ts';
import { reportedSchemas } from '../../kinds/kind-schemas.ts';

export const REPORT_TARGET = 'agent.report';
/** As many as a directory of a large network holds. */
export const REPORT_BYTES = 4 * 1024 * 1024;
export const TAKEN_BYTES = 256 * 1024;
export const MAX_RESOURCES = 5000;

export const reportedResource = z.discriminatedUnion('kind', reportedSchemas);
export type ReportedResource = z.output<typeof reportedResource>;

const seq = z.int().min(0);

export const agentReport = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('report'),
    seq,
    resources: z.array(reportedResource).max(MAX_RESOURCES),
    /** Which databases it looks after that are entered at the gateway. */
    databaseMatch: databaseMatch.optional(),
  }),
  z.object({ type: z.literal('alive'), seq }),
]);
export type AgentReport = z.output<typeof agentReport>;

export const reportTaken = z.object({
  type: z.literal('taken'),
  seq,
  nextMs: z.int().min(1_000).max(3_600_000),
  refused: z.array(z.object({ kind: z.string(), name: z.string(), reason: z.string().max(500) })).default([]),
});
export type ReportTaken = z.output<typeof reportTaken>;
