/** Reads a line of an export that is as the gateway wrote it, without taking the JSON apart: a million lines are checked at once. */
import { hash as digest } from 'node:crypto';
import { PROOF_FIELD } from '@gatehouse/contract/audit/checkpoint';
import type { ChainLink } from '../../platform/audit/check-chain.ts';

/** A text of JSON, quotes and escapes included. */
const TEXT = '("(?:[^"\\\\]|\\\\.)*")';
const HEAD = new RegExp(
  `^{"ei":0,"event":${TEXT},"code":${TEXT},"time":"([^"]{24})","uid":${TEXT},"cluster_name":${TEXT}`,
);
const PROOF_START = `,"${PROOF_FIELD}":{"chain":`;
const PROOF = new RegExp(
  `^${PROOF_START}"([^"\\\\]*)","index":(\\d{1,15}),"previous":"([0-9a-f]{64})","hash":"([0-9a-f]{64})","severity":${TEXT}` +
    `,"user":${TEXT},"signIn":${TEXT},"session":${TEXT},"kind":${TEXT},"name":${TEXT},"address":${TEXT}}}$`,
);

/**
 * Undefined unless the line is whole and fits its own hash. What the hash covers is put together from pieces of the line:
 * equal hashes mean equal texts, so nothing in the line can mean something else than what was written.
 */
export function readAsWritten(line: string): (ChainLink & { chain: string; actual: string }) | undefined {
  const head = HEAD.exec(line);
  const proofAt = line.lastIndexOf(PROOF_START);
  if (!head || proofAt < head[0].length) return undefined;
  const proof = PROOF.exec(line.slice(proofAt));
  if (!proof) return undefined;
  const [start, event, code, iso, uid, cluster] = head;
  const [, chain, index, previous, claimed, severity, user, signIn, session, kind, name, address] = proof;
  const time = Date.parse(iso!);
  if (Number.isNaN(time)) return undefined;
  const data = proofAt === start.length ? '{}' : `{${line.slice(start.length + 1, proofAt)}}`;
  const actual = digest(
    'sha256',
    `{"address":${address},"chain":"${chain}","chain_index":${index},"cluster":${cluster},"code":${code},"data":${data}` +
      `,"event":${event},"prev_hash":"${previous}","resource_kind":${kind},"resource_name":${name},"session":${session}` +
      `,"severity":${severity},"sign_in":${signIn},"time":${time},"uid":${uid},"user":${user}}`,
    'hex',
  );
  if (actual !== claimed) return undefined;
  return { chain: chain!, chain_index: Number(index), prev_hash: previous!, hash: claimed, actual };
}
