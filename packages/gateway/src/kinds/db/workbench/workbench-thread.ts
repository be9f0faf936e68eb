/** The gateway's side of the thread of workbenches: gives each bench its connections, and ends them all when the thread is gone. */
import type { Duplex } from 'node:stream';
import { Worker } from 'node:worker_threads';
import type { Log } from '../../../platform/std/log.ts';
import { workerUrl } from '../../../platform/std/worker-url.ts';
import {
  type BenchRequest,
  type BenchTerms,
  type FromThread,
  LINK_AHEAD_BYTES,
  type RanStatement,
  type ToThread,
} from './thread/thread-messages.ts';

const MEMORY_MB = 512;

export interface BenchListener {
  /** Bytes of a new connection to the database. `approval`: one that may write, where that was just taken. */
  connect(approval: string | undefined): Duplex;
  tell(text: string): void;
  ready(version: string): void;
  failed(message: string): void;
  ran(statement: RanStatement): void;
}

export interface OpenBench {
  hear(request: BenchRequest): void;
  /** Nothing reaches the database or the page meanwhile; what came of the rest follows afterwards, in its order. */
  hold(isHeld: boolean): void;
  close(): void;
}

export interface WorkbenchThread {
  open(name: string, terms: BenchTerms, listener: BenchListener): OpenBench;
  close(): Promise<void>;
}

interface HeldBench {
  listener: BenchListener;
  links: Map<number, Duplex>;
  isHeld: boolean;
  /** Bounded by what a page may ask at once, and by what is on its way of each link. */
  waiting: FromThread[];
}

type Connect = Extract<FromThread, { type: 'connect' }>;

/** What would reach the database, or the page. */
const HELD_BACK: ReadonlySet<FromThread['type']> = new Set(['connect', 'bytes', 'hangUp', 'tell', 'ready']);

export function createWorkbenchThread({ log }: { log: Log }): WorkbenchThread {
  const benches = new Map<string, HeldBench>();
  let worker: Worker | undefined;

  const post = (message: ToThread, transfer: ArrayBuffer[] = []) => worker?.postMessage(message, transfer);

  function start(): Worker {
    const started = new Worker(workerUrl('workbench-worker', import.meta.url), {
      name: 'workbench',
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    });
    started.unref();
    started.on('message', take);
    started.on('error', (error) => log.error({ error }, 'the thread of workbenches failed'));
    started.on('exit', () => {
      if (worker === started) worker = undefined;
      const left = [...benches.values()];
      benches.clear();
      for (const { listener, links } of left) {
        for (const link of links.values()) link.destroy();
        listener.failed('the gateway failed at it; its log says why');
      }
    });
    return started;
  }

  function take(message: FromThread): void {
    try {
      hear(message);
    } catch (error) {
      // The others who share the thread are not touched by it.
      log.error({ error }, 'a workbench failed');
      benches.get(message.bench)?.listener.failed('the gateway failed at it; its log says why');
    }
  }

  function hear(message: FromThread): void {
    const held = benches.get(message.bench);
    if (!held) return;
    if (held.isHeld && HELD_BACK.has(message.type)) {
      held.waiting.push(message);
      return;
    }
    const { listener, links } = held;
    switch (message.type) {
      case 'connect':
        link(message, held);
        return;
      case 'bytes':
        links.get(message.link)?.write(Buffer.from(message.bytes));
        return;
      case 'took':
        links.get(message.link)?.emit('took', message.count);
        return;
      case 'hangUp':
        links.get(message.link)?.end();
        links.delete(message.link);
        return;
      case 'tell':
        listener.tell(message.text);
        return;
      case 'ready':
        listener.ready(message.version);
        return;
      case 'failed':
        listener.failed(message.message);
        return;
      case 'ran':
        listener.ran(message.statement);
        return;
      default:
        message satisfies never;
    }
  }

  function link({ bench, link: number, approval }: Connect, held: HeldBench): void {
    const { listener, links } = held;
    const about = { bench, link: number };
    const stream = listener.connect(approval);
    links.set(number, stream);
    let ahead = 0;
    const readOn = () => {
      if (!held.isHeld && ahead < LINK_AHEAD_BYTES / 2 && stream.isPaused()) stream.resume();
    };
    stream.on('data', (piece: Buffer) => {
      // A copy that can be handed over: what streams give shares its memory with others.
      const bytes = Uint8Array.from(piece);
      ahead += bytes.length;
      if (ahead >= LINK_AHEAD_BYTES) stream.pause();
      post({ type: 'bytes', ...about, bytes }, [bytes.buffer]);
    });
    stream.on('took', (count: number) => {
      ahead -= count;
      readOn();
    });
    // As `took`: an event, so that a link is what its stream is.
    stream.on('held', () => stream.pause());
    stream.on('letGo', () => readOn());
    stream.on('error', () => {});
    stream.on('close', () => {
      links.delete(number);
      post({ type: 'cut', ...about });
    });
    stream.on('end', () => stream.end());
  }

  return {
    open(bench, terms, listener) {
      worker ??= start();
      const opened: HeldBench = { listener, links: new Map(), isHeld: false, waiting: [] };
      benches.set(bench, opened);
      post({ type: 'open', bench, terms });
      return {
        hear: (request) => post({ type: 'hear', bench, request }),
        hold(isHeld) {
          opened.isHeld = isHeld;
          if (!isHeld) for (const message of opened.waiting.splice(0)) take(message);
          for (const each of opened.links.values()) each.emit(isHeld ? 'held' : 'letGo');
        },
        close() {
          const held = benches.get(bench);
          benches.delete(bench);
          post({ type: 'close', bench });
          for (const each of held?.links.values() ?? []) each.destroy();
        },
      };
    },
    async close() {
      await worker?.terminate();
    },
  };
}
