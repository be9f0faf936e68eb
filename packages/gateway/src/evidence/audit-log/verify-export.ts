/** Checks events that were exported, or copied by a sink, without a gateway: with the public key and a checkpoint one holds, nothing else is trusted. */
import {
  type ChainEnd,
  checkpointBody,
  type EventProof,
  eventProof,
  PROOF_FIELD,
} from '@gatehouse/contract/audit/checkpoint';
import type { ChainProblem, SignedCheckpoint } from '@gatehouse/contract/audit/search';
import { parseJson } from '@gatehouse/contract/std/parse-json';
import { eventHash, type HashedRow } from '../../platform/audit/chain.ts';
import { canonicalJson } from '../../platform/std/canonical-json.ts';
import { CHAIN_START, ChainReader, type ReadEvent } from './chain-reader.ts';
import { readAsWritten } from './read-as-written.ts';
import { isSignedBy } from './signing.ts';
import { checkpointIn, textsIn } from './sink-lines.ts';

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
  readonly #publicKey: string | undefined;
  readonly #isHeld: boolean;
  readonly #isPart: boolean;
  #facts: ExportVerdict['checkpoint'];
  #line = 0;
  #problem: ChainProblem | undefined;

  constructor({ publicKey, checkpoint, isPart }: ExportCheck) {
    const body = checkpoint && readCheckpoint(checkpoint, publicKey);
    this.#signed = new Map(body?.chains.map((end) => [end.chain, end]));
    this.#facts = body && { number: body.number, time: body.time };
    this.#isPart = isPart;
    this.#publicKey = publicKey;
    this.#isHeld = body !== undefined;
  }

  add(line: string): ChainProblem | undefined {
    this.#line += 1;
    if (line.trim() === '') return undefined;
    for (const text of textsIn(line)) {
      const checkpoint = checkpointIn(text);
      this.#problem ??= checkpoint ? this.#takeCheckpoint(checkpoint) : this.#takeEvent(text);
    }
    return this.#problem;
  }

  #takeEvent(text: string): ChainProblem | undefined {
    const event = readAsWritten(text) ?? this.#read(text);
    return this.#chainOf(event).add(event);
  }

  /** Sinks are given the checkpoints among the events. Without a key nobody knows who wrote them, and they prove nothing. */
  #takeCheckpoint(checkpoint: SignedCheckpoint): ChainProblem | undefined {
    if (this.#publicKey === undefined) return undefined;
    if (!isSignedBy(checkpoint, this.#publicKey)) {
      const reason = `the checkpoint in line ${this.#line} is not signed by this key: it was changed, or another cluster wrote it`;
      return { chain: '', index: this.#line, reason };
    }
    const { number, time, chains } = readCheckpoint(checkpoint, undefined);
    const isNewest = !this.#isHeld && number > (this.#facts?.number ?? 0);
    if (isNewest) this.#facts = { number, time };
    for (const end of chains) {
      if (end.index === 0) continue;
      if (isNewest) this.#signed.set(end.chain, end);
      const problem = this.#isPart && !this.#chains.has(end.chain) ? undefined : this.#reader(end.chain).signed(end);
      if (problem) return problem;
    }
    return undefined;
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
      checked: readers.reduce((sum, [, { checked }]) => sum + checked, 0),
      anchored: readers.every(([chain, { last }]) => (this.#signed.get(chain)?.index ?? Infinity) <= last),
      ...(problem && { problem }),
      ...(this.#facts && { checkpoint: this.#facts }),
    };
  }

  #chainOf({ chain, chain_index, prev_hash }: ReadEvent): ChainReader {
    return this.#reader(chain, this.#isPart ? { index: chain_index - 1, hash: prev_hash } : undefined);
  }

  #reader(chain: string, begun?: { index: number; hash: string }): ChainReader {
    const known = this.#chains.get(chain);
    if (known) return known;
    // What the copy itself says may be older than its first event; only a checkpoint one holds says for sure where it begins.
    const held = this.#isHeld ? this.#signed.get(chain) : undefined;
    const start = begun ?? held?.start ?? CHAIN_START;
    const reader = new ChainReader({ chain, start, anchors: held ? [{ index: held.index, hash: held.hash }] : [] });
    this.#chains.set(chain, reader);
    return reader;
  }

  /** From what the line means: another program may have put its keys or blanks elsewhere. */
  #read(line: string): ReadEvent {
    const json = parseJson(line);
    const parsed = readWire(json);
    if (!parsed) {
      throw new ExportError(
        `line ${this.#line} is no event with its proof, or is cut off: take it from gatehouse audit export, or as a sink was given it`,
      );
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
