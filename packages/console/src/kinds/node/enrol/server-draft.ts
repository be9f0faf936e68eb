/** A server with plain OpenSSH as it is typed, and what of it is not yet right. */
import { newNode } from '@gatehouse/contract/kinds/node/nodes';
import { labelsOf, wrongPair } from '../../../shared/enrolment/label-pair.ts';

export interface ServerDraft {
  name: string;
  addr: string;
  /** Of its host key, as somebody read it on the server; empty: what it shows now is believed. */
  fingerprint: string;
  labels: readonly string[];
  through: readonly string[];
}

export const NEW_SERVER: ServerDraft = { name: '', addr: '', fingerprint: '', labels: [], through: [] };

type Field = 'name' | 'addr' | 'hostFingerprint';
export type ServerFaults = Partial<Record<Field | 'labels', string>>;

/** A port that everybody uses need not be typed. */
export function addressOf({ addr }: ServerDraft): string {
  const typed = addr.trim();
  return typed === '' || /:\d+$/.test(typed) ? typed : `${typed}:22`;
}

export function serverOf(draft: ServerDraft) {
  const fingerprint = draft.fingerprint.trim();
  const [through] = draft.through;
  return {
    name: draft.name.trim(),
    addr: addressOf(draft),
    labels: labelsOf(draft.labels),
    ...(fingerprint === '' ? {} : { hostFingerprint: fingerprint }),
    ...(through === undefined ? {} : { through }),
  };
}

/** By field, in the words of the contract. */
export function faultsOf(draft: ServerDraft): ServerFaults {
  const faults: ServerFaults = {};
  for (const { path, message } of newNode.safeParse(serverOf(draft)).error?.issues ?? [])
    faults[path[0] as Field] ??= message;
  const wrong = wrongPair(draft.labels);
  return wrong === undefined ? faults : { ...faults, labels: wrong };
}

/** As a test of the way there wants it; nothing while it is not an address. What else is wrong is left out. */
export function testOf(draft: ServerDraft) {
  const faults = faultsOf(draft);
  if (faults.addr !== undefined) return undefined;
  const { through, name, hostFingerprint, ...fields } = serverOf(draft);
  const spec = {
    ...fields,
    ...(faults.name === undefined ? { name } : {}),
    ...(faults.hostFingerprint === undefined && hostFingerprint !== undefined ? { hostFingerprint } : {}),
  };
  return { kind: 'node', spec, ...(through === undefined ? {} : { through }) };
}
