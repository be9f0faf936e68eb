/** Checks exported events without a gateway: with the public key and a checkpoint one holds, nothing else is trusted. */
import {
  type ChainEnd,
  checkpointBody,
  type EventProof,
  eventProof,
  PROOF_FIELD,
} from '@gatehouse/contract/audit/checkpoint';
import type { ChainProblem, SignedCheckpoint } from '@gatehouse/contract/audit/search';
import { z } from 'zod';
import { canonicalJson } from '../audit/canonical-json.ts';
import { eventHash, FIRST_HASH, type HashedRow } from '../audit/chain.ts';
import { type Anchor, ChainCheck } from '../audit/check-chain.ts';
import { isSignedBy } from './signing.ts';

/** Gateways write side by side, so events of one chain may stand in another order than their places. */
const MAX_WAITING = 10_000;

export interface ExportCheck {
  publicKey: string | undefined;
  /** Already known to be signed by the key when there is one: see `readCheckpoint`. */
  checkpoint: SignedCheckpoint | undefined;
  /** The events begin somewhere inside the chains: what came before is not asked for. */
  isPart: boolean;
}

export interface ExportVerdict {
  ok: boolean;
  checked: number;
  problem?: ChainProblem;
  /** Whether every chain was held against the checkpoint; otherwise events missing at the end would not show. */
  anchored: boolean;
  checkpoint?: { number: number; time: string };
}

export class ExportError extends Error {
  override name = 'ExportError';
}

/** One call per line or event, then `end`. */
export class ExportVerifier {
  readonly #chains = new Map<string, ChainReader>();
  readonly #signed: Map<string, ChainEnd>;
  readonly #facts: ExportVerdict['checkpoint'];
  readonly #isPart: boolean;
  #line = 0;
  #problem: ChainProblem | undefined;

  constructor({ publicKey, checkpoint, isPart }: ExportCheck) {
    const body = checkpoint && readCheckpoint(checkpoint, publicKey);
    this.#signed = new Map(body?.chains.map((end) => [end.chain, end]));
    this.#facts = body && { number: body.number, time: body.time };
    this.#isPart = isPart;
  }

  add(line: string): ChainProblem | undefined {
    this.#line += 1;
    if (line.trim() === '') return undefined;
    const { row, hash } = this.#read(line);
    this.#problem ??= this.#chainOf(row).add(row, hash, () => slowHash(line, row));
    return this.#problem;
  }

