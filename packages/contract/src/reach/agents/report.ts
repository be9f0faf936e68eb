/**
 * What an agent offers, told on a stream the gateway opens right after the tunnel is up.
 *
 *   gateway  CONNECT agent.report
 *   agent    200
 *            ── messages as in reach/tunnel/handshake.ts: 32-bit big-endian length, JSON ──
 *   agent    report(seq, resources)     everything it offers now: at once, when something changes, and each `nextMs`
 *   gateway  taken(seq, nextMs, refused)
 *   agent    alive(seq)                 instead of a report while nothing has changed since the last taken one
 *   gateway  taken(seq, nextMs)
 *
 * A resource the gateway refuses is named with the reason; the others are taken. What is not in a report is gone.
 */
import { z } from 'zod';
import { appName, offeredAppSpec } from '../../kinds/app/app-spec.ts';
import { agentNodeSpec, nodeLabels, nodeName } from '../../kinds/node/node-spec.ts';

export const REPORT_TARGET = 'agent.report';
export const REPORT_BYTES = 1024 * 1024;
export const TAKEN_BYTES = 256 * 1024;
export const MAX_RESOURCES = 1000;

/** Further kinds add a member here. The id of a node is its agent's: an agent is one machine. */
export const reportedResource = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('node'),
    id: z.string().max(64),
    name: nodeName,
    labels: nodeLabels,
    /** People may type the host name instead of the name: it is held to the same grammar. */
    spec: agentNodeSpec.extend({ hostname: nodeName }),
  }),
  /** Its id is its name: the same application of several agents is one. */
  z.object({
    kind: z.literal('app'),
    id: z.string().max(64),
    name: appName,
    labels: nodeLabels,
    spec: offeredAppSpec,
  }),
]);
export type ReportedResource = z.output<typeof reportedResource>;

const seq = z.int().min(0);

export const agentReport = z.discriminatedUnion('type', [
  z.object({ type: z.literal('report'), seq, resources: z.array(reportedResource).max(MAX_RESOURCES) }),
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
