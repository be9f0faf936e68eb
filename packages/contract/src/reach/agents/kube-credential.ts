/**
 * What the gateway asks an agent for to act in a cluster that the agent offers: a target of tunnel streams.
 *
 *   kube-credential    answers one JSON message (credentialAnswer): what its file or its program gives for the cluster of that name
 *
 * The metadata says for whom, for the agent's own log; the agent believes its gateway about access.
 */
import { z } from 'zod';
import { kubeCredential, kubeName } from '../../kinds/kube/kube-spec.ts';
import { whose } from './targets.ts';

export const KUBE_CREDENTIAL_TARGET = 'kube-credential';
export const CREDENTIAL_ANSWER_BYTES = 128 * 1_024;

export const credentialRequest = whose.extend({ name: kubeName });

export const credentialAnswer = z.union([
  z.object({
    credential: kubeCredential,
    /** When it ends, RFC 3339; absent: it does not say. */
    expires: z.iso.datetime({ offset: true }).optional(),
  }),
  z.object({ /** In words, for who asks. */ reason: z.string().max(500) }),
]);
export type CredentialAnswer = z.output<typeof credentialAnswer>;