  end(): ExportVerdict {
    if (this.#problem) return this.#verdict(this.#problem);
    for (const { chain, start, index } of this.#signed.values()) {
      // A chain of which nothing is left is the longest cut of all.
      if (!this.#isPart && index > 0 && !this.#chains.has(chain)) {
        const first = (start?.index ?? 0) + 1;
        const reason = `event ${first} of chain '${chain}' is missing, though the log had ${index} events`;
        return this.#verdict({ chain, index: first, reason });
      }
    }
    for (const reader of this.#chains.values()) {
      const problem = reader.end();
      if (problem) return this.#verdict(problem);
    }
    return this.#verdict(undefined);
  }

  #verdict(problem: ChainProblem | undefined): ExportVerdict {
    const readers = [...this.#chains.entries()];
    return {
      ok: problem === undefined,
      checked: readers.reduce((sum, [, { check }]) => sum + check.checked, 0),
      anchored: readers.every(([chain, { check }]) => (this.#signed.get(chain)?.index ?? Infinity) <= check.last.index),
      ...(problem && { problem }),
      ...(this.#facts && { checkpoint: this.#facts }),
    };
  }

  #chainOf(row: HashedRow): ChainReader {
    const known = this.#chains.get(row.chain);
    if (known) return known;
    const signed = this.#signed.get(row.chain);
    const whole = signed?.start ?? { index: 0, hash: FIRST_HASH };
    const start = this.#isPart ? { index: row.chain_index - 1, hash: row.prev_hash } : whole;
    const reader = new ChainReader(row.chain, start, signed ? [{ index: signed.index, hash: signed.hash }] : []);
    this.#chains.set(row.chain, reader);
    return reader;
  }

  #read(line: string): { row: HashedRow; hash: string } {
    const parsed = readWire(parseJson(line));
    if (!parsed) {
      throw new ExportError(`line ${this.#line} is no event with its proof: export it with gatehouse audit export`);
    }
    const { event, code, time, uid, cluster_name, [PROOF_FIELD]: proof } = parsed;
    const row: HashedRow = {
      uid,
      time: Date.parse(time),
      event,
      code,
      severity: proof.severity,
      user: proof.user,
      sign_in: proof.signIn,
      session: proof.session,
      resource_kind: proof.kind,
      resource_name: proof.name,
      address: proof.address,
      cluster: cluster_name,
      data: '',
      chain: proof.chain,
      chain_index: proof.index,
      prev_hash: proof.previous,
    };
    return { row: { ...row, data: dataIn(line, row, JSON.stringify(proof)) }, hash: proof.hash };
  }
}

/** Throws when somebody else signed it. */
export function readCheckpoint(signed: SignedCheckpoint, publicKey: string | undefined) {
  if (publicKey !== undefined && !isSignedBy(signed, publicKey)) {
    throw new ExportError('the checkpoint is not signed by this key');
  }
  return checkpointBody.parse(JSON.parse(signed.body));
}

/** Events of one chain in the order of their places, whatever order they come in. */
class ChainReader {
  readonly check: ChainCheck;
  readonly #waiting = new Map<number, { row: HashedRow; hash: string; again: () => string }>();

  constructor(chain: string, start: Anchor, anchors: readonly Anchor[]) {
    this.check = new ChainCheck({ chain, start, anchors });
  }

  add(row: HashedRow, hash: string, again: () => string): ChainProblem | undefined {
    if (row.chain_index <= this.check.last.index) return this.#take(row, hash, again);
    if (row.chain_index > this.check.last.index + 1) {
      this.#waiting.set(row.chain_index, { row, hash, again });
      return this.#waiting.size > MAX_WAITING ? this.#flush() : undefined;
    }
    let problem = this.#take(row, hash, again);
    for (let next = this.#next(); next && !problem; next = this.#next()) {
      problem = this.#take(next.row, next.hash, next.again);
    }
    return problem;
  }

  end(): ChainProblem | undefined {
    return this.#flush() ?? this.check.end();
  }

  #next() {
    const place = this.check.last.index + 1;
    const next = this.#waiting.get(place);
    this.#waiting.delete(place);
    return next;
  }

  #flush(): ChainProblem | undefined {
    const [first] = [...this.#waiting.keys()].toSorted((a, b) => a - b);
    const waiting = first === undefined ? undefined : this.#waiting.get(first);
    return waiting && this.#take(waiting.row, waiting.hash, waiting.again);
  }

  #take(row: HashedRow, hash: string, again: () => string): ChainProblem | undefined {
    const quick = eventHash(row);
    return this.check.add({ ...row, hash }, quick === hash ? quick : again());
  }
}

type Wire = Record<(typeof WIRE_TEXTS)[number], string> & { [PROOF_FIELD]: EventProof };

const WIRE_TEXTS = ['event', 'code', 'time', 'uid', 'cluster_name'] as const;
const PROOF_TEXTS = Object.keys(eventProof.omit({ index: true }).shape);

/** By hand: a schema would take longer than the hash, and a million lines are read at once. */
function readWire(value: unknown): Wire | undefined {
  const event = value as Partial<Wire> | null | undefined;
  const proof = event?.[PROOF_FIELD] as Record<string, unknown> | undefined;
  if (typeof event !== 'object' || typeof proof !== 'object' || proof === null) return undefined;
  const isWhole =
    WIRE_TEXTS.every((name) => typeof event?.[name] === 'string') &&
    PROOF_TEXTS.every((name) => typeof proof[name] === 'string') &&
    Number.isSafeInteger(proof.index) &&
    !Number.isNaN(Date.parse(event?.time ?? ''));
  return isWhole ? (event as Wire) : undefined;
}

/** The fields as the gateway wrote them, cut out of the line. Right unless some program has written the line anew. */
function dataIn(line: string, row: HashedRow, proof: string): string {
  const text = JSON.stringify;
  const head =
    `{"ei":0,"event":${text(row.event)},"code":${text(row.code)},"time":"${new Date(row.time).toISOString()}"` +
    `,"uid":${text(row.uid)},"cluster_name":${text(row.cluster)}`;
  const tail = `,"${PROOF_FIELD}":${proof}}`;
  const end = line.length - tail.length;
  if (end < head.length || !line.startsWith(head) || !line.endsWith(tail)) return '{}';
  return end === head.length ? '{}' : `{${line.slice(head.length + 1, end)}}`;
}

/** From what the line means: another program may have put its keys or blanks elsewhere. */
function slowHash(line: string, row: HashedRow): string {
  const {
    ei: _ei,
    event: _event,
    code: _code,
    time: _time,
    uid: _uid,
    cluster_name: _cluster,
    [PROOF_FIELD]: _proof,
    ...fields
  } = z.record(z.string(), z.unknown()).parse(parseJson(line));
  return eventHash({ ...row, data: canonicalJson(fields) });
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
