/** One call on one stream of a tunnel: says all it has to say, half-closes, and hears one answer within its time. */
import type { Duplex } from 'node:stream';
import { type Answer, UpstreamConnection } from '../http/upstream-connection.ts';
import { UpstreamFault } from '../http/upstream-fault.ts';
import type { UpstreamPool } from '../http/upstream-pool.ts';
import { checkAnswer } from './relayed-headers.ts';

const MAX_HEAD_BYTES = 16 * 1024;
/** From the last that was said: tests of connections take the longest, and give up by themselves before. */
export const ANSWER_MS = 90_000;

type Body = Parameters<UpstreamConnection['send']>[2];

class RelayConnection extends UpstreamConnection {
  readonly #answerMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(stream: Duplex, answerMs: number) {
    super(stream, { onIdle: () => stream.destroy(), onClose: () => this.#heard(), maxHeadBytes: MAX_HEAD_BYTES });
    this.#answerMs = answerMs;
  }

  override send(head: string, method: string, body: Body, answer: Answer): void {
    super.send(head, method, body, {
      onHead: (answered) => {
        this.#heard();
        checkAnswer(answered);
        answer.onHead(answered);
      },
      onData: (data, release) => answer.onData(data, release),
      onEnd: () => answer.onEnd(),
      onFault: (fault) => answer.onFault(fault),
      onDrain: () => answer.onDrain?.(),
    });
    this.#said();
    if (body === 'none') this.stream.end();
  }

  override write(data: Buffer): boolean {
    this.#said();
    return super.write(data);
  }

  override endRequest(): void {
    super.endRequest();
    this.stream.end();
  }

  /** Its end is in the packet of its last bytes, and is heard in this turn: cut before, it would cost both sides an error and a packet. */
  protected override leave(): void {
    setImmediate(() => this.stream.destroy());
  }

  #said(): void {
    this.#heard();
    if (this.answered || this.stream.destroyed) return;
    const silent = () => this.stream.destroy(new UpstreamFault('it does not answer'));
    this.#timer = setTimeout(silent, this.#answerMs).unref();
  }

  #heard(): void {
    clearTimeout(this.#timer);
  }
}

/** Every call has a stream of its own: a passport is for one. */
export function streamPerCall(open: () => Promise<Duplex>, answerMs: number): UpstreamPool {
  return {
    idle: () => undefined,
    open: async () => new RelayConnection(await open(), answerMs),
    size: 0,
    close() {},
  };
}
