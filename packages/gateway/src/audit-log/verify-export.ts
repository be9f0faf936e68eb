/** Checks exported events without a gateway: with the public key and a checkpoint one holds, nothing else is trusted. */
import {
  type ChainEnd,
  checkpointBody,
  type EventProof,
  eventProof,
  PROOF_FIELD,
} from '@gatehouse/contract/audit/checkpoint';
import type { ChainProblem, SignedCheckpoint } from '@gatehouse/contract/audit/search';
import { canonicalJson } from '../audit/canonical-json.ts';
import { eventHash, FIRST_HASH, type HashedRow } from '../audit/chain.ts';
import { type Anchor, ChainCheck, type ChainLink } from '../audit/check-chain.ts';
import { readAsWritten } from './read-as-written.ts';
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
    const event = readAsWritten(line) ?? this.#read(line);
    this.#problem ??= this.#chainOf(event).add(event);
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

  #chainOf({ chain, chain_index, prev_hash }: ReadEvent): ChainReader {
    const known = this.#chains.get(chain);
    if (known) return known;
    const signed = this.#signed.get(chain);
    const whole = signed?.start ?? { index: 0, hash: FIRST_HASH };
    const start = this.#isPart ? { index: chain_index - 1, hash: prev_hash } : whole;
    const reader = new ChainReader(chain, start, signed ? [{ index: signed.index, hash: signed.hash }] : []);
    this.#chains.set(chain, reader);
    return reader;
  }

  /** From what the line means: another program may have put its keys or blanks elsewhere. */
  #read(line: string): ReadEvent {
    const json = parseJson(line);
    const parsed = readWire(json);
    if (!parsed) {
      throw new ExportError(`line ${this.#line} is no event with its proof: export it with gatehouse audit export`);
    }
    const { ei: _ei, event, code, time, uid, cluster_name, [PROOF_FIELD]: proof, ...fields } = parsed;
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
      data: canonicalJson(fields),
      chain: proof.chain,
      chain_index: proof.index,
      prev_hash: proof.previous,
    };
    return {
      chain: row.chain,
      chain_index: row.chain_index,
      prev_hash: row.prev_hash,
      hash: proof.hash,
      actual: eventHash(row),
    };
  }
}

/** Throws when somebody else signed it. */
export function readCheckpoint(signed: SignedCheckpoint, publicKey: string | undefined) {
  if (publicKey !== undefined && !isSignedBy(signed, publicKey)) {
    throw new ExportError('the checkpoint is not signed by this key');
  }
  return checkpointBody.parse(JSON.parse(signed.body));
}

/** What a line says of its place in a chain, and the hash of what else it says. */
interface ReadEvent extends ChainLink {
  chain: string;
  actual: string;
}

/** Events of one chain in the order of their places, whatever order they come in. */
class ChainReader {
  readonly check: ChainCheck;
  readonly #waiting = new Map<number, ReadEvent>();

  constructor(chain: string, start: Anchor, anchors: readonly Anchor[]) {
    this.check = new ChainCheck({ chain, start, anchors });
  }

  add(event: ReadEvent): ChainProblem | undefined {
    if (event.chain_index <= this.check.last.index) return this.#take(event);
    if (event.chain_index > this.check.last.index + 1) {
      this.#waiting.set(event.chain_index, event);
      return this.#waiting.size > MAX_WAITING ? this.#flush() : undefined;
    }
    let problem = this.#take(event);
    if (this.#waiting.size === 0) return problem;
    for (let next = this.#next(); next && !problem; next = this.#next()) problem = this.#take(next);
    return problem;
  }

  end(): ChainProblem | undefined {
    return this.#flush() ?? this.check.end();
  }

  #next(): ReadEvent | undefined {
    const place = this.check.last.index + 1;
    const next = this.#waiting.get(place);
    this.#waiting.delete(place);
    return next;
  }

  #flush(): ChainProblem | undefined {
    const [first] = [...this.#waiting.keys()].toSorted((a, b) => a - b);
    const waiting = first === undefined ? undefined : this.#waiting.get(first);
    return waiting && this.#take(waiting);
  }

  #take(event: ReadEvent): ChainProblem | undefined {
    return this.check.add(event, event.actual);
  }
}

type Wire = Record<(typeof WIRE_TEXTS)[number], string> & { [PROOF_FIELD]: EventProof } & Record<string, unknown>;

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

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
