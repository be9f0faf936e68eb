/**
 * Serves one SFTP client from the first byte to the last. Memory is bounded whatever it sends: of requests and of answers it
 * has not taken only so much is held, and beyond that nothing more is read.
 */
import type { Readable, Writable } from 'node:stream';
import { REQUEST } from '@gatehouse/contract/kinds/node/files/sftp';
import { AnswerOrder } from './answer-order.ts';
import { statusAnswer, versionAnswer } from './answers.ts';
import { Claims } from './claims.ts';
import { Handles } from './handles.ts';
import type { AccountNames } from './long-name.ts';
import { MessageReader } from './message-reader.ts';
import { planRequest } from './plan-request.ts';
import type { Work } from './request.ts';
import { clientPackets, failureOf, SftpProtocolError } from './sftp-failure.ts';

const MAX_RUNNING = 64;
const MAX_HELD_BYTES = 4 * 1024 * 1024;
/** A packet's type and the number of its request. */
const HEADER_BYTES = 5;

export interface SftpDeps {
  input: Readable;
  output: Writable;
  accounts: AccountNames;
}

/** Resolves when the client has gone and everything is closed; rejects when what it sent was no SFTP. */
export async function serveSftp(deps: SftpDeps): Promise<void> {
  const session = new SftpSession(deps);
  try {
    await session.readAll();
  } finally {
    await session.close();
  }
}

class SftpSession {
  readonly #deps: SftpDeps;
  readonly #packets = clientPackets();
  readonly #handles = new Handles();
  readonly #claims = new Claims();
  readonly #order = new AnswerOrder();
  readonly #running = new Set<Promise<void>>();
  #greeted = false;
  /** Of requests that run and answers that wait. */
  #heldBytes = 0;
  #gone = false;
  #wake = () => {};

  constructor(deps: SftpDeps) {
    this.#deps = deps;
    const { input, output } = deps;
    const leave = () => {
      this.#gone = true;
      input.destroy();
      this.#wake();
    };
    // Nobody takes answers any more: what the client may still have sent is nobody's wish.
    output.on('error', leave);
    output.on('close', leave);
    input.on('error', leave);
  }

  async readAll(): Promise<void> {
    try {
      for await (const piece of this.#deps.input) {
        for (const packet of this.#packets.push(piece)) {
          await this.#room();
          if (this.#gone) return;
          this.#take(packet);
        }
      }
    } catch (error) {
      if (!this.#gone) throw error;
    }
  }

  /** What was asked for before the end is still done: an upload's last writes are often followed by the end at once. */
  async close(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
    await this.#handles.closeAll();
  }

  async #room(): Promise<void> {
    while (!this.#gone && (this.#running.size >= MAX_RUNNING || this.#heldBytes >= MAX_HELD_BYTES)) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #take(packet: Buffer): void {
    const type = packet.readUInt8(0);
    if (packet.length < HEADER_BYTES) throw new SftpProtocolError('a packet is too short to be a request');
    if (!this.#greeted || type === REQUEST.init) {
      this.#greet(type);
      return;
    }
    const id = packet.readUInt32BE(1);
    const work = this.#plan(type, id, packet);
    if (!work) return;
    const bytes = packet.length + work.answerBytes;
    this.#heldBytes += bytes;
    const done = this.#answer(id, work, bytes).finally(() => {
      this.#running.delete(done);
      this.#wake();
    });
    this.#running.add(done);
  }

  #greet(type: number): void {
    if (type !== REQUEST.init) throw new SftpProtocolError('the first packet is no greeting');
    if (this.#greeted) throw new SftpProtocolError('a second greeting');
    this.#greeted = true;
    this.#send(versionAnswer(), 0);
  }

  /** Nothing when it was answered already. */
  #plan(type: number, id: number, packet: Buffer): Work | undefined {
    try {
      const body = new MessageReader(packet, HEADER_BYTES);
      return planRequest(type, { id, body, handles: this.#handles, accounts: this.#deps.accounts });
    } catch (error) {
      const { status, message } = failureOf(error);
      const answer = statusAnswer(id, status, message);
      this.#heldBytes += answer.length;
      this.#send(answer, answer.length);
      return undefined;
    }
  }

  async #answer(id: number, { claim, run }: Work, bytes: number): Promise<void> {
    const work = () =>
      this.#claims.run(claim, run).catch((error: unknown) => {
        const { status, message } = failureOf(error);
        return statusAnswer(id, status, message);
      });
    await this.#order.inTurn(claim.file, work, (answer) => this.#send(answer, bytes));
  }

  /** Room that was held for it is given back once the client has taken it. */
  #send(answer: Buffer, bytes: number): void {
    this.#deps.output.write(answer, () => {
      this.#heldBytes -= bytes;
      this.#wake();
    });
  }
}
